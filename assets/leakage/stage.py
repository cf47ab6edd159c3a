"""Overlaps of a source's splits: a unit per kind of thing that may be shared."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from assets.leakage.overlaps import UNITS, members, overlaps
from assets.pairs.stage import STAGE as PAIRS
from assets.skill.stage import STAGE as SKILL
from assets.sources.stage import STAGES as SOURCE_STAGES
from assets.task_sets.stage import STAGE as TASK_SETS
from assets.unit_stage import UnitStage
from assets.upstream import Upstream, ledgers
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.config import Settings
from resources.store.code_version import code_version
from resources.store.incremental import Output, Stage

STAGE = Stage("split_overlaps", (TABLES["split_overlaps"],))
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
_LEDGERS = ledgers((*SOURCE_STAGES.values(), PAIRS, SKILL, TASK_SETS))


def wanted(settings: Settings, source: str) -> dict[str, str]:
    """Kinds, if anything is split at all, and what their overlaps are made from."""
    given = Upstream(settings.store, source, _LEDGERS).whole(READS)
    code = code_version(members, overlaps)
    return {unit: digest([unit, code, *given]) for unit in UNITS} if given else {}


def _compute(settings: Settings, source: str, todo: list[str]) -> Iterator[Output]:
    tables = {
        name: settings.store.read(TABLES[name], source, columns=columns)
        for name, columns in READS.items()
    }
    for unit in todo:
        found = overlaps(members(tables, unit))
        rows = found.with_columns(source=pl.lit(source), unit=pl.lit(unit))
        yield Output([unit], {"split_overlaps": TABLES["split_overlaps"].fit(rows)})


_UNITS = UnitStage(STAGE, wanted, _compute)
bring_up = _UNITS.bring_up
is_fresh = _UNITS.is_fresh
