"""Dagster assets of the frames stage."""

from __future__ import annotations

from assets.factory import StageDefinition
from assets.frames.stage import bring_up, is_fresh

STAGE = StageDefinition(
    name="frames",
    summary="Video indexed without decoding, on a 25 fps grid, with gaze registered to its ticks.",
    tables=("streams", "frames"),
    partitions="source",
    deps=("recordings", "images", "frame_stamps", "gaze_samples"),
    bring_up=bring_up,
    is_fresh=is_fresh,
    lineage={
        "frames": {
            "gaze_x": [("gaze_samples", "x")],
            "gaze_y": [("gaze_samples", "y")],
            "gaze_valid": [("gaze_samples", "validity")],
            "gaze_samples": [("gaze_samples", "sample")],
            "gaze_residual_ms": [("gaze_samples", "t_ns"), ("frame_stamps", "frame_stamps_ns")],
            "source_pts": [("recordings", "media_paths"), ("images", "source_frame")],
            "t_s": [("recordings", "media_paths"), ("images", "t_s")],
        },
        "streams": {"codec": [("recordings", "media_paths")]},
    },
)
