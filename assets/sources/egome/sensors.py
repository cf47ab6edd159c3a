"""Sensor data of EgoMe."""

from __future__ import annotations

import polars as pl

from assets.sources.egome.files import HEIGHT_PX, WIDTH_PX
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from assets.sources.reading.wide_csv import LINE, wide_csv
from expectations.contracts import Refusal
from expectations.schemas import TABLES

_TIME, _X, _Y = "Video Time[HH:mm:ss.ms]", "Gaze Point X[px]", "Gaze Point Y[px]"


def read_sensors(part: PartFiles) -> Rows:
    """Gaze in the picture, by the video's time (125 samples a second)."""
    assert part.recording is not None
    uid = str(part.recording["recording_id"])
    reader = RowReader("gaze_samples")
    frames = []
    for file, data in part.files.items():
        try:
            read = wide_csv(reader, file, data, floats=(_X, _Y), texts=(_TIME,), recording_id=uid)
        except Malformed as error:
            reader.unreadable(file, error, uid)
            continue
        timed = read.with_columns(t_s=_seconds(pl.col(_TIME)))
        reader.refused += [
            Refusal(
                file,
                row[LINE],
                "unreadable_row",
                row[_TIME],
                "the sample has no video time",
                "correct the row",
                table="gaze_samples",
                recording_id=uid,
            )
            for row in timed.filter(pl.col("t_s").is_null()).head(20).iter_rows(named=True)
        ]
        frames.append(_samples(part.source, uid, timed.filter(pl.col("t_s").is_not_null())))
    table = TABLES["gaze_samples"]
    return Rows({"gaze_samples": pl.concat([table.empty(), *frames])}, tuple(reader.refused))


def _seconds(stamp: pl.Expr) -> pl.Expr:
    """Seconds of `00:01:02.345`, null where it is not a time."""
    pieces = stamp.str.extract_groups(r"^(\d+):([0-5]?\d):([0-5]?\d(?:\.\d+)?)$").struct
    hours, minutes, seconds = (pieces.field(n).cast(pl.Float64, strict=False) for n in "123")
    return hours * 3600 + minutes * 60 + seconds


def _samples(source: str, uid: str, read: pl.DataFrame) -> pl.DataFrame:
    none = (pl.col(_X) == -1) | (pl.col(_Y) == -1)
    x, y = pl.col(_X) / WIDTH_PX, pl.col(_Y) / HEIGHT_PX
    outside = ~(x.is_between(0, 1) & y.is_between(0, 1))
    made = read.select(
        source=pl.lit(source),
        recording_id=pl.lit(uid),
        sample=pl.col(LINE) - 2,
        t_s=pl.col("t_s"),
        x=pl.when(~none).then(x),
        y=pl.when(~none).then(y),
        validity=pl.when(none)
        .then(pl.lit("flagged"))
        .when(outside)
        .then(pl.lit("outside"))
        .otherwise(pl.lit("valid")),
    )
    return TABLES["gaze_samples"].fit(made)
