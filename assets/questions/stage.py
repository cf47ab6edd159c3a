"""Questions of a benchmark: one unit per pool of its sources."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from assets.pairs.stage import STAGE as PAIRS
from assets.pairs.stage import members
from assets.questions.builder import Builder, builders
from assets.sources.stage import STAGES as SOURCE_STAGES
from assets.unit_stage import UnitStage
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.code_version import code_version
from resources.config import Settings
from resources.incremental import Output, Stage
from resources.ledger import read_complete

STAGE = Stage("questions", (TABLES["questions"],))
_RECORDING = ("recording_id", "media", "media_hashes", "licence", "duration_s")
_SEGMENT = ("segment_id", "recording_id", "kind", "start_s", "end_s", "narration")


def sources_of(settings: Settings, benchmark: str) -> list[str]:
    """Configured sources of a benchmark; one that is named but not configured is empty."""
    named = settings.benchmarks[benchmark].sources
    return [name for name in named if name in settings.sources]


def builders_of(benchmark: str) -> list[Builder]:
    """Builders of a benchmark's questions, by recipe."""
    found = [b for b in builders().values() if b.benchmark == benchmark]
    return sorted(found, key=lambda b: b.recipe)


def wanted(settings: Settings, benchmark: str) -> dict[str, str]:
    """Pools, as `source/pool`, and what their questions are made from."""
    store = settings.store
    made_by = builders_of(benchmark)
    code = code_version(*(b.make for b in made_by)) if made_by else ""
    units = {}
    for source in sources_of(settings, benchmark):
        pairs = read_complete(store, PAIRS.name, source)
        if not pairs:
            continue
        recordings = read_complete(store, SOURCE_STAGES["recordings"].name, source)
        segments = read_complete(store, SOURCE_STAGES["segments"].name, source)
        pools = members(store, source)
        for pool, entry in pairs.items():
            parts = [code, entry.inputs("pairs", TABLES["pairs"].content_columns)]
            for uid in pools.get(pool, []):
                parts += [uid, recordings[uid].inputs("recordings", _RECORDING)]
                parts.append(segments[uid].inputs("segments", _SEGMENT) if uid in segments else "")
            units[f"{source}/{pool}"] = digest(parts)
    return units


def _compute(settings: Settings, benchmark: str, todo: list[str]) -> Iterator[Output]:
    made_by = builders_of(benchmark)
    pools = {
        source: members(settings.store, source) for source in {u.partition("/")[0] for u in todo}
    }
    for unit in todo:
        source, _, pool = unit.partition("/")
        uids = pools[source].get(pool, [])
        given = {
            "pairs": settings.store.read(TABLES["pairs"], source, [pool]),
            "segments": settings.store.read(TABLES["segments"], source, uids),
            "recordings": settings.store.read(TABLES["recordings"], source, uids),
        }
        made = [b.make(*(given[name] for name in b.reads)) for b in made_by]
        yield Output([unit], {"questions": pl.concat([TABLES["questions"].empty(), *made])})


_UNITS = UnitStage(STAGE, wanted, _compute)
bring_up = _UNITS.bring_up
is_fresh = _UNITS.is_fresh
