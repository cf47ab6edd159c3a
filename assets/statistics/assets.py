"""Dagster asset of the statistics stage."""

from __future__ import annotations

import polars as pl

from assets.factory import StageDefinition
from assets.statistics.plots import plots
from assets.statistics.stage import bring_up, is_fresh
from expectations.checks.markdown import picture


def _pictures(statistics: pl.DataFrame) -> dict[str, str]:
    return {plot.title: picture(plot.title, plot.svg) for plot in plots(statistics)}


STAGE = StageDefinition(
    name="statistics",
    summary="How much of what a source holds: lengths, words by hand, captions, gaze.",
    tables=("statistics",),
    partitions="source",
    deps=("recordings", "segments", "translations", "labels", "frames", "task_sets"),
    bring_up=bring_up,
    is_fresh=is_fresh,
    plots={"statistics": _pictures},
    lineage={
        "statistics": {
            "label": [("labels", "class_label"), ("recordings", "scenario"), ("segments", "kind")],
            "place": [
                ("segments", "narration"),
                ("translations", "text"),
                ("labels", "class_id"),
            ],
            "part": [("labels", "body_part"), ("task_sets", "split")],
            "n": [("segments", "segment_id"), ("recordings", "recording_id")],
            "seconds": [
                ("segments", "start_s"),
                ("segments", "end_s"),
                ("recordings", "duration_s"),
            ],
            "share": [("frames", "gaze_valid")],
            "mean": [("frames", "gaze_residual_ms")],
            "high": [("frames", "gaze_residual_ms")],
        }
    },
)
