"""Tables of the frames stage: streams of media files, and the ticks of their grids."""

from __future__ import annotations

import polars as pl

from expectations.schemas.columns import BOOL, FLOAT, INT, RECORDING, SOURCE, TEXT
from expectations.schemas.core import Column, Rule, Table

STREAMS = Table(
    name="streams",
    stage="frames",
    row="video stream of a recording, as stored in its container",
    key=("source", "recording_id", "part"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("part", INT, "Index of the media part.", low=0),
        Column("stream", INT, "Index of the chosen video stream in its container.", low=0),
        Column("codec", TEXT, "Codec name."),
        Column("width_px", INT, "Stored width.", unit="px", low=1),
        Column("height_px", INT, "Stored height.", unit="px", low=1),
        Column(
            "rotation_deg",
            INT,
            "Clockwise turn that makes the stored image upright.",
            unit="deg",
            one_of=None,
            low=0,
            high=270,
        ),
        Column("time_base_num", INT, "Stamp unit, numerator.", unit="s", low=1),
        Column("time_base_den", INT, "Stamp unit, denominator.", unit="1/s", low=1),
        Column("frames", INT, "Presented frames.", low=0),
        Column("first_pts", INT, "First presented stamp.", nullable=True),
        Column("last_pts", INT, "Last presented stamp.", nullable=True),
        Column("offset_s", FLOAT, "Recording time of the part's first presented frame.", unit="s"),
        Column(
            "interval_min_ms",
            FLOAT,
            "Shortest gap between presented frames.",
            unit="ms",
            nullable=True,
        ),
        Column("interval_median_ms", FLOAT, "Median gap.", unit="ms", nullable=True),
        Column("interval_max_ms", FLOAT, "Longest gap.", unit="ms", nullable=True),
        Column("reordered", BOOL, "Stored order differs from presentation (B-frames)."),
        Column("discarded", INT, "Packets an edit list hides.", low=0),
        Column("duplicates", INT, "Packets dropped since their stamp is taken.", low=0),
        Column("unstamped", INT, "Packets without a stamp.", low=0),
    ),
)

FRAMES = Table(
    name="frames",
    stage="frames",
    row="tick of a recording's grid",
    key=("source", "recording_id", "grid", "tick"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("grid", TEXT, "Grid the tick counts in.", one_of=("cfr25", "native", "presampled")),
        Column("tick", pl.Int32(), "Index on the grid, from 0.", low=0),
        Column("t_s", FLOAT, "Time of the tick from the recording's start.", unit="s", low=0.0),
        Column("part", pl.Int16(), "Media part of the source frame.", low=0),
        Column(
            "source_frame",
            pl.Int32(),
            "Presented frame shown at the tick, counted over parts.",
            low=0,
        ),
        Column("source_pts", INT, "Its stamp, in the stream's time base."),
        Column("residual_ms", pl.Float32(), "Source frame's time minus the tick's.", unit="ms"),
        Column("gaze_x", pl.Float32(), "Mean of valid samples, over image width.", nullable=True),
        Column("gaze_y", pl.Float32(), "Mean of valid samples, over image height.", nullable=True),
        Column("gaze_valid", pl.Int16(), "Valid samples averaged.", low=0),
        Column("gaze_samples", pl.Int16(), "Samples registered to the tick, valid or not.", low=0),
        Column(
            "gaze_residual_ms",
            pl.Float32(),
            "Mean distance in time of the averaged samples to the tick.",
            unit="ms",
            nullable=True,
        ),
    ),
    rules=(
        Rule(
            "mean_needs_samples",
            (pl.col("gaze_valid") > 0) == pl.col("gaze_x").is_not_null(),
            "mean gaze without a valid sample, or valid samples without a mean",
            "report this: the frame stage is wrong",
        ),
    ),
)

TABLES = (
    STREAMS,
    FRAMES,
)
