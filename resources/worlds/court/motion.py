"""How feet and ball move: feet by the way walked and by what they strike, the ball by who sends it."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import Final

import numpy as np

from resources.worlds.court.ground import BALL_M
from resources.worlds.flat.camera import Floats
from resources.worlds.flat.tracks import RATE_HZ, SIDES, BodyTrack, smooth
from resources.worlds.flat.truth import Side

_STRIDE_M: Final = 1.3
_SWING_M: Final = 0.24
_LIFT_M: Final = 0.13
_APART_M: Final = 0.12
_GAIT_MPS: Final = 0.7
"""Speed from which on steps have their full length."""


def upward(height_m: float) -> Floats:
    """(3,) a way straight up."""
    return np.array([0.0, 0.0, height_m])


@dataclass(frozen=True)
class Strike:
    """A foot leaves its place, is at a point at the moment of contact, and comes back."""

    side: Side
    start_s: float
    contact_s: float
    end_s: float
    at: tuple[float, float, float]

    def weight(self, t_s: float) -> float:
        """How far the foot is on its way to the point, 0 to 1."""
        if not self.start_s < t_s < self.end_s:
            return 0.0
        if t_s <= self.contact_s:
            return smooth((t_s - self.start_s) / (self.contact_s - self.start_s))
        return smooth((self.end_s - t_s) / (self.end_s - self.contact_s))


@dataclass(frozen=True)
class Jump:
    """The whole body leaves the ground."""

    start_s: float
    end_s: float
    height_m: float

    def height(self, t_s: float) -> float:
        """Height above the ground."""
        u = (t_s - self.start_s) / (self.end_s - self.start_s)
        return 4 * u * (1 - u) * self.height_m if 0 < u < 1 else 0.0


class Feet:
    """Where the soles of somebody's feet are.

    Args:
        body: How the body moves.
        strikes: What the feet do beside walking.
    """

    def __init__(self, body: BodyTrack, strikes: tuple[Strike, ...]) -> None:
        step = np.diff(body.xy, axis=0, prepend=body.xy[:1])
        length = np.hypot(step[:, 0], step[:, 1])
        kernel = np.hanning(17)[1:-1] / np.hanning(17).sum()
        speed = np.convolve(np.pad(length, 7, mode="edge"), kernel, "valid") * RATE_HZ
        phase = 2 * np.pi * np.cumsum(length) / _STRIDE_M
        share = np.clip(speed / _GAIT_MPS, 0, 1)
        heading = np.stack([np.cos(body.body_yaw), np.sin(body.body_yaw)], axis=1)
        aside = np.stack([-heading[:, 1], heading[:, 0]], axis=1)
        way = np.where(length[:, None] > 1e-4, step / np.maximum(length, 1e-9)[:, None], heading)
        self._strikes = strikes
        self._soles: dict[Side, Floats] = {}
        self._stands: dict[Side, Floats] = {}
        for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
            swing = (_SWING_M * sign * share * np.sin(phase))[:, None] * way
            sole = np.empty((len(length), 3))
            sole[:, :2] = body.xy + sign * _APART_M * aside
            self._stands[side] = np.column_stack([sole[:, :2], np.zeros(len(length))])
            sole[:, :2] += swing
            sole[:, 2] = _LIFT_M * share * np.maximum(sign * np.cos(phase), 0)
            self._soles[side] = sole

    def sole(self, side: Side, t_s: float) -> Floats:
        """(3,) middle of a sole in the world, before any jump."""
        at = _between(self._soles[side], t_s)
        for strike in self._strikes:
            if (share := strike.weight(t_s)) > 0:
                # While one foot strikes the other one carries the body.
                to = strike.at if strike.side == side else _between(self._stands[side], t_s)
                at = at + (np.array(to) - at) * share
        return at


def _between(values: Floats, t_s: float) -> Floats:
    """A row between those that were sampled."""
    where = min(max(t_s * RATE_HZ, 0.0), len(values) - 1.0)
    low = int(where)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (where - low)


@dataclass(frozen=True)
class BallKey:
    """From this time on the ball moves to `to` until `end_s`, or somebody's hands hold it.

    Attributes:
        t_s: When it starts.
        end_s: When it is at `to`; not used while held.
        to: Its middle, in the world.
        apex_m: How high it flies above the straight way; 0 rolls and slows down.
        holder: `C` or `O`, "" if nobody.
    """

    t_s: float
    end_s: float
    to: tuple[float, float, float]
    apex_m: float = 0.0
    holder: str = ""


class Ball:
    """Where the middle of the ball is.

    Args:
        start: Where it lies at first.
        keys: What happens to it, in time order.
    """

    radius_m: Final = BALL_M / 2

    def __init__(self, start: tuple[float, float, float], keys: tuple[BallKey, ...]) -> None:
        self._keys = (BallKey(0.0, 0.0, start), *keys)
        self._times = [key.t_s for key in self._keys]

    def holder(self, t_s: float) -> str:
        """Who holds it, "" if nobody."""
        return self._key(t_s).holder

    def _key(self, t_s: float) -> BallKey:
        return self._keys[max(bisect.bisect_right(self._times, t_s) - 1, 0)]

    def at(self, bodies: dict[str, BodyTrack], t_s: float) -> Floats:
        """(3,) its middle in the world."""
        key = self._key(t_s)
        if key.holder:
            return np.mean([bodies[key.holder].hand(side, t_s) for side in SIDES], axis=0)
        before = self._keys[max(self._keys.index(key) - 1, 0)]
        if t_s >= key.end_s or key is self._keys[0]:
            return np.array(key.to)
        start = self.at(bodies, key.t_s - 1e-6) if before.holder else np.array(before.to)
        u = (t_s - key.t_s) / (key.end_s - key.t_s)
        along = u if key.apex_m else 1 - (1 - u) ** 1.5
        at = start + (np.array(key.to) - start) * along
        at[2] += 4 * u * (1 - u) * key.apex_m
        return at
