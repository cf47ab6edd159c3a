"""What is filled in and joined before the parse: names of several nouns, hands named in short."""

from __future__ import annotations

import re

import pytest

from assets.labels.open.compounds import join_names
from assets.labels.open.hands import spell_out_hands
from assets.labels.open.tokens import Token

_VERBS = frozenset("saw drill can water plant cover wash stand hold brush".split())


def words(text: str) -> list[Token]:
    return [
        Token(m.group(), m.start(), m.end()) for m in re.finditer(r"[\w']+(?:-\w+)*|[^\w\s]", text)
    ]


def names(text: str) -> list[str]:
    """Joined names of a text."""
    joined = join_names(words(text), _VERBS.__contains__)
    return [f"{word.prefix} {word.name}" for word in joined if word.name]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cuts it with the table saw", ["table saw"]),
        ("drops it in the garbage can", ["garbage can"]),
        ("takes the vacuum cleaner pipe", ["vacuum cleaner pipe"]),
        ("picks the drill bits from the box", ["drill bits"]),
        ("lets the machine drill the hole", []),
        ("takes the cup and the machine drills", []),
        ("gets up to water plants", []),
        ("takes the cup , box and plate", []),
    ],
)
def test_nouns_in_a_row_are_one_name(text: str, found: list[str]) -> None:
    assert names(text) == found


def test_a_joined_name_spans_all_its_words() -> None:
    text = "takes the vacuum cleaner pipe"
    (name,) = (w for w in join_names(words(text), _VERBS.__contains__) if w.name)
    assert text[name.start : name.end] == "vacuum cleaner pipe"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("grabs it ( left hand ) and runs", "grabs it with the left hand and runs"),
        ("picks up the cup , right hand .", "picks up the cup with the right hand ."),
        ("throws it left-handed .", "throws it with the left hand ."),
        ("I am left-handed .", "I am left-handed ."),
        (
            "holds it in the left hand and cuts it with the right",
            "holds it in the left hand and cuts it with the right hand",
        ),
        (
            "tosses it with the right hand and catches it with the left one",
            "tosses it with the right hand and catches it with the left hand",
        ),
        ("moves the left hand to the right", "moves the left hand to the right"),
        ("the plate on the right hand side", "the plate on the right side"),
        (
            "pours it from your right hand bowl into the pan",
            "pours it from your bowl in the right hand into the pan",
        ),
        ("passes it from left to right hand", "passes it from left hand to right hand"),
    ],
)
def test_hands_named_in_short_are_spelled_out(text: str, read: str) -> None:
    assert " ".join(word.text for word in spell_out_hands(words(text))) == read


def test_words_that_are_filled_in_stand_nowhere() -> None:
    text = "grabs it ( left hand )"
    written = [w for w in spell_out_hands(words(text)) if w.start < w.end]
    assert [text[w.start : w.end] for w in written] == ["grabs", "it", "left", "hand"]
