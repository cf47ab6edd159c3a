"""ExtremeSportFPV: the sample against its truth, and the assumed layout's odd cases."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from assets.sources.extremesportfpv import LAYOUT
from assets.sources.extremesportfpv.files import ACTIONS
from resources.worlds.slope import SlopeSpec, plan_slope, write_extremesportfpv
from resources.worlds.slope.truth import BROKEN, DIRECTIONS
from tests.assets.sources.reading_parts import medium, read_parts

if TYPE_CHECKING:
    from conftest import Source

HEAD = "video_id,start_sec,end_sec,label\n"


def test_the_sample(tmp_path: Path, source_of: Callable[..., Source]) -> None:
    spec = SlopeSpec(runs=4, render="small")
    write_extremesportfpv(spec, tmp_path / "root", workers=1)
    source = source_of("extremesportfpv", tmp_path / "root")
    source.ingest()
    runs = {run.video_id: run for run in plan_slope(spec).runs}
    rows = source.rows("recordings").rows(named=True)
    assert [r["recording_id"] for r in rows] == sorted(runs)
    for row in rows:
        run = runs[row["recording_id"]]
        assert row["media"] == ("present" if run.stored else "missing")
        # The run without a video is in no list of sports.
        assert row["scenario"] == (run.sport if run.stored else None)
        if run.stored:
            assert row["media_duration_s"] == pytest.approx(run.duration_s, abs=0.11)
    assert {run.sport for run in runs.values()} == {"skiing", "mountain bike", "jetski", "parkour"}
    found = source.rows("segments").select("recording_id", "start_s", "end_s", "class_name").rows()
    assert set(found) == {(r.video_id, a.start_s, a.end_s, a.label) for r in runs.values() for a in r.actions}  # fmt: skip
    said = Counter(q["rule"] for q in source.quarantine())
    assert said == Counter(rule for _, rule in BROKEN)
    _next_directions(source)


def _next_directions(source: Source) -> None:
    """What comes next is found by table: the next segment whose class is a direction."""
    classes = source.rows("taxonomies").explode("flags")
    directions = set(classes.filter(pl.col("flags") == "direction")["label"])
    assert directions == set(DIRECTIONS)
    for run in plan_slope(SlopeSpec(runs=4, render="small")).runs:
        rows = source.rows("segments").filter(pl.col("recording_id") == run.video_id)
        rows = rows.filter(pl.col("class_name").is_in(directions)).sort("start_s")
        for t_s in (0.0, 7.0, 15.3, 22.0):
            expected = run.next_direction(t_s)
            told = rows.filter(pl.col("start_s") >= t_s).head(1)["class_name"].to_list()
            assert told == ([expected.label] if expected else [])


def test_actions_are_those_of_the_released_questions(shared: Path) -> None:
    """Every direction and trick that an option names is a known class, and no other."""
    path = shared / "data/egocross/datasets/egocross_testbed_imgs.json"
    items = [q for q in json.loads(path.read_text()) if q["dataset"] == "ExtrameSportFPV"]
    assert len(items) == 246

    def named(kind: str, flag: str) -> tuple[set[str], set[str]]:
        options = {o[3:].lower() for q in items if q["question_type"] == kind for o in q["options"]}
        return options, {words for _, words, told in ACTIONS if told == flag}

    for kind, flag in (
        ("next direction prediction", "direction"),
        ("special action identification", "special"),
    ):
        options, known = named(kind, flag)
        assert options == known
    options, _ = named("action sequence identification", "")
    labels = {label.strip() for option in options for label in option.split("→")}
    assert labels <= {label for label, _, _ in ACTIONS}


@pytest.mark.parametrize(
    ("files", "media", "expected", "refused"),
    [
        ({}, ["videos/VID007.mp4"], [("VID007", None, "present")], []),
        ({}, ["videos/mountain_bike/VID007.avi"], [("VID007", "mountain bike", "present")], []),
        (
            {"sports.csv": "video_id,sport\nVID007,Speedflying\n"},
            ["videos/VID007.mp4"],
            [("VID007", "speedflying", "present")],
            [],
        ),
        (
            {"sports.csv": "video_id,sport\nVID007,skiing\n"},
            ["videos/jetski/VID007.mp4"],
            [("VID007", None, "present")],
            ["contradicting_sport"],
        ),
        ({"annotations.csv": HEAD + "VID007,1,2,jump\n"}, [], [("VID007", None, "missing")], []),
        (
            {},
            ["videos/VID007.mp4", "videos/skiing/VID007.mp4"],
            [("VID007", None, "present")],
            ["media_twice"],
        ),
        ({"sports.csv": "video_id,sport\n7,skiing\n"}, [], [], ["unreadable_row"]),
    ],
    ids=["flat", "folder", "list", "both", "labels", "twice", "number"],
)
def test_where_the_sport_is_told(
    files: dict, media: list[str], expected: list, refused: list[str]
) -> None:
    made = read_parts(LAYOUT, files, media)
    rows = made.rows("recordings").select("recording_id", "scenario", "media").rows()
    assert rows == expected
    assert [one["rule"] for one in made.refused] == refused


@pytest.mark.parametrize(
    ("line", "label", "class_id"),
    [
        ("VID007,1.0,2.5,Curve left", "curveleft", 3),
        ("VID007,1,2,left_right", "leftright", 5),
        ("VID007,1,2,wheelie", "wheelie", None),
    ],
)
def test_labels(line: str, label: str, class_id: int | None) -> None:
    made = read_parts(LAYOUT, {"annotations.csv": HEAD + line + "\n"}, ["videos/VID007.mp4"])
    assert made.rows("segments").select("class_name", "class_id").rows() == [(label, class_id)]
    assert made.refused == []


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("VID007,3,2,jump", "end_after_start"),
        ("VID007,2,2,jump", "end_after_start"),
        ("VID007,x,2,jump", "unreadable_row"),
        ("VID007,1,2,", "unreadable_row"),
        ("007,1,2,jump", "unreadable_row"),
        ("VID007,1,inf,jump", "unreadable_row"),
        ("VID007,1,31,jump", "outside_recording"),
        ("VID007,5,6,jump", "unique_key"),
    ],
)
def test_a_bad_row_is_told_and_the_rest_is_read(line: str, rule: str) -> None:
    text = HEAD + line + "\nVID007,5,6,jump\n"
    made = read_parts(LAYOUT, {"annotations.csv": text}, [medium("videos/VID007.mp4", 30.0)])
    assert [one["rule"] for one in made.refused] == [rule]
    assert made.rows("segments").height == 1
