"""ENIGMA-51 on the real files, against figures and a reader that share no code with the adapter."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.sources.enigma51 import LAYOUT
from tests.assets.sources.reading_parts import Read, read_parts

# Counts of the release, as the formats note has them.
CLASSES = {"take": 482, "release": 479, "first_contact": 1338, "decontact": 1321}


@pytest.fixture(scope="module")
def root(shared: Path) -> Path:
    return shared / "data/enigma-51"


@pytest.fixture(scope="module")
def made(root: Path) -> Read:
    paths = [p for p in root.rglob("*") if p.suffix in (".csv", ".json")]
    return read_parts(LAYOUT, {p.relative_to(root).as_posix(): p.read_bytes() for p in paths})


@pytest.fixture(scope="module")
def asked(root: Path) -> dict[str, dict[str, Any]]:
    columns = json.loads((root / "Experiments/Q5_ENIGMA_TEST.json").read_text())
    return {
        columns["id"][at]: {name: held[at] for name, held in columns.items()}
        for at in columns["id"]
    }


def _chosen(keys: list[str]) -> list[str]:
    return sorted(keys, key=lambda k: hashlib.sha256(k.encode()).hexdigest())[:10]


def test_every_event_is_one_whatever_file_it_stands_in(root: Path, made: Read) -> None:
    rows = made.rows("segments")
    assert rows.height == 3620
    assert Counter(rows["class_name"]) == CLASSES
    assert made.rows("recordings").height == 16 and set(made.rows("recordings")["media"]) == {
        "missing"
    }
    for name, count in (("ht_hr_fc_hd", 3620), ("ht_hr", 961), ("fc_hd", 2659)):
        with (root / f"UAD/mp_mAP/test_csv/{name}.csv").open(newline="") as file:
            listed = list(csv.DictReader(file))
        assert len(listed) == count
        at = {(r["recording_id"], r["class_name"], r["start_s"]) for r in rows.rows(named=True)}
        by_key = {"/".join(r.values()): r for r in listed}
        for key in _chosen(list(by_key)):
            row = by_key[key]
            second = float(Fraction(int(row["frame"]), 30))
            assert (row["video_id"], row["interaction_category"], second) in at
            # The stamp is the same time, cut.
            assert abs(second - float(row["timestamp"])) < 0.0011


def test_questions(made: Read, asked: dict[str, dict[str, Any]]) -> None:
    rows = {r["released_id"]: r for r in made.rows("imported_questions").rows(named=True)}
    assert len(rows) == 615
    for key in _chosen(list(rows)):
        row, said = rows[key], asked[key]
        names = [next(iter(said["answers"][str(n)])) for n in range(1, 6)]
        assert row["options"] == names
        assert row["answer_text"] == next(iter(said["answers"][str(said["correct"])]))
        assert row["media"][0]["recording_id"] == said["video_id"]
        ((target, shown),) = said["question_image"].items()
        assert row["source_key"] == f"{key}#{target}"
        assert [m["start_s"] * 30 for m in row["media"][1:]] == pytest.approx([f for f, _ in shown])


def test_boxes_of_questions(made: Read, asked: dict[str, dict[str, Any]]) -> None:
    rows = made.rows("boxes")
    listed: dict[str, list[list[float]]] = {}
    for said in asked.values():
        for shown in (said["question_image"], *said["answers"].values()):
            for name, boxes in shown.items():
                for frame, box in boxes:
                    held = listed.setdefault(f"question/{said['video_id']}_{frame}/{name}", [])
                    held += [box] if box not in held else []
    assert set(rows["box_id"]) == set(listed) and rows.height == 1736
    assert rows["class_name"].n_unique() == 25, "the classes of the paper"
    by_id = {r["box_id"]: r for r in rows.rows(named=True)}
    for key in _chosen(list(listed)):
        row, box = by_id[key], listed[key][0]
        assert row["raw"] == box
        edges = [row[n] for n in ("x_min", "y_min", "x_max", "y_max")]
        assert edges == pytest.approx([min(1, max(0, v)) for v in box], abs=1e-6)
    again = sum(len(boxes) - 1 for boxes in listed.values())
    assert made.rules() == {("boxes", "contradicting_box"): again} and again > 0
    assert rows.filter(pl.col("clipped")).height > 0, "boxes reach beyond the picture"
