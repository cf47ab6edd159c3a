"""Dagster asset of the scores stage."""

from __future__ import annotations

from assets.factory import StageDefinition
from assets.scores.stage import bring_up, is_fresh

STAGE = StageDefinition(
    name="scores",
    summary="Metrics with counts and intervals clustered by recording.",
    tables=("scores",),
    partitions="evaluation",
    deps=("answers", "questions", "question_gates", "recordings"),
    bring_up=bring_up,
    is_fresh=is_fresh,
    lineage={
        "scores": {
            "value": [("answers", "right"), ("answers", "subtask")],
            "n": [("answers", "question_id")],
            "n_unparsed": [("answers", "status")],
            "n_errors": [("answers", "status")],
            "n_clusters": [("answers", "recording_id")],
            "low": [("answers", "right"), ("answers", "recording_id")],
            "effective_chance": [("questions", "options"), ("questions", "media")],
            "high": [("answers", "right"), ("answers", "recording_id")],
        }
    },
)
