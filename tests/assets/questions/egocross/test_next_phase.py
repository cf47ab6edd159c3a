"""Next phase from a few operations put down by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assets.questions.egocross.even import EVEN
from assets.questions.egocross.next_phase import BUILDER, NAMES, RELEASED_NAMES
from assets.questions.egocross.phases import LONG_ENOUGH, NO_GAP
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
Span = tuple[str, float, float]


def operation(uid: str, *spans: Span, **changed: object) -> tuple[Row, list[Row]]:
    """An operation of some phases, known by one picture a second."""
    rows = [segment(uid, *span, kind="phase") | changed for span in spans]
    return recording(uid, duration_s=200.0), rows


def source(*operations: tuple[Row, list[Row]]) -> Tables:
    return tables([row for row, _ in operations], [one for _, rows in operations for one in rows])


def in_order(n: int = 2, length: float = 20.0) -> list[tuple[Row, list[Row]]]:
    """Operations in which each phase comes once."""
    spans = [(x, length * i, length * (i + 1)) for i, x in enumerate(ALL)]
    return [operation(f"V{i}", *spans) for i in range(n)]


def asked(made: pl.DataFrame, uid: str) -> list[Row]:
    return made.filter(pl.col("recording_id") == uid).sort("question_id").to_dicts()


@pytest.mark.parametrize(("reading", "clip"), [("strict", (9.0, 39.0)), ("paper", (0.0, 50.0))])
def test_the_phase_after_the_one_shown_is_right(reading: str, clip: tuple[float, float]) -> None:
    """Known by one picture a second: the last one of the first phase is at 39 s."""
    x = operation("x", (ALL[1], 0, 40), (ALL[2], 40, 60))
    made = BUILDER.under(reading).make(source(*in_order(), x))
    assert_whole(made)
    (q,) = asked(made, "x")
    (right,) = [o for o in q["options"] if o["is_answer"]]
    assert right["value"] == ALL[2]
    assert q["answer_visible"] is (reading == "paper")
    (shown,) = q["media"]
    assert (shown["start_s"], shown["end_s"]) == clip


def test_clips_last_whole_periods_of_at_most_half_a_minute() -> None:
    x = operation("x", (ALL[1], 3, 90), (ALL[2], 90, 120))
    y = operation("y", (ALL[1], 3, 14), (ALL[2], 14, 30))
    made = BUILDER.make(source(*in_order(), x, y))
    spans = {q["recording_id"]: q["media"][0] for q in made.to_dicts()}
    assert (spans["x"]["start_s"], spans["x"]["end_s"]) == (59.0, 89.0)
    assert (spans["y"]["start_s"], spans["y"]["end_s"]) == (3.0, 13.0)


def test_the_papers_clips_show_fifty_seconds_of_a_phase_and_ten_of_the_next() -> None:
    x = operation("x", (ALL[1], 3, 90), (ALL[2], 90, 120))
    (q,) = asked(BUILDER.under("paper").make(source(*in_order(), x)), "x")
    assert (q["media"][0]["start_s"], q["media"][0]["end_s"]) == (40.0, 100.0)


def test_the_text_names_no_phase_and_the_explanation_both() -> None:
    q = asked(BUILDER.make(source(*in_order())), "V0")[0]
    assert q["text"] == "Which phase of the operation comes next, after the end of this video?"
    x = operation("x", ("clippingAndCutting", 10, 30), ("gallbladderDissection", 30, 60))
    (q,) = asked(BUILDER.make(source(*in_order(), x)), "x")
    assert q["detailed_answer"] == (
        'The clip shows the phase "Clipping and cutting", annotated from 10 s to 30 s of the recording.'
        " The phase that begins at 30 s: Gallbladder dissection."
    )
    assert [(e["key"], e["role"]) for e in q["evidence"]] == [
        ("x/10-30/clippingAndCutting", "context"),
        ("x/30-60/gallbladderDissection", "answer"),
    ]


@pytest.mark.parametrize(
    ("spans", "strict", "paper"),
    [
        ([(ALL[1], 0, 20), (ALL[2], 21, 40)], {NO_GAP: 1}, {NO_GAP: 1}),
        ([(ALL[1], 0, 20), (ALL[1], 26, 40)], {}, {}),
        ([(ALL[1], 0, 8), (ALL[2], 8, 40)], {LONG_ENOUGH: 1}, {}),
        ([(ALL[1], 0, 20), (ALL[2], 20, 21)], {}, {LONG_ENOUGH: 1}),
        ([(ALL[1], 0, 20), ("lunch", 20, 40)], {}, {}),
    ],
    ids=["gap", "same phase", "brief", "one picture", "no phase"],
)
def test_what_is_not_asked_is_counted(
    spans: list[Span], strict: dict[str, int], paper: dict[str, int]
) -> None:
    for reading, refused in (("strict", strict), ("paper", paper)):
        builder = BUILDER.under(reading)
        with counting() as without:
            before = builder.make(source(*in_order()))
        with counting() as found:
            made = builder.make(source(*in_order(), operation("x", *spans)))
        assert {r: found[r] - without[r] for r in (NO_GAP, LONG_ENOUGH) if found[r]} == refused
        changes = int(len(spans) > 1 and spans[1][0] in ALL and spans[1][0] != ALL[1])
        assert made.height - before.height == changes - sum(refused.values())


def test_where_no_picture_says_how_exact_borders_are_nothing_is_asked() -> None:
    x = operation("x", (ALL[1], 0, 20), (ALL[2], 20, 40), precision_s=None)
    assert asked(BUILDER.make(source(*in_order(), x)), "x") == []


def test_no_phase_is_a_good_guess() -> None:
    """One phase comes next thirty times: most of these are left out."""
    rows = [operation(f"x{i}", (ALL[1], 0, 20), (ALL[2], 20, 40)) for i in range(30)]
    with counting() as refused:
        made = BUILDER.make(source(*rows, *in_order(3))).to_dicts()
    assert refused[EVEN] >= 15
    right = Counter(o["value"] for q in made for o in q["options"] if o["is_answer"])
    offered = Counter(o["value"] for q in made for o in q["options"])
    assert all(abs(4 * right[x] - n) <= 6 for x, n in offered.items())
    paper = BUILDER.under("paper").make(source(*rows, *in_order(3)))
    assert paper.height == 30 + 3 * 6


def test_the_released_testbed_asks_alike(shared: Path) -> None:
    theirs = released(shared, "next phase prediction")
    assert len(theirs) == 24
    made = BUILDER.under("paper").make(source(*in_order(6))).to_dicts()
    assert {q["text"] for q in made} == {i["question_text"] for i in theirs}
    options = {text.partition(": ")[2] for i in theirs for text in i["options"]}
    assert {o["text"] for q in made for o in q["options"]} == options
    # The phase that the text names is never offered.
    assert all(i["question_text"].split("'")[1] not in str(i["options"]) for i in theirs)
    for q in made:
        assert q["text"].split("'")[1] not in str(q["options"])
    assert set(RELEASED_NAMES) == set(ALL)


def test_order_of_rows_means_nothing() -> None:
    given = source(*in_order())
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(BUILDER.make(given), BUILDER.make(turned))


def test_the_builder_reads_what_it_says() -> None:
    given = source(*in_order())
    narrowed = {name: given[name].select(columns) for name, columns in BUILDER.reads.items()}
    assert_frame_equal(BUILDER.make(narrowed), BUILDER.make(given))
