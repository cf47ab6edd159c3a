"""Dagster assets of the pairs stage."""

from __future__ import annotations

from assets.factory import StageDefinition
from assets.pairs.stage import bring_up, is_fresh

STAGE = StageDefinition(
    name="pairs",
    summary="Ego and exo segments that show the same action, with negatives from the same video.",
    tables=("candidates", "candidate_counts", "pairs", "sentence_vectors"),
    partitions="source",
    deps=("recordings", "segments", "translations", "labels", "reviews"),
    bring_up=bring_up,
    is_fresh=is_fresh,
    ledger={"sentence_vectors": "sentence_vectors"},
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
            "positive_segment_id": [("segments", "segment_id"), ("labels", "class_id")],
            "negative_segment_ids": [("segments", "segment_id"), ("labels", "class_id")],
        },
        "sentence_vectors": {
            "sentence": [("segments", "narration"), ("translations", "text")],
            "vector": [("segments", "narration"), ("translations", "text")],
        },
    },
)
