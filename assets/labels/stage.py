"""Labels of a source: one unit per recording."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from assets.labels.corrections import Classes, apply_decisions, label_items
from assets.labels.parse import parse_labels
from assets.sources.reviews.standing import standing
from assets.sources.stage import STAGES as SOURCE_STAGES
from assets.sources.stage import reviews_of
from assets.translations.in_use import TRANSLATED, with_used
from assets.translations.stage import STAGE as TRANSLATIONS
from assets.translations.stage import decisions_by_recording, narrated
from assets.unit_stage import UnitStage
from expectations.contracts import Refusal
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.config import Settings
from resources.store.code_version import code_version
from resources.store.incremental import Output, Stage
from resources.store.ledger import read_complete

STAGE = Stage("labels", (TABLES["labels"],))
_SEGMENT = ("segment_id", "recording_id", "kind", "narration")
_CLASSES = ("class_id", "label", "terms")
_AT_ONCE = 200


def load_supplement() -> pl.DataFrame:
    """Terms beside the source's taxonomy: kind, term, class_label, note."""
    return pl.read_csv(Path(__file__).with_name("supplement.csv"), infer_schema=False)


def wanted(settings: Settings, source: str) -> dict[str, str]:
    """Recordings with segments, and what their labels are made from."""
    segments = read_complete(settings.store, SOURCE_STAGES["segments"].name, source)
    classes = read_complete(settings.store, SOURCE_STAGES["taxonomies"].name, source)
    translated = read_complete(settings.store, TRANSLATIONS.name, source)
    decided = decisions_by_recording(settings, source, "label")
    shared = digest(
        [
            code_version(parse_labels, load_supplement),
            *(
                f"{name}={classes[name].inputs('taxonomies', _CLASSES)}"
                for name in ("verb", "noun", "object")
                if name in classes
            ),
        ]
    )
    # Decisions and translations count where there are any: other recordings are as they were.
    applied = code_version(apply_decisions, standing, label_items) if decided else ""
    told = code_version(with_used) if translated else ""
    return {
        uid: digest(
            [
                shared,
                entry.inputs("segments", _SEGMENT),
                *(
                    [told, translated[uid].inputs("translations", TRANSLATED)]
                    if uid in translated
                    else []
                ),
                *([applied, decided[uid]] if uid in decided else []),
            ]
        )
        for uid, entry in segments.items()
        if "segments" in entry.tables
    }


def _compute(settings: Settings, source: str, todo: list[str]) -> Iterator[Output]:
    taxonomies = settings.store.read(TABLES["taxonomies"], source)
    supplement = load_supplement()
    reviews = reviews_of(settings, source, "label")
    for at in range(0, len(todo), _AT_ONCE):
        units = todo[at : at + _AT_ONCE]
        segments = narrated(settings, source, units)
        labels = parse_labels(segments, taxonomies, supplement)
        refused: list[tuple[str, Refusal]] = []
        judged = segments.filter(pl.col("segment_id").is_in(reviews["item_id"].implode()))
        if judged.height:
            mine = reviews.filter(pl.col("item_id").is_in(judged["segment_id"].implode()))
            held = standing(mine, label_items(judged)).filter(pl.col("state") == "standing")
            labels, refused = apply_decisions(labels, judged, held, Classes.of(taxonomies))
        yield Output(units, {"labels": labels}, refused)


_UNITS = UnitStage(STAGE, wanted, _compute, by_recording=True)
bring_up = _UNITS.bring_up
is_fresh = _UNITS.is_fresh
