"""Vectors of what is narrated in a source, one unit per recording; then pairs, one unit per pool.

Two stages: a recording's sentences, and a pool's candidates and pairs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from assets.benchmarks import about
from assets.options import Options, Tell
from assets.pairs.association import make_pairs
from assets.pairs.candidates import count_candidates, find_candidates
from assets.pairs.comparing import Judge, compared_by, item_of, text_model
from assets.pairs.pools import pool_of
from assets.pairs.sentence_match import by_answers, by_vectors, question_of
from assets.pairs.sentences import recordings_compared, sentence_key, sentences_of, vector_rows
from assets.pairs.verification import KIND, pair_hashes, review_queue, told_pairs
from assets.sources.stage import reviews_of
from assets.stage import Inputs, Stage, Unit
from assets.translations.in_use import TRANSLATED, in_use, with_used
from assets.translations.stage import narrated
from expectations.schemas import TABLES
from resources.config import BY_EMBEDDING, Settings
from resources.models.embedder import Embedder, EmbedderUnavailableError, embedder_name
from resources.models.runs import RunConfig
from resources.store.incremental import Output
from resources.store.ledger import read_complete
from resources.store.tables import TableStore

# Of vectors made in one run, so many are kept for recordings that say the same.
_REMEMBERED = 20_000
POOLED = ("source", "recording_id", "scenario", "scene", "split", "view")
"""Columns of `recordings` that pools depend on."""


def members(store: TableStore, source: str) -> dict[str, list[str]]:
    """Recordings of each pool, ascending."""
    pools: dict[str, list[str]] = defaultdict(list)
    found = pool_of(store.read(TABLES["recordings"], source, columns=POOLED))
    for uid, pool in found.select("recording_id", "pool").sort("recording_id").iter_rows():
        pools[pool].append(uid)
    return pools


# -- sentences -------------------------------------------------------------------------------------


def _recordings_to_embed(inputs: Inputs) -> Iterator[Unit]:
    """Recordings whose sentences are compared."""
    settings, source = inputs.settings, inputs.partition
    by_benchmark = any(
        source in benchmark.sources
        and about(benchmark.name, settings.benchmark_folders).compares_sentences
        for benchmark in settings.benchmarks.values()
    )
    if settings.sources[source].sentence_match != BY_EMBEDDING and not by_benchmark:
        return
    recordings = inputs.read("recordings", POOLED)
    labelled = _with_classes(inputs)
    if by_benchmark and not labelled:
        # No pairs without classes; benchmarks compare sentences of such sources all the same.
        labelled = _with_steps(inputs)
    compared = recordings_compared(recordings, labelled)
    for uid in compared:
        keys = {**inputs.keys([uid]), "recordings": (), "labels": ()}
        yield Unit(uid, keys, (_embedder(source),))


def _with_classes(inputs: Inputs) -> list[str]:
    """Recordings with a label that has a class; rows without one belong to no pair."""
    columns = ("recording_id", "class_id")
    inputs.units_with_rows("labels")  # their writer has to be done
    rows = inputs.store.scan(TABLES["labels"], inputs.partition, columns=columns)
    classed = rows.filter(pl.col("class_id").is_not_null()).select(pl.col("recording_id").unique())
    return classed.collect()["recording_id"].to_list()


def _with_steps(inputs: Inputs) -> list[str]:
    """Recordings with a fine segment."""
    kinds = inputs.read("segments", ("recording_id", "kind"))
    return kinds.filter(pl.col("kind") == "fine")["recording_id"].unique().sort().to_list()


def _embedder(source: str) -> str:
    try:
        return embedder_name()
    except EmbedderUnavailableError as missing:
        raise EmbedderUnavailableError(
            f"{missing}, or set sentence_match of source {source} to a text model or to none"
        ) from missing


def _embed(
    inputs: Inputs, units: Sequence[Unit], _options: Options, _tell: Tell
) -> Iterator[Output]:
    embedder = Embedder()
    table = TABLES["sentence_vectors"]
    known: dict[str, np.ndarray] = {}
    for batch in inputs.batches(units):
        segments = in_use(batch.tables)["segments"]
        texts = sentences_of(segments)
        stored = inputs.store.read(table, batch.source, batch.names)
        stored = stored.filter(pl.col("model") == embedder.name)
        for key, vector in stored.select("sentence", "vector").iter_rows():
            known[key] = np.asarray(vector, dtype=np.float32)
        new = [text for text in texts if sentence_key(text) not in known]
        for text, vector in zip(new, embedder.embed(new), strict=True):
            known[sentence_key(text)] = vector
        vectors = {text: known[sentence_key(text)] for text in texts}
        rows = vector_rows(segments, vectors, embedder.name)
        yield Output(batch.names, {"sentence_vectors": rows})
        if len(known) > _REMEMBERED:
            known.clear()


# -- pairs -----------------------------------------------------------------------------------------


def _pools(inputs: Inputs) -> Iterator[Unit]:
    """Pools, each with its recordings."""
    settings, source = inputs.settings, inputs.partition
    configured = settings.sources[source]
    parameters = (
        str(configured.positives_per_query),
        compared_by(settings, source),
        str(configured.verified_only),
        *reviews_of(settings, source, KIND)["decision_id"].sort(),
    )
    by_vector = configured.sentence_match == BY_EMBEDDING
    for pool, uids in members(inputs.store, source).items():
        keys = {**inputs.keys(uids), "reviews": ()}
        yield Unit(pool, keys if by_vector else {**keys, "sentence_vectors": ()}, parameters)


def _compute(
    inputs: Inputs, units: Sequence[Unit], options: Options, tell: Tell
) -> Iterator[Output]:
    settings, source = inputs.settings, inputs.partition
    configured = settings.sources[source]
    decisions = reviews_of(settings, source, KIND)
    told = tell("sentences are compared")
    judge = Judge(settings, source, options.may_ask, told, options.retry_errors)
    for batch in inputs.batches(units):
        (unit,) = batch.units
        tables = in_use(batch.tables)
        rows = (tables["segments"], tables["labels"], tables["recordings"])
        candidates = find_candidates(
            *rows,
            positives=configured.positives_per_query,
            compare=judge.of(list(unit.keys["recordings"])),
            decisions=decisions,
        )
        pairs = make_pairs(
            candidates,
            *rows,
            positives=configured.positives_per_query,
            verified_only=configured.verified_only,
        )
        result = {
            "candidates": candidates,
            "candidate_counts": count_candidates(candidates, *rows),
            "pairs": pairs,
        }
        yield Output([unit.name], result, lasting=not judge.open)
    judge.record_costs()


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


def _due(inputs: Inputs, options: Options) -> set[str]:
    """Pools whose language model failed and is to be asked again, though nothing changed."""
    retry = options.retry_errors
    failed = _failed(inputs.settings, inputs.partition, due=True, retry_errors=retry)
    return {pool for pool, _ in failed}


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


def _asks(settings: Settings) -> Iterator[RunConfig]:
    for source in settings.sources:
        model = text_model(settings, source)
        if model is not None:
            yield model.run


VECTORS = Stage(
    name="sentence_vectors",
    group="pairs",
    summary="Narrations as vectors of a sentence embedder, for comparing them.",
    partition="source",
    tables=("sentence_vectors",),
    reads={
        "recordings": POOLED,
        "segments": ("source", "recording_id", "segment_id", "kind", "narration"),
        "translations": TRANSLATED,
        "labels": ("segment_id", "recording_id", "class_id"),
    },
    units=_recordings_to_embed,
    compute=_embed,
    code=(sentences_of, vector_rows, with_used, Embedder),
    by_recording=True,
    batch=20,
    lineage={
        "sentence_vectors": {
            "sentence": [("segments", "narration"), ("translations", "text")],
            "vector": [("segments", "narration"), ("translations", "text")],
        },
    },
)

STAGE = Stage(
    name="pairs",
    group="pairs",
    summary="Ego and exo segments that show the same action, with negatives from the same video.",
    partition="source",
    tables=("pairs", "candidate_counts", "candidates"),
    derived_from={
        "candidates": (
            "recordings",
            "segments",
            "translations",
            "labels",
            "sentence_vectors",
            "reviews",
        ),
        "candidate_counts": ("candidates",),
        "pairs": ("candidates",),
    },
    reads={
        "recordings": POOLED,
        "segments": (
            "source",
            "segment_id",
            "recording_id",
            "kind",
            "narration",
            "start_s",
            "end_s",
        ),
        "translations": TRANSLATED,
        "labels": ("source", "segment_id", "kind", "class_id", "status"),
        "sentence_vectors": ("recording_id", "sentence", "vector", "model"),
        "reviews": None,
    },
    units=_pools,
    compute=_compute,
    again=_due,
    code=(
        find_candidates,
        count_candidates,
        make_pairs,
        pool_of,
        by_vectors,
        by_answers,
        with_used,
    ),
    batch=1,
    adds_to=("calls", "costs"),
    asks=_asks,
    lineage={
        "candidates": {
            "pool": [("recordings", "scenario"), ("recordings", "scene"), ("recordings", "split")],
            "ego_segment_id": [("segments", "segment_id")],
            "exo_segment_id": [("segments", "segment_id")],
            "verbs": [("labels", "class_id")],
            "nouns": [("labels", "class_id")],
            "sentence_similarity": [("sentence_vectors", "vector"), ("segments", "narration")],
            "verdict": [("reviews", "verdict")],
        },
        "candidate_counts": {
            "pool": [("recordings", "scenario"), ("recordings", "scene"), ("recordings", "split")],
            "n": [("segments", "segment_id"), ("labels", "class_id")],
        },
        "pairs": {
            "query_segment_id": [("segments", "segment_id")],
            "positive_segment_id": [
                ("segments", "segment_id"),
                ("labels", "class_id"),
                ("labels", "status"),
            ],
            "negative_segment_ids": [("segments", "segment_id"), ("labels", "class_id")],
        },
    },
)
