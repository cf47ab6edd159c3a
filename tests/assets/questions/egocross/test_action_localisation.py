"""When actions begin, from a few labelled runs put down by hand."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from assets.questions.egocross.action_localisation import (
    BUILDER,
    LASTS,
    NAMES,
    ONCE,
    PLACES_S,
    TENTHS_S,
)
from assets.questions.kit.funnel import counting
from tests.assets.questions.egocross.animals import (
    Tables,
    assert_whole,
    recording,
    released,
    segment,
    tables,
)

Spans = list[tuple[str, float, float]]


def slope(runs: dict[str, Spans], length: float | None = 40.0) -> Tables:
    rows = [segment(uid, *span, kind="action") for uid, spans in runs.items() for span in spans]
    return tables([recording(uid, duration_s=length) for uid in runs], rows)


def plain() -> dict[str, Spans]:
    """Runs of two actions, with time enough before and after for a clip wherever they begin."""
    return {
        x: [("right" if x == "forward" else "forward", 14.5, 16.5), (x, 18.5, 20.5)] for x in NAMES
    }


@pytest.mark.parametrize("reading", ["strict", "paper"])
def test_the_start_of_the_action_in_the_clip_is_right(reading: str) -> None:
    made = BUILDER.under(reading).make(slope(plain()))
    assert_whole(made)
    assert made["recording_id"].n_unique() == len(NAMES)
    for q in made.to_dicts():
        (clip,) = q["media"]
        assert clip["end_s"] - clip["start_s"] == pytest.approx(15.0)
        starts = {18.5 - clip["start_s"], 14.5 - clip["start_s"]}
        places = PLACES_S if reading == "strict" else TENTHS_S
        assert float(q["answer_text"].rstrip(" s")) in {round(s, 6) for s in starts} & set(places)


def test_under_paper_the_right_time_is_no_rounder_than_the_others() -> None:
    runs: dict[str, Spans] = {f"x{i}": [("jump", 18.0, 20.0)] for i in range(140)}
    right = Counter(
        round(10 * float(q["answer_text"].rstrip("s"))) % 10
        for q in BUILDER.under("paper").make(slope(runs)).to_dicts()
    )
    assert len(right) == 10 and max(right.values()) <= 30


def test_all_options_lie_half_a_second_before_a_frame() -> None:
    for q in BUILDER.make(slope(plain())).to_dicts():
        times = sorted(float(o["value"]) for o in q["options"])
        assert set(times) <= set(PLACES_S)
        assert all(b - a >= 2 for a, b in pairwise(times))


def test_actions_begin_early_and_late_in_clips() -> None:
    runs: dict[str, Spans] = {f"x{i}": [("jump", 18.0, 20.0)] for i in range(140)}
    right = Counter(BUILDER.make(slope(runs))["answer_text"])
    assert len(right) == 7 and max(right.values()) <= 35


def test_the_explanation_names_what_begins_in_the_clip() -> None:
    made = BUILDER.make(slope({"x": [("curveleft", 18.0, 21.0), ("jump", 18.5, 19.0)]}))
    (q,) = made.to_dicts()
    at = q["answer_text"]
    assert q["detailed_answer"] == (
        "Actions that begin in the clip, in seconds of the recording: curve left at 18 s; jump at"
        f" 18.5 s. The only 'curve left' among them begins at 18 s, {at} after the start of the clip."
    )
    assert [(e["key"], e["role"]) for e in q["evidence"]] == [
        ("x/18-21/curveleft", "answer"),
        ("x/18.5-19/jump", "context"),
    ]


@pytest.mark.parametrize(
    ("spans", "length", "rule", "n"),
    [
        ([("spin", 18, 18.8)], 40.0, LASTS, 1),
        ([("spin", 1, 4)], 40.0, ONCE, 1),
        ([("spin", 18, 19.2), ("spin", 19.2, 21)], 40.0, ONCE, 2),
        ([("spin", 13.6, 15)], None, ONCE, 1),
        ([("spin", 4, 6)], 14.0, ONCE, 1),
    ],
    ids=["a moment", "at the start", "taken up again", "of no stated length", "a short recording"],
)
def test_what_is_not_asked_is_counted(
    spans: Spans, length: float | None, rule: str, n: int
) -> None:
    with counting() as refused:
        made = BUILDER.make(slope({"x": spans}, length))
    assert refused[rule] == n
    assert made.is_empty()


def test_an_action_is_asked_about_again_where_a_clip_holds_it_alone() -> None:
    made = BUILDER.make(slope({"x": [("spin", 10, 12), ("spin", 26, 28)]}))
    assert made.height == 2


def test_the_released_testbed_asks_in_these_words(shared: Path) -> None:
    theirs = [
        i
        for i in released(shared, "action temporal localization")
        if i["dataset"] == "ExtrameSportFPV"
    ]
    assert len(theirs) == 75
    ours = set(BUILDER.under("paper").make(slope(plain()))["text"])
    assert {i["question_text"] for i in theirs} <= ours


def test_order_of_rows_means_nothing() -> None:
    given = slope(plain())
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(BUILDER.make(given), BUILDER.make(turned))


def test_the_builder_reads_what_it_says() -> None:
    given = slope(plain())
    narrowed = {name: given[name].select(columns) for name, columns in BUILDER.reads.items()}
    assert_frame_equal(BUILDER.make(narrowed), BUILDER.make(given))
