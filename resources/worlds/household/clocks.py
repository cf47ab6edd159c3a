"""When frames are taken and how each clock counts them.

Scene cameras of eye trackers free-run: intervals jitter, frames drop, exposure slows some seconds,
and the container counts by the camera's own crystal while the device stamps by another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from resources.worlds.household.truth import Recording
from resources.worlds.tools.chance import rng

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
PTS_HZ: Final = 90_000


@dataclass(frozen=True, eq=False)
class Part:
    """Frames of one media file.

    Attributes:
        t_s: true time of each frame, seconds.
        pts: container stamps from 0, in 1/`ticks` s.
        stamps_ns: device stamps (UTC ns) as written, faults of the recording included.
        ticks: container ticks per second.
        span_s: true time the part covers (gaze too).
    """

    t_s: Floats
    pts: Ints
    stamps_ns: Ints
    ticks: int
    span_s: tuple[float, float]


def device_ns(rec: Recording, t_s: Floats) -> Ints:
    """Device stamps of true times."""
    return rec.clock.start_ns + np.round((rec.clock.delay_s + t_s) * 1e9).astype(np.int64)


def _free_running(rec: Recording, start: float, stop: float, part: int) -> Floats:
    noise = rng(rec.seed, rec.view, rec.index, "frames", part)
    gaps = 1 / rec.fps + noise.normal(0.0, 0.0022, int((stop - start) * rec.fps * 1.2) + 8)
    times = np.concatenate([[0.0], np.cumsum(np.maximum(gaps, 0.004))]) + start
    dark = noise.uniform(start + 3, max(stop - 5, start + 4))
    keep = noise.random(times.size) > 0.012
    for at in noise.uniform(start, stop, 4):  # the writer stalls
        keep &= ~((times > at) & (times < at + noise.uniform(0.08, 0.30)))
    # Long exposure: a third of the frames is missing for three seconds.
    keep &= ~((times > dark) & (times < dark + 3) & (np.arange(times.size) % 3 == 0))
    keep[0] = True
    return times[keep & (times < stop - 0.01)]


def parts(rec: Recording) -> tuple[Part, ...]:
    """Frames of a recording's media files, in order.

    Files of eye trackers are variable-rate; `released` files and demonstrations are constant-rate.
    """
    if rec.form == "released":
        n = int(np.floor(rec.duration_s * rec.fps))
        ticks = np.arange(n, dtype=np.int64)
        t_s = ticks / rec.fps
        return (Part(t_s, ticks, device_ns(rec, t_s), rec.fps, (0.0, rec.duration_s)),)
    spans = [(0.0, rec.duration_s)]
    if rec.gap_s:
        spans = [(0.0, rec.gap_s[0]), (rec.gap_s[1], rec.duration_s)]
    out: list[Part] = []
    for number, (start, stop) in enumerate(spans):
        t_s = _free_running(rec, start, stop, number)
        pts = np.round((t_s - t_s[0]) * rec.clock.rate * PTS_HZ).astype(np.int64)
        jitter = rng(rec.seed, rec.view, rec.index, "stamps", number).normal(0, 4e-4, t_s.size)
        stamps = device_ns(rec, t_s + np.clip(jitter, -1e-3, 1e-3))
        stamps = np.maximum.accumulate(stamps + np.arange(stamps.size))
        if rec.quirk == "first_stamp_late":
            stamps[0] = stamps[1] + 40_000_000
        if rec.quirk == "stamps_repeat":
            stamps[stamps.size // 3] = stamps[stamps.size // 3 - 1]
        out.append(Part(t_s, pts, stamps, PTS_HZ, (start, stop)))
    return tuple(out)
