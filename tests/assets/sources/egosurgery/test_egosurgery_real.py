"""EgoSurgery on the real files, against figures and a reader that share no code with the adapter."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.sources.egosurgery import LAYOUT
from tests.assets.sources.reading_parts import Read, read_parts

# Issue 3 of the release's repository, as the formats note has it.
PHASE_SPLIT = {
    "train": (1, 2, 3, 4, 8, 9, 11, 13, 14, 15, 17, 20, 21),
    "val": (5, 19),
    "test": (6, 7, 10, 12, 18),
}
EXCERPT = "annotations/egosurgery_tool/instances_val.EXCERPT10.json"


@pytest.fixture(scope="module")
def root(shared: Path) -> Path:
    return shared / "data/egosurgery/data"


@pytest.fixture(scope="module")
def made(root: Path) -> Read:
    paths = [p for p in root.rglob("*") if p.is_file()]
    # The excerpt bears its shortness in its name; the release's file has none.
    names = {p: p.relative_to(root).as_posix().replace(".EXCERPT10", "") for p in paths}
    return read_parts(LAYOUT, {names[p]: p.read_bytes() for p in paths})


@pytest.fixture(scope="module")
def phases(root: Path) -> dict[str, list[tuple[int, str]]]:
    found: dict[str, list[tuple[int, str]]] = {}
    for path in sorted((root / "annotations/egosurgery_phase").glob("*.csv")):
        with path.open(newline="") as file:
            rows = [(int(r["Frame"].split("_")[2]), r["Phase"]) for r in csv.DictReader(file)]
        found[path.stem] = rows
    return found


def by_hash(keys: list[str]) -> list[str]:
    """Ten keys that nobody chose."""
    return sorted(keys, key=lambda key: hashlib.sha256(key.encode()).hexdigest())[:10]


def test_rows_of_phases(phases: dict[str, list[tuple[int, str]]], made: Read) -> None:
    assert (len(phases), sum(map(len, phases.values()))) == (23, 17_233)
    steps = [b[0] - a[0] for rows in phases.values() for a, b in pairwise(rows)]
    assert sum(step > 1 for step in steps) == 547
    rows = made.rows("segments")
    # Each picture lies in one span of its phase: spans together last two seconds a row.
    assert (rows["end_s"] - rows["start_s"]).sum() == 2 * 17_233
    lengths = Counter()
    for start, end, name in rows.select("start_s", "end_s", "class_name").rows():
        lengths[name] += round(end - start) // 2
    assert lengths == {
        "closure": 7_231, "dissection": 5_799, "incision": 1_170, "hemostasis": 1_169,
        "design": 646, "anesthesia": 555, "dressing": 321, "irrigation": 217, "disinfection": 125,
    }  # fmt: skip


def test_no_span_covers_a_gap(phases: dict[str, list[tuple[int, str]]], made: Read) -> None:
    rows = made.rows("segments")
    for uid, labels in phases.items():
        told: list[tuple[int, str]] = []
        spans = rows.filter(pl.col("recording_id") == uid)
        for start, end, name in spans.select("start_s", "end_s", "class_name").rows():
            told += [(n, name) for n in range(int(start) // 2 + 1, int(end) // 2 + 1)]
        assert sorted(told) == labels, uid


def test_ten_spans(phases: dict[str, list[tuple[int, str]]], made: Read) -> None:
    rows = {row["segment_id"]: row for row in made.rows("segments").rows(named=True)}
    for key in by_hash(list(rows)):
        uid, _, first = key.split("/")
        labels, number = dict(phases[uid]), int(first)
        phase = labels[number]
        assert labels.get(number - 1) != phase
        last = number
        while labels.get(last + 1) == phase:
            last += 1
        expected = {
            "recording_id": uid, "kind": "phase", "class_name": phase, "precision_s": 2.0,
            "start_s": 2.0 * (number - 1), "end_s": 2.0 * last,
        }  # fmt: skip
        assert {name: rows[key][name] for name in expected} == expected


def test_ten_boxes(root: Path, made: Read) -> None:
    document: dict[str, Any] = json.loads((root / EXCERPT).read_text())
    images = {image["id"]: image for image in document["images"]}
    names = {c["id"]: c["name"] for c in document["categories"]}
    assert len(images) == len(document["annotations"]) == 10
    rows = {row["source_key"]: row for row in made.rows("boxes").rows(named=True)}
    assert len(rows) == 10 and len(names) == 15
    for one in document["annotations"]:
        row, image = rows[str(one["id"])], images[one["image_id"]]
        x, y, w, h = one["bbox"]
        number = int(image["file_name"][-8:-4])
        assert (row["recording_id"], row["source_frame"]) == ("09_1", number)
        assert (row["class_id"], row["class_name"]) == (
            one["category_id"],
            names[one["category_id"]],
        )
        assert (row["raw"], row["polygons"]) == (one["bbox"], one["segmentation"])
        sides = (x / 1920, y / 1080, (x + w) / 1920, (y + h) / 1080)
        assert [row[c] for c in ("x_min", "y_min", "x_max", "y_max")] == pytest.approx(sides)
        assert number != image["frame_id"], "the running number is another"
    frames = made.rows("annotated_frames")
    assert set(frames["source_frame"]) == {int(i["file_name"][-8:-4]) for i in images.values()}


def test_splits_contradict(root: Path, made: Read) -> None:
    assert made.rules() == {("recordings", "contradicting_splits"): 1}
    rows = made.rows("splits")
    told = {(s, u.partition("_")[0], p) for s, u, p in rows.select("split_set", "recording_id", "split").rows()}  # fmt: skip
    listed = {
        ("listed", line, split)
        for split in ("train", "val", "test")
        for line in (root / f"splits/ego_{split}.txt").read_text().split()
    }
    here = {uid.partition("_")[0] for uid in made.rows("recordings")["recording_id"]}
    phase = {
        ("phase", f"{video:02d}", split)
        for split, videos in PHASE_SPLIT.items()
        for video in videos
        if f"{video:02d}" in here
    }
    assert told == {("tools", "09", "val")} | phase | {one for one in listed if one[1] in here}
    of_nine = {split for name, video, split in told if video == "09"}
    assert of_nine == {"train", "val"}
