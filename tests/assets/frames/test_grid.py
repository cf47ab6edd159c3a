"""Grids against a slow oracle on fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.frames.grid import constant_rate, native

UNITS = st.sampled_from([25, 1000, 15360 * 5, 90_000, 30_000, 10**9, 16_000, 1_000_000])


@st.composite
def timelines(draw: st.DrawFn) -> tuple[int, list[int]]:
    unit = draw(UNITS)
    gaps = draw(
        st.lists(
            st.one_of(
                st.integers(1, max(1, unit // 20)),
                st.integers(1, unit * 2),
                # Multiples of half a tick make ties.
                st.integers(1, 9).map(lambda n: max(1, n * unit // 50)),
            ),
            max_size=40,
        )
    )
    stamps = [0]
    for gap in gaps:
        stamps.append(stamps[-1] + gap)
    return unit, stamps


def oracle(unit: int, stamps: list[int], rate: int) -> list[tuple[int, Fraction]]:
    """Per tick: frame shown, and its time minus the tick's in seconds."""
    times = [Fraction(s, unit) for s in stamps]
    last = 0
    while abs(Fraction(last + 1, rate) - times[-1]) < abs(Fraction(last, rate) - times[-1]):
        last += 1
    ticks = []
    for k in range(last + 1):
        t = Fraction(k, rate)
        frame = min(range(len(times)), key=lambda i: (abs(times[i] - t), i))
        ticks.append((frame, times[frame] - t))
    return ticks


@given(timelines())
def test_every_tick_shows_the_nearest_frame(timeline: tuple[int, list[int]]) -> None:
    unit, stamps = timeline
    if unit % 25:
        unit, stamps = unit * 25, [s * 25 for s in stamps]
    grid = constant_rate(np.array(stamps, dtype=np.int64), unit)
    expected = oracle(unit, stamps, 25)
    assert grid.frame.tolist() == [frame for frame, _ in expected]
    assert [Fraction(r, unit) for r in grid.residual.tolist()] == [r for _, r in expected]
    assert grid.t_s.tolist() == [k / 25 for k in range(len(expected))]
    assert grid.residual_ms.tolist() == pytest.approx(
        [float(r * 1000) for _, r in expected], rel=1e-6
    )


@given(timelines())
def test_native_has_one_tick_per_frame(timeline: tuple[int, list[int]]) -> None:
    unit, stamps = timeline
    grid = native(np.array(stamps, dtype=np.int64), unit)
    assert grid.frame.tolist() == list(range(len(stamps)))
    assert grid.t_s.tolist() == [s / unit for s in stamps]
    assert not grid.residual.any()


@pytest.mark.parametrize(
    ("fps", "frames", "ticks", "worst_ms"),
    [
        # Residuals for common rates: 25 exact, 24 up to 20 ms, 30 up to 40/3 ms, 12 up to 40 ms.
        (25, 250, 250, 0.0),
        (24, 241, 251, 20.0),
        (30, 301, 251, 40 / 3),
        (50, 501, 251, 0.0),
        (12, 121, 251, 40.0),
    ],
)
def test_constant_rates(fps: int, frames: int, ticks: int, worst_ms: float) -> None:
    unit = 600
    grid = constant_rate(np.arange(frames, dtype=np.int64) * (unit // fps), unit)
    assert len(grid.frame) == ticks
    assert float(np.abs(grid.residual_ms).max()) == pytest.approx(worst_ms)


def test_a_tie_goes_to_the_earlier_frame() -> None:
    # Tick 1 at 40 ms lies half way between frames at 20 and 60 ms.
    grid = constant_rate(np.array([0, 20, 60, 120], dtype=np.int64), 1000)
    assert grid.frame.tolist() == [0, 1, 2, 3]
    assert grid.residual_ms.tolist() == [0.0, -20.0, -20.0, 0.0]


@pytest.mark.parametrize(
    ("last_ms", "ticks"),
    [(0, 1), (20, 1), (21, 2), (60, 2), (61, 3), (80, 3), (99, 3), (100, 3), (101, 4)],
)
def test_the_last_tick_is_nearest_to_the_last_frame(last_ms: int, ticks: int) -> None:
    stamps = [0] if last_ms == 0 else [0, last_ms]
    assert len(constant_rate(np.array(stamps, dtype=np.int64), 1000).frame) == ticks


def test_a_stall_repeats_a_frame_and_says_how_far_it_is() -> None:
    grid = constant_rate(np.array([0, 40, 400], dtype=np.int64), 1000)
    assert grid.frame.tolist() == [0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2]
    assert grid.residual_ms.tolist() == [0, 0, -40, -80, -120, -160, 160, 120, 80, 40, 0]


def test_ten_hours_do_not_drift() -> None:
    frames = 10 * 3600 * 30000 // 1001
    unit = 30_000
    grid = constant_rate(np.arange(frames, dtype=np.int64) * 1001, unit)
    last = len(grid.frame) - 1
    assert last == round((frames - 1) * 1001 * 25 / 30_000)
    assert grid.t_s[last] == last / 25
    assert float(np.abs(grid.residual_ms).max()) < 1001 / 60_000 * 1000 + 1e-3


def test_no_frames_no_ticks() -> None:
    assert len(constant_rate(np.zeros(0, dtype=np.int64), 1000).frame) == 0


@pytest.mark.parametrize(
    ("stamps", "unit", "message"),
    [
        ([0, 40, 40], 1000, "do not rise"),
        ([5, 40], 1000, "first stamp is 5"),
        ([0, 40], 1001, "not a multiple"),
    ],
)
def test_wrong_input_is_an_error(stamps: list[int], unit: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        constant_rate(np.array(stamps, dtype=np.int64), unit)
    with pytest.raises(ValueError, match="int64"):
        constant_rate(np.array(stamps, dtype=np.float64), 1000)
