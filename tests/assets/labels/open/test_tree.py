"""Words of a parse in plain Python hang together as spaCy's do, also after heads were moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc as SpacyDoc

from assets.labels.open.forms import RULES, Forms
from assets.labels.open.model import DEFAULT_MODEL
from assets.labels.open.tokens import Token
from assets.labels.open.tree import Doc

WORDS: list[Any] = (
    "She picks up the cup and the old spoon in the sink , then he washes them there".split()
)


def _shape(words: Sequence[Any]) -> list[tuple[Any, ...]]:
    return [
        (
            word.text,
            word.tag_,
            word.dep_,
            word.head.i,
            [child.i for child in word.children],
            [above.i for above in word.ancestors],
            [below.i for below in word.subtree],
            word.left_edge.i,
            word.right_edge.i,
        )
        for word in words
    ]


@pytest.fixture(scope="module")
def parses() -> tuple[SpacyDoc, Doc]:
    language = spacy.load(DEFAULT_MODEL, exclude=["ner", "senter"], disable=list(RULES))
    raw = language(SpacyDoc(language.vocab, words=WORDS))
    return raw, Forms(language).tree(raw, [Token(word, 0, 0) for word in WORDS])


def test_words_hang_together_as_in_spacy(parses: tuple[SpacyDoc, Doc]) -> None:
    raw, tree = parses
    assert _shape(tree) == _shape(list(raw))


def test_moved_words_hang_together_as_in_spacy(parses: tuple[SpacyDoc, Doc]) -> None:
    raw, tree = parses
    verb = next(word.i for word in tree if word.text == "washes")
    for below, above in ((6, 4), (7, 4), (4, verb), (4, 1)):
        raw[below].head, tree[below].head = raw[above], tree[above]
    assert _shape(tree) == _shape(list(raw))


def test_a_ring_of_heads_ends_and_there_is_no_word_before_the_first(
    parses: tuple[SpacyDoc, Doc],
) -> None:
    _, tree = parses
    tree[3].head, tree[4].head = tree[4], tree[3]
    assert len(list(tree[3].ancestors)) == len(WORDS)
    assert (tree[3].left_edge.i, tree[3].right_edge.i) == (3, tree[4].right_edge.i)
    with pytest.raises(IndexError, match="no word -1"):
        tree[0].nbor(-1)
