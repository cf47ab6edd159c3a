"""Suite of `frames`: registration to the grid, coverage of recordings, gaze."""

from __future__ import annotations

import polars as pl

from expectations.suites.core import Expectation, Suite, Tables, View


def _ticks(tables: Tables) -> pl.LazyFrame:
    intervals = tables["streams"].select("recording_id", "part", "interval_median_ms")
    return (
        tables["frames"]
        .with_columns(pl.col("part").cast(pl.Int64))
        .join(intervals, on=["recording_id", "part"], how="left")
        .select(
            "recording_id",
            "grid",
            "tick",
            # In halves of the frame interval: above 1 a nearer frame is missing from the video.
            (pl.col("residual_ms").abs() / (pl.col("interval_median_ms") / 2)).alias(
                "residual_halves"
            ),
            pl.when(pl.col("grid") == "cfr25").then("gaze_residual_ms").alias("gaze_residual_ms"),
            "gaze_x",
            "gaze_y",
        )
    )


def _recordings(tables: Tables) -> pl.LazyFrame:
    samples = pl.col("gaze_samples").cast(pl.Int64).sum()
    ticks = (
        tables["frames"]
        .group_by("recording_id")
        .agg(
            pl.len().cast(pl.Int64).alias("ticks"),
            pl.col("t_s").max().alias("last_s"),
            (1 - pl.col("source_frame").n_unique() / pl.len()).alias("repeated_share"),
            pl.when(samples > 0)
            .then(pl.col("gaze_valid").cast(pl.Int64).sum() / samples)
            .alias("gaze_valid_share"),
            pl.when(samples > 0).then(samples / pl.len()).alias("gaze_samples_per_tick"),
        )
    )
    stated = pl.coalesce("media_duration_s", "duration_s")
    return (
        tables["recordings"]
        .filter((pl.col("media") == "present") & (pl.col("time_base") != "index_only"))
        .select("recording_id", stated.alias("stated_s"))
        .join(ticks, on="recording_id", how="left")
        .with_columns(
            pl.col("ticks").is_not_null().cast(pl.Float64).alias("has_ticks"),
            pl.when(pl.col("stated_s") > 0)
            .then(pl.col("last_s") / pl.col("stated_s"))
            .alias("covered_share"),
        )
    )


SUITE = Suite(
    table="frames",
    reads={
        "frames": (
            "recording_id",
            "grid",
            "tick",
            "t_s",
            "part",
            "source_frame",
            "residual_ms",
            "gaze_x",
            "gaze_y",
            "gaze_valid",
            "gaze_samples",
            "gaze_residual_ms",
        ),
        "streams": ("recording_id", "part", "interval_median_ms"),
        "recordings": ("recording_id", "media", "time_base", "duration_s", "media_duration_s"),
    },
    views=(
        View(
            "ticks",
            "tick of a grid",
            ("recording_id", "grid", "tick"),
            _ticks,
            (
                Expectation(
                    "tick_has_a_near_frame",
                    "between",
                    "residual_halves",
                    "the nearest frame of a steady video is at most half a frame interval away;"
                    " variable rate may stretch a few, a stalled camera many",
                    low=0.0,
                    # Stamps in ticks of a time base and residuals in float32 round the border.
                    high=1.05,
                    mostly=0.95,
                ),
                Expectation(
                    "gaze_is_near_its_tick",
                    "between",
                    "gaze_residual_ms",
                    "samples belong to the tick within 20 ms, half a step of 25 fps",
                    low=0.0,
                    high=20.0,
                    mostly=0.99,
                ),
                Expectation(
                    "gaze_x_in_picture",
                    "between",
                    "gaze_x",
                    "wearers mostly look at what the camera shows; else the scale or axis is wrong",
                    low=0.0,
                    high=1.0,
                    mostly=0.9,
                ),
                Expectation(
                    "gaze_y_in_picture",
                    "between",
                    "gaze_y",
                    "wearers mostly look at what the camera shows; else the scale or axis is wrong",
                    low=0.0,
                    high=1.0,
                    mostly=0.9,
                ),
            ),
        ),
        View(
            "recordings",
            "recording with media",
            ("recording_id",),
            _recordings,
            (
                Expectation(
                    "recordings_have_ticks",
                    "mean",
                    "has_ticks",
                    "a recording whose pixels are here should be readable; see `quarantine`",
                    low=0.95,
                    high=1.0,
                ),
                Expectation(
                    "median_ticks",
                    "median",
                    "ticks",
                    "recordings of these datasets last from seconds to hours",
                    low=25.0,
                    high=25.0 * 3600 * 4,
                ),
                Expectation(
                    "ticks_cover_the_recording",
                    "between",
                    "covered_share",
                    "the last tick lies at the stated end; a shorter grid is a truncated file,"
                    " a longer one another file's duration",
                    low=0.95,
                    high=1.05,
                    mostly=0.95,
                ),
                Expectation(
                    "frames_are_not_repeated_too_often",
                    "between",
                    "repeated_share",
                    "12 fps video repeats about half its frames on a 25 fps grid; more is a stall",
                    low=0.0,
                    high=0.6,
                    mostly=0.95,
                ),
                Expectation(
                    "gaze_validity_per_recording",
                    "between",
                    "gaze_valid_share",
                    "a wearer whose eyes are lost half the time was not calibrated",
                    low=0.5,
                    high=1.0,
                    mostly=0.9,
                ),
                Expectation(
                    "gaze_validity",
                    "mean",
                    "gaze_valid_share",
                    "eye trackers lose blinks and glances, not a quarter of the time",
                    low=0.75,
                    high=1.0,
                ),
                Expectation(
                    "gaze_samples_per_tick",
                    "median",
                    "gaze_samples_per_tick",
                    "from 10 Hz (0.4 per tick) to 200 Hz (8 per tick); else the clock's unit is off",
                    low=0.3,
                    high=9.0,
                ),
            ),
        ),
    ),
    plot=("ticks", "residual_halves"),
)
