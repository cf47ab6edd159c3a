"""Gaze on a constant-rate grid: every sample to its nearest tick, valid ones averaged.

EgoExoLearn, Section 6.1: "register each gaze data point to the temporally closest frame in the
video. We then take the average of all gaze data points within one frame". Nothing is carried
forward: a tick without a valid sample has no gaze.

A sample is registered to the tick, not to the source frame the tick shows. Where a camera stalled
the two differ, and the tick's own `residual_ms` says by how much: filter on that, not on gaze.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MAX_PER_TICK = 32_767
"""A tick holds its counts in 16 bits; more samples than this are a broken clock."""


@dataclass(frozen=True, slots=True)
class TickGaze:
    """Gaze of each tick, all of one length.

    Attributes:
        x: Mean of valid samples over image width, float32; NaN without one.
        y: Mean over image height.
        valid: Samples averaged, int16.
        samples: Samples registered, valid or not, int16.
        residual_ms: Mean distance in time of the averaged samples, float32; NaN without one.
        unregistered: Samples no tick took, because none is within half a step.
        crowded: Samples refused since their tick would hold more than `MAX_PER_TICK`.
    """

    x: np.ndarray
    y: np.ndarray
    valid: np.ndarray
    samples: np.ndarray
    residual_ms: np.ndarray
    unregistered: int
    crowded: int


def register(
    times_ns: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    valid: np.ndarray,
    *,
    ticks: int,
    step_ns: int,
) -> TickGaze:
    """Registers samples to ticks at `k * step_ns`, k = 0 .. `ticks` - 1.

    A sample goes to the nearest tick there is, between two to the earlier, and to none if that is
    more than half a step away (before the first or after the last). Valid samples whose position
    is not finite count as not valid.

    Args:
        times_ns: Recording times, int64 ns, any order, may be negative.
        x: Positions, float64; read where valid.
        y: Positions, float64.
        valid: Whether each sample may enter a mean.
        ticks: Ticks of the grid.
        step_ns: Distance of ticks; even.

    Raises:
        ValueError: Times that are not int64, or an odd or non-positive step.
    """
    if times_ns.dtype != np.int64:
        raise ValueError(f"times are {times_ns.dtype}, wanted int64 nanoseconds")
    if step_ns <= 0 or step_ns % 2:
        raise ValueError(f"step of {step_ns} ns has no half in nanoseconds")
    if ticks == 0:
        nothing = np.zeros(0, dtype=np.float32)
        none = np.zeros(0, dtype=np.int16)
        return TickGaze(nothing, nothing, none, none, nothing, len(times_ns), 0)
    half = step_ns // 2
    in_reach = (times_ns >= -half) & (times_ns <= (ticks - 1) * step_ns + half)
    times = times_ns[in_reach]
    # ceil((t - half) / step): a sample half way belongs to the earlier tick.
    tick = np.clip(-((half - times) // step_ns), 0, ticks - 1)
    samples = np.bincount(tick, minlength=ticks)
    crowded = samples > MAX_PER_TICK
    samples[crowded] = 0
    use = valid[in_reach] & np.isfinite(x[in_reach]) & np.isfinite(y[in_reach]) & ~crowded[tick]
    tick, times = tick[use], times[use]
    count = np.bincount(tick, minlength=ticks)
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN: no valid sample, no mean
        mean_x = np.bincount(tick, weights=x[in_reach][use], minlength=ticks) / count
        mean_y = np.bincount(tick, weights=y[in_reach][use], minlength=ticks) / count
        # Integers below 2**53: their float sum is exact.
        apart = np.bincount(tick, weights=np.abs(times - tick * step_ns), minlength=ticks) / count
    return TickGaze(
        x=mean_x.astype(np.float32),
        y=mean_y.astype(np.float32),
        valid=count.astype(np.int16),
        samples=samples.astype(np.int16),
        residual_ms=(apart / 1e6).astype(np.float32),
        unregistered=int((~in_reach).sum()),
        crowded=int(in_reach.sum() - samples.sum()),
    )
