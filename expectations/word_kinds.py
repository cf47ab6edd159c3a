"""Kinds of words: what a verb does to its thing, what a noun is good for.

The words stand in `word_kinds.csv`, which people review: one row per word and kind. Everything that decides
by the meaning of a verb asks here and keeps no list of its own.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

VERB, NOUN, BEFORE, DIRECTION = "verb", "noun", "before", "direction"
"""What words are: verbs, nouns, those that stand before a verb or a thing, and directions."""
NONE = "none"
"""Kind of a verb whose particle makes it another action than the verb alone."""


@cache
def _kinds() -> dict[tuple[str, str], frozenset[str]]:
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    text = Path(__file__).with_name("word_kinds.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        found[row["part"], row["word"]].add(row["kind"])
    return {key: frozenset(kinds) for key, kinds in found.items()}


@cache
def words_of(part: str, *kinds: str) -> frozenset[str]:
    """Words of some kinds.

    Args:
        part: `verb`, `noun`, `before` or `direction`.
        kinds: Kinds, as `word_kinds.csv` names them.

    Raises:
        ValueError: No word is of one of the kinds.
    """
    by_kind = {
        kind: {word for (of, word), own in _kinds().items() if of == part and kind in own}
        for kind in kinds
    }
    empty = [kind for kind, words in by_kind.items() if not words]
    if empty:
        raise ValueError(f"word_kinds.csv has no {part} of the kind {empty[0]!r}: add one")
    return frozenset[str]().union(*by_kind.values())


@cache
def verb_kinds(lemma: str) -> frozenset[str]:
    """Kinds of a verb; one that is not listed with its particle is of the kinds of the verb alone.

    Args:
        lemma: Base form with its particle; hyphens and underscores count as blanks: `turn_on`, `pick up`.
    """
    words = lemma.casefold().replace("-", " ").replace("_", " ").split()
    for wanted in (" ".join(words), *words[:1]):
        kinds = _kinds().get((VERB, wanted))
        if kinds is not None:
            return kinds - {NONE}
    return frozenset()


def kinds_of_any(lemmas: Iterable[str]) -> frozenset[str]:
    """Kinds of several verbs together."""
    return frozenset[str]().union(*map(verb_kinds, lemmas))
