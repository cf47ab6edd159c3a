"""Action sequences from a few labelled runs put down by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assets.questions.egocross.action_sequence_identification import (
    BUILDER,
    CHANGE,
    FITS,
    FOLLOW,
)
from assets.questions.egocross.labelled import KINDS, are_alike
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

Spans = list[tuple[str, float, float]]
SEQUENCES = (
    "left spin forward",
    "right jump left",
    "forward flip right",
    "left forward flip",
    "slidestop left jump",
    "curveleft flip forward",
)


def slope(runs: dict[str, Spans], **sports: str) -> Tables:
    rows = [segment(uid, *span, kind="action") for uid, spans in runs.items() for span in spans]
    return tables([recording(uid, scenario=sports.get(uid, "skiing")) for uid in runs], rows)


def run(sequence: str, start: float = 5.0) -> Spans:
    """Actions of 3 s each, one after the other."""
    return [(x, start + 3 * i, start + 3 * i + 3) for i, x in enumerate(sequence.split())]


def plain(n: int = 2) -> dict[str, Spans]:
    return {f"{x}{i}": run(x) for x in SEQUENCES for i in range(n)}


def asked(made: pl.DataFrame, uid: str) -> Row:
    (row,) = made.filter(pl.col("recording_id") == uid).to_dicts()
    return row


def test_the_labels_of_the_clip_are_right_in_their_order() -> None:
    made = BUILDER.make(slope(plain()))
    assert_whole(made)
    assert made.height == 12
    q = asked(made, "slidestop left jump0")
    assert q["answer_text"] == "slide stop → left → jump"
    (right,) = [o for o in q["options"] if o["is_answer"]]
    assert right["value"] == "slidestop left jump"
    assert (q["media"][0]["start_s"], q["media"][0]["end_s"]) == (5.0, 14.0)
    assert q["rationale"][1]["text"] == (
        "The second action that the clip shows, in seconds of the recording: left from 8 s to 11 s."
    )


def test_as_in_the_paper_options_have_labels_of_one_kind_at_each_place() -> None:
    made = BUILDER.under("paper").make(slope(plain()))
    assert_whole(made)
    q = asked(made, "slidestop left jump0")
    assert q["answer_text"] == "Slidestop → Left → Jump"
    assert q["text"].endswith("in the time segment from 5s to 14s?")
    assert (q["media"][0]["start_s"], q["media"][0]["end_s"]) == (0.0, 14.0)
    for options in made["options"]:
        for labels in zip(*(o["value"].split() for o in options), strict=True):
            assert any(set(labels) <= set(kind) for kind in KINDS)


def test_options_of_the_released_testbed_have_labels_of_one_kind_at_each_place(
    shared: Path,
) -> None:
    theirs = released(shared, "action sequence identification")
    assert len(theirs) == 50
    for item in theirs:
        options = [text.partition(": ")[2].lower().split(" → ") for text in item["options"]]
        for labels in zip(*options, strict=True):
            assert any(set(labels) <= set(kind) for kind in KINDS)


def test_clips_begin_where_a_frame_shows_the_middle_of_each_action() -> None:
    """Middle halves: left until 6.575 s, the jump from 7.55 to 8.45 s, right from 9.675 s."""
    spans: Spans = [("left", 5, 7.1), ("jump", 7.1, 8.9), ("right", 8.9, 12)]
    q = asked(BUILDER.make(slope(plain() | {"x": spans})), "x")
    assert (q["media"][0]["start_s"], q["media"][0]["end_s"]) == (5.7, 12.0)


@pytest.mark.parametrize(
    ("spans", "rule"),
    [
        ([("left", 5, 8), ("jump", 8, 10), ("forward", 13, 15)], FOLLOW),
        ([("left", 5, 8), ("jump", 7, 10), ("forward", 10, 13)], FOLLOW),
        ([("left", 5, 8), ("wave", 8, 10), ("forward", 10, 13)], FOLLOW),
        ([("left", 5, 8), ("curveleft", 8, 12), ("forward", 12, 14)], CHANGE),
        ([("forward", 5, 8), ("left", 8, 12), ("leftright", 12, 14)], CHANGE),
        ([("left", 5, 8), ("spin", 8, 24), ("forward", 24, 27)], FITS),
        ([("left", 5, 8), ("jump", 8.0, 8.3), ("forward", 8.3, 12)], FITS),
        ([("left", 33, 36), ("spin", 36, 38), ("forward", 38, 41)], FITS),
    ],
    ids=["pause", "together", "unknown", "curve", "swing", "long", "short", "beyond the video"],
)
def test_what_is_not_asked_is_counted(spans: Spans, rule: str) -> None:
    with counting() as refused:
        made = BUILDER.make(slope(plain() | {"x": spans}))
    assert refused[rule] == 1
    assert made.filter(pl.col("recording_id") == "x").is_empty()


def test_options_are_sequences_of_the_sport_that_do_not_look_as_the_right_one() -> None:
    runs = plain() | {"x": run("curveleft spin walk")}
    for q in BUILDER.make(slope(runs)).to_dicts():
        (right,) = [o["value"].split() for o in q["options"] if o["is_answer"]]
        for o in q["options"]:
            alike = [are_alike(a, b) for a, b in zip(right, o["value"].split(), strict=True)]
            assert o["is_answer"] or not all(alike)
    others = {f"p{i}": run(x) for i, x in enumerate(("walk roll run", "run roll left"))}
    made = BUILDER.make(slope(runs | others, p0="parkour", p1="parkour"))
    offered = {o["value"] for options in made["options"] for o in options}
    assert not offered & {"walk roll run", "run roll left"}


def test_no_sequence_is_a_good_guess() -> None:
    """Most runs go left, spin and go on: others are offered as distractors less often."""
    runs = {f"s{i}": run("left spin forward") for i in range(30)}
    made = BUILDER.make(slope(runs | plain(6))).to_dicts()
    right = Counter(o["value"] for q in made for o in q["options"] if o["is_answer"])
    assert right["left spin forward"] == 10
    offered = Counter(o["value"] for q in made for o in q["options"])
    assert all(2 <= offered[x] / right[x] <= 8 for x in right)


def test_order_of_rows_means_nothing() -> None:
    given = slope(plain())
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(BUILDER.make(given), BUILDER.make(turned))


def test_the_builder_reads_what_it_says() -> None:
    given = slope(plain())
    narrowed = {name: given[name].select(columns) for name, columns in BUILDER.reads.items()}
    assert_frame_equal(BUILDER.make(narrowed), BUILDER.make(given))
