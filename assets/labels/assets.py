"""Dagster asset of the labels stage."""

from __future__ import annotations

from assets.factory import StageDefinition
from assets.labels.stage import bring_up, is_fresh

STAGE = StageDefinition(
    name="labels",
    summary="Verbs and nouns of narrations, each with the hand that acts.",
    tables=("labels",),
    partitions="source",
    deps=("segments", "taxonomies", "translations", "reviews"),
    bring_up=bring_up,
    is_fresh=is_fresh,
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
