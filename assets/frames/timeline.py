"""Recording time: seconds from the first presented frame of the first part.

Annotation tools and constant-rate re-encodes count from the first picture shown, not from the
container's stamp zero; so does `_s` here. A recording of several files (a device that was
unplugged, a card that was full) goes on after its first part where the device's clock says, with
the gap kept; without such a clock parts are put end to end, with a flag.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import lcm

import numpy as np

from assets.frames.clock import PartClock
from assets.frames.grid import CFR_RATE
from expectations.contracts import Refusal

NS = 1_000_000_000
MAX_SPAN_S = 48 * 3600
"""A recording longer than this has a broken stamp, not a patient wearer."""


@dataclass(frozen=True, slots=True)
class Part:
    """Presented frames of one media part.

    Attributes:
        part: Index among the recording's media paths.
        pts: Stamps, int64, rising, at least one.
        num: Stamp unit in seconds, numerator.
        den: Denominator.
    """

    part: int
    pts: np.ndarray
    num: int
    den: int

    @property
    def span(self) -> int:
        """Last stamp minus first, as a Python integer."""
        return int(self.pts[-1]) - int(self.pts[0])

    @property
    def times_ns(self) -> np.ndarray:
        """Times since the first frame, int64 ns, to the nearest."""
        return _rescale((self.pts - self.pts[0]), self.num, self.den, NS)

    @property
    def step_ns(self) -> int:
        """Median gap of frames; one tick of the constant-rate grid if there is one frame."""
        if len(self.pts) < 2:
            return NS // CFR_RATE
        return int(np.median(np.diff(self.times_ns)))


@dataclass(frozen=True, slots=True)
class Timeline:
    """Presented frames of a recording.

    Attributes:
        unit: Counts per second of `stamps`; a multiple of 25.
        stamps: Recording time of each frame, int64, rising from 0.
        part: Media part of each frame, int16.
        pts: Stamp of each frame in its part's time base, int64.
        offset_ns: Recording time of each part's first frame, by part.
    """

    unit: int
    stamps: np.ndarray
    part: np.ndarray
    pts: np.ndarray
    offset_ns: dict[int, int]


def _rescale(values: np.ndarray, num: int, den: int, unit: int) -> np.ndarray:
    """`values * num / den` seconds in `1 / unit` s, halves up; exact where `den` divides `unit`."""
    if unit % den == 0:
        return values * np.int64(num * (unit // den))
    whole, rest = np.divmod(values * np.int64(num), np.int64(den))
    return whole * np.int64(unit) + (2 * rest * np.int64(unit) + den) // np.int64(2 * den)


def place_parts(
    parts: Sequence[Part], clocks: dict[int, PartClock], *, recording_id: str | None = None
) -> tuple[Timeline, list[Refusal]]:
    """Puts parts on one time axis.

    Args:
        parts: Parts in order, each with at least one frame and less than `MAX_SPAN_S` long.
        clocks: Device clocks by part index.
        recording_id: For refusals.

    Returns:
        The timeline, and refusals: `parts_concatenated` where parts had no usable clock.

    Raises:
        ValueError: No parts.
    """
    if not parts:
        raise ValueError("a recording without a presented frame has no timeline")
    notes: list[Refusal] = []
    offsets = _by_clock(parts, clocks) if len(parts) > 1 else {parts[0].part: 0}
    if isinstance(offsets, str):
        notes.append(
            Refusal(
                file=None,
                row="parts " + ", ".join(str(p.part) for p in parts),
                rule="parts_concatenated",
                value=offsets,
                message="parts are put end to end; the time between them is unknown",
                remedy="add the parts' time files, or list the parts as recordings of their own",
                table="streams",
                recording_id=recording_id,
            )
        )
        offsets = _end_to_end(parts)
    exact = lcm(CFR_RATE, *(p.den for p in parts), *([NS] if len(parts) > 1 else []))
    # Two odd time bases may have no common unit that fits; a nanosecond then has to do.
    unit = exact if exact * MAX_SPAN_S < 2**62 else NS
    stamps = np.concatenate(
        [
            _rescale(p.pts - p.pts[0], p.num, p.den, unit) + np.int64(offsets[p.part] * unit // NS)
            for p in parts
        ]
    )
    return (
        Timeline(
            unit=unit,
            stamps=stamps,
            part=np.concatenate([np.full(len(p.pts), p.part, dtype=np.int16) for p in parts]),
            pts=parts[0].pts if len(parts) == 1 else np.concatenate([p.pts for p in parts]),
            offset_ns=offsets,
        ),
        notes,
    )


def _by_clock(parts: Sequence[Part], clocks: dict[int, PartClock]) -> dict[int, int] | str:
    """Offsets by the device's clock, or why there are none."""
    without = [p.part for p in parts if p.part not in clocks]
    if without:
        return f"no device clock for part {', '.join(map(str, without))}"
    zero = clocks[parts[0].part].first_frame_ns
    offsets = {p.part: clocks[p.part].first_frame_ns - zero for p in parts}
    for earlier, later in pairwise(parts):
        end = offsets[earlier.part] + int(earlier.times_ns[-1])
        if offsets[later.part] <= end:
            return (
                f"by the device clock part {later.part} starts {end - offsets[later.part]} ns "
                f"before part {earlier.part} ends"
            )
    last = parts[-1]
    if offsets[last.part] + int(last.times_ns[-1]) > MAX_SPAN_S * NS:
        return f"by the device clock part {last.part} starts {offsets[last.part] // NS} s in"
    return offsets


def _end_to_end(parts: Sequence[Part]) -> dict[int, int]:
    offsets: dict[int, int] = {}
    now = 0
    for p in parts:
        offsets[p.part] = now
        now += int(p.times_ns[-1]) + p.step_ns
    return offsets
