"""Gaze of own recordings: one CSV file beside an egocentric recording's graph."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from assets.sources.layout import PartFiles, Rows
from assets.sources.own.graphs import REMEDY, Unfit
from assets.sources.reading.row_reader import REMEDY_ROW, RowReader
from assets.sources.reading.values import Malformed
from assets.sources.reading.wide_csv import LINE, wide_csv
from expectations.schemas import TABLES

_GAZE_COLUMNS = ("t_s", "x", "y")
_VALIDITY = "validity"
_GAZE_VALUES = ("valid", "blink", "not_worn", "flagged")


def read_gaze(part: PartFiles) -> Rows:
    """Where the wearer looks in the picture, by the video's time."""
    assert part.recording is not None
    reader, table = RowReader("gaze_samples"), TABLES["gaze_samples"]
    uid = str(part.recording["recording_id"])
    frames = [table.empty()]
    for path, data in part.files.items():
        try:
            frames.append(_gaze(part.source, uid, path, data, part.recording, reader))
        except Unfit as error:
            reader.reject(path, None, error.rule, error.value, str(error), REMEDY, uid)
        except Malformed as error:
            reader.unreadable(path, error, uid)
    return Rows({"gaze_samples": pl.concat(frames)}, tuple(reader.refused))


def _gaze(
    source: str,
    uid: str,
    path: str,
    data: bytes,
    recording: Mapping[str, object],
    reader: RowReader,
) -> pl.DataFrame:
    if recording["view"] != "ego":
        raise Unfit("gaze_not_ego", "gaze is that of the wearer: only ego recordings have it",
                    recording["view"])  # fmt: skip
    width, height = recording["width_px"], recording["height_px"]
    if width is None or height is None:
        raise Unfit("gaze_without_size", "gaze needs width_px and height_px of the recording")
    header = data.split(b"\n", 1)[0].decode("utf-8", "replace").lstrip("\ufeff")
    columns = [name.strip() for name in header.split(",")]
    missing = [name for name in _GAZE_COLUMNS if name not in columns]
    if missing:
        raise Malformed(f"missing columns {missing}; the header has {columns}", missing[0])
    for name in columns:
        if name not in (*_GAZE_COLUMNS, _VALIDITY):
            reader.reject(
                path, 1, "unknown_field", name, "the form has no such column", REMEDY, uid
            )
    said = (_VALIDITY,) if _VALIDITY in columns else ()
    read = wide_csv(
        reader, path, data, floats=("t_s",), texts=said, gaps=("x", "y"), recording_id=uid
    )
    if not said:
        read = read.with_columns(pl.lit("").alias(_VALIDITY))
    known = pl.col(_VALIDITY).is_in(["", *_GAZE_VALUES])
    for row in read.filter(~known).iter_rows(named=True):
        message = f"validity is not one of {', '.join(_GAZE_VALUES)}"
        reader.reject(path, row[LINE], "unreadable_row", row[_VALIDITY], message, REMEDY_ROW, uid)
    x, y = pl.col("x") / width, pl.col("y") / height  # type: ignore[operator]
    placed = pl.col("x").is_not_null() & pl.col("y").is_not_null()
    made = read.filter(known).select(
        source=pl.lit(source),
        recording_id=pl.lit(uid),
        sample=pl.col(LINE) - 2,
        t_s=pl.col("t_s"),
        x=pl.when(placed).then(x),
        y=pl.when(placed).then(y),
        validity=pl.when(~pl.col(_VALIDITY).is_in(["", "valid"]))
        .then(pl.col(_VALIDITY))
        .when(~placed)
        .then(pl.lit("flagged"))
        .when(~(x.is_between(0, 1) & y.is_between(0, 1)))
        .then(pl.lit("outside"))
        .otherwise(pl.lit("valid")),
    )
    return TABLES["gaze_samples"].fit(made)
