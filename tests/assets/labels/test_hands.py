"""Mentions of hands: what is one, whose it is, and how it stands to the action."""

from __future__ import annotations

import pytest

from assets.labels.hands import find_mentions

L, R, B, U = "left_hand", "right_hand", "both_hands", "unspecified_hand"

CASES: list[tuple[str, list[tuple[str, str, str]]]] = [
    ("The left hand holds a bowl.", [("The left hand", L, "subject")]),
    ("Use your right hand to stir.", [("your right hand", R, "instrument")]),
    ("Pour the oil using the left hand.", [("the left hand", L, "instrument")]),
    ("Hold the knife in your right hand.", [("your right hand", R, "in")]),
    ("Pass the plate to the right hand.", [("the right hand", R, "target")]),
    ("Take the spoon from the left hand.", [("the left hand", L, "target")]),
    ("Both hands knead the dough.", [("Both hands", B, "subject")]),
    ("Knead the dough with both of your hands.", [("both of your hands", B, "instrument")]),
    ("The left and right hands press the lid.", [("The left and right hands", B, "subject")]),
    (
        "The left hand and the right hand lift the pot.",
        [("The left hand and the right hand", B, "subject")],
    ),
    ("Hold it with two hands.", [("two hands", B, "instrument")]),
    ("My hands wash the spinach.", [("My hands", B, "subject")]),
    ("Use one hand to open the lid.", [("one hand", U, "instrument")]),
    ("Sprinkle salt with your hand.", [("your hand", U, "instrument")]),
    ("Stir it by hand.", [("hand", U, "instrument")]),
    (
        "The index finger of the left hand points to the onion.",
        [("The index finger of the left hand", L, "subject")],
    ),
    (
        "Press it with the thumb and index finger of your right hand.",
        [("the thumb and index finger of your right hand", R, "instrument")],
    ),
    ("The right index finger presses the button.", [("The right index finger", R, "subject")]),
    ("Wipe it with the left palm.", [("the left palm", L, "instrument")]),
    (
        "Hold the bowl in your left hand and stir with the other hand.",
        [("your left hand", L, "in"), ("the other hand", R, "instrument")],
    ),
    (
        "The right hand cuts while the other hand holds the onion.",
        [("The right hand", R, "subject"), ("the other hand", L, "subject")],
    ),
    (
        "Hold the pot with one hand and stir with the other hand.",
        [("one hand", U, "instrument"), ("the other hand", U, "instrument")],
    ),
    (
        "He holds a bowl in his right and a spoon in his left hand.",
        [("his right", R, "in"), ("his left hand", L, "in")],
    ),
    (
        "Hold the lid in the left and the pan in the right hand.",
        [("the left", L, "in"), ("the right hand", R, "in")],
    ),
    (
        "With his left he holds the bowl and with his right he stirs.",
        [("his left", L, "instrument"), ("his right", R, "instrument")],
    ),
    ("He holds it in his right and left hand.", [("his right and left hand", B, "in")]),
    ("The gloved hand holds the pipette.", [("The gloved hand", U, "subject")]),
    # None of these is a hand.
    ("Hand over the bowl.", []),
    ("He hands the plate to the woman.", []),
    ("Hold the handle of the pot.", []),
    ("Take a handful of rice.", []),
    ("The oil left in the pot is hot.", []),
    ("He left the knife on the table.", []),
    ("Put it on the left side of the board.", []),
    ("Turn the knob to the right.", []),
    ("Look in the right and the left drawer.", []),
    ("Put one in the right and one in the left hand drawer.", [("left hand", U, "side")]),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[c[0] for c in CASES])
def test_mentions(text: str, expected: list[tuple[str, str, str]]) -> None:
    found = find_mentions(text)
    assert [(text[m.start : m.end], m.body_part, m.kind) for m in found] == expected
