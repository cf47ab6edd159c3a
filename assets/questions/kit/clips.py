"""Clip shown of a segment: long enough to see, short enough to send, without its neighbours."""

from __future__ import annotations

import polars as pl

SHORTEST_SHOWN_S = 2.0
LONGEST_SHOWN_S = 30.0
SHORTEST_SEGMENT_S = 0.5


def clips(
    segments: pl.DataFrame,
    recordings: pl.DataFrame,
    *,
    kind: str = "fine",
    as_annotated: bool = False,
) -> pl.DataFrame:
    """Clip of each segment of a kind that can be shown.

    A segment under 2 s is padded on both sides alike, inside the gap to its neighbours and the
    recording; what one side has no room for goes to the other. It stays shorter where the gap is
    small. A segment over 30 s is cut to the 30 s around its middle. Segments under 0.5 s have no
    clip.

    Args:
        segments: Rows of `segments`.
        recordings: Rows of `recordings`; a null `duration_s` bounds nothing.
        kind: Kind of segment shown; neighbours are those of the same kind and recording.
        as_annotated: Show each segment from its start to its end, however long.

    Returns:
        Columns source, recording_id, segment_id, narration, clip_start_s, clip_end_s, sorted by
        segment.
    """
    of_recording = ("source", "recording_id")
    start, end = pl.col("start_s"), pl.col("end_s")
    if as_annotated:
        return (
            segments.filter((pl.col("kind") == kind) & (end > start))
            .select(
                *of_recording, "segment_id", "narration", clip_start_s="start_s", clip_end_s="end_s"
            )
            .sort("source", "segment_id")
        )
    fine = (
        segments.filter(pl.col("kind") == kind)
        .select(*of_recording, "segment_id", "narration", "start_s", "end_s")
        .join(recordings.select(*of_recording, "duration_s"), on=of_recording, how="left")
        .sort(*of_recording, "start_s", "end_s", "segment_id")
        .with_columns(
            before=end.cum_max().shift(1).over(of_recording).fill_null(0.0),
            after=start.shift(-1).over(of_recording).fill_null(pl.col("duration_s")),
        )
        .with_columns(
            room_before=(start - pl.col("before")).clip(lower_bound=0.0),
            room_after=(pl.col("after") - end).fill_null(SHORTEST_SHOWN_S).clip(lower_bound=0.0),
            lacking=(SHORTEST_SHOWN_S - (end - start)).clip(lower_bound=0.0),
            surplus=((end - start) - LONGEST_SHOWN_S).clip(lower_bound=0.0),
        )
    )
    half = pl.col("lacking") / 2
    left = pl.min_horizontal(
        "room_before", pl.max_horizontal(half, pl.col("lacking") - pl.col("room_after"))
    )
    right = pl.min_horizontal(
        "room_after", pl.max_horizontal(half, pl.col("lacking") - pl.col("room_before"))
    )
    return (
        fine.filter(end - start >= SHORTEST_SEGMENT_S)
        .select(
            *of_recording,
            "segment_id",
            "narration",
            clip_start_s=start - left + pl.col("surplus") / 2,
            clip_end_s=end + right - pl.col("surplus") / 2,
        )
        .sort("source", "segment_id")
    )
