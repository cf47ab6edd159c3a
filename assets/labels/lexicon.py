"""From the terms of a taxonomy (and its supplement) to what each surface form names.

A term that several classes list names the *last* of them ("pot" is 390, not 389), as in the
released annotation, whose every ambiguous term follows that rule.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from assets.labels.words import plurals, term_words, verb_forms

LONGEST = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """What a surface form names.

    Attributes:
        class_id: Class, or None for words that name none (a supplement's exception).
        label: Its label.
        form: `base`, `s`, `ing`, `participle` of a verb; `noun` of a noun.
        origin: `taxonomy` or `supplement`.
        classes: How many classes list the form.
    """

    class_id: int | None
    label: str
    form: str
    origin: str = "taxonomy"
    classes: int = 1


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Surface forms (as tuples of words) of verbs and nouns."""

    verbs: dict[tuple[str, ...], Entry]
    nouns: dict[tuple[str, ...], Entry]
    noun_words: frozenset[str]
    noun_phrase_starts: frozenset[str]
    verb_phrase_starts: frozenset[str]


def make_lexicon(taxonomies: pl.DataFrame, supplement: pl.DataFrame) -> Lexicon:
    """Lexicon of the `verb` and `noun` taxonomies of one source.

    Args:
        taxonomies: Rows of `taxonomies`.
        supplement: Columns `kind`, `term`, `class_label`, `note`. A row overrides the taxonomy for
            its term; an empty `class_label` says that the words name no class.

    Raises:
        ValueError: A supplement row has an unknown kind. Rows whose class the taxonomy lacks are
            left out: the supplement is generic, the taxonomies differ.
    """
    verbs = _entries(taxonomies, supplement, "verb")
    nouns = _entries(taxonomies, supplement, "noun")
    unknown = set(supplement["kind"].unique()) - {"verb", "noun"}
    if unknown:
        raise ValueError(
            f"supplement: kind {sorted(unknown)} is neither verb nor noun; correct the file"
        )
    return Lexicon(
        verbs=verbs,
        nouns=nouns,
        noun_words=frozenset(key[0] for key, e in nouns.items() if len(key) == 1 and e.label),
        noun_phrase_starts=frozenset(key[0] for key in nouns if len(key) > 1),
        verb_phrase_starts=frozenset(key[0] for key in verbs if len(key) > 1),
    )


@dataclass(frozen=True, slots=True)
class _Term:
    """A term of one class, before its forms are made."""

    words: tuple[str, ...]
    class_id: int | None
    label: str
    origin: str


def _entries(
    taxonomies: pl.DataFrame, supplement: pl.DataFrame, kind: str
) -> dict[tuple[str, ...], Entry]:
    classes = (
        taxonomies.filter(pl.col("taxonomy") == kind)
        .sort("class_id")
        .select("class_id", "label", "terms")
        .rows()
    )
    listed = [
        _Term(term_words(term), class_id, label, "taxonomy")
        for class_id, label, terms in classes
        for term in (terms or [label])
    ]
    ids: dict[str, int] = {}
    for class_id, label, _ in classes:
        ids[label] = class_id
        ids.setdefault(label.split("_(")[0], class_id)
    rows = supplement.filter(pl.col("kind") == kind).select(
        "term", pl.col("class_label").fill_null("")
    )
    own = [
        _Term(term_words(term), ids.get(label), label, "supplement")
        for term, label in sorted(rows.iter_rows())
        if not label or label in ids
    ]
    entries: dict[tuple[str, ...], Entry] = {}
    for terms in (listed, own):  # the supplement overrides
        made = [(form, t) for t in terms if t.words for form in _surfaces(t.words, kind)]
        entries |= _last_wins(made)
        if kind == "noun":  # a term as written ("glasses") overrides a plural made of another
            entries |= _last_wins([((t.words, "noun"), t) for t in terms if t.words])
    return entries


def _last_wins(
    made: Iterable[tuple[tuple[tuple[str, ...], str], _Term]],
) -> dict[tuple[str, ...], Entry]:
    seen: dict[tuple[str, ...], set[int | None]] = {}
    entries: dict[tuple[str, ...], Entry] = {}
    for (words, kind), term in made:
        seen.setdefault(words, set()).add(term.class_id)
        known = entries.get(words)
        # "cuts" is the s-form of "cut" even where the class also lists it as a term of its own.
        listed_form = known is not None and known.class_id == term.class_id and kind == "base"
        form = known.form if known is not None and listed_form else kind
        entries[words] = Entry(term.class_id, term.label, form, term.origin, len(seen[words]))
    return entries


def _surfaces(words: tuple[str, ...], kind: str) -> list[tuple[tuple[str, ...], str]]:
    """Forms of a term: a verb's first word is inflected, a noun's last."""
    if kind == "verb":
        return [((form, *words[1:]), name) for form, name in verb_forms(words[0]).items()]
    return [((*words[:-1], form), "noun") for form in sorted(plurals(words[-1]))]
