"""Which thing a pronoun stands for, and which hand a narration means; expectations are what a person reads."""

from __future__ import annotations

import pytest

from assets.labels.open.reader import read_narrations


@pytest.mark.parametrize(
    ("narration", "verb", "thing"),
    [
        ("C takes a carrot, washes it and peels it.", "peel", "carrot"),
        ("C opens the oven, takes out the tray and closes it.", "close", "oven"),
        ("C rubs butter on the tin and puts it in the oven.", "put", "tin"),
        ("C slides the letter into the envelope and seals it.", "seal", "envelope"),
        ("C wipes the counter with a cloth and rinses it.", "rinse", "cloth"),
        ("C cuts the stalk off the pepper and slices it.", "slice", "pepper"),
        ("C cuts the stalk off the pepper and throws it away.", "throw away", "stalk"),
        ("C puts the lid on the jar and shakes it.", "shake", "jar"),
        ("C takes the book off the shelf, opens the window and puts it back.", "put", "book"),
        ("C takes the ladle, dips it in the soup and tastes it.", "taste", "soup"),
    ],
)
def test_a_pronoun_stands_for_what_the_verbs_go_on_with(
    narration: str, verb: str, thing: str
) -> None:
    (labels,) = read_narrations([narration])
    clause = next(label.clause for label in labels if label.lemma == verb)
    objects = [label for label in labels if label.clause == clause and label.kind == "noun"]
    assert [each.lemma for each in objects if each.role == "direct"] == [thing]


def test_several_things_are_meant_by_one_pronoun() -> None:
    (labels,) = read_narrations(["C adds the carrots to the peas and mixes them."])
    mixed = [each.lemma for each in labels if each.clause == 1 and each.kind == "noun"]
    assert mixed == ["carrot", "pea"]


@pytest.mark.parametrize(
    ("narration", "parts"),
    [
        ("C lifts the pot with one hand and its lid with the other.", ["both_hands"]),
        ("#C C holds the plank with her both hands", ["both_hands"]),
        ("C grips a bar with each hand.", ["both_hands"]),
        ("C presses the dough with the fingers on his left hand.", ["left_hand"]),
        ("The left hand, holding a fork, turns the meat.", ["left_hand", "left_hand"]),
        ("C lets go of the rail with his left hand and waves with it.", ["left_hand", "left_hand"]),
        ("C raises both hands and lowers them.", ["both_hands", "both_hands"]),
        (
            "With my left hand on the lid and my right on the base, I twist the jar.",
            ["both_hands"],
        ),
        (
            "C holds the jar with her left hand and taps on it with her right thumb",
            ["left_hand", "right_hand"],
        ),
        ("#C C puts her right hand in the sack", ["right_hand"]),
        ("The right hand can turn the knob.", ["right_hand"]),
    ],
)
def test_the_hand_that_acts_is_found_however_it_is_named(narration: str, parts: list[str]) -> None:
    (labels,) = read_narrations([narration])
    assert [label.body_part for label in labels if label.kind == "verb"] == parts


@pytest.mark.parametrize(
    ("narration", "verb", "objects"),
    [
        ("C knocks the crumbs off the tray.", "knock", {"crumb": "direct", "tray": "source"}),
        ("She strolls in and walks down the corridor.", "walk", {"corridor": "location"}),
        ("C puts the cup in to the sink", "put", {"cup": "direct", "sink": "target"}),
        ("C drops in the onions and stirs.", "drop in", {"onion": "direct"}),
        ("I pull on my boots.", "pull on", {"boot": "direct"}),
        ("C pulls on the cord.", "pull", {"cord": "target"}),
        ("A person throws their arms up.", "throw", {}),
        ("I zip the bag shut.", "zip", {"bag": "direct"}),
        ("C checks that the lid closes.", "check", {"lid": "direct"}),
    ],
)
def test_particles_and_prepositions_are_told_apart(
    narration: str, verb: str, objects: dict[str, str]
) -> None:
    (labels,) = read_narrations([narration])
    clause = next(label.clause for label in labels if label.lemma == verb)
    nouns = [label for label in labels if label.clause == clause and label.kind == "noun"]
    assert {each.lemma: each.role for each in nouns} == objects
