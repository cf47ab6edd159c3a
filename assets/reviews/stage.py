"""How decisions stand: one unit per kind of item that anybody judged; and queues for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import polars as pl

from assets.labels.corrections import Classes, UnusableCorrection, label_items, stated_labels
from assets.labels.lexicon import with_nouns
from assets.pairs.stage import judged_pairs
from assets.pairs.stage import queue as doubtful_pairs
from assets.reviews.directions import KIND as DIRECTION
from assets.reviews.directions import direction_items, unusable_directions
from assets.reviews.doubt import doubtful_labels, doubtful_translations
from assets.reviews.rounds import review_agreement
from assets.reviews.states import Judged, review_changes, review_states
from assets.sources.reviews.patches import PATCHED, judged_rows, patch_items, unusable_patches
from assets.sources.reviews.patches import READS as PATCH_READS
from assets.sources.reviews.standing import item_hash, standing
from assets.sources.stage import reviews_of
from assets.stage import Batch, Inputs, Stage, Unit
from assets.translations.in_use import with_used
from assets.translations.rows import automatic_texts
from assets.translations.stage import narrated
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from expectations.schemas.reviews import GRAPH
from resources.config import Settings
from resources.errors import unknown_name
from resources.store.incremental import Output


def _label_items(settings: Settings, source: str, reviews: pl.DataFrame) -> pl.DataFrame:
    segments = _judged(settings, source, reviews)
    places = segments.select(pl.col("segment_id").alias("item_id"), "recording_id")
    return label_items(segments).join(places, on="item_id")


def _translation_items(settings: Settings, source: str, reviews: pl.DataFrame) -> pl.DataFrame:
    judged = pl.col("segment_id").is_in(reviews["item_id"].implode())
    rows = settings.store.scan(TABLES["translations"], source).filter(judged).collect()
    return automatic_texts(rows).select("item_id", "item_hash", "recording_id")


def _judged(settings: Settings, source: str, reviews: pl.DataFrame) -> pl.DataFrame:
    """Segments somebody judged, with the narration labels are read from."""
    judged = pl.col("segment_id").is_in(reviews["item_id"].implode())
    scan = settings.store.scan(TABLES["segments"], source, columns=("segment_id", "recording_id"))
    units = scan.filter(judged).collect()["recording_id"].unique().to_list()
    return narrated(settings, source, units).filter(judged) if units else _no_segments()


def _no_segments() -> pl.DataFrame:
    return TABLES["segments"].empty()


def _direction_items(settings: Settings, source: str, reviews: pl.DataFrame) -> pl.DataFrame:
    judged = pl.col("segment_id").is_in(reviews["item_id"].implode())
    segments = settings.store.scan(TABLES["segments"], source).filter(judged).collect()
    return direction_items(segments, settings.store.read(TABLES["recordings"], source))


def _graph_items(settings: Settings, source: str, reviews: pl.DataFrame) -> pl.DataFrame:
    store = settings.store
    tables = {
        name: store.read(TABLES[name], source, columns=columns)
        for name, columns in PATCH_READS.items()
    }
    return patch_items(judged_rows(tables, reviews))


_ITEMS: dict[str, Callable[[Settings, str, pl.DataFrame], pl.DataFrame]] = {
    "label": _label_items,
    "translation": _translation_items,
    "pair": judged_pairs,
    DIRECTION: _direction_items,
    GRAPH: _graph_items,
}


def _units(inputs: Inputs) -> Iterator[Unit]:
    """Kinds of items with decisions."""
    settings, source = inputs.settings, inputs.partition
    for kind, items in _ITEMS.items():
        reviews = reviews_of(settings, source, kind)
        if reviews.is_empty():
            continue
        # Their writers have to be done: what is judged is looked up in these tables.
        inputs.stored_units("labels")
        inputs.stored_units("translations")
        now = items(settings, source, reviews).sort("item_id")
        parameters = (
            *sorted(repr(row) for row in reviews.select("decision_id", "shown").iter_rows()),
            *(repr(row) for row in now.iter_rows()),
            _taxonomy(settings, source) if kind == "label" else "",
        )
        yield Unit(kind, dict.fromkeys(inputs.stage.reads, ()), parameters)


def _taxonomy(settings: Settings, source: str) -> str:
    rows = settings.store.read(TABLES["taxonomies"], source)
    kept = with_nouns(rows).filter(pl.col("taxonomy").is_in(["verb", "noun"]))
    return digest(repr(row) for row in kept.sort("taxonomy", "class_id").iter_rows())


def _make(batch: Batch) -> Iterator[Output]:
    settings, source = batch.settings, batch.source
    for kind in batch.names:
        reviews = reviews_of(settings, source, kind)
        items = _ITEMS[kind](settings, source, reviews)
        unusable = _unusable(settings, source, kind, reviews, items)
        judged = Judged(source, kind, reviews, items, unusable)
        tables = {
            "review_states": review_states(judged),
            "review_changes": review_changes(judged),
            "review_agreement": review_agreement(judged),
        }
        yield Output([kind], tables)


def _unusable(
    settings: Settings, source: str, kind: str, reviews: pl.DataFrame, items: pl.DataFrame
) -> dict[str, str]:
    """Standing decisions that cannot be followed, and why."""
    if kind == DIRECTION:
        recordings = settings.store.read(TABLES["recordings"], source)
        return unusable_directions(reviews, items, recordings)
    if kind == GRAPH:
        return unusable_patches(reviews, items)
    return _unusable_labels(settings, source, reviews, items) if kind == "label" else {}


def _unusable_labels(
    settings: Settings, source: str, reviews: pl.DataFrame, items: pl.DataFrame
) -> dict[str, str]:
    """Standing corrections that the labels stage cannot apply, and why."""
    classes = Classes.of(settings.store.read(TABLES["taxonomies"], source))
    segments = {
        row["segment_id"]: row for row in _judged(settings, source, reviews).iter_rows(named=True)
    }
    found: dict[str, str] = {}
    held = standing(reviews, items).filter(pl.col("state") == "standing")
    for row in held.filter(pl.col("value").is_not_null()).iter_rows(named=True):
        try:
            stated_labels(segments[row["item_id"]], row["value"], row["reviewer"], classes)
        except UnusableCorrection as error:
            found[row["item_id"]] = str(error)
    return found


STAGE = Stage(
    name="review_states",
    group="reviews",
    summary="Decisions of people: which of them count now, which are stale or in conflict, and what"
    " each annotation round changed.",
    partition="source",
    tables=("review_states", "review_changes", "review_agreement"),
    derived_from={
        "review_states": (
            "reviews",
            "segments",
            "recordings",
            "taxonomies",
            "translations",
            "labels",
            "candidates",
            *PATCHED,
        ),
        "review_changes": ("review_states",),
        "review_agreement": ("reviews", "segments"),
    },
    reads={
        "reviews": None,
        "segments": None,
        "recordings": ("recording_id", "take_id", "view", "media_hashes"),
        "taxonomies": None,
        "translations": None,
        "labels": ("segment_id",),
        "candidates": None,
        **{table: PATCH_READS[table] for table in PATCHED},
    },
    units=_units,
    make=_make,
    code=(
        review_states,
        review_changes,
        review_agreement,
        standing,
        item_hash,
        stated_labels,
        label_items,
        direction_items,
        unusable_directions,
        patch_items,
        unusable_patches,
        automatic_texts,
        with_used,
    ),
    lineage={
        "review_states": {
            "state": [("reviews", "item_hash"), ("reviews", "verdict"), ("translations", "text")],
            "item_id": [
                ("reviews", "item_id"),
                ("segments", "segment_id"),
                ("relations", "relation_id"),
                ("object_states", "state_id"),
                ("boxes", "box_id"),
            ],
        },
        "review_changes": {
            "changed": [("reviews", "value"), ("reviews", "shown")],
            "standing": [("reviews", "item_hash")],
        },
        "review_agreement": {
            "alpha": [("reviews", "verdict"), ("reviews", "reviewer"), ("reviews", "item_hash")],
            "kappa": [("reviews", "verdict"), ("reviews", "reviewer"), ("reviews", "item_hash")],
            "same_outcome": [("reviews", "verdict"), ("reviews", "value")],
        },
    },
)


def queue(settings: Settings, source: str, what: str) -> pl.DataFrame:
    """What a person should decide on, with reasons.

    Args:
        settings: Configuration.
        source: Source.
        what: `labels`, `translations` or `pairs`.

    Returns:
        Columns of `assets.sources.reviews.QUEUE`: labels and translations by segment, of pairs the
        doubtful ones first.

    Raises:
        ValueError: Nothing of that name is reviewed.
    """
    store = settings.store
    kind = what.removesuffix("s")
    if what not in QUEUES:
        raise unknown_name("kind of item", what, QUEUES)
    states = store.read(TABLES["review_states"], source)
    mine = states.filter(pl.col("item_kind") == kind)
    if kind == "pair":
        return _with_states(doubtful_pairs(settings, source), mine)
    texts = automatic_texts(store.read(TABLES["translations"], source))
    if kind == "translation":
        return doubtful_translations(store.read(TABLES["segments"], source), texts, mine)
    settled = states.filter(
        (pl.col("item_kind") == "translation") & (pl.col("state") == "standing")
    )
    return doubtful_labels(
        narrated(settings, source),
        store.read(TABLES["labels"], source),
        texts.join(settled, on="item_id", how="anti"),
        store.read(TABLES["taxonomies"], source),
        mine,
    )


def _with_states(rows: pl.DataFrame, states: pl.DataFrame) -> pl.DataFrame:
    """A queue whose reasons begin with what is wrong with earlier decisions, these first."""
    idle = states.filter(pl.col("state") != "standing").select("item_id", "state")
    joined = rows.join(idle, on="item_id", how="left", maintain_order="left")
    why = pl.concat_str("state", "why", separator=" ", ignore_nulls=True)
    ordered = joined.sort(pl.col("state").is_null(), maintain_order=True)
    return ordered.with_columns(why=why).select(rows.columns)


# Directions and rows of graphs have queues of their own (`assets.questions.egoexobench.written_directions`,
# `assets.reviews.graphs`).
QUEUES = tuple(f"{kind}s" for kind in _ITEMS if kind not in (DIRECTION, GRAPH))
