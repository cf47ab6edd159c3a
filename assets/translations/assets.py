"""Dagster asset of the translations stage."""

from __future__ import annotations

from assets.factory import StageDefinition
from assets.translations.stage import bring_up, is_fresh

STAGE = StageDefinition(
    name="translations",
    summary="Narrations written in another language, in English: by a model where one is"
    " configured, checked, and as given where none helps.",
    tables=("translations",),
    partitions="source",
    deps=("segments", "reviews"),
    bring_up=bring_up,
    is_fresh=is_fresh,
    pool="engine",
    lineage={
        "translations": {
            "original": [("segments", "narration_original")],
            "text": [
                ("segments", "narration_original"),
                ("segments", "narration"),
                ("reviews", "value"),
            ],
            "used": [("reviews", "verdict")],
        }
    },
)
