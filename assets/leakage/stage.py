"""Overlaps of a source's splits: a unit per kind of thing that may be shared."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from assets.leakage.overlaps import UNITS, members, overlaps
from assets.stage import Batch, Inputs, Stage, Unit
from expectations.schemas import TABLES
from resources.store.incremental import Output

_CLIPS = (
    "first_clip_id", "first_recording_id", "second_clip_id", "second_recording_id",
)  # fmt: skip
READS: dict[str, tuple[str, ...]] = {
    "recordings": ("recording_id", "split"),
    "splits": ("split_set", "split", "recording_id"),
    "segments": ("recording_id", "split"),
    "pairs": (
        "split",
        "query_recording_id",
        "positive_recording_id",
        "query_segment_id",
        "positive_segment_id",
    ),
    "skill_votes": ("splits", *_CLIPS),
    "skill_pairs": ("mode", "state", "split", *_CLIPS),
    "skill_triplets": ("mode", "split", "reference_recording_id", "reference_segment_id"),
    "task_sets": ("set", "split", "recording_id", "segment_id", "references"),
}


def _units(inputs: Inputs) -> Iterator[Unit]:
    """Kinds, if anything is split at all."""
    if any(inputs.units_with_rows(table) for table in READS):
        yield from map(Unit, UNITS)


def _make(batch: Batch) -> Iterator[Output]:
    for unit in batch.units:
        shared = overlaps(members(batch.of(unit), unit.name))
        rows = shared.with_columns(source=pl.lit(batch.source), unit=pl.lit(unit.name))
        yield Output([unit.name], {"split_overlaps": TABLES["split_overlaps"].fit(rows)})


STAGE = Stage(
    name="split_overlaps",
    group="leakage",
    summary="What two splits share, over everything of a source that is split.",
    partition="source",
    tables=("split_overlaps",),
    reads=READS,
    units=_units,
    make=_make,
    code=(members, overlaps),
    lineage={
        "split_overlaps": {
            "split": [(name, "split") for name in READS if name != "skill_votes"]
            + [("skill_votes", "splits")],
            "n": [
                ("recordings", "recording_id"),
                ("task_sets", "segment_id"),
                ("skill_votes", "first_clip_id"),
                ("skill_votes", "second_clip_id"),
            ],
        }
    },
)
