"""Narrations of several styles, read without a vocabulary; expectations are what a person reads."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from assets.labels.open.reader import OpenLabel, read_narrations

Expected = Mapping[str, object]


def read(narration: str) -> list[OpenLabel]:
    (labels,) = read_narrations([narration])
    return labels


def verbs(narration: str) -> list[OpenLabel]:
    return [label for label in read(narration) if label.kind == "verb"]


def nouns(narration: str, clause: int = 0) -> dict[str, str]:
    """Role by lemma, in the event with a number."""
    return {
        label.lemma: label.role
        for label in read(narration)
        if label.kind == "noun" and label.clause == clause
    }


@pytest.mark.parametrize(
    ("narration", "lemmas"),
    [
        ("C moves to the table.", ["move"]),
        ("C stirs.", ["stir"]),
        ("The lid opens.", ["open"]),
        ("The man passes to the woman the ball.", ["pass"]),
        ("person A washes the plate.", ["wash"]),
        (
            "#C C picks up the bottle with her left hand and pours oil into the pan",
            ["pick up", "pour"],
        ),
        ("C holds the pan and stirs with the right hand", ["hold", "stir"]),
        ("open fridge, take milk and close fridge", ["open", "take", "close"]),
        ("put-down spoon", ["put down"]),
        ("Turn-on stove using hand", ["turn on"]),
        ("C dishes the rice onto a plate", ["dish"]),
        ("C waters the plants, then wipes her hands", ["water", "wipe"]),
        ("put knife and fork in sink", ["put"]),
        ("turn on tap", ["turn on"]),
        ("stir-fry the onions", ["stir-fry"]),
        ("waters the plants", ["water"]),
        ("washes the dishes", ["wash"]),
        ("The man who wears a red shirt hands C the wrench", ["wear", "hand"]),
        ("Cutting the onion.", ["cut"]),
        ("#unsure", []),
        ("", []),
    ],
)
def test_every_action_is_a_verb_of_its_own(narration: str, lemmas: list[str]) -> None:
    assert [verb.lemma for verb in verbs(narration)] == lemmas


@pytest.mark.parametrize(
    ("narration", "actors"),
    [
        ("The man throws the ball and C cuts it", ["man", None]),
        ("C waves at the man, then opens the door", [None, None]),
        ("C gives the cup to the man and opens the door", [None, None]),
        ("#O A man X picks a cup", ["man x"]),
        ("person A washes the plate.", ["person a"]),
        ("The camera wearer picks up a screwdriver", [None]),
        ("The onion is cut by the man with a knife", ["man"]),
        ("The ball is thrown by C", [None]),
        ("The lid opens.", ["nobody"]),
        ("C watches the woman cut the bread", [None, "woman"]),
        ("The man and C lift the table", [None]),
        ("A person sneezes, then kicks their shoes off", ["person", "person"]),
        ("The person opens the bag while the man watches", ["person", "man"]),
        ("Pick up the pan with both hands", [None]),
    ],
)
def test_who_acts_is_read_of_each_clause(narration: str, actors: list[str | None]) -> None:
    assert [verb.actor_id for verb in verbs(narration)] == actors


@pytest.mark.parametrize(
    ("narration", "status"),
    [
        ("C opens the box", "done"),
        ("C does not open the box", "negated"),
        ("C doesn't open the box", "negated"),
        ("C fails to open the jar", "attempted"),
        ("C tries to close the lid but fails", "attempted"),
        ("C stops cutting the onion", "stopped"),
        ("C is about to open the drawer", "about_to"),
        ("C wants to pick the ball", "about_to"),
        ("C starts to peel the potatoes", "done"),
        ("C continues stirring the pot with a wooden spoon", "done"),
    ],
)
def test_how_far_an_action_came(narration: str, status: str) -> None:
    (verb,) = verbs(narration)
    assert verb.status == status


def test_what_for_is_no_deed_and_what_with_is() -> None:
    picked, cut = verbs("C picks the knife to cut the onion")
    assert (picked.status, cut.status) == ("done", "about_to")
    used, tightened = verbs("C uses a screwdriver to tighten the screw")
    assert (used.status, tightened.status) == ("done", "done")
    assert nouns("C uses a screwdriver to tighten the screw", 1) == {
        "screwdriver": "tool",
        "screw": "direct",
    }


@pytest.mark.parametrize(
    ("narration", "parts"),
    [
        ("picks the knife with his right gloved hand", ["right_hand"]),
        (
            "C holds the phone with his left hand and scrolls with his right thumb",
            ["left_hand", "right_hand"],
        ),
        (
            "The left hand holds the bowl, the right hand stirs with a whisk",
            ["left_hand", "right_hand"],
        ),
        ("pick up the pan with both hands", ["both_hands"]),
        ("C kicks the ball with his right foot", ["right_foot"]),
        ("C nods his head", ["head"]),
        ("dry hands", ["none"]),
        ("rinse and dry hands", ["none", "none"]),
        ("C moves to the table.", ["none"]),
        ("C touches his face with the left hand", ["left_hand"]),
        ("C wipes the back of the chair", ["none"]),
    ],
)
def test_the_part_of_the_body_that_acts(narration: str, parts: list[str]) -> None:
    assert [verb.body_part for verb in verbs(narration)] == parts


@pytest.mark.parametrize(
    ("narration", "roles"),
    [
        ("The man passes to the woman the ball.", {"woman": "recipient", "ball": "direct"}),
        ("C gives him the cup", {"person": "recipient", "cup": "direct"}),
        ("man X passes C a cup", {"wearer": "recipient", "cup": "direct"}),
        (
            "C pours the water from the kettle into the mug",
            {"water": "direct", "kettle": "source", "mug": "target"},
        ),
        ("clean table with cloth", {"table": "direct", "cloth": "tool"}),
        ("C stands on the ladder", {"ladder": "location"}),
        ("C gets a spoon out of the drawer", {"spoon": "direct", "drawer": "source"}),
        ("A slice of bread is placed in the toaster", {"bread": "direct", "toaster": "target"}),
        ("C places the impact wrench on the table", {"impact wrench": "direct", "table": "target"}),
        ("dry hands", {"hand": "direct"}),
        ("C operates the dough cutter with his right hand.", {"dough cutter": "direct"}),
        ("C picks up the short", {"short": "direct"}),
    ],
)
def test_things_and_people_play_parts(narration: str, roles: Expected) -> None:
    assert nouns(narration) == roles


def test_a_pronoun_stands_for_the_thing_before_it() -> None:
    assert nouns("C removes the lid from the pot and places it on the counter", 1) == {
        "lid": "direct",
        "counter": "target",
    }


def test_numbers_are_counts() -> None:
    labels = read("C places three plates and two cups on the table")
    counts = {label.lemma: label.quantity for label in labels if label.kind == "noun"}
    assert counts == {"plate": 3, "cup": 2, "table": None}


@pytest.mark.parametrize(
    ("narration", "direction"),
    [
        ("C turns left", "left"),
        ("C walks towards the fridge", "towards"),
        ("C spins the wheel clockwise", "clockwise"),
        ("C throws the ball to the left", "left"),
        ("C looks around", "around"),
        ("C opens the door", None),
    ],
)
def test_directions_are_kept(narration: str, direction: str | None) -> None:
    (verb,) = verbs(narration)
    assert verb.direction == direction


@pytest.mark.parametrize(
    "narration",
    [
        "#C C puts the man's cup down",
        "C’s hand opens the  door ",
        "tʼ ﬁ ² C   stirs",
        "ÄÖ open İ tap",
    ],
)
def test_places_point_into_the_narration_as_written(narration: str) -> None:
    for label in read(narration):
        assert narration[label.span_start : label.span_end].lower() == label.term
        assert label.term


def test_a_narration_is_read_alike_alone_and_among_others() -> None:
    narrations = ["C stirs.", "put knife and fork in sink", "", "The lid opens."] * 3
    together = list(read_narrations(narrations))
    assert together == [read(narration) for narration in narrations]


def test_a_hand_and_a_tool_behind_one_preposition_are_read_once() -> None:
    found = nouns("Stir the rice in the pot using the left hand and a ladle.")
    assert found == {"rice": "direct", "pot": "location", "ladle": "tool"}


@pytest.mark.parametrize(
    ("narration", "clause", "found"),
    [
        ("The dog chases the ball and a person throws it again.", 0, {("ball", "direct")}),
        (
            "A person holding a dish, a fork and a glass of juice walks to the table.",
            0,
            {("dish", "direct"), ("fork", "direct"), ("glass", "direct"), ("juice", "direct")},
        ),
        (
            "C puts the plate she is holding in the rack",
            0,
            {("plate", "direct"), ("rack", "target")},
        ),
        ("A person laughs at a video on a tablet that she is holding.", 1, {("tablet", "direct")}),
        (
            "Pour the beans from one jar into the other.",
            0,
            {("bean", "direct"), ("jar", "source"), ("jar", "target")},
        ),
    ],
)
def test_phrases_belong_to_the_verb_a_person_reads_them_with(
    narration: str, clause: int, found: set[tuple[str, str]]
) -> None:
    labels = [label for label in read(narration) if label.clause == clause]
    assert {(label.lemma, label.role) for label in labels if label.kind == "noun"} == found


def test_what_hangs_on_a_part_of_the_body_is_read_once() -> None:
    found = nouns("Stir the plywood, dirt, plantation, and trunks with chins in the bags evenly.")
    assert "plywood" in found
