"""Frames of an image sequence: its pictures in order are its ticks.

Pictures that carry a time (a number and a rate) make the grid `presampled`: tick i is the i-th
picture, `source_frame` its index, `source_pts` the source's own number, and the residual is zero.
Pictures that carry only an order (`index_only`) make no frames: `frames.t_s` is a time, and a
text that is not a number must not stand there. That is no fault (`recordings.time_base` says so); what
shows such a recording takes its pictures by `images.source_frame`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from assets.frames.build import FramesResult
from expectations.contracts import Refusal, first_few
from expectations.schemas import TABLES

GRID = "presampled"


def frames_of_images(recording: Mapping[str, Any], images: pl.DataFrame) -> FramesResult:
    """Frame table of an image sequence.

    Args:
        recording: Its row of `recordings` (source, recording_id and time_base are read).
        images: Its rows of `images`.

    Returns:
        Frames on the grid `presampled`, from the recording's start; no stream, since no container
        holds the pictures.
    """
    source, uid = recording["source"], recording["recording_id"]
    streams, empty = TABLES["streams"].empty(), TABLES["frames"].empty()
    ordered = images.sort("source_frame")
    ordered_only = recording["time_base"] == "index_only"
    fault = _fault(uid, ordered, ordered_only=ordered_only)
    if fault is not None or ordered_only:
        return FramesResult(streams, empty, [fault] if fault else [])
    ticks = pl.int_range(ordered.height, eager=True)
    rows = ordered.select(
        pl.lit(source).alias("source"),
        pl.lit(uid).alias("recording_id"),
        pl.lit(GRID).alias("grid"),
        ticks.alias("tick"),
        pl.col("t_s"),
        pl.lit(0).alias("part"),
        ticks.alias("source_frame"),
        pl.col("source_frame").alias("source_pts"),
        pl.lit(0.0).alias("residual_ms"),
        pl.lit(None).alias("gaze_x"),
        pl.lit(None).alias("gaze_y"),
        pl.lit(0).alias("gaze_valid"),
        pl.lit(0).alias("gaze_samples"),
        pl.lit(None).alias("gaze_residual_ms"),
    )
    schema = TABLES["frames"].schema
    return FramesResult(streams, rows.select(schema.names()).cast(schema), [])


def _fault(uid: str, ordered: pl.DataFrame, *, ordered_only: bool) -> Refusal | None:
    if ordered.is_empty():
        return Refusal(
            file=None,
            row=None,
            rule="no_picture",
            value=None,
            message="the image sequence holds no picture",
            remedy="restore its pictures",
            table="frames",
            recording_id=uid,
        )
    if ordered_only:
        return None
    if ordered["t_s"].has_nulls():
        untimed = ordered.filter(pl.col("t_s").is_null())
        return Refusal(
            file=None,
            row=None,
            rule="picture_without_time",
            value=first_few(untimed["source_frame"].to_list()),
            message="pictures of a timed sequence have no time, so no tick can be placed",
            remedy="state their times, or the rate they were taken at",
            table="frames",
            recording_id=uid,
        )
    late = ordered.filter(pl.col("t_s").diff() <= 0)
    if late.is_empty():
        return None
    return Refusal(
        file=None,
        row=None,
        rule="times_do_not_rise",
        value=first_few(late["source_frame"].to_list()),
        message="times of pictures do not rise with their numbers",
        remedy="correct the times or the numbers of the pictures",
        table="frames",
        recording_id=uid,
    )
