"""When hands meet or leave things, from a few points put down by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from assets.questions.egocross.action_localisation_enigma51 import (
    BUILDER,
    NAMED,
    NEAR_FRAMES_S,
    ONCE,
    PLACES_S,
)
from assets.questions.kit.funnel import counting
from assets.sources.enigma51.segments import read_segments
from assets.sources.layout import PartFiles
from expectations.schemas import TABLES
from tests.assets.questions.egocross.animals import Tables, assert_whole, recording, released
from tests.assets.questions.egocross.benches import Point, benches

ALONE: list[Point] = [("take", "right", "red_board", 20.0)]


def bench(points: list[Point], length: float | None = 40.0) -> Tables:
    return benches({"x": points}, length)


@pytest.mark.parametrize("reading", ["strict", "paper"])
def test_the_time_of_the_action_is_right(reading: str) -> None:
    made = BUILDER.under(reading).make(bench(ALONE))
    assert_whole(made)
    (q,) = made.to_dicts()
    (clip,) = q["media"]
    at_s = float(q["answer_text"].rstrip(" s"))
    assert clip["start_s"] + at_s == pytest.approx(20.0)
    assert clip["end_s"] - clip["start_s"] == pytest.approx(15.0)
    times = {float(o["value"]) for o in q["options"]}
    assert times <= set(PLACES_S if reading == "strict" else NEAR_FRAMES_S)


def test_the_text_names_hand_and_thing() -> None:
    (q,) = BUILDER.make(bench(ALONE)).to_dicts()
    assert q["text"] == (
        "At what time in this video does the operator's right hand take the red board?"
    )


@pytest.mark.parametrize(
    ("points", "rule", "n"),
    [
        ([("take", None, None, 20.0)], NAMED, 1),
        ([("take", "right", None, 20.0)], NAMED, 1),
        ([("take", "right", "board", 1.0)], ONCE, 1),
        ([("take", "right", "board", 20.0), ("take", "right", "board", 20.5)], ONCE, 2),
        ([("take", "right", "board", 20.0), ("take", None, None, 20.5)], ONCE, 1),
    ],
    ids=["bare", "no object", "too early", "twice", "maybe twice"],
)
def test_what_is_not_asked_is_counted(points: list[Point], rule: str, n: int) -> None:
    with counting() as refused:
        made = BUILDER.make(bench(points))
    assert refused[rule] == n
    assert made.is_empty()


def test_under_paper_the_first_of_several_is_asked_for() -> None:
    twice = [*ALONE, ("take", "right", "red_board", 20.5)]
    made = BUILDER.under("paper").make(bench(twice))
    assert "x/take/right/red_board/20" in {e["key"] for q in made["evidence"] for e in q}


def test_the_released_testbed_asks_in_these_words(shared: Path) -> None:
    """All 15 s clips that ask for the first action are rendered byte for byte."""
    items = [
        i for i in released(shared, "action temporal localization") if i["dataset"] == "ENIGMA"
    ]
    assert len(items) == 32
    theirs = {i["question_text"] for i in items if "hand first perform" in i["question_text"]}
    verbs = {"contact": "first_contact"}
    ours = set()
    for text in theirs:
        hand = text.split("'s ")[1].split()[0]
        verb = text.split("'")[2]
        thing = text.split("with the ")[1].split(" within")[0]
        point: Point = (verbs.get(verb) or verb, hand, thing, 20.0)
        ours |= set(BUILDER.under("paper").make(bench([point]))["text"])
    assert theirs and theirs == ours


def test_the_released_points_name_no_hand_and_are_all_counted(shared: Path) -> None:
    """The funnel of the real excerpt: 3,620 points, none of which can be asked about."""
    name = "UAD/mp_mAP/test_csv/ht_hr_fc_hd.csv"
    data = (shared / "data/enigma-51" / name).read_bytes()
    rows = read_segments(PartFiles("s", {name: data}, {})).tables
    videos = sorted(rows["segments"]["recording_id"].unique())
    given = dict(rows) | {"recordings": TABLES["recordings"].frame([recording(v) for v in videos])}
    with counting() as refused:
        made = BUILDER.make(given)
    assert made.is_empty()
    assert refused == {NAMED: 3620}


def test_order_of_rows_and_undeclared_columns_mean_nothing() -> None:
    given = bench([*ALONE, ("release", "left", "bolt", 21.0)])
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(BUILDER.make(given), BUILDER.make(turned))
    narrowed = {n: given[n].select(columns) for n, columns in BUILDER.reads.items()}
    assert_frame_equal(BUILDER.make(narrowed), BUILDER.make(given))
