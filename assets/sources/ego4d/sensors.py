"""Sensor data of Ego4D in its own JSON."""

from __future__ import annotations

import polars as pl

from assets.sources.ego4d.files import GAZE, chosen
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from assets.sources.reading.wide_csv import LINE, wide_csv
from expectations.schemas import TABLES


def read_sensors(part: PartFiles) -> Rows:
    """Gaze of one video; none of it counts as valid, since nobody says where y is 0."""
    assert part.recording is not None
    uid = str(part.recording["recording_id"])
    reader = RowReader("gaze_samples")
    path = chosen(part.files, GAZE, reader)
    if path is None:
        return Rows({}, tuple(reader.refused))
    position = ("norm_pos_x", "norm_pos_y")
    try:
        read = wide_csv(
            reader, path, part.files[path],
            floats=("canonical_timestamp_s",), gaps=position, present=position, recording_id=uid,
        )  # fmt: skip
    except Malformed as error:
        reader.unreadable(path, error, uid)
        return Rows({}, tuple(reader.refused))
    inside = pl.all_horizontal(pl.col(name).is_between(0, 1) for name in position)
    known = pl.all_horizontal(pl.col(name).is_not_null() for name in position)
    rows = read.select(
        pl.lit(part.source).alias("source"),
        pl.lit(uid).alias("recording_id"),
        (pl.col(LINE) - 2).alias("sample"),
        pl.lit(None, pl.Int64).alias("t_ns"),
        pl.col("canonical_timestamp_s").alias("t_s"),
        pl.col(position[0]).alias("x"),
        pl.col(position[1]).alias("y"),
        pl.lit(None, pl.Boolean).alias("worn"),
        pl.lit(None, pl.Boolean).alias("blink"),
        pl.when(~known)
        .then(pl.lit("not_finite"))
        .when(inside)
        .then(pl.lit("flagged"))
        .otherwise(pl.lit("outside"))
        .alias("validity"),
    )
    table = TABLES["gaze_samples"]
    return Rows({"gaze_samples": rows.cast(dict(table.empty().schema))}, tuple(reader.refused))  # type: ignore[arg-type]
