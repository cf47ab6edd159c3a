"""Device stamps to part times, against fractions, and what is repaired on the way."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.frames.clock import align_part

UTC = 1_760_676_788_219_000_001  # not a multiple of what a float64 can hold here (256 ns)
MS = 1_000_000


def ints(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def rules(notes: list) -> list[str]:
    return [note["rule"] for note in notes]


gaps = st.lists(
    st.tuples(st.integers(5 * MS, 500 * MS), st.integers(5 * MS, 500 * MS)), min_size=1, max_size=30
)


@given(gaps, st.lists(st.integers(-(10**9), 20 * 10**9), max_size=30))
def test_linear_between_frame_stamps(pairs: list[tuple[int, int]], at: list[int]) -> None:
    device, frames = [UTC], [0]
    for a, b in pairs:
        device.append(device[-1] + a)
        frames.append(frames[-1] + b)
    clock, notes = align_part(0, ints(frames), ints(device))
    assert clock is not None
    assert not notes
    assert clock.method == "frame_stamps"
    stamps = [UTC + t for t in at] + device
    times, inside = clock.part_times(ints(stamps))
    reach = int(np.median(np.diff(frames)) / 2)
    for stamp, time, placed in zip(stamps, times.tolist(), inside.tolist(), strict=True):
        assert placed == (device[0] - reach <= stamp <= device[-1] + reach)
        if not placed:
            continue
        if stamp <= device[0]:
            exact = Fraction(stamp - device[0])
        elif stamp >= device[-1]:
            exact = Fraction(frames[-1] + stamp - device[-1])
        else:
            i = max(j for j in range(len(device)) if device[j] <= stamp)
            slope = Fraction(frames[i + 1] - frames[i], device[i + 1] - device[i])
            exact = frames[i] + (stamp - device[i]) * slope
        assert abs(time - exact) <= 1  # to the nanosecond


def test_stamps_do_not_pass_through_floats() -> None:
    clock, _ = align_part(0, ints([0, 40 * MS, 80 * MS]), ints([UTC, UTC + 40 * MS, UTC + 80 * MS]))
    assert clock is not None
    times, _ = clock.part_times(UTC + np.arange(1000, dtype=np.int64))
    assert times.tolist() == list(range(1000))


def test_a_broken_first_stamp_is_not_used_and_the_frame_stays() -> None:
    device = [UTC + 10**9, UTC + 40 * MS, UTC + 80 * MS, UTC + 120 * MS]
    clock, notes = align_part(0, ints([0, 40 * MS, 80 * MS, 120 * MS]), ints(device))
    assert clock is not None
    assert rules(notes) == ["broken_first_stamp"]
    assert str(device[0]) in str(notes[0]["value"])
    assert clock.first_frame_ns == UTC
    times, inside = clock.part_times(ints([UTC + 40 * MS, UTC + 60 * MS]))
    assert inside.all()
    assert times.tolist() == [40 * MS, 60 * MS]


@pytest.mark.parametrize(
    ("steps", "bad"),
    [
        ([0, 40, 80, 80, 160], [3]),  # repeated
        ([0, 40, 10**6, 120, 160], [2]),  # one wild stamp does not cost what follows
        ([0, 40, -(10**6), 120, 160], [2]),
        ([0, 40, 30, 120, 160, 150], [1, 4]),
        ([0, 0, 40, 80], [0]),
    ],
)
def test_stamps_that_do_not_rise_are_dropped_and_told(steps: list[int], bad: list[int]) -> None:
    frames = ints([40 * MS * i for i in range(len(steps))])
    clock, notes = align_part(3, frames, ints([UTC + s * MS for s in steps]))
    assert clock is not None
    assert rules(notes) == ["non_monotone_stamp"]
    assert str(notes[0]["value"]).startswith(f"{len(bad)} stamps")
    kept = [i for i in range(len(steps)) if clock.part_ns.tolist().count(int(frames[i]))]
    # Of two stamps that contradict each other either may go.
    assert len(kept) == len(steps) - len(bad)
    assert np.all(np.diff(clock.device_ns) > 0)


def test_stamps_of_packets_that_are_not_presented_fall_away() -> None:
    device = ints([UTC + 40 * MS * i for i in range(5)])
    clock, notes = align_part(
        0, ints([0, 40 * MS, 80 * MS]), device, stored=ints([2, 3, 4]), packets=5
    )
    assert clock is not None
    assert not notes
    assert clock.method == "frame_stamps"
    assert clock.first_frame_ns == UTC + 80 * MS


@pytest.mark.parametrize("lost", [[0], [299], [0, 1, 2], [100], [50, 51, 120, 200]])
def test_counts_that_differ_are_fitted(lost: list[int]) -> None:
    rng = np.random.default_rng(5)
    steps = np.cumsum(rng.integers(28, 60, 300)).astype(np.int64) * MS
    drifted = (steps * 10_001) // 10_000  # 100 ppm apart
    frames = steps - steps[0]
    stamps = np.delete(drifted, lost) + UTC
    clock, notes = align_part(0, frames, stamps)
    assert clock is not None
    assert rules(notes) == ["clock_fitted"]
    assert clock.method == "fitted"
    assert clock.rate == pytest.approx(10_000 / 10_001, abs=2e-5)
    assert clock.residual_ms < 1
    times, inside = clock.part_times(drifted + UTC)
    assert inside.all()
    assert np.abs(times - frames).max() < 2 * MS


def test_a_stranger_s_time_file_is_refused() -> None:
    frames = ints([33 * MS * i for i in range(200)])
    clock, notes = align_part(0, frames, ints([UTC + 500 * MS * i for i in range(31)]))
    assert clock is None
    assert rules(notes) == ["clock_not_fitted"]


@pytest.mark.parametrize(("frames", "stamps"), [([0], []), ([], [UTC]), ([], [])])
def test_no_stamps_no_clock(frames: list[int], stamps: list[int]) -> None:
    clock, notes = align_part(0, ints(frames), ints(stamps))
    assert clock is None
    assert rules(notes) == ["no_frame_stamps"]


def test_one_frame_places_what_is_near() -> None:
    clock, notes = align_part(0, ints([0]), ints([UTC]))
    assert clock is not None
    assert not notes
    times, inside = clock.part_times(ints([UTC - 21 * MS, UTC - 20 * MS, UTC, UTC + 20 * MS]))
    assert inside.tolist() == [False, True, True, True]
    assert times.tolist() == [0, -20 * MS, 0, 20 * MS]


def test_clocks_that_disagree_say_by_how_much() -> None:
    frames = ints([0, 40 * MS, 80 * MS])
    clock, _ = align_part(0, frames, ints([UTC, UTC + 43 * MS, UTC + 81 * MS]))
    assert clock is not None
    assert clock.residual_ms == pytest.approx(3.0)
    assert clock.rate == pytest.approx(80 / 81)
