"""Times by the truth: recording seconds from true seconds and back, frames, registered samples.

Written from what the world says of its cameras, not from what the stages do with files.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from resources.worlds import Part, Recording, parts, true_gaze
from resources.worlds.household.gaze import Measured, measure

Floats = npt.NDArray[np.float64]
STEP_S = 1 / 25


@dataclass(frozen=True, eq=False)
class Camera:
    """Presented frames of a recording.

    Attributes:
        rec: The recording.
        parts: Its media files.
        true_s: True time of every frame, parts in order.
        seen_s: Recording time of every frame: the camera's seconds, the gap between parts kept.
        part: Media file of every frame.
    """

    rec: Recording
    parts: tuple[Part, ...]
    true_s: Floats
    seen_s: Floats
    part: npt.NDArray[np.int64]

    def true_of(self, seen_s: Floats) -> Floats:
        """True times of recording times; between two parts by the earlier part's rate."""
        out = seen_s / self.rec.clock.rate
        for place in range(1, len(self.parts)):
            start = self.parts[place].t_s[0]
            late = seen_s >= start
            out = np.where(late, start + (seen_s - start) / self.rec.clock.rate, out)
        return out

    def seen_of(self, true_s: Floats) -> Floats:
        """Recording times of true times."""
        out = true_s * self.rec.clock.rate
        for place in range(1, len(self.parts)):
            start = self.parts[place].t_s[0]
            late = true_s >= start - 1.0  # the gap is 3 s: what is within 1 s belongs to the part
            out = np.where(late, start + (true_s - start) * self.rec.clock.rate, out)
        return out


def camera(rec: Recording) -> Camera:
    """The true camera of a recording."""
    files = parts(rec)
    true_s = np.concatenate([p.t_s for p in files])
    seen = [p.t_s[0] + (p.t_s - p.t_s[0]) * rec.clock.rate for p in files]
    number = np.concatenate([np.full(p.t_s.size, i) for i, p in enumerate(files)])
    return Camera(rec, files, true_s, np.concatenate(seen), number)


@dataclass(frozen=True, eq=False)
class Sampled:
    """What the eye tracker truly measured, as far as the recording's form keeps it.

    Attributes:
        true_s: True times.
        stated_s: Recording time the file gives the sample (npy: its row over 30).
        xy: Position over the picture's size.
        valid: Whether the form tells that the sample counts.
    """

    true_s: Floats
    stated_s: Floats
    xy: Floats
    valid: npt.NDArray[np.bool_]


def sampled(rec: Recording) -> Sampled:
    """Samples of a wearer's recording: native tells `worn`, the others blinks too."""
    cam = camera(rec)
    rate = {"native": 120.0, "cloud": 200.0, "released": 120.0}[rec.form]
    seen: Measured = measure(rec, rate, regular=rec.form == "cloud")
    xy = seen.xy_px / (rec.width_px, rec.height_px)
    inside = ((xy >= 0) & (xy <= 1)).all(axis=1)
    worn, open_ = seen.worn, seen.blink == 0
    if rec.form == "native":
        keep = np.zeros(seen.t_s.size, dtype=bool)
        for part in cam.parts:
            start, stop = part.span_s
            keep |= (seen.t_s >= start - 0.15) & (seen.t_s < stop + 0.1)
        if rec.quirk == "worn_short":
            keep[np.flatnonzero(keep)[-2:]] = False
        t_s = seen.t_s[keep]
        return Sampled(t_s, cam.seen_of(t_s), xy[keep], (worn & inside)[keep])
    if rec.form == "cloud":
        return Sampled(seen.t_s, cam.seen_of(seen.t_s), xy, worn & open_ & inside)
    stated = np.arange(int(np.ceil(rec.duration_s * 30))) / 30
    took = np.clip(np.searchsorted(seen.t_s, stated), 0, seen.t_s.size - 1)
    return Sampled(seen.t_s[took], stated, xy[took], (worn & open_ & inside)[took])


def looked(rec: Recording, true_s: Floats) -> Floats:
    """True gaze over the picture's size."""
    return true_gaze(rec).at(true_s) / (rec.width_px, rec.height_px)
