"""Figures of a source's tables (EgoBridge section 3.4 and its supplement: statistics of the dataset).

Every function is pure and gives rows of `statistics` in key order, without the column `unit`. A
recording whose length is unknown counts, but its length does not (`seconds` null where no
recording of the group has a length).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from expectations.schemas import TABLES

Tables = Mapping[str, pl.DataFrame]
TABLE = TABLES["statistics"]
NOT_STATED = "not stated"
_PARTS = 1_000_000
_LENGTH = pl.col("end_s") - pl.col("start_s")


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: what it reads and how it is made.

    Attributes:
        name: Value of `statistics.figure`.
        reads: Columns by table; narrations are the ones in use.
        make: Rows from these tables.
    """

    name: str
    reads: Mapping[str, tuple[str, ...]]
    make: Callable[[Tables], pl.DataFrame]


def _rows(figure: str, groups: pl.DataFrame) -> pl.DataFrame:
    """Groups as rows of the table; columns they lack are null."""
    made = groups.with_columns(figure=pl.lit(figure), unit=pl.lit(figure))
    return TABLE.fit(made).sort(TABLE.key)


def _summed(groups: pl.DataFrame, by: tuple[str, ...], length: pl.Expr) -> pl.DataFrame:
    """Count, sum, mean and 95th percentile of lengths by group; of none known there is no sum."""
    known = _whole(length)
    summed = groups.group_by("source", *by).agg(
        n=pl.len(), seconds=known.sum(), known=known.count(), high=_high(known)
    )
    summed = summed.with_columns(seconds=pl.when(pl.col("known") > 0).then("seconds"))
    summed = _divided(summed, seconds=("seconds", _PARTS), high=("high", _PARTS))
    return _divided(summed, mean=("seconds", "known"))


def _whole(value: pl.Expr) -> pl.Expr:
    """A value in whole millionths: sums of floats depend on the order of the rows."""
    return (value.cast(pl.Float64) * _PARTS).round().cast(pl.Int64)


def _high(whole: pl.Expr) -> pl.Expr:
    """95th percentile by nearest rank: a value between two depends on how groups are computed."""
    rank = (whole.count().cast(pl.Int64) * 95 + 99) // 100
    return whole.drop_nulls().sort().get(rank - 1, null_on_oob=True)


def _divided(groups: pl.DataFrame, **by: tuple[str, str | int]) -> pl.DataFrame:
    """Columns of quotients; polars divides one row and many rows by different roundings."""
    made = []
    for name, (above, below) in by.items():
        counts = groups[below].to_numpy() if isinstance(below, str) else below
        with np.errstate(invalid="ignore"):
            quotients = groups[above].to_numpy() / counts
        made.append(pl.Series(name, quotients, dtype=pl.Float64, nan_to_null=True))
    return groups.with_columns(made)


def recordings(tables: Tables) -> pl.DataFrame:
    """Recordings and their length by view and scenario."""
    length = pl.coalesce("media_duration_s", "duration_s")
    groups = tables["recordings"].with_columns(
        label=pl.col("scenario").fill_null(NOT_STATED), part=pl.lit("")
    )
    return _rows("recordings", _summed(groups, ("view", "part", "label"), length))


def segments(tables: Tables) -> pl.DataFrame:
    """Segments and their length by view and kind; a point lasts nothing."""
    groups = _viewed(tables["segments"], tables).with_columns(label="kind", part=pl.lit(""))
    return _rows("segments", _summed(groups, ("view", "part", "label"), _LENGTH))


def sets(tables: Tables) -> pl.DataFrame:
    """Items of task sets and the length of what is shown, by view, split and set."""
    groups = tables["task_sets"].with_columns(
        label="set", part=pl.col("split").fill_null(NOT_STATED)
    )
    return _rows("sets", _summed(groups, ("view", "part", "label"), _LENGTH))


def verbs(tables: Tables) -> pl.DataFrame:
    """Segments that carry a verb and their length, by view and hand."""
    return _words(tables, "verb")


def nouns(tables: Tables) -> pl.DataFrame:
    """Segments that carry a noun and their length, by view and hand."""
    return _words(tables, "noun")


def _words(tables: Tables, kind: str) -> pl.DataFrame:
    """A class that a segment names twice for one hand counts once; classes of one label are one."""
    named = (
        tables["labels"]
        .filter((pl.col("kind") == kind) & pl.col("class_id").is_not_null())
        .with_columns(place=pl.col("class_id").min().over("source", "class_label"))
        .select("source", "segment_id", "place", label="class_label", part="body_part")
        .unique()
    )
    held = _viewed(tables["segments"].drop("kind"), tables)
    groups = named.join(held, on=["source", "segment_id"])
    return _rows(f"{kind}s", _summed(groups, ("view", "part", "label", "place"), _LENGTH))


def captions(tables: Tables) -> pl.DataFrame:
    """Narrated segments by view, kind and number of words (runs of anything but blanks)."""
    groups = (
        _viewed(tables["segments"], tables)
        .filter(pl.col("narration").is_not_null())
        .with_columns(place=pl.col("narration").str.count_matches(r"\S+"), part="kind")
        .with_columns(label=pl.col("place").cast(pl.String))
    )
    return _rows("captions", _summed(groups, ("view", "part", "label", "place"), _LENGTH))


def gaze(tables: Tables) -> pl.DataFrame:
    """Ticks, share with a valid gaze, and the mean distance in time of what they average.

    One row per recording that has any sample; its unit is the recording's own.
    """
    frames = tables["frames"].join(
        tables["recordings"].select("source", "recording_id", "view"), on=["source", "recording_id"]
    )
    residual = _whole(pl.col("gaze_residual_ms"))
    groups = (
        frames.group_by("source", "view", "recording_id")
        .agg(
            n=pl.len(),
            samples=pl.col("gaze_samples").sum(),
            valid=(pl.col("gaze_valid") > 0).sum(),
            known=residual.count(),
            sum=residual.sum(),
            high=_high(residual),
        )
        .filter(pl.col("samples") > 0)
        .with_columns(
            label="recording_id",
            part=pl.lit(""),
            figure=pl.lit("gaze"),
            unit=pl.lit("gaze/") + pl.col("recording_id"),
        )
    )
    groups = _divided(groups, share=("valid", "n"), sum=("sum", _PARTS), high=("high", _PARTS))
    return TABLE.fit(_divided(groups, mean=("sum", "known"))).sort(TABLE.key)


def _viewed(rows: pl.DataFrame, tables: Tables) -> pl.DataFrame:
    views = tables["recordings"].select("source", "recording_id", "view")
    return rows.join(views, on=["source", "recording_id"])


_VIEWS = ("recording_id", "view")
_SEGMENT = ("segment_id", "recording_id", "kind", "start_s", "end_s")
_LABEL = ("segment_id", "kind", "class_id", "class_label", "body_part")
GAZE_READS: Mapping[str, tuple[str, ...]] = {
    "recordings": _VIEWS,
    "frames": ("recording_id", "gaze_valid", "gaze_samples", "gaze_residual_ms"),
}
FIGURES: tuple[Figure, ...] = (
    Figure(
        "recordings",
        {"recordings": (*_VIEWS, "scenario", "duration_s", "media_duration_s")},
        recordings,
    ),
    Figure("segments", {"recordings": _VIEWS, "segments": _SEGMENT}, segments),
    Figure("captions", {"recordings": _VIEWS, "segments": (*_SEGMENT, "narration")}, captions),
    Figure("verbs", {"recordings": _VIEWS, "segments": _SEGMENT, "labels": _LABEL}, verbs),
    Figure("nouns", {"recordings": _VIEWS, "segments": _SEGMENT, "labels": _LABEL}, nouns),
    Figure("sets", {"task_sets": ("set", "view", "split", "start_s", "end_s")}, sets),
)
