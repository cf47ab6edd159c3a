"""Agreement with the released labels of EgoExoLearn (exo_train.csv of the association files).

Rules were written looking at one half of the videos; thresholds lie slightly under what is
measured on each.
"""

from __future__ import annotations

import csv
import json
import re
from importlib.resources import files
from io import BytesIO
from pathlib import Path

import polars as pl
import pytest
from blake3 import blake3

from assets.labels.parse import parse_labels
from expectations.schemas import TABLES

_TERM = re.compile(r"'([^']*)'|\"([^\"]*)\"")


def _taxonomies(root: Path) -> pl.DataFrame:
    rows = []
    for kind in ("verb", "noun"):
        with (root / f"annotations/narration_{kind}_taxonomy.csv").open(newline="") as file:
            rows += [
                {
                    "source": "s",
                    "taxonomy": kind,
                    "class_id": i,
                    "label": row["label"],
                    "terms": [a or b for a, b in _TERM.findall(row["group"])],
                    "source_file": file.name,
                }
                for i, row in enumerate(csv.DictReader(file))
            ]
    return TABLES["taxonomies"].frame(rows)


@pytest.fixture(scope="module")
def compared(shared: Path) -> pl.DataFrame:
    """Columns half, kind, right, extra, missed (counts per segment and kind)."""
    root = shared / "data/egoexolearn"
    with (root / "association_benchmark/annotations/exo_train.csv").open(newline="") as file:
        released = list(csv.DictReader(file))
    segments = TABLES["segments"].frame(
        {
            "source": "s",
            "segment_id": row["annotation_id"],
            "recording_id": row["video_uid"],
            "kind": "fine",
            "start_s": float(row["start_sec"]),
            "end_s": float(row["end_sec"]),
            "narration": row["narration_en"],
            "source_file": "exo_train.csv",
            "source_key": row["annotation_id"],
        }
        for row in released
    )
    supplement = pl.read_csv(
        BytesIO(files("assets.labels").joinpath("supplement.csv").read_bytes()),
        infer_schema=False,
    )
    labels = parse_labels(segments, _taxonomies(root), supplement)
    found: dict[tuple[str, str], set[int]] = {}
    for segment_id, kind, class_id in labels.select("segment_id", "kind", "class_id").iter_rows():
        found.setdefault((segment_id, kind), set()).add(class_id)
    rows = []
    for row in released:
        half = blake3(row["video_uid"].encode()).digest()[0] % 2
        for kind in ("verb", "noun"):
            theirs = set(json.loads(row[kind]))
            ours = found.get((row["annotation_id"], kind), set())
            rows.append((half, kind, len(ours & theirs), len(ours - theirs), len(theirs - ours)))
    return pl.DataFrame(rows, schema=["half", "kind", "right", "extra", "missed"], orient="row")


@pytest.mark.parametrize(
    ("half", "kind", "least"),
    [(0, "verb", 0.983), (0, "noun", 0.986), (1, "verb", 0.979), (1, "noun", 0.981)],
)
def test_micro_f1(compared: pl.DataFrame, half: int, kind: str, least: float) -> None:
    counts = compared.filter((pl.col("half") == half) & (pl.col("kind") == kind)).sum()
    right, extra, missed = counts.select("right", "extra", "missed").row(0)
    f1 = 2 * right / (2 * right + extra + missed)
    assert right > 3000
    assert f1 >= least
