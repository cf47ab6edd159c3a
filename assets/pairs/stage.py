"""Candidates and pairs of a source: one unit per pool."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from assets.labels.stage import STAGE as LABELS
from assets.pairs.association import make_pairs
from assets.pairs.candidates import find_candidates
from assets.pairs.pools import pool_of
from assets.sources.stage import STAGES as SOURCE_STAGES
from assets.unit_stage import UnitStage
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.code_version import code_version
from resources.config import Settings
from resources.incremental import Output, Stage
from resources.ledger import read_complete
from resources.tables import TableStore

STAGE = Stage("pairs", (TABLES["pairs"], TABLES["candidates"]))
_RECORDING = ("recording_id", "scenario", "scene", "split", "view")
_SEGMENT = ("segment_id", "recording_id", "kind", "start_s", "end_s")
_LABEL = ("segment_id", "kind", "class_id")


def members(store: TableStore, source: str) -> dict[str, list[str]]:
    """Recordings of each pool, ascending."""
    pools: dict[str, list[str]] = defaultdict(list)
    found = pool_of(store.read(TABLES["recordings"], source))
    for uid, pool in found.select("recording_id", "pool").sort("recording_id").iter_rows():
        pools[pool].append(uid)
    return pools


def wanted(settings: Settings, source: str) -> dict[str, str]:
    """Pools, and what their pairs are made from."""
    store = settings.store
    recordings = read_complete(store, SOURCE_STAGES["recordings"].name, source)
    segments = read_complete(store, SOURCE_STAGES["segments"].name, source)
    labels = read_complete(store, LABELS.name, source)
    code = code_version(find_candidates, make_pairs, pool_of)
    units = {}
    for pool, uids in members(store, source).items():
        parts = [code]
        for uid in uids:
            parts += [uid, recordings[uid].inputs("recordings", _RECORDING)]
            parts.append(segments[uid].inputs("segments", _SEGMENT) if uid in segments else "")
            parts.append(labels[uid].inputs("labels", _LABEL) if uid in labels else "")
        units[pool] = digest(parts)
    return units


def _compute(settings: Settings, source: str, todo: list[str]) -> Iterator[Output]:
    pools = members(settings.store, source)
    for pool in todo:
        uids = pools[pool]
        recordings, segments, labels = (
            settings.store.read(TABLES[name], source, uids)
            for name in ("recordings", "segments", "labels")
        )
        candidates = find_candidates(segments, labels, recordings)
        pairs = make_pairs(candidates, segments, labels, recordings)
        yield Output([pool], {"candidates": candidates, "pairs": pairs})


_UNITS = UnitStage(STAGE, wanted, _compute)
bring_up = _UNITS.bring_up
is_fresh = _UNITS.is_fresh
