"""Every subtask that the released testbed asks on a dataset is built on it: 25 cells."""

from __future__ import annotations

import csv
import importlib
from pathlib import Path

import assets.questions.egocross as benchmark
from assets.questions.kit.builder import builders

DATASETS = {
    "CholecTrack20": "cholectrack20",
    "EgoSurgery": "egosurgery",
    "ENIGMA-51": "enigma51",
    "ExtremeSportFPV": "extremesportfpv",
    "EgoPet": "egopet",
}
# Its module declares no cell: any source with boxes of tools.
UNDECLARED = {("object_localisation", "cholectrack20"), ("object_localisation", "egosurgery")}


def test_every_cell_of_the_testbed_is_declared_and_none_beside_but_extensions() -> None:
    built = set(UNDECLARED)
    for name, builder in builders().items():
        cell = getattr(importlib.import_module(name), "CELL", None)
        if builder.benchmark == "egocross" and cell is not None and not builder.extension:
            (subtask,) = builder.subtasks
            built |= {(subtask, DATASETS[dataset]) for dataset in cell.dataset.split(", ")}
    counts = Path(benchmark.__file__).with_name("published_counts.csv")
    with counts.open(encoding="utf-8") as file:
        asked = {(row["subtask"], row["layout"]) for row in csv.DictReader(file)}
    assert len(asked) == 25
    assert built == asked
