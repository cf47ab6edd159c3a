"""Any text is read: no error, spans inside the text, the same again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.labels.parse import parse_narration
from tests.assets.labels.vocabulary import LEXICON, NOUNS, VERBS

_PIECES = [
    *(term for terms in (*VERBS.values(), *NOUNS.values()) for term in terms),
    *"the a left right hand hands both other with in on of and , . ; - ( ) is held by to while".split(),
    "左手", "ﬁ", "İ", "ß", "①", "\u200b", "\n", "é", "🍳", "'s", "3.5", "#", "##",
]  # fmt: skip
_ROLES = {None, "action", "direct", "tool", "container", "location", "other"}
_HANDS = {"left_hand", "right_hand", "both_hands", "unspecified_hand"}


def _check(text: str) -> None:
    found = parse_narration(text, LEXICON)
    assert found == parse_narration(text, LEXICON)
    for label in found:
        assert 0 <= label.span_start < label.span_end <= len(text)
        assert text[label.span_start : label.span_end].lower() == label.term
        assert label.role in _ROLES
        assert label.body_part in _HANDS
        assert label.clause >= 0
    keys = [(x.clause, x.kind, x.span_start, x.class_id) for x in found]
    assert len(set(keys)) == len(keys)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    _check(text)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(_PIECES), max_size=40).map(" ".join))
def test_any_order_of_words(text: str) -> None:
    _check(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\x00",
        "左手端着盘子里准备好的五花肉，右手拿起一片。",
        "the left hand " * 5_000,
        "cut the onion and " * 5_000,
        "onion " * 20_000,
        "a" * 100_000,
        "-" * 10_000,
        "ＣＵＴ the ONION",
        "cut\u00a0the\u2003onion",
    ],
    ids=range(11),
)
def test_odd_texts(text: str) -> None:
    _check(text)
