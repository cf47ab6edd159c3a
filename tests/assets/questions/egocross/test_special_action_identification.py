"""Special actions from a few labelled runs put down by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assets.questions.egocross.special_action_identification import (
    ALONE,
    BUILDER,
    FITS,
    LASTS,
    NAMES,
)
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


def slope(runs: dict[str, Spans]) -> Tables:
    rows = [segment(uid, *span, kind="action") for uid, spans in runs.items() for span in spans]
    return tables([recording(uid) for uid in runs], rows)


def plain(n: int = 3) -> dict[str, Spans]:
    """Runs in which each special action is performed after going forward."""
    return {f"{x}{i}": [("forward", 2, 6), (x, 7.25, 9.75)] for x in NAMES for i in range(n)}


def asked(made: pl.DataFrame, uid: str) -> Row:
    (row,) = made.filter(pl.col("recording_id") == uid).to_dicts()
    return row


@pytest.mark.parametrize(
    ("reading", "times"), [("strict", "from 2.8 s to 5.2 s"), ("paper", "from 2s to 6s")]
)
def test_the_label_between_the_times_is_right(reading: str, times: str) -> None:
    made = BUILDER.under(reading).make(slope(plain()))
    assert_whole(made)
    for x in NAMES:
        q = asked(made, f"{x}0")
        (right,) = [o for o in q["options"] if o["is_answer"]]
        assert right["value"] == right["text"].lower() == x
        assert (q["media"][0]["start_s"], q["media"][0]["end_s"]) == (4.5, 9.75)
        assert times in q["text"]


def test_a_long_action_is_shown_from_before_it_begins() -> None:
    made = BUILDER.make(slope(plain() | {"long": [("climb", 12.0, 21.0)]}))
    (clip,) = asked(made, "long")["media"]
    assert (clip["start_s"], clip["end_s"]) == (10.5, 21.0)


def test_the_middle_of_the_action_is_on_a_frame_that_is_sent() -> None:
    for q in BUILDER.make(slope(plain())).to_dicts():
        assert (8.5 - q["media"][0]["start_s"]) % 2 == 0


def test_the_explanation_names_what_the_clip_shows() -> None:
    runs: dict[str, Spans] = plain() | {"x": [("jump", 8.0, 10.0), ("spin", 11.0, 14.0)]}
    questions = BUILDER.under("paper").make(slope(runs)).filter(pl.col("answer_text") == "Spin")
    q = asked(questions, "x")
    assert q["detailed_answer"] == (
        "Special actions that the clip shows, in seconds of the recording: jump from 8 s to 10 s;"
        " spin from 11 s to 14 s. The one from 11 s to 14 s: spin."
    )
    assert [(e["key"], e["role"]) for e in q["evidence"]] == [
        ("x/11-14/spin", "answer"),
        ("x/8-10/jump", "context"),
    ]


@pytest.mark.parametrize(
    ("spans", "rule", "n"),
    [
        ([("spin", 10, 10.8)], LASTS, 1),
        ([("spin", 1, 4)], FITS, 1),
        ([("climb", 20, 42)], FITS, 1),
        ([("spin", 10, 13), ("flip", 12, 15)], ALONE, 2),
    ],
    ids=["a moment", "at the start", "long", "two at once"],
)
def test_what_is_not_asked_is_counted(spans: Spans, rule: str, n: int) -> None:
    with counting() as without:
        BUILDER.make(slope(plain()))
    with counting() as refused:
        made = BUILDER.make(slope(plain() | {"x": spans}))
    assert refused[rule] - without[rule] == n
    assert made.filter(pl.col("recording_id") == "x").is_empty()


def test_as_in_the_paper_no_option_is_performed_meanwhile() -> None:
    """Whole seconds may reach into the next action: it is right as well."""
    runs = {f"x{i}": [("spin", 10.5, 12.1), ("flip", 12.2, 14)] for i in range(9)}
    made = BUILDER.under("paper").make(slope(plain() | runs))
    spins = made.filter(pl.col("recording_id").is_in(list(runs)), answer_text="Spin").to_dicts()
    assert len(spins) == 9
    assert all("flip" not in {o["value"] for o in q["options"]} for q in spins)


def test_no_special_action_is_a_good_guess() -> None:
    """Most runs jump: it is right in no more than 40, and others are offered beside it."""
    rows: dict[str, Spans] = {f"j{i}": [("jump", 8, 10)] for i in range(60)}
    made = BUILDER.make(slope(rows | plain(6))).to_dicts()
    right = Counter(o["value"] for q in made for o in q["options"] if o["is_answer"])
    assert right["jump"] == 40
    offered = Counter(o["value"] for q in made for o in q["options"])
    assert all(offered[x] <= 8 * right[x] for x in right)


def test_the_released_testbed_offers_the_same_actions(shared: Path) -> None:
    theirs = released(shared, "special action identification")
    assert len(theirs) == 46
    options = {text.partition(": ")[2] for i in theirs for text in i["options"]}
    ours = BUILDER.under("paper").make(slope(plain()))
    assert {o["text"] for options in ours["options"] for o in options} == options


def test_order_of_rows_means_nothing() -> None:
    given = slope(plain())
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(BUILDER.make(given), BUILDER.make(turned))


def test_the_builder_reads_what_it_says() -> None:
    given = slope(plain())
    narrowed = {name: given[name].select(columns) for name, columns in BUILDER.reads.items()}
    assert_frame_equal(BUILDER.make(narrowed), BUILDER.make(given))
