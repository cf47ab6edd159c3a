"""Candidates and pairs of a source: one unit per pool; then vectors of what is narrated.

Two ledgers: a pool's pairs, and a recording's sentences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from assets.labels.stage import STAGE as LABELS
from assets.options import Options, Tell
from assets.pairs.association import make_pairs
from assets.pairs.candidates import count_candidates, find_candidates
from assets.pairs.pools import pool_of
from assets.pairs.sentences import recordings_compared, sentences_of, vector_rows
from assets.sources.stage import STAGES as SOURCE_STAGES
from assets.unit_stage import UnitStage
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.code_version import code_version
from resources.config import Settings
from resources.embedder import Embedder, embedder_name
from resources.incremental import Output, Report, Stage
from resources.ledger import read_complete
from resources.tables import TableStore

STAGE = Stage("pairs", tuple(TABLES[n] for n in ("pairs", "candidate_counts", "candidates")))
VECTORS = Stage("sentence_vectors", (TABLES["sentence_vectors"],))
# Sentences are compared by this benchmark alone: sources of others load no model.
COMPARED_BY = "egoexobench"
_EMBEDDED_AT_ONCE = 20
_RECORDING = ("recording_id", "scenario", "scene", "split", "view")
_SEGMENT = ("segment_id", "recording_id", "kind", "start_s", "end_s")
_LABEL = ("segment_id", "kind", "class_id")
_NARRATION = ("recording_id", "kind", "narration")
_COMPARED = ("query_recording_id", "positive_recording_id", "negative_segment_ids")


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
    code = digest(
        [
            code_version(find_candidates, count_candidates, make_pairs, pool_of),
            str(settings.sources[source].positives_per_query),
        ]
    )
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
    positives = settings.sources[source].positives_per_query
    for pool in todo:
        uids = pools[pool]
        recordings, segments, labels = (
            settings.store.read(TABLES[name], source, uids)
            for name in ("recordings", "segments", "labels")
        )
        given = (segments, labels, recordings)
        candidates = find_candidates(*given, positives=positives)
        made = {
            "candidates": candidates,
            "candidate_counts": count_candidates(candidates, *given),
            "pairs": make_pairs(candidates, *given, positives=positives),
        }
        yield Output([pool], made)


def wanted_vectors(settings: Settings, source: str) -> dict[str, str]:
    """Recordings whose sentences are compared, and what their vectors are made from."""
    benchmark = settings.benchmarks.get(COMPARED_BY)
    if benchmark is None or source not in benchmark.sources:
        return {}
    store = settings.store
    read_complete(store, STAGE.name, source)
    segments = read_complete(store, SOURCE_STAGES["segments"].name, source)
    compared = recordings_compared(store.read(TABLES["pairs"], source, columns=_COMPARED))
    if not compared:
        return {}
    code = digest([code_version(sentences_of, vector_rows, Embedder), embedder_name()])
    return {uid: digest([code, segments[uid].inputs("segments", _NARRATION)]) for uid in compared}


def _embed(settings: Settings, source: str, todo: list[str]) -> Iterator[Output]:
    embedder = Embedder()
    for at in range(0, len(todo), _EMBEDDED_AT_ONCE):
        units = todo[at : at + _EMBEDDED_AT_ONCE]
        segments = settings.store.read(TABLES["segments"], source, units)
        texts = sentences_of(segments)
        vectors = dict(zip(texts, embedder.embed(texts), strict=True))
        yield Output(units, {"sentence_vectors": vector_rows(segments, vectors, embedder.name)})


_UNITS = UnitStage(STAGE, wanted, _compute)
_SENTENCES = UnitStage(VECTORS, wanted_vectors, _embed, by_recording=True)


def bring_up(settings: Settings, partition: str, options: Options, tell: Tell) -> list[Report]:
    """Make the pools, then the sentences, whose inputs, code or parameters changed."""
    return [
        report
        for unit in (_UNITS, _SENTENCES)
        for report in unit.bring_up(settings, partition, options, tell)
    ]


def is_fresh(settings: Settings, partition: str, options: Options) -> bool:
    """Whether no pool and no sentence is to be made or deleted."""
    return all(unit.is_fresh(settings, partition, options) for unit in (_UNITS, _SENTENCES))
