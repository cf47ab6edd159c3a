"""Where the camera of a run is and where it looks, at any time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from resources.worlds.slope.truth import SWING_DEG, TURN_DEG, Action, Run, Sport

STEP_S: Final = 0.02
EYE_M: Final = 1.6
SPEED: Final[dict[Sport, float]] = {
    "skiing": 9.0,
    "mountain bike": 7.0,
    "jetski": 10.0,
    "parkour": 4.0,
}
"""Metres in a second, at an ordinary pace."""
_PACE: Final = {"walk": 0.5, "run": 1.4}
_LEAD: Final = 0.45
"""Share of a sharp turn's time in which it is done."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class View:
    """The camera at an instant: metres and degrees.

    Attributes:
        x: Position to the east.
        y: Position to the north.
        z: Height above the ground.
        yaw_deg: Where it looks, counterclockwise from north.
        pitch_deg: How far up.
        roll_deg: How far turned, clockwise.
    """

    x: float
    y: float
    z: float
    yaw_deg: float
    pitch_deg: float
    roll_deg: float


class Path:
    """The track of a run.

    Attributes:
        t_s: Times of the samples, ascending.
        xy: (samples, 2) positions, metres; the track goes on straight after its end.
        heading_deg: Heading of the track, counterclockwise from north.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.t_s: Floats = np.arange(0.0, run.duration_s + 12.0, STEP_S)
        rate, pace = np.zeros_like(self.t_s), np.ones_like(self.t_s)
        for action in run.actions:
            share = (self.t_s - action.start_s) / action.seconds
            inside = (share >= 0) & (share < 1)
            rate[inside] = _turn_rate(action, share[inside])
            if action.label == "slidestop":
                pace[inside] = np.clip(1.1 - 1.3 * share[inside], 0.04, 1.0)
            else:
                pace[inside] = _PACE.get(action.label, 1.0)
        self.heading_deg: Floats = np.cumsum(rate) * STEP_S
        speed = SPEED[run.sport] * pace
        turn = np.radians(self.heading_deg)
        steps = np.stack([-np.sin(turn), np.cos(turn)], axis=1) * speed[:, None] * STEP_S
        self.xy: Floats = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)[:-1]])

    def at(self, t_s: float) -> tuple[float, float, float]:
        """Position and heading of the track."""
        x, y = (float(np.interp(t_s, self.t_s, self.xy[:, axis])) for axis in (0, 1))
        return x, y, float(np.interp(t_s, self.t_s, self.heading_deg))

    def view(self, t_s: float) -> View:
        """The camera."""
        x, y, heading = self.at(t_s)
        lift, yaw, pitch, roll = _trick(self.run.action_at(t_s), t_s)
        return View(x, y, EYE_M + lift, heading + yaw, pitch - 12.0, roll)


def _turn_rate(action: Action, share: Floats) -> Floats:
    """Degrees a second over the shares of an action that have passed."""
    if action.label in ("left", "right"):
        return np.where(share < _LEAD, TURN_DEG[action.label] / (_LEAD * action.seconds), 0.0)
    if action.label in TURN_DEG:
        return np.full_like(share, TURN_DEG[action.label] / action.seconds)
    if action.label == "leftright":
        rate = SWING_DEG / (0.5 * action.seconds)
        return np.where(share < 0.5, rate, -rate)
    return np.zeros_like(share)


def _trick(action: Action | None, t_s: float) -> tuple[float, float, float, float]:
    """Height, yaw, pitch and roll that an action adds."""
    if action is None:
        return 0.0, 0.0, 0.0, 0.0
    share = (t_s - action.start_s) / action.seconds
    arc = float(np.sin(np.pi * share))
    once = 360.0 * share * share * (3 - 2 * share)
    bounce = float(abs(np.sin(2 * np.pi * 1.3 * t_s)))
    return {
        "jump": (2.4 * arc, 0.0, 14.0 * float(np.cos(np.pi * share)), 0.0),
        "spin": (1.2 * arc, once, 0.0, 0.0),
        "flip": (2.4 * arc, 0.0, once, 0.0),
        "roll": (-0.5 * arc, 0.0, 0.0, once),
        "bumpyforward": (0.35 * bounce, 0.0, 4.0 * bounce, 0.0),
        "run": (0.2 * bounce, 0.0, 1.5 * bounce, 0.0),
        "walk": (0.06 * bounce, 0.0, 0.0, 0.0),
    }.get(action.label, (0.0, 0.0, 0.0, 0.0))
