"""Next direction from a few labelled runs put down by hand."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assets.questions.egocross.next_direction import ALONE, BUILDER, LONG_ENOUGH, NAMES, STARTED
from assets.questions.kit.funnel import counting
from tests.assets.questions.egocross.animals import (
    Row,
    Tables,
    assert_whole,
    recording,
    released,
    segment,
    tables,
)

ALL = tuple(NAMES)


def run(uid: str, *spans: tuple[str, float, float]) -> tuple[Row, list[Row]]:
    return recording(uid), [segment(uid, *span, kind="action") for span in spans]


def slope(*runs: tuple[Row, list[Row]]) -> Tables:
    return tables([row for row, _ in runs], [one for _, rows in runs for one in rows])


def plain(n: int = 3) -> list[tuple[Row, list[Row]]]:
    """Runs that go forward, jump, and then each direction in turn."""
    return [
        run(
            f"{x}{i}", ("right" if x == "forward" else "forward", 2, 4), ("jump", 5, 6), (x, 10, 14)
        )
        for x in ALL
        for i in range(n)
    ]


def asked(made: pl.DataFrame, uid: str) -> Row:
    (row,) = made.filter(pl.col("recording_id") == uid).to_dicts()
    return row


@pytest.mark.parametrize(("reading", "clip"), [("strict", (0.9, 9.0)), ("paper", (0.0, 10.0))])
def test_the_first_direction_after_the_clip_is_right(
    reading: str, clip: tuple[float, float]
) -> None:
    """Strictly, the last frame sent every 2 s is 0.1 s before the clip's end."""
    made = BUILDER.under(reading).make(slope(*plain()))
    assert_whole(made)
    for x in ALL:
        q = asked(made, f"{x}0")
        (right,) = [o for o in q["options"] if o["is_answer"]]
        assert right["value"] == x and right["text"].lower() == NAMES[x]
        assert (q["media"][0]["start_s"], q["media"][0]["end_s"]) == clip
        assert q["answer_visible"] is False


def test_a_long_way_is_shown_for_fourteen_seconds() -> None:
    made = BUILDER.make(slope(*plain(), run("long", ("right", 16, 18), ("left", 30.2, 33))))
    (clip,) = asked(made, "long")["media"]
    assert (clip["start_s"], clip["end_s"]) == pytest.approx((15.1, 29.2))


def test_the_explanation_names_what_the_clip_shows_and_what_follows() -> None:
    q = asked(BUILDER.make(slope(*plain())), "curveleft0")
    assert q["detailed_answer"] == (
        "Directions that begin in the clip, in seconds of the recording: forward from 2 s to 4 s."
        " The first direction that begins after it: curve left from 10 s to 14 s."
    )
    assert [(e["key"], e["role"]) for e in q["evidence"]] == [
        ("curveleft0/10-14/curveleft", "answer"),
        ("curveleft0/2-4/forward", "context"),
    ]


@pytest.mark.parametrize(
    ("spans", "rule", "n", "asked_at"),
    [
        ([("left", 4.9, 7)], LONG_ENOUGH, 1, set()),
        ([("jump", 2, 4), ("left", 10, 12)], STARTED, 1, set()),
        ([("forward", 2, 4), ("right", 9.5, 9.9), ("left", 10, 12)], ALONE, 1, {9.5}),
        ([("forward", 2, 11), ("left", 10, 12)], ALONE, 1, set()),
        ([("forward", 2, 4), ("left", 10, 12), ("curveleft", 11, 13)], ALONE, 2, set()),
    ],
    ids=["short", "nothing before", "between", "before goes on", "during"],
)
def test_what_is_not_asked_is_counted(
    spans: list[tuple[str, float, float]], rule: str, n: int, asked_at: set[float]
) -> None:
    with counting() as without:
        BUILDER.make(slope(*plain()))
    with counting() as refused:
        made = BUILDER.make(slope(*plain(), run("x", *spans)))
    assert refused[rule] - without[rule] == n
    clips = (q["media"][0] for q in made.to_dicts() if q["recording_id"] == "x")
    assert {clip["end_s"] + 1 for clip in clips} == asked_at


def test_left_is_not_offered_beside_left_then_right() -> None:
    for q in BUILDER.make(slope(*plain(5))).to_dicts():
        (right,) = [o["value"] for o in q["options"] if o["is_answer"]]
        offered = {o["value"] for o in q["options"]}
        if right in ("left", "leftright"):
            assert not {"left", "leftright"} <= offered


def test_no_direction_is_a_good_guess() -> None:
    """Most runs go forward: it is right in no more than 40, and others are offered beside it."""
    rows = [run(f"f{i}", ("right", 2, 4), ("forward", 10, 14)) for i in range(60)]
    made = BUILDER.make(slope(*rows, *plain(6))).to_dicts()
    right = Counter(o["value"] for q in made for o in q["options"] if o["is_answer"])
    assert right["forward"] == 40
    offered = Counter(o["value"] for q in made for o in q["options"])
    assert all(offered[x] <= 8 * right[x] for x in right)


def test_directions_asked_about_are_apart() -> None:
    spans = [(x, 4.0 * i + 2, 4.0 * i + 5) for i, x in enumerate(ALL)]
    given = slope(*plain(), run("x", *spans))
    times = sorted(
        q["media"][0]["end_s"] + 1
        for q in BUILDER.make(given).to_dicts()
        if q["recording_id"] == "x"
    )
    assert len(times) >= 2
    assert all(b - a >= 8 for a, b in pairwise(times))
    paper = BUILDER.under("paper").make(given)
    assert paper.filter(pl.col("recording_id") == "x").height == 5


def test_the_released_testbed_asks_alike(shared: Path) -> None:
    theirs = released(shared, "next direction prediction")
    assert len(theirs) == 60
    ours = BUILDER.under("paper").make(slope(*plain()))
    assert set(ours["text"]) == {i["question_text"] for i in theirs}
    options = {text.partition(": ")[2] for i in theirs for text in i["options"]}
    assert {o["text"] for options in ours["options"] for o in options} == options


def test_order_of_rows_means_nothing() -> None:
    given = slope(*plain())
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(BUILDER.make(given), BUILDER.make(turned))


def test_the_builder_reads_what_it_says() -> None:
    given = slope(*plain())
    narrowed = {name: given[name].select(columns) for name, columns in BUILDER.reads.items()}
    assert_frame_equal(BUILDER.make(narrowed), BUILDER.make(given))
