"""What a clip shows: a segment without its neighbours, a part of it, or the time around an instant."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from assets.pairs.choice import stable_hash

SHORTEST_SHOWN_S = 2.0
LONGEST_SHOWN_S = 30.0
SHORTEST_SEGMENT_S = 0.5
# Clips of a question are cut to the shortest; none may lose more than half.
MOST_RATIO = 2.0

Span = tuple[float, float]


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


def clips_around(
    t_s: float, shapes: Iterable[tuple[int, int]], end_s: float, identity: str
) -> list[Span]:
    """Start and end of every clip that shows an instant and lies in the recording, by hash.

    Args:
        t_s: The instant.
        shapes: Length of a clip, and how long before the instant it starts; all that may be.
        end_s: Until when a clip may last.
        identity: Question that shows the clip.
    """
    spans = [(length, t_s - before) for length, before in shapes]
    inside = [(length, start) for length, start in spans if start >= 0 and start + length <= end_s]
    inside.sort(key=lambda c: stable_hash(identity, "clip", str(c[0]), f"{c[1]:.6f}"))
    return [(start, start + length) for length, start in inside]


def overlap(one: Span, other: Span) -> bool:
    """Whether two spans of one clock share any time."""
    return one[0] < other[1] and other[0] < one[1]


def may_be_cut_alike(lengths_s: Iterable[float]) -> bool:
    """Whether clips can be cut to one length so that at least half of each stays.

    The same action lasts about as long twice, so that clips of other lengths would tell the right one.
    """
    lengths_s = [*lengths_s]
    return max(lengths_s) <= MOST_RATIO * min(lengths_s)


def cut(clip: Span, middle_s: float, length_s: float) -> Span:
    """Start and end of a part of a clip, around a time as far as the clip goes.

    Args:
        clip: Start and end of the clip.
        middle_s: Time that is shown in the middle if it can be.
        length_s: Length of the part, at most the clip's.
    """
    start_s = max(clip[0], min(middle_s - length_s / 2, clip[1] - length_s))
    return start_s, start_s + length_s
