"""What a hand meets or leaves next, from a few points put down by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assets.questions.egocross.next_interaction import (
    BUILDER,
    FIRST,
    HANDS,
    LONG_ENOUGH,
    NAMED,
    STARTED,
)
from assets.questions.kit.funnel import counting
from tests.assets.questions.egocross.animals import Row, Tables, assert_whole, released
from tests.assets.questions.egocross.benches import Point, benches

THINGS = ("red_board", "pliers", "screwdriver", "battery")


def plain(n: int = 2) -> dict[str, list[Point]]:
    """Recordings in which a hand takes one of the things, and puts it down."""
    return {
        f"{thing}{i}": [("take", "right", thing, 10.0), ("release", "right", thing, 14.5)]
        for thing in THINGS
        for i in range(n)
    }


def asked(made: pl.DataFrame, text: str) -> list[Row]:
    return [q for q in made.to_dicts() if text in q["text"]]


def only(points: list[Point], reading: str = "strict") -> pl.DataFrame:
    made = BUILDER.under(reading).make(benches(plain() | {"x": points}))
    return made.filter(pl.col("recording_id") == "x")


BUSY: list[Point] = [
    ("first_contact", "right", "button", 5.0),
    ("decontact", "right", "button", 6.0),
    ("take", "left", "battery", 12.1),
]


def test_the_first_after_the_clip_is_right() -> None:
    made = BUILDER.make(benches(plain()))
    assert_whole(made)
    assert {q["answer_text"] for q in made.to_dicts()} == {
        f"release the {thing.replace('_', ' ')}" for thing in THINGS
    }
    (clip,) = made["media"][0]
    assert (clip["start_s"], clip["end_s"]) == (1.4, 13.5)
    assert made["answer_visible"].to_list() == [False] * made.height


def test_a_hand_is_named_or_not() -> None:
    """The first time nothing of the left hand is shown before; then the other hand is first."""
    (q,) = only(BUSY).to_dicts()
    assert q["text"] == "What does the operator do next, after the end of this video?"
    assert q["answer_text"] == "take the battery"
    other: list[Point] = [("take", "left", None, 13.4), ("take", "right", "pliers", 14.1)]
    (q,) = only([*BUSY[:2], *other]).to_dicts()
    assert q["text"] == "What does the operator's right hand do next, after the end of this video?"
    assert q["answer_text"] == "take the pliers"
    assert q["detailed_answer"].startswith(
        "In the clip, the right hand last meets or leaves a thing at 6.00 s of the recording: the right"
        " hand stops touching the button."
    )


def test_as_in_the_paper_the_clip_ends_where_it_happens() -> None:
    made = only([*BUSY, ("take", "right", "pliers", 32.0)], "paper")
    assert_whole(made)
    (q,) = asked(made, "right hand")
    (clip,) = q["media"]
    assert (clip["start_s"], clip["end_s"]) == (2.0, 32.0)
    assert q["answer_visible"] is False
    assert q["answer_text"] == "take the pliers"
    assert q["text"] == (
        "Based on the activity observed up to 30.00s, what is the predicted next type of interaction"
        " for the operator's right hand?"
    )


@pytest.mark.parametrize(
    ("points", "rule", "n"),
    [
        ([("take", None, None, 20.0)], NAMED, 1),
        ([("take", "right", None, 20.0)], NAMED, 1),
        ([("take", "right", "pliers", 8.9)], LONG_ENOUGH, 1),
        ([("take", "right", "pliers", 20.0)], STARTED, 2),
        ([*BUSY[:2], ("take", None, None, 7.0), BUSY[2]], STARTED, 2),
        ([("take", None, None, 3.0), *BUSY], HANDS, 1),
        ([*BUSY, ("take", "right", "pliers", 12.3)], FIRST, 2),
        ([*BUSY[:2], ("decontact", "right", "lid", 11.3), BUSY[2]], FIRST, 1),
        ([*BUSY, ("take", None, None, 12.3)], FIRST, 1),
    ],
    ids=[
        "bare",
        "no object",
        "too early",
        "nothing before",
        "unknown before",
        "hands unknown",
        "at once",
        "at the end",
        "maybe",
    ],
)
def test_what_is_not_asked_is_counted(points: list[Point], rule: str, n: int) -> None:
    with counting() as without:
        BUILDER.make(benches(plain()))
    with counting() as refused:
        BUILDER.make(benches(plain() | {"x": points}))
    assert refused[rule] - without[rule] == n


def test_to_touch_a_thing_is_not_offered_beside_taking_it() -> None:
    touched: list[Point] = [("first_contact", "right", x, 3.0 + i) for i, x in enumerate(THINGS)]
    made = BUILDER.make(benches(plain() | {"y": [*touched, ("take", "right", "pliers", 20.0)]}))
    (q,) = {q["question_id"]: q for q in made.to_dicts() if q["recording_id"] == "y"}.values()
    assert "begin to touch the pliers" not in {o["text"] for o in q["options"]}


def test_what_the_other_hand_has_is_not_let_go_where_either_is_meant() -> None:
    held: dict[str, list[Point]] = {
        f"{first}-{i}": [("take", "left", first, 5.0), ("take", "right", then, 20.0)]
        for i in range(3)
        for first, then in zip(THINGS, (*THINGS[1:], THINGS[0]), strict=True)
    }
    made = BUILDER.make(benches(plain() | held)).to_dicts()
    mine = {q["recording_id"]: {o["text"] for o in q["options"]} for q in made}
    shown = {uid: mine[uid] for uid in held.keys() & mine.keys()}
    assert len(shown) >= 8
    things = {uid: uid.partition("-")[0].replace("_", " ") for uid in shown}
    assert not [uid for uid, texts in shown.items() if f"release the {things[uid]}" in texts]
    assert any(text.startswith("release") for texts in shown.values() for text in texts)


def test_no_interaction_is_a_good_guess() -> None:
    often: dict[str, list[Point]] = {
        f"o{i}": [("take", "right", "lid", 10.0), ("release", "right", "lid", 14.5)]
        for i in range(40)
    }
    made = BUILDER.make(benches(often | plain(6))).to_dicts()
    right = Counter(o["value"] for q in made for o in q["options"] if o["is_answer"])
    assert right["release lid"] == 15
    offered = Counter(o["value"] for q in made for o in q["options"])
    assert all(2 <= offered[x] / right[x] <= 8 for x in right)


def test_the_released_testbed_names_the_same_kinds(shared: Path) -> None:
    theirs = released(shared, "next interaction prediction")
    assert len(theirs) == 53
    verbs = {text.split()[1] for i in theirs for text in i["options"]}
    assert verbs <= {"contact", "decontact", "take", "release"}
    assert all("up to 30.00s" in i["question_text"] for i in theirs)
    assert sum("hand" in i["question_text"] for i in theirs) == 25


def test_order_of_rows_and_undeclared_columns_mean_nothing() -> None:
    given: Tables = benches(plain())
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(BUILDER.make(given), BUILDER.make(turned))
    narrowed = {name: given[name].select(columns) for name, columns in BUILDER.reads.items()}
    assert_frame_equal(BUILDER.make(narrowed), BUILDER.make(given))
