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
    if np.any(times_ns[1:] < times_ns[:-1]):
        order = np.argsort(times_ns, kind="stable")
        times_ns, x, y, valid = times_ns[order], x[order], y[order], valid[order]
    # In time order a tick's samples lie together: places of its borders are enough. A sample half
    # way belongs to the earlier tick, so that a border belongs to the tick before it.
    half = step_ns // 2
    borders = np.arange(ticks, dtype=np.int64) * step_ns + half
    first = np.searchsorted(times_ns, -half, side="left")
    edges = np.concatenate([[first], np.searchsorted(times_ns, borders, side="right")])
    samples = np.diff(edges)
    use = valid & np.isfinite(x) & np.isfinite(y)
    for tick in np.flatnonzero(samples > MAX_PER_TICK):
        use[edges[tick] : edges[tick + 1]] = False
        samples[tick] = 0
    use[: edges[0]] = use[edges[-1] :] = False
    used_before = np.zeros(len(use) + 1, dtype=np.int32)
    np.cumsum(use, out=used_before[1:])
    used_before = used_before[edges]
    count = np.diff(used_before)
    filled = count > 0
    starts = used_before[:-1][filled]

    def mean(values: np.ndarray, scale: float = 1.0) -> np.ndarray:
        out = np.full(ticks, np.nan, dtype=np.float32)
        if starts.size:
            out[filled] = np.add.reduceat(values, starts) / (count[filled] * scale)
        return out

    apart = times_ns[use]
    apart -= np.repeat(np.arange(ticks, dtype=np.int64) * step_ns, count)
    np.abs(apart, out=apart)
    in_reach = int(edges[-1] - edges[0])
    return TickGaze(
        x=mean(x[use]),
        y=mean(y[use]),
        valid=count.astype(np.int16),
        samples=samples.astype(np.int16),
        residual_ms=mean(apart, 1e6),
        unregistered=len(times_ns) - in_reach,
        crowded=in_reach - int(samples.sum()),
    )
