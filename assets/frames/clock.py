"""From the device's clock to recording time, through the stamps it gave to frames.

A Pupil scene video carries container stamps, its frames also carry the device's UTC stamps, and
gaze carries only the latter. Where every frame has its stamp the two are joined frame by frame,
linear in between (format note of Pupil Invisible, B). Where counts differ, an offset and a rate
are fitted and the residual says how well.

Device stamps are int64 nanoseconds since 1970 and never pass through a float: a float64 holds them
to 256 ns only. Ratios are taken of differences.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from expectations.contracts import Refusal, first_few

MIN_MATCHED = 0.5
"""Share of the shorter list a fit must match to be used."""

MAX_LEAD_NS = 1_000_000_000
"""How far the container's clock stands in for the device's before the first and after the last
stamp that can be used; at a rate error of 0.1 % that is 1 ms."""

MAX_RATE_ERROR = 0.01
"""Largest difference of two clocks' rates a fit may find and still be used."""

MIN_JUDGED = 100
"""Stamps from which on it is judged whether two clocks run alike (3 s of video)."""

_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class PartClock:
    """How device stamps map to times of one media part.

    Attributes:
        part: Index of the media part.
        method: `frame_stamps` (linear between stamps of frames) or `fitted` (offset and rate).
        device_ns: Device stamps of the knots, int64, rising.
        part_ns: Time of the knots since the part's first presented frame, int64, rising.
        reach_ns: How far beyond the end knots a stamp is still placed: half a frame interval.
        residual_ms: `frame_stamps`: largest departure of the container's time from the device's
            over the part; `fitted`: root mean square of the fit.
        rate: Container seconds per device second over the part.
    """

    part: int
    method: str
    device_ns: np.ndarray
    part_ns: np.ndarray
    reach_ns: int
    residual_ms: float
    rate: float

    @property
    def first_frame_ns(self) -> int:
        """Device time of the part's first presented frame."""
        return int(self.device_ns[0]) - int(self.part_ns[0])

    def part_times(self, stamps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Times of device stamps since the part's first presented frame.

        Args:
            stamps: Device stamps, int64 ns, any order.

        Returns:
            Times in int64 ns, and whether each lies within the part (elsewhere the time is 0).
        """
        device, part = self.device_ns, self.part_ns
        inside = (stamps >= device[0] - self.reach_ns) & (stamps <= device[-1] + self.reach_ns)
        left = np.clip(np.searchsorted(device, stamps, side="right") - 1, 0, len(device) - 1)
        delta = np.where(inside, stamps - device[left], 0)
        if len(device) == 1:
            return np.where(inside, part[0] + delta, 0), inside
        gap = np.minimum(left, len(device) - 2)
        slope = (part[gap + 1] - part[gap]) / (device[gap + 1] - device[gap])
        # Beyond the end knots one second is one second.
        slope = np.where((stamps < device[0]) | (stamps >= device[-1]), 1.0, slope)
        moved = part[left] + np.rint(delta * slope).astype(np.int64)
        return np.where(inside, moved, 0), inside


def align_part(
    part: int,
    frame_ns: np.ndarray,
    stamps: np.ndarray,
    *,
    stored: np.ndarray | None = None,
    packets: int | None = None,
    recording_id: str | None = None,
    file: str | None = None,
) -> tuple[PartClock | None, list[Refusal]]:
    """Joins a part's frames to the device stamps of its time file.

    Stamps are in order of presentation. If there is one per presented frame they pair one to one;
    if there is one per stored packet and packets are stored as presented, those of packets that
    are not presented fall away; else an offset and a rate are fitted.

    A first stamp later than the second is broken (a known fault of the device) and not used; of
    the rest the longest rising run of stamps is used. The frames stay: between stamps they are
    interpolated, and up to a second before the first or after the last one the container's clock
    places them.

    Args:
        part: Index of the media part.
        frame_ns: Presented times since the part's first frame, int64 ns, rising.
        stamps: Device stamps, int64 ns.
        stored: Packet order of each presented frame.
        packets: Packets stored.
        recording_id: For refusals.
        file: For refusals.

    Returns:
        The clock, or null where none can be had, and what was repaired or refused.
    """
    notes: list[Refusal] = []

    def note(rule: str, value: str, message: str, remedy: str, row: str | None = None) -> None:
        notes.append(
            Refusal(
                file=file,
                row=row or f"part {part}",
                rule=rule,
                value=value,
                message=message,
                remedy=remedy,
                table="frame_stamps",
                recording_id=recording_id,
            )
        )

    if not len(frame_ns) or not len(stamps):
        note(
            "no_frame_stamps",
            f"{len(stamps)} stamps, {len(frame_ns)} frames",
            "no frame has a device stamp; gaze by that clock cannot be placed",
            "restore the part's time file or video",
        )
        return None, notes

    frames: np.ndarray | None = None
    if len(stamps) == len(frame_ns):
        frames = frame_ns
    elif stored is not None and packets == len(stamps) and bool(np.all(np.diff(stored) > 0)):
        stamps = stamps[stored]
        frames = frame_ns

    good = _rising(stamps)
    if len(stamps) > 1 and stamps[0] > stamps[1]:
        note(
            "broken_first_stamp",
            first_few(stamps[:2]),
            "the first frame's stamp is later than the second's; not used",
            "nothing to do: a known fault of the device",
            f"part {part} stamp 0",
        )
    bad = np.flatnonzero(~good)
    bad = bad[bad > 0] if len(stamps) > 1 and stamps[0] > stamps[1] else bad
    if len(bad):
        note(
            "non_monotone_stamp",
            f"{len(bad)} stamps: {first_few(stamps[bad])}",
            "device stamps fall back or repeat; not used, frames between are interpolated",
            "nothing to do if few; else check the device's clock",
            f"part {part} stamps {first_few(bad)}",
        )

    interval = float(np.median(np.diff(frame_ns))) if len(frame_ns) > 1 else 40e6
    reach = int(interval / 2)
    if frames is not None:
        device, times = stamps[good], frames[good]
        drift = (times - times[0]) - (device - device[0])
        span = int(device[-1] - device[0])
        rate = float((times[-1] - times[0]) / span) if span else 1.0
        residual = float(np.abs(drift).max()) / 1e6
        bent, at = _departure(device, times, rate)
        if len(device) >= MIN_JUDGED and (bent > interval or abs(rate - 1) > MAX_RATE_ERROR):
            note(
                "clocks_disagree",
                f"rate {rate:.6f}; {bent / 1e6:.1f} ms off one line at stamp {at}",
                "device stamps and the video's own times do not run alike; used as they are",
                "check that the time file belongs to this video, and whether its clock was set "
                "while recording",
            )
        device, times = _with_ends(device, times, frames)
        return PartClock(part, "frame_stamps", device, times, reach, residual, rate), notes

    fit = _fit(frame_ns, stamps[good], interval)
    counts = f"{len(stamps)} stamps, {len(frame_ns)} frames"
    if fit is None:
        note(
            "clock_not_fitted",
            counts,
            "counts of stamps and frames differ and no offset and rate join them; gaze by that "
            "clock is not placed",
            "check that the time file belongs to this video",
        )
        return None, notes
    device, times, rms, rate = fit
    note(
        "clock_fitted",
        f"{counts}; residual {rms:.3f} ms, rate {rate:.6f}",
        "counts of stamps and frames differ; an offset and a rate were fitted, which may be wrong "
        f"by up to {abs(len(stamps) - len(frame_ns))} frames",
        "restore the missing frames or stamps, if they exist",
    )
    return PartClock(part, "fitted", device, times, reach, rms, rate), notes


def _departure(device: np.ndarray, times: np.ndarray, rate: float) -> tuple[float, int]:
    """Largest distance in ns of the container's times from a line of the device's, and where.

    The line has the end knots' rate and the median offset, so that one odd stamp does not bend it.
    """
    apart = (times - times[0]) - (device - device[0]) * rate
    apart = np.abs(apart - np.median(apart))
    at = int(np.argmax(apart))
    return float(apart[at]), at


def _with_ends(
    device: np.ndarray, times: np.ndarray, frames: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Knots with the first and last frame added where their own stamps could not be used."""
    lead, tail = times[0] - frames[0], frames[-1] - times[-1]
    if 0 < lead <= MAX_LEAD_NS:
        device, times = np.r_[device[0] - lead, device], np.r_[frames[0], times]
    if 0 < tail <= MAX_LEAD_NS:
        device, times = np.r_[device, device[-1] + tail], np.r_[times, frames[-1]]
    return device, times


def _rising(stamps: np.ndarray) -> np.ndarray:
    """Mask of the longest strictly rising subsequence, the later of two equally long ones.

    One wild stamp costs itself, not all that follow (as a running maximum would); a first stamp
    above the second is never in it. Of equal stamps in a row the first is kept: the device repeats
    a stamp it has, it does not foresee one.
    """
    good = np.ones(len(stamps), dtype=bool)
    if len(stamps) < 2 or bool(np.all(np.diff(stamps) > 0)):
        return good
    values = stamps.tolist()
    tails: list[int] = []
    at: list[int] = []
    before: list[int] = []
    for i, value in enumerate(values):
        place = bisect_left(tails, value)
        before.append(at[place - 1] if place else -1)
        if place < len(tails) and tails[place] == value:
            continue
        if place == len(tails):
            tails.append(value)
            at.append(i)
        else:
            tails[place] = value
            at[place] = i
    good[:] = False
    i = at[-1]
    while i >= 0:
        good[i] = True
        i = before[i]
    return good


def _fit(
    frame_ns: np.ndarray, device: np.ndarray, interval: float
) -> tuple[np.ndarray, np.ndarray, float, float] | None:
    """Two knots of the line that joins most frames to a stamp within half an interval.

    Starts once from equal beginnings and once from equal ends, and pairs nearest neighbours.
    """
    if len(frame_ns) < 3 or len(device) < 3:
        return None
    origin = int(device[0])
    x = (device - origin).astype(np.float64)  # differences: exact below 104 days
    y = frame_ns.astype(np.float64)
    best: tuple[float, float, float, float] | None = None
    for offset in (0.0, y[-1] - x[-1]):
        rate = 1.0
        matched, rms = 0.0, np.inf
        for _ in range(_ROUNDS):
            guess = offset + rate * x
            near = np.clip(np.searchsorted(y, guess), 1, len(y) - 1)
            near = near - (guess - y[near - 1] <= y[near] - guess)
            close = np.abs(y[near] - guess) <= interval / 2
            if close.sum() < 3:
                break
            matched = float(close.sum()) / min(len(x), len(y))
            xs, ys = x[close], y[near[close]]
            mean_x, mean_y = xs.mean(), ys.mean()
            rate = float(((xs - mean_x) * (ys - mean_y)).sum() / ((xs - mean_x) ** 2).sum())
            offset = float(mean_y - rate * mean_x)
            rms = float(np.sqrt(((ys - offset - rate * xs) ** 2).mean())) / 1e6
        if matched >= MIN_MATCHED and abs(rate - 1) <= MAX_RATE_ERROR:
            entry = (-matched, rms, offset, rate)
            best = entry if best is None else min(best, entry)
    if best is None:
        return None
    _, rms, offset, rate = best
    ends = np.array([0, frame_ns[-1]], dtype=np.int64)
    knots = origin + np.rint((ends - offset) / rate).astype(np.int64)
    return knots, ends, rms, rate
