"""Parts on one time axis."""

from __future__ import annotations

import numpy as np
import pytest

from assets.frames.clock import PartClock, align_part
from assets.frames.timeline import MAX_SPAN_S, NS, Part, Timeline, place_parts

UTC = 1_760_676_788_219_000_001
MS = 1_000_000


def part(index: int, pts: list[int], den: int = 1000, num: int = 1) -> Part:
    return Part(index, np.array(pts, dtype=np.int64), num, den)


def clock(p: Part, start_ns: int) -> PartClock:
    got, _ = align_part(p.part, p.times_ns, p.times_ns + start_ns)
    assert got is not None
    return got


def seconds(timeline: Timeline) -> list[float]:
    return (timeline.stamps / timeline.unit).tolist()


def test_zero_is_the_first_presented_frame() -> None:
    timeline, notes = place_parts([part(0, [5000, 5040, 5080])], {})
    assert not notes
    assert seconds(timeline) == [0.0, 0.04, 0.08]
    assert timeline.pts.tolist() == [5000, 5040, 5080]


def test_parts_lie_where_the_device_clock_says() -> None:
    first, second = part(0, [0, 40, 80]), part(1, [900, 903], den=75)
    timeline, notes = place_parts(
        [first, second], {0: clock(first, UTC), 1: clock(second, UTC + 12_345 * MS + 7)}
    )
    assert not notes
    assert timeline.offset_ns == {0: 0, 1: 12_345 * MS + 7}
    assert seconds(timeline) == pytest.approx(
        [0, 0.04, 0.08, 12.345000007, 12.385000007], abs=1e-12
    )
    assert timeline.part.tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("clocked", "word"),
    [
        ((0,), "no device clock for part 1"),
        ((), "no device clock for part 0, 1"),
        ((0, 1), "starts 80000000 ns before part 0 ends"),
    ],
)
def test_without_a_usable_clock_they_are_put_end_to_end(clocked: tuple, word: str) -> None:
    parts = [part(0, [0, 40, 80]), part(1, [0, 40])]
    timeline, (note,) = place_parts(parts, {i: clock(parts[i], UTC) for i in clocked})
    assert note["rule"] == "parts_concatenated"
    assert word in str(note["value"])
    assert seconds(timeline) == pytest.approx([0, 0.04, 0.08, 0.12, 0.16])


def test_a_clock_that_jumps_days_is_not_believed() -> None:
    parts = [part(0, [0, 40]), part(1, [0, 40])]
    late = UTC + (MAX_SPAN_S + 1) * NS
    timeline, (note,) = place_parts(parts, {0: clock(parts[0], UTC), 1: clock(parts[1], late)})
    assert note["rule"] == "parts_concatenated"
    assert seconds(timeline)[-1] == pytest.approx(0.12)


def test_odd_time_bases_fall_back_to_nanoseconds() -> None:
    parts = [part(0, [0, 40_000_000], den=999_999_937), part(1, [0, 40_000_000], den=999_999_929)]
    timeline, _ = place_parts(parts, {0: clock(parts[0], UTC), 1: clock(parts[1], UTC + 10 * NS)})
    assert timeline.unit == NS
    assert seconds(timeline) == pytest.approx(
        [0, 40_000_000 / 999_999_937, 10, 10 + 40_000_000 / 999_999_929], abs=1e-9
    )


def test_no_parts_is_an_error() -> None:
    with pytest.raises(ValueError, match="no timeline"):
        place_parts([], {})
