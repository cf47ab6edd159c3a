"""Recordings of one take on its clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.questions.kit.clips import Span
from assets.questions.kit.recipe import Clip

# How recordings must be joined for "at the same time" to mean anything.
SYNCHRONOUS = ("frame_aligned", "timesync", "same_index")


@dataclass(frozen=True, slots=True)
class Clock:
    """Place of a recording on its take's clock.

    Attributes:
        offset_s: Take time of the recording's time 0.
        rate: Take seconds per recording second.
    """

    offset_s: float
    rate: float

    def to_take(self, t_s: float) -> float:
        """Take time of a recording's time."""
        return self.offset_s + self.rate * t_s

    def from_take(self, t_s: float) -> float:
        """Recording's time of a take time."""
        return (t_s - self.offset_s) / self.rate


@dataclass(frozen=True, slots=True)
class Camera:
    """A recording of a take and its clock."""

    row: Mapping[str, Any]
    clock: Clock

    @property
    def uid(self) -> str:
        """Id of the recording."""
        return str(self.row["recording_id"])

    def films(self, span: Span) -> bool:
        """Whether the camera runs all the while in a span of the take's clock."""
        limit = self.row["duration_s"]
        start_s, end_s = (self.clock.from_take(t) for t in span)
        return start_s >= 0 and (limit is None or end_s <= limit)

    def clip(self, span: Span, segment_id: str) -> Clip:
        """What the camera filmed in a span of the take's clock; it stands for a segment."""
        start_s, end_s = (self.clock.from_take(t) for t in span)
        return Clip(self.row, start_s, end_s, segment_id)


def synchronous_clocks(clocks: pl.DataFrame) -> dict[str, Clock]:
    """Clocks of the recordings that are synchronous with their take, by recording."""
    kept = clocks.filter(pl.col("method").is_in(SYNCHRONOUS) & (pl.col("rate") > 0))
    return {
        row["recording_id"]: Clock(row["offset_s"], row["rate"])
        for row in kept.iter_rows(named=True)
    }


def cameras(recordings: pl.DataFrame, clocks: Mapping[str, Clock], view: str) -> list[Camera]:
    """Recordings of a view that have a clock, by id."""
    rows = recordings.filter(pl.col("view") == view).sort("recording_id").iter_rows(named=True)
    return [Camera(row, clocks[uid]) for row in rows if (uid := row["recording_id"]) in clocks]
