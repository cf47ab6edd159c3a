"""The thing that a hand is in contact with longest, from a few points and boxes put down by hand."""

from __future__ import annotations

import re
from itertools import cycle, islice
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assets.questions.egocross.dominant_object import LEADS, LEADS_SENT
from assets.questions.egocross.dominant_object_enigma51 import BUILDER
from assets.questions.egocross.hand_actions import NAMED
from assets.questions.egocross.stretches import COVERED
from assets.questions.kit.funnel import counting
from tests.assets.questions.egocross.animals import Row, Tables, assert_whole, released
from tests.assets.questions.egocross.benches import Point, Seen, repairs
from tests.assets.questions.egocross.surgeries import assert_even

LENGTH = 20
THINGS = ("pliers", "screwdriver", "left_red_button", "low_voltage_board", "screen")
SEEN: Seen = {name: range(LENGTH) for name in (*THINGS, "right_red_button")}


def held(hand: str, thing: str, start: float, end: float, verb: str = "take") -> list[Point]:
    """A hold from one point to the next."""
    ends = {"take": "release", "first_contact": "decontact"}
    return [(verb, hand, thing, start), (ends[verb], hand, thing, end)]


# Recordings in which the left hand holds one thing after another, so that what it holds in `x` is asked about.
OTHERS = {
    f"V{i:02}": held("left", thing, 1.0, 19.0) for i, thing in enumerate(islice(cycle(THINGS), 10))
}


def with_others(
    points: list[Point], seen: Seen = SEEN, looked: list[float] | None = None
) -> Tables:
    """Recording `x` beside others."""
    every = {**dict.fromkeys(OTHERS, SEEN), "x": seen}
    annotated = None if looked is None else {"x": looked}
    return repairs(every, LENGTH, {**OTHERS, "x": points}, annotated)


def of(made: pl.DataFrame, uid: str) -> list[Row]:
    return made.filter(pl.col("recording_id") == uid).to_dicts()


PLIERS = held("left", "pliers", 1.5, 11.5)
BUTTONS = [
    *held("left", "left_red_button", 13.0, 15.0, "first_contact"),
    *held("left", "right_red_button", 16.0, 18.0, "first_contact"),
]


def test_the_thing_of_most_pictures_is_right() -> None:
    other = held("right", "screen", 0.0, 20.0, "first_contact")
    made = BUILDER.make(with_others([*PLIERS, *BUTTONS, *other]))
    assert_whole(made)
    (q,) = (q for q in of(made, "x") if "left hand" in q["text"])
    assert q["text"] == (
        "Which of these things is the operator's left hand in contact with longest in this video?"
    )
    assert q["answer_text"] == "pliers"
    assert q["detailed_answer"] == (
        "In 20 annotated pictures of the clip, a second apart, the operator's left hand is in contact"
        " with these things: pliers in 10; button in 4. It is in contact with the pliers in at least 6"
        " more pictures than with any other thing."
    )
    roles = [(e["table"], e["role"]) for e in q["evidence"]]
    assert roles.count(("boxes", "answer")) == 10 and roles.count(("boxes", "context")) == 4
    assert roles.count(("annotated_frames", "coverage")) == 20
    assert roles.count(("segments", "event")) == 6
    assert not any("/right/" in e["key"] for e in q["evidence"])


def test_pictures_between_two_seconds_do_not_count() -> None:
    """Where a hand meets or leaves a thing a frame is annotated beside those of the seconds."""
    between = [1.5, 11.5]
    seen = {name: sorted([*range(LENGTH), *between]) for name in SEEN}
    (q,) = of(BUILDER.make(with_others(PLIERS, seen, sorted([*range(LENGTH), *between]))), "x")
    assert "In 20 annotated" in q["detailed_answer"] and "pliers in 10." in q["detailed_answer"]


def test_touching_and_then_taking_is_one_hold() -> None:
    points: list[Point] = [("first_contact", "left", "pliers", 1.0), *PLIERS]
    (q,) = of(BUILDER.make(with_others(points)), "x")
    assert "pliers in 11." in q["detailed_answer"]


def test_what_is_held_out_of_view_does_not_count() -> None:
    seen = {**SEEN, "pliers": range(6, LENGTH)}
    (q,) = of(BUILDER.make(with_others(PLIERS, seen)), "x")
    assert "pliers in 6." in q["detailed_answer"]


CASES: dict[str, tuple[list[Point], str]] = {
    "a lead of three": ([*PLIERS, *held("left", "screen", 12.0, 19.0)], LEADS),
    "something is never left": ([*PLIERS, ("take", "left", "screen", 12.0)], LEADS),
    "something was never met": ([*PLIERS, ("release", "left", "screen", 8.0)], LEADS),
    "something is met twice": (
        [*PLIERS, ("take", "left", "screen", 6.0), *held("left", "screen", 15.0, 15.5)],
        LEADS,
    ),
    "a point without a hand": ([*PLIERS, ("take", None, "screen", 18.0)], NAMED),
    "a point without a thing": ([*PLIERS, ("release", "right", None, 18.0)], NAMED),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_in_doubt_is_counted(case: str) -> None:
    points, rule = CASES[case]
    with counting() as without:
        BUILDER.make(with_others([]))
    with counting() as refused:
        made = BUILDER.make(with_others(points))
    assert refused[rule] - without[rule] == 1
    assert of(made, "x") == []


def test_the_pictures_sent_must_tell_it_too() -> None:
    seen = {**SEEN, "pliers": range(1, LENGTH, 2)}
    points = [*held("left", "pliers", 0.0, 20.0), *held("left", "screen", 2.0, 3.0)]
    with counting() as refused:
        made = BUILDER.make(with_others(points, seen))
    assert of(made, "x") == [] and refused[LEADS_SENT] == 1


def test_the_paper_asks_for_any_lead_but_for_none_in_doubt() -> None:
    paper = BUILDER.under("paper")
    near = [*PLIERS, *held("left", "screen", 10.0, 19.0)]
    made = paper.make(with_others(near))
    assert_whole(made)
    assert [q["answer_text"] for q in of(made, "x")] == ["pliers"]
    assert of(paper.make(with_others([*PLIERS, ("take", "left", "screen", 9.0)])), "x") == []
    assert of(paper.make(with_others([*PLIERS, ("take", None, "screen", 9.0)])), "x") == []


@pytest.mark.parametrize("reading", ["strict", "paper"])
@pytest.mark.parametrize("lost", [{4}, {3, 5, 7}])
def test_a_clip_that_is_not_annotated_is_not_asked_about(reading: str, lost: set[int]) -> None:
    looked: list[float] = [t for t in range(LENGTH) if t not in lost]
    with counting() as refused:
        made = BUILDER.under(reading).make(with_others(PLIERS, looked=looked))
    assert of(made, "x") == [] and refused[COVERED] >= 1


def test_every_thing_of_a_hand_is_right_as_often_as_chance_has_it() -> None:
    pliers = {f"h{i:02}": held("left", "pliers", 1.0, 19.0) for i in range(20)}
    points = {**OTHERS, **{f"W{uid}": own for uid, own in OTHERS.items()}, **pliers}
    made = BUILDER.make(repairs(dict.fromkeys(points, SEEN), LENGTH, points))
    assert made.height >= 15
    assert_even(made.to_dicts())


def test_the_released_testbed_asks_alike(shared: Path) -> None:
    items = released(shared, "dominant held-object identification")
    texts = [i["question_text"] for i in items if i["dataset"] == "ENIGMA"]
    assert len(texts) == 32
    both = [*PLIERS, *held("right", "screen", 1.0, 19.0)]
    ours = BUILDER.under("paper").make(with_others(both))["text"]
    blank = re.compile(r"(left|right)(?= hand)|(?<=to )\d+\.\d+(?=s)")
    assert {blank.sub("_", t) for t in ours} == {blank.sub("_", t) for t in texts}
    assert {t for t in texts if "to 20.00s" in t} == {*ours}


def test_order_of_rows_and_undeclared_columns_mean_nothing() -> None:
    given = with_others([*PLIERS, *BUTTONS])
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(BUILDER.make(given), BUILDER.make(turned))
    narrowed = {
        name: given[name] if columns is None else given[name].select(columns)
        for name, columns in BUILDER.reads.items()
    }
    assert_frame_equal(BUILDER.make(narrowed), BUILDER.make(given))
