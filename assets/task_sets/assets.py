"""Dagster assets of the sets of tasks."""

from __future__ import annotations

from assets.factory import StageDefinition
from assets.task_sets.stage import bring_up, is_fresh

STAGE = StageDefinition(
    name="task_sets",
    summary="Sets of tasks that ask no question: what is shown, and what is asked for.",
    tables=("task_sets", "set_classes"),
    partitions="source",
    deps=(
        "recordings",
        "segments",
        "taxonomies",
        "splits",
        "translations",
        "labels",
        "candidates",
        "pairs",
    ),
    bring_up=bring_up,
    is_fresh=is_fresh,
    lineage={
        "task_sets": {
            "start_s": [("segments", "start_s")],
            "end_s": [("segments", "start_s"), ("segments", "end_s")],
            "target_start_s": [("segments", "start_s")],
            "target_end_s": [("segments", "end_s")],
            "split": [("recordings", "split"), ("splits", "split")],
            "verbs": [("labels", "class_id"), ("segments", "released_verbs")],
            "nouns": [("labels", "class_id"), ("segments", "released_nouns")],
            "classes": [("segments", "class_id")],
            "runs": [
                ("segments", "class_id"),
                ("segments", "start_s"),
                ("segments", "end_s"),
                ("recordings", "declared_frames"),
            ],
            "text": [("segments", "narration"), ("translations", "text")],
            "references": [
                ("pairs", "positive_segment_id"),
                ("segments", "narration"),
                ("translations", "text"),
            ],
        },
        "set_classes": {
            "class_id": [("taxonomies", "class_id")],
            "label": [("taxonomies", "label")],
            "n": [("labels", "class_id"), ("segments", "class_id")],
        },
    },
)
