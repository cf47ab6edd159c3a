"""Where the wearer looks: the truth, the head that follows it, and what the eye tracker says.

The truth lies on the thing acted on. The head (the window of `scene`) follows the gaze with a lag.
The tracker adds an offset, noise, blinks (frozen or garbage positions) and spans without glasses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from resources.worlds.household.clocks import Floats
from resources.worlds.household.motion import Stage
from resources.worlds.household.scene import camera_of, look
from resources.worlds.household.truth import Recording
from resources.worlds.tools.chance import between, rng, unit

BLINK_EVERY_S: Final = 5.0


@dataclass(frozen=True, eq=False)
class GazeTruth:
    """True gaze on a regular grid.

    Attributes:
        t_s: true times, seconds.
        canvas_px: (N, 2) gaze on the camera's canvas.
        window_px: (N, 2) upper left corner of the picture on the canvas.
        focus: noun looked at, per time.
        step_px: the picture's corner moves by so much at least. By two, the halved planes of colour
            move by whole pixels: nothing is new to an encoder but what truly moves.
    """

    t_s: Floats
    canvas_px: Floats
    window_px: Floats
    focus: tuple[str, ...]
    step_px: int = 1

    def at(self, t_s: Floats) -> Floats:
        """(N, 2) true gaze in picture pixels at true times."""
        return _along(t_s, self.t_s, self.canvas_px) - self.window(t_s)

    def window(self, t_s: Floats) -> Floats:
        """(N, 2) picture corner on the canvas, whole pixels as drawn."""
        return self.step_px * np.round(_along(t_s, self.t_s, self.window_px) / self.step_px)


@dataclass(frozen=True, eq=False)
class Measured:
    """What the tracker reports: samples with true times, pixels of the upright picture, flags."""

    t_s: Floats
    xy_px: Floats
    worn: np.ndarray
    blink: np.ndarray
    blinks_s: tuple[tuple[float, float], ...]


def _along(t_s: Floats, grid: Floats, values: Floats) -> Floats:
    return np.stack([np.interp(t_s, grid, values[:, i]) for i in (0, 1)], axis=1)


def _follow(values: Floats, step_s: float, lag_s: float) -> Floats:
    """First-order lag of each column."""
    share = 1 - np.exp(-step_s / lag_s)
    out = np.empty_like(values)
    state = values[0].copy()
    for i, value in enumerate(values):
        state = state + share * (value - state)
        out[i] = state
    return out


@lru_cache(maxsize=8)
def true_gaze(rec: Recording) -> GazeTruth:
    """The true gaze of a wearer (or of the demonstrator, in the fixed picture)."""
    stage, cam = Stage(rec), camera_of(rec)
    step = 1 / 50 if rec.render == "full" else 1 / 12
    t_s = np.arange(0.0, rec.duration_s + step, step)
    raw, focus = np.empty((t_s.size, 2)), []
    for i, t in enumerate(t_s.tolist()):
        pose = stage.pose(t)
        index, phase = stage.current(t)
        placed = pose.things.get(pose.focus) or stage.still(index, phase >= 1)[pose.focus]
        x, y, scale = cam.project(*placed.at)
        raw[i] = x, y - 0.5 * scale * lift(rec, pose.focus)
        focus.append(pose.focus)
    # Stirring and shaking are not pursued to and fro: eyes hold the middle of the movement.
    canvas = _follow(raw, step, 0.03)
    slow = _follow(canvas, step, 0.35)
    sway = np.stack(
        [between(2, 4, rec.uid, a) * np.sin(t_s * between(1.5, 5, rec.uid, a, "w")) for a in "xy"],
        axis=1,
    )
    middle = np.array([cam.width_px / 2, cam.height_px / 2])
    room = middle * 2 - (rec.width_px, rec.height_px)
    head = (middle + 0.8 * (slow - middle) + sway * rec.width_px / 272) - np.array(
        [rec.width_px / 2, rec.height_px * 0.46]
    )
    if rec.view == "exo":
        head = np.zeros_like(head)
    window = np.clip(head, 0, np.maximum(room, 0))
    return GazeTruth(t_s, canvas, window, tuple(focus), 2 if rec.render == "full" else 1)


def lift(rec: Recording, noun: str) -> float:
    """How far above its foot a thing's drawn middle is, metres."""
    return 0.0 if look(rec, noun).shape in ("board", "stove", "sink", "spot", "cloth") else 0.02


def measure(rec: Recording, rate_hz: float, regular: bool) -> Measured:
    """The eye tracker's samples over the whole recording.

    Args:
        rec: a wearer's recording with pictures.
        rate_hz: nominal rate.
        regular: whether samples are equally spaced (post-processed) or jitter (real time).
    """
    noise = rng(rec.seed, rec.index, "gaze")
    t_s = np.arange(-0.15, rec.duration_s + 0.1, 1 / rate_hz)
    if not regular:
        t_s = t_s + noise.normal(0, 0.0011, t_s.size)
        t_s = np.sort(t_s[noise.random(t_s.size) > 0.008])
    unit_px = rec.width_px / 272
    xy = true_gaze(rec).at(t_s)
    slow = _follow(noise.normal(0, 1, (t_s.size // 12 + 2, 2)), 0.1, 0.3) * 1.6
    drift = _along(t_s, np.linspace(t_s[0], t_s[-1], slow.shape[0]), slow)
    xy = xy + unit_px * (drift + noise.normal(0, 0.7, xy.shape))
    xy = xy + unit_px * np.array([between(-1.5, 1.5, rec.uid, "offset", a) for a in "xy"])
    blinks: list[tuple[float, float]] = []
    at = between(0.5, BLINK_EVERY_S, rec.uid, "blink")
    while at < rec.duration_s - 0.5:
        blinks.append((at, at + between(0.09, 0.26, rec.uid, "blink", len(blinks))))
        at += between(0.4 * BLINK_EVERY_S, 1.6 * BLINK_EVERY_S, rec.uid, "next", len(blinks))
    blink = np.zeros(t_s.size, dtype=np.int64)
    for number, (start, stop) in enumerate(blinks, 1):
        inside = (t_s >= start) & (t_s < stop)
        blink[inside] = number
        if not inside.any():
            continue
        if unit(rec.uid, "frozen", number) < 0.5:
            xy[inside] = xy[max(int(np.argmax(inside)) - 1, 0)]
        else:
            xy[inside] += np.array([0.0, 60 * unit_px]) + noise.normal(
                0, 14 * unit_px, (int(inside.sum()), 2)
            )
    worn = np.ones(t_s.size, dtype=bool)
    if unit(rec.uid, "takes them off") < 0.5:
        start = between(0.2, 0.8, rec.uid, "off") * rec.duration_s
        off = (t_s >= start) & (t_s < start + between(0.5, 1.4, rec.uid, "off for"))
        worn &= ~off
        xy[off] = noise.normal(
            (0.9 * rec.width_px, 0.9 * rec.height_px), 3.0 * unit_px, (int(off.sum()), 2)
        )
    return Measured(t_s, xy, worn, blink, tuple(blinks))
