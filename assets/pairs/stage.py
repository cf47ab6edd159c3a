"""Vectors of what is narrated in a source, one unit per recording; then pairs, one unit per pool.

Two ledgers: a recording's sentences, and a pool's candidates and pairs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import partial

import numpy as np
import polars as pl

from assets.benchmarks import compares_sentences
from assets.labels.stage import STAGE as LABELS
from assets.options import Options, Tell
from assets.pairs.association import make_pairs
from assets.pairs.candidates import count_candidates, find_candidates
from assets.pairs.comparing import Judge, compared_by, item_of, text_model
from assets.pairs.pools import pool_of
from assets.pairs.sentence_match import by_answers, by_vectors, question_of
from assets.pairs.sentences import recordings_compared, sentence_key, sentences_of, vector_rows
from assets.pairs.verification import KIND, pair_hashes, review_queue, told_pairs
from assets.sources.stage import STAGES as SOURCE_STAGES
from assets.sources.stage import reviews_of
from assets.translations.in_use import TRANSLATED, with_used
from assets.translations.stage import STAGE as TRANSLATIONS
from assets.translations.stage import narrated
from assets.unit_stage import UnitStage
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.config import BY_EMBEDDING, Settings
from resources.models.embedder import Embedder, EmbedderUnavailableError, embedder_name
from resources.store.code_version import code_version
from resources.store.incremental import Output, Progress, Report, Stage, make_plan, run_stage
from resources.store.ledger import read_complete
from resources.store.tables import TableStore

STAGE = Stage("pairs", tuple(TABLES[n] for n in ("pairs", "candidate_counts", "candidates")))
VECTORS = Stage("sentence_vectors", (TABLES["sentence_vectors"],))
_EMBEDDED_AT_ONCE = 20
# Of vectors made in one run, so many are kept for recordings that say the same.
_REMEMBERED = 20_000
_RECORDING = ("recording_id", "scenario", "scene", "split", "view")
_SEGMENT = ("segment_id", "recording_id", "kind", "narration", "start_s", "end_s")
_LABEL = ("segment_id", "kind", "class_id")
_NARRATION = ("recording_id", "kind", "narration")
_POOLED = ("source", "recording_id", "scenario", "scene", "split", "view")


def members(store: TableStore, source: str) -> dict[str, list[str]]:
    """Recordings of each pool, ascending."""
    pools: dict[str, list[str]] = defaultdict(list)
    found = pool_of(store.read(TABLES["recordings"], source))
    for uid, pool in found.select("recording_id", "pool").sort("recording_id").iter_rows():
        pools[pool].append(uid)
    return pools


# -- sentences -------------------------------------------------------------------------------------


def wanted_vectors(settings: Settings, source: str) -> dict[str, str]:
    """Recordings whose sentences are compared, and what their vectors are made from."""
    if settings.sources[source].sentence_match != BY_EMBEDDING and not any(
        source in benchmark.sources
        and compares_sentences(benchmark.name, settings.benchmark_folders)
        for benchmark in settings.benchmarks.values()
    ):
        return {}
    store = settings.store
    segments = read_complete(store, SOURCE_STAGES["segments"].name, source)
    translated = read_complete(store, TRANSLATIONS.name, source)
    labels = read_complete(store, LABELS.name, source)
    labelled = [uid for uid, entry in labels.items() if "labels" in entry.tables]
    recordings = store.read(TABLES["recordings"], source, columns=_POOLED)
    compared = recordings_compared(recordings, labelled)
    if not compared:
        return {}
    functions = (sentences_of, vector_rows, with_used, Embedder)
    code = digest([code_version(*functions), _embedder(source)])
    units = {}
    for uid in compared:
        parts = [code, segments[uid].inputs("segments", _NARRATION)]
        if uid in translated:
            parts.append(translated[uid].inputs("translations", TRANSLATED))
        units[uid] = digest(parts)
    return units


def _embedder(source: str) -> str:
    try:
        return embedder_name()
    except EmbedderUnavailableError as missing:
        raise EmbedderUnavailableError(
            f"{missing}, or set sentence_match of source {source} to a text model or to none"
        ) from missing


def _embed(settings: Settings, source: str, todo: list[str]) -> Iterator[Output]:
    embedder = Embedder()
    store, table = settings.store, TABLES["sentence_vectors"]
    known: dict[str, np.ndarray] = {}
    for at in range(0, len(todo), _EMBEDDED_AT_ONCE):
        units = todo[at : at + _EMBEDDED_AT_ONCE]
        segments = narrated(settings, source, units)
        texts = sentences_of(segments)
        held = store.read(table, source, units).filter(pl.col("model") == embedder.name)
        for key, vector in held.select("sentence", "vector").iter_rows():
            known[key] = np.asarray(vector, dtype=np.float32)
        new = [text for text in texts if sentence_key(text) not in known]
        for text, vector in zip(new, embedder.embed(new), strict=True):
            known[sentence_key(text)] = vector
        vectors = {text: known[sentence_key(text)] for text in texts}
        yield Output(units, {"sentence_vectors": vector_rows(segments, vectors, embedder.name)})
        if len(known) > _REMEMBERED:
            known.clear()


# -- pairs -----------------------------------------------------------------------------------------


def wanted(settings: Settings, source: str) -> dict[str, str]:
    """Pools, and what their pairs are made from."""
    store, configured = settings.store, settings.sources[source]
    recordings = read_complete(store, SOURCE_STAGES["recordings"].name, source)
    segments = read_complete(store, SOURCE_STAGES["segments"].name, source)
    translated = read_complete(store, TRANSLATIONS.name, source)
    labels = read_complete(store, LABELS.name, source)
    vectors = read_complete(store, VECTORS.name, source)
    by_vector = configured.sentence_match == BY_EMBEDDING
    code = digest(
        [
            code_version(
                find_candidates,
                count_candidates,
                make_pairs,
                pool_of,
                by_vectors,
                by_answers,
                with_used,
            ),
            str(configured.positives_per_query),
            compared_by(settings, source),
            str(configured.verified_only),
            *reviews_of(settings, source, KIND)["decision_id"].sort(),
        ]
    )
    units = {}
    for pool, uids in members(store, source).items():
        parts = [code]
        for uid in uids:
            parts += [uid, recordings[uid].inputs("recordings", _RECORDING)]
            parts.append(segments[uid].inputs("segments", _SEGMENT) if uid in segments else "")
            parts.append(labels[uid].inputs("labels", _LABEL) if uid in labels else "")
            if uid in translated:
                parts.append(translated[uid].inputs("translations", TRANSLATED))
            if by_vector and uid in vectors:
                parts.append(vectors[uid].inputs("sentence_vectors", ("sentence", "vector")))
        units[pool] = digest(parts)
    return units


def _compute(
    settings: Settings, source: str, options: Options, told: Progress, todo: list[str]
) -> Iterator[Output]:
    pools = members(settings.store, source)
    configured = settings.sources[source]
    decisions = reviews_of(settings, source, KIND)
    judge = Judge(settings, source, options.ask, told, options.retry_errors)
    for pool in todo:
        uids = pools[pool]
        recordings, labels = (
            settings.store.read(TABLES[name], source, uids) for name in ("recordings", "labels")
        )
        given = (narrated(settings, source, uids), labels, recordings)
        candidates = find_candidates(
            *given,
            positives=configured.positives_per_query,
            compare=judge.of(uids),
            decisions=decisions,
        )
        pairs = make_pairs(
            candidates,
            *given,
            positives=configured.positives_per_query,
            verified_only=configured.verified_only,
        )
        made = {
            "candidates": candidates,
            "candidate_counts": count_candidates(candidates, *given),
            "pairs": pairs,
        }
        yield Output([pool], made, lasting=not judge.open)


_SENTENCES = UnitStage(VECTORS, wanted_vectors, _embed, by_recording=True)


def bring_up(settings: Settings, partition: str, options: Options, tell: Tell) -> list[Report]:
    """Make the sentences, then the pools, whose inputs, code or parameters changed."""
    sentences = _SENTENCES.bring_up(settings, partition, options, tell)
    pairs = run_stage(
        settings.store,
        STAGE,
        partition,
        lambda: wanted(settings, partition),
        partial(_compute, settings, partition, options, tell("sentences are compared")),
        again=_due(settings, partition, options),
        progress=tell(STAGE.name),
    )
    return [*sentences, pairs]


def is_fresh(settings: Settings, partition: str, options: Options) -> bool:
    """Whether no pool and no sentence is to be made or deleted."""
    now = wanted(settings, partition)
    again = _due(settings, partition, options)
    pools = make_plan(settings.store, STAGE, partition, now, again=again).is_fresh
    return pools and _SENTENCES.is_fresh(settings, partition, options)


def _failed(
    settings: Settings, source: str, *, due: bool = False, retry_errors: bool = False
) -> set[tuple[str, str]]:
    """Comparisons that a language model failed on: pool and question."""
    model = text_model(settings, source, retry_errors)
    items = set() if model is None else model.failed_items(due=due)
    if not items:
        return set()
    rows = settings.store.scan(TABLES["candidates"], source)
    candidates = rows.filter(pl.col("matched_by").is_null()).collect()
    shown = told_pairs(candidates, _shown_by(settings, source, candidates))
    asked = shown.select("pool", "ego_narration", "exo_narration").drop_nulls().unique()
    found = {(pool, question_of(ego, exo)) for pool, ego, exo in asked.iter_rows()}
    return {(pool, question) for pool, question in found if item_of(question) in items}


def _due(settings: Settings, source: str, options: Options) -> set[str]:
    """Pools whose language model failed and is to be asked again, though nothing moved."""
    retry = options.retry_errors
    return {pool for pool, _ in _failed(settings, source, due=True, retry_errors=retry)}


def failed_comparisons(settings: Settings, source: str) -> int:
    """Comparisons of a source that a language model failed on."""
    return len({question for _, question in _failed(settings, source)})


def queue(settings: Settings, source: str) -> pl.DataFrame:
    """Pairs a person should decide on: columns of `assets.sources.reviews.QUEUE`."""
    read_complete(settings.store, STAGE.name, source)
    candidates = settings.store.read(TABLES["candidates"], source)
    return review_queue(candidates, _shown_by(settings, source, candidates))


def judged_pairs(settings: Settings, source: str, reviews: pl.DataFrame) -> pl.DataFrame:
    """Pairs that decisions are about, as they are now: columns item_id, item_hash, recording_id."""
    read_complete(settings.store, STAGE.name, source)
    judged = pl.col("pair_id").is_in(reviews["item_id"].implode())
    candidates = settings.store.scan(TABLES["candidates"], source).filter(judged).collect()
    told = told_pairs(candidates, _shown_by(settings, source, candidates))
    return told.select("pair_id", pair_hashes(told), "ego_recording_id").rename(
        {"pair_id": "item_id", "ego_recording_id": "recording_id"}
    )


def _shown_by(settings: Settings, source: str, candidates: pl.DataFrame) -> pl.DataFrame:
    """Segments of the candidates' recordings, with the narrations that were compared."""
    uids = {*candidates["ego_recording_id"], *candidates["exo_recording_id"]}
    return narrated(settings, source, sorted(uids)) if uids else TABLES["segments"].empty()
