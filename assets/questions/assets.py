"""Dagster asset of the questions stage."""

from __future__ import annotations

from assets.factory import StageDefinition
from assets.questions.stage import bring_up, is_fresh

STAGE = StageDefinition(
    name="questions",
    summary="Questions with ordered options, media, answer and the rows they rest on.",
    tables=("questions",),
    partitions="benchmark",
    deps=("pairs", "segments", "recordings"),
    bring_up=bring_up,
    is_fresh=is_fresh,
    lineage={
        "questions": {
            "options": [("pairs", "positive_segment_id"), ("pairs", "negative_segment_ids")],
            "media": [
                ("segments", "start_s"),
                ("segments", "end_s"),
                ("recordings", "media_hashes"),
            ],
            "answer": [("pairs", "positive_segment_id")],
            "question_id": [("pairs", "query_segment_id"), ("pairs", "positive_recording_id")],
        }
    },
)
