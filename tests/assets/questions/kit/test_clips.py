"""Clips of segments: padding, cutting, refusing."""

from __future__ import annotations

import polars as pl
import pytest

from assets.questions.kit.clips import clips, clips_around, cut, may_be_cut_alike
from expectations.schemas import TABLES

# segments of one recording, its length, the clip of the first
CASES = [
    ("long enough", [(10.0, 14.0)], 60.0, (10.0, 14.0)),
    ("padded on both sides", [(10.0, 11.0)], 60.0, (9.5, 11.5)),
    ("no room before", [(10.0, 11.0), (8.0, 10.0)], 60.0, (10.0, 12.0)),
    ("little room after", [(10.0, 11.0), (11.2, 13.0)], 60.0, (9.2, 11.2)),
    ("no room at all", [(10.0, 11.0), (8.0, 10.0), (11.0, 12.0)], 60.0, (10.0, 11.0)),
    ("an overlapping neighbour", [(10.0, 11.0), (9.0, 10.5), (10.8, 12.0)], 60.0, (10.0, 11.0)),
    (
        "a long neighbour that began earlier",
        [(10.0, 11.0), (1.0, 20.0), (5.0, 6.0)],
        60.0,
        (10.0, 12.0),
    ),
    ("at the recording's start", [(0.0, 1.0)], 60.0, (0.0, 2.0)),
    ("at its end", [(59.0, 60.0)], 60.0, (58.0, 60.0)),
    ("length unknown", [(59.0, 60.0)], None, (58.5, 60.5)),
    ("cut around the middle", [(10.0, 50.0)], 60.0, (15.0, 45.0)),
    ("too short", [(10.0, 10.4)], 60.0, None),
]


@pytest.mark.parametrize(("name", "spans", "length", "expected"), CASES, ids=[c[0] for c in CASES])
def test_clip(
    name: str,
    spans: list[tuple[float, float]],
    length: float | None,
    expected: tuple[float, float] | None,
) -> None:
    segments = TABLES["segments"].frame(
        {
            "source": "s",
            "recording_id": "r",
            "segment_id": str(i),
            "kind": "fine",
            "start_s": start,
            "end_s": end,
        }
        for i, (start, end) in enumerate(spans)
    )
    recordings = TABLES["recordings"].frame(
        [{"source": "s", "recording_id": "r", "duration_s": length}]
    )
    first = clips(segments, recordings).filter(pl.col("segment_id") == "0")
    got = first.select("clip_start_s", "clip_end_s").rows()
    assert got == ([pytest.approx(expected)] if expected else []), name


def test_clips_around_an_instant_lie_in_the_recording_and_are_ordered_by_hash() -> None:
    shapes = [(length, before) for length in (10, 20) for before in range(0, length, 5)]
    spans = clips_around(12.0, shapes, 30.0, "q")
    assert sorted(spans) == [(2.0, 22.0), (7.0, 17.0), (7.0, 27.0), (12.0, 22.0)]
    assert spans == clips_around(12.0, shapes[::-1], 30.0, "q")
    orders = {tuple(clips_around(12.0, shapes, 30.0, str(i))) for i in range(20)}
    assert len(orders) > 1


@pytest.mark.parametrize(
    ("middle_s", "part"),
    [(15.0, (13.0, 17.0)), (10.5, (10.0, 14.0)), (40.0, (16.0, 20.0))],
)
def test_a_part_of_a_clip_stays_inside_it(middle_s: float, part: tuple[float, float]) -> None:
    assert cut((10.0, 20.0), middle_s, 4.0) == part


def test_clips_are_cut_to_one_length_only_if_half_of_each_stays() -> None:
    assert may_be_cut_alike([2.0, 3.0, 4.0])
    assert not may_be_cut_alike([2.0, 3.0, 4.1])
