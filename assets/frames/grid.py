"""Grids of a recording: which source frame stands at which tick.

All arithmetic is on integers, so that nothing drifts over hours and ties are ties. Stamps count in
`1 / unit` seconds from the recording's start; a grid's rate must divide `unit`.

Ticks of `cfr25` lie at k / 25 s for k = 0 .. K, where K is the tick nearest to the last presented
frame (ties to the earlier tick). So a 25 fps video of N frames has N ticks, whatever its container
did to the last digit of its stamps, and no tick lies more than half a step past the last frame.
Every tick shows the nearest presented frame (ties to the earlier frame). The distance is kept, not
judged: where a camera stalled, ticks have a large residual and repeat a frame.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

CFR_RATE = 25
"""Ticks per second of the `cfr25` grid (EgoExoLearn, Section 6.1: all videos are brought to a
constant 25 fps)."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Ticks of one grid.

    Attributes:
        name: `cfr25` or `native`.
        t_s: Time of each tick in seconds, float64.
        frame: Index of the presented frame shown, int64.
        residual: Frame's time minus the tick's in `1 / unit` s, int64.
        unit: Counts per second of `residual`.
    """

    name: str
    t_s: np.ndarray
    frame: np.ndarray
    residual: np.ndarray
    unit: int

    @property
    def residual_ms(self) -> np.ndarray:
        """Frame's time minus the tick's in milliseconds, float32; positive: shown too late."""
        return (self.residual * 1000.0 / self.unit).astype(np.float32)


def _checked(stamps: np.ndarray) -> np.ndarray:
    if stamps.dtype != np.int64 or stamps.ndim != 1:
        raise ValueError(
            f"stamps are {stamps.dtype} of {stamps.ndim} dimensions, wanted int64 of 1"
        )
    if len(stamps) and stamps[0] != 0:
        raise ValueError(f"first stamp is {stamps[0]}, wanted 0 (the recording's start)")
    if np.any(stamps[1:] <= stamps[:-1]):
        at = int(np.argmax(stamps[1:] <= stamps[:-1]))
        raise ValueError(
            f"stamps do not rise at {at + 1}: {stamps[at]} then {stamps[at + 1]}; index them first"
        )
    return stamps


def constant_rate(stamps: np.ndarray, unit: int, rate: int = CFR_RATE) -> Grid:
    """Constant-rate grid over presented frames.

    Args:
        stamps: Presented times, int64, rising from 0, in `1 / unit` s.
        unit: Counts per second; a multiple of `rate`.
        rate: Ticks per second.

    Returns:
        The grid; empty if there is no frame.

    Raises:
        ValueError: Stamps that do not rise from 0, or a unit the rate does not divide.
    """
    stamps = _checked(stamps)
    step, rest = divmod(unit, rate)
    if rest or step < 1:
        raise ValueError(f"unit {unit} is not a multiple of the rate {rate}")
    # Nearest tick, ties to the earlier: ceil((2 last - step) / (2 step)).
    count = max(0, -((step - 2 * int(stamps[-1])) // (2 * step))) + 1 if len(stamps) else 0
    ticks = np.arange(count, dtype=np.int64)
    times = ticks * step
    # Half way between two frames the earlier one is shown; doubled, so that halves are integers.
    halves = stamps[1:] + stamps[:-1]
    frame = np.searchsorted(halves, 2 * times, side="left").astype(np.int64, copy=False)
    residual = stamps[frame] - times
    return Grid(f"cfr{rate}", ticks / rate, frame, residual, unit)


def native(stamps: np.ndarray, unit: int) -> Grid:
    """One tick per presented frame, with no residual.

    Args:
        stamps: Presented times, int64, rising from 0, in `1 / unit` s.
        unit: Counts per second.

    Raises:
        ValueError: Stamps that do not rise from 0.
    """
    stamps = _checked(stamps)
    frame = np.arange(len(stamps), dtype=np.int64)
    return Grid("native", stamps / unit, frame, np.zeros(len(stamps), dtype=np.int64), unit)
