"""Labels of a source: one unit per recording."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from assets.labels.corrections import Classes, apply_decisions, label_items
from assets.labels.parse import parse_labels
from assets.sources.reviews.standing import standing
from assets.sources.stage import reviews_of
from assets.stage import Batch, Inputs, Stage, Unit
from assets.translations.in_use import TRANSLATED, in_use, with_used
from assets.translations.stage import decisions_by_recording
from expectations.contracts import Refusal
from resources.store.incremental import Output


def load_supplement() -> pl.DataFrame:
    """Terms beside the source's taxonomy: kind, term, class_label, note."""
    return pl.read_csv(Path(__file__).with_name("supplement.csv"), infer_schema=False)


def _units(inputs: Inputs) -> Iterator[Unit]:
    """Recordings with segments."""
    translated = set(inputs.stored_units("translations"))
    decisions = decisions_by_recording(inputs.settings, inputs.partition, "label")
    for uid in inputs.units_with_rows("segments"):
        # Decisions and translations count where there are any: other recordings stay as they are.
        code = (with_used,) if uid in translated else ()
        code += (apply_decisions, standing, label_items) if uid in decisions else ()
        keys = {**inputs.keys([uid]), "taxonomies": ("verb", "noun", "object"), "reviews": ()}
        yield Unit(uid, keys, (decisions.get(uid, ""),), code=code)


def _make(batch: Batch) -> Iterator[Output]:
    tables = in_use(batch.tables)
    segments, taxonomies = tables["segments"], tables["taxonomies"]
    labels = parse_labels(segments, taxonomies, load_supplement())
    reviews = reviews_of(batch.settings, batch.source, "label")
    refused: list[tuple[str, Refusal]] = []
    reviewed = segments.filter(pl.col("segment_id").is_in(reviews["item_id"].implode()))
    if reviewed.height:
        mine = reviews.filter(pl.col("item_id").is_in(reviewed["segment_id"].implode()))
        decisions = standing(mine, label_items(reviewed)).filter(pl.col("state") == "standing")
        labels, refused = apply_decisions(labels, reviewed, decisions, Classes.of(taxonomies))
    yield Output(batch.names, {"labels": labels}, refused)


STAGE = Stage(
    name="labels",
    group="labels",
    summary="Verbs and nouns of narrations, each with the hand that acts.",
    partition="source",
    tables=("labels",),
    reads={
        "segments": ("source", "segment_id", "recording_id", "kind", "narration"),
        "taxonomies": ("source", "taxonomy", "class_id", "label", "terms"),
        "translations": TRANSLATED,
        "reviews": None,
    },
    units=_units,
    make=_make,
    code=(parse_labels, load_supplement),
    by_recording=True,
    batch=200,
    lineage={
        "labels": {
            "term": [("segments", "narration"), ("translations", "text"), ("taxonomies", "terms")],
            "class_label": [("taxonomies", "label"), ("reviews", "value")],
            "body_part": [("segments", "narration"), ("translations", "text")],
            "span_start": [("segments", "narration"), ("translations", "text")],
            "span_end": [("segments", "narration"), ("translations", "text")],
        }
    },
)
