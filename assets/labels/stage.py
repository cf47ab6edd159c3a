"""Labels of a source: one unit per recording, read by the source's vocabulary, by the open reader, or both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from assets.labels.corrections import Classes, apply_decisions, label_items
from assets.labels.kept_readings import read_once
from assets.labels.open.model import parser_version
from assets.labels.open.reader import read_narrations
from assets.labels.open_rows import open_rows
from assets.labels.parse import parse_labels
from assets.labels.readers import Readers, note, readers_of
from assets.sources.reviews.standing import standing
from assets.sources.stage import reviews_of
from assets.stage import Batch, Inputs, Stage, Unit
from assets.translations.in_use import TRANSLATED, in_use, with_used
from assets.translations.stage import decisions_by_recording
from expectations.contracts import Refusal
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from expectations.schemas.labels import VOCABULARY
from resources.store.code_version import code_version
from resources.store.incremental import Output
from resources.store.kept_texts import KeptTexts

READINGS = ".readings"
"""Folder of kept readings, below the store."""


def load_supplement() -> pl.DataFrame:
    """Terms beside the source's taxonomy: kind, term, class_label, note."""
    return pl.read_csv(Path(__file__).with_name("supplement.csv"), infer_schema=False)


def reader_version(parser: str) -> str:
    """Version of the open reader: of its code, and of the parser.

    Args:
        parser: Name of an installed spaCy model.

    Raises:
        ParserUnavailableError: The model is not installed.
    """
    return digest([code_version(read_narrations), parser_version(parser)])


def _units(inputs: Inputs) -> Iterator[Unit]:
    """Recordings with segments."""
    translated = set(inputs.stored_units("translations"))
    readers = readers_of(inputs)
    parser = inputs.settings.sources[inputs.partition].parser if readers.is_open else ""
    decisions = decisions_by_recording(inputs.settings, inputs.partition, "label")
    for uid in inputs.units_with_rows("segments"):
        # Decisions and translations count where there are any: other recordings stay as they are.
        code = (with_used,) if uid in translated else ()
        code += (apply_decisions, standing, label_items) if uid in decisions else ()
        keys = {**inputs.keys([uid]), "taxonomies": ("verb", "noun", "object"), "reviews": ()}
        code += (open_rows, read_narrations) if readers.is_open else ()
        code += (parse_labels, load_supplement) if readers.vocabulary else ()
        yield Unit(uid, keys, (decisions.get(uid, ""), *_parameters(readers, parser)), code=code)


def _parameters(readers: Readers, parser: str) -> tuple[str, ...]:
    """Parameters of a unit that say who reads; `_readers` reads them back."""
    return (VOCABULARY if readers.vocabulary else "", readers.parser, parser)


def _readers(unit: Unit) -> tuple[Readers, str]:
    """Readers of a unit, and the name of the parser."""
    _, vocabulary, version, parser = unit.parameters
    return Readers(vocabulary == VOCABULARY, version), parser


def _make(batch: Batch) -> Iterator[Output]:
    tables = in_use(batch.tables)
    segments, taxonomies = tables["segments"], tables["taxonomies"]
    readers, parser = _readers(batch.units[0])
    labels = TABLES["labels"].empty()
    if readers.vocabulary:
        labels = parse_labels(segments, taxonomies, load_supplement())
    if readers.is_open:
        narrations = segments["narration"].drop_nulls().unique(maintain_order=True).to_list()
        kept = KeptTexts(batch.settings.store, READINGS, reader_version(parser))
        readings = read_once(kept, narrations, parser)
        labels = pl.concat([open_rows(segments, readings, labels), labels])
        labels = labels.sort(TABLES["labels"].key, nulls_last=True)
    reviews = reviews_of(batch.settings, batch.source, "label")
    refused: list[tuple[str, Refusal]] = []
    reviewed = segments.filter(pl.col("segment_id").is_in(reviews["item_id"].implode()))
    if reviewed.height:
        mine = reviews.filter(pl.col("item_id").is_in(reviewed["segment_id"].implode()))
        decisions = standing(mine, label_items(reviewed)).filter(pl.col("state") == "standing")
        labels, refused = apply_decisions(labels, reviewed, decisions, Classes.of(taxonomies))
    yield Output(batch.names, {"labels": labels}, refused)


_FROM_NARRATION = {
    column: [("segments", "narration"), ("translations", "text")]
    for column in (
        "lemma",
        "body_part",
        "status",
        "role",
        "direction",
        "quantity",
        "span_start",
        "span_end",
        "contradicts",
    )
}

STAGE = Stage(
    name="labels",
    group="labels",
    summary="Verbs and nouns of narrations, each with who acts, by which hand, and how far it came.",
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
    by_recording=True,
    note=note,
    batch=200,
    lineage={
        "labels": {
            "term": [("segments", "narration"), ("translations", "text"), ("taxonomies", "terms")],
            "class_label": [
                ("taxonomies", "label"),
                ("reviews", "value"),
                ("segments", "narration"),
                ("translations", "text"),
            ],
            **_FROM_NARRATION,
        }
    },
)
