"""Motion as functions of time: heads and bodies sampled, hands by keys, things by who holds them."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import Final

import numpy as np

from resources.worlds.flat.camera import Floats
from resources.worlds.flat.truth import Side

RATE_HZ: Final = 50
SIDES: Final[tuple[Side, Side]] = ("left", "right")
REST: Final[dict[Side, tuple[float, float, float]]] = {
    "left": (0.12, 0.27, 0.92),
    "right": (0.12, -0.27, 0.92),
}
CARRY: Final[dict[Side, tuple[float, float, float]]] = {
    "left": (0.46, 0.18, 1.18),
    "right": (0.46, -0.18, 1.18),
}
GRIP_M: Final = 0.05


def smooth(u: float) -> float:
    """0 to 1 with no speed at both ends."""
    u = min(max(u, 0.0), 1.0)
    return u * u * (3 - 2 * u)


def wrapped(angle_rad: float) -> float:
    """The angle in (-pi, pi]."""
    return float(np.pi - (np.pi - angle_rad) % (2 * np.pi))


@dataclass(frozen=True)
class HandKey:
    """Where a hand is to be at a time: in the world, or in body axes (forward, left, height)."""

    t_s: float
    at: tuple[float, float, float]
    in_body: bool


class BodyTrack:
    """Where somebody's head, body and hands are at any time.

    Args:
        walk: (t, x, y) keys, joined by straight lines; turns: (t, yaw, pitch) keys, joined smoothly
            the short way round; hands: keys of each hand.
        duration_s: end of the take.
    """

    def __init__(
        self,
        walk: list[tuple[float, float, float]],
        turns: list[tuple[float, float, float]],
        hands: dict[Side, list[HandKey]],
        duration_s: float,
    ) -> None:
        self.t = np.arange(round(duration_s * RATE_HZ) + 2) / RATE_HZ
        keys = np.array(walk)
        kernel: Floats = np.hanning(13)[1:-1] / np.hanning(13).sum()
        pad = len(kernel) // 2
        self.xy: Floats = np.empty((len(self.t), 2))
        for k in (0, 1):
            level = np.interp(self.t, keys[:, 0], keys[:, k + 1])
            self.xy[:, k] = np.convolve(np.pad(level, pad, mode="edge"), kernel, "valid")
        self.yaw, self.pitch = _turned(turns, self.t)
        body = np.empty_like(self.yaw)
        level = self.yaw[0]
        for k, yaw in enumerate(self.yaw):
            level += (yaw - level) * 0.09
            body[k] = level
        self.body_yaw = body
        self.hands = {side: sorted(keys_, key=lambda key: key.t_s) for side, keys_ in hands.items()}
        self._times = {side: [key.t_s for key in keys_] for side, keys_ in self.hands.items()}

    def _at(self, values: Floats, t_s: float) -> float:
        where = min(max(float(t_s) * RATE_HZ, 0.0), len(values) - 1.0)
        low = int(where)
        high = min(low + 1, len(values) - 1)
        return float(values[low] + (values[high] - values[low]) * (where - low))

    def place(self, t_s: float) -> tuple[float, float]:
        """Ground position x, y."""
        return self._at(self.xy[:, 0], t_s), self._at(self.xy[:, 1], t_s)

    def head(self, t_s: float) -> tuple[float, float]:
        """Yaw (counterclockwise from world x) and pitch (up) of the head, radians."""
        return self._at(self.yaw, t_s), self._at(self.pitch, t_s)

    def body(self, t_s: float) -> float:
        """Yaw of the trunk, radians."""
        return self._at(self.body_yaw, t_s)

    def from_body(self, at: tuple[float, float, float], t_s: float) -> Floats:
        """A point given forward, left, height of the body, in the world."""
        (x, y), yaw = self.place(t_s), self.body(t_s)
        c, s = np.cos(yaw), np.sin(yaw)
        return np.array([x + c * at[0] - s * at[1], y + s * at[0] + c * at[1], at[2]])

    def hand(self, side: Side, t_s: float) -> Floats:
        """(3,) middle of a hand in the world."""
        keys = self.hands[side]
        k = bisect.bisect_right(self._times[side], t_s)

        def where(key: HandKey) -> Floats:
            return self.from_body(key.at, t_s) if key.in_body else np.array(key.at)

        if k == 0:
            return where(keys[0])
        if k == len(keys):
            return where(keys[-1])
        before, after = keys[k - 1], keys[k]
        u = smooth((t_s - before.t_s) / max(after.t_s - before.t_s, 1e-6))
        return where(before) * (1 - u) + where(after) * u


def _turned(turns: list[tuple[float, float, float]], t: Floats) -> tuple[Floats, Floats]:
    """Yaw (unwrapped) and pitch at times, eased between keys."""
    keys = np.array(turns)
    yaw = np.unwrap(keys[:, 1])
    k = (
        np.clip(np.searchsorted(keys[:, 0], t, side="right") - 1, 0, len(keys) - 2)
        if len(keys) > 1
        else 0
    )
    if len(keys) == 1:
        return np.full_like(t, yaw[0]), np.full_like(t, keys[0, 2])
    span = np.maximum(keys[k + 1, 0] - keys[k, 0], 1e-6)
    u = np.clip((t - keys[k, 0]) / span, 0, 1)
    u = u * u * (3 - 2 * u)
    return yaw[k] + (yaw[k + 1] - yaw[k]) * u, keys[k, 2] + (keys[k + 1, 2] - keys[k, 2]) * u


@dataclass(frozen=True)
class ThingKey:
    """From this time on a thing rests at `at`, or `holder`'s hands hold it."""

    t_s: float
    at: tuple[float, float, float]
    holder: str = ""
    sides: tuple[Side, ...] = ()


@dataclass(frozen=True)
class ThingTrack:
    """Where a thing is: rests and holds in time order."""

    keys: tuple[ThingKey, ...]
    height_m: float

    def key(self, t_s: float) -> ThingKey:
        """The rest or hold at a time."""
        k = bisect.bisect_right([key.t_s for key in self.keys], t_s)
        return self.keys[max(k - 1, 0)]

    def at(self, bodies: dict[str, BodyTrack], t_s: float) -> Floats:
        """(3,) middle of its underside in the world."""
        key = self.key(t_s)
        if not key.holder:
            return np.array(key.at)
        hands = [bodies[key.holder].hand(side, t_s) for side in key.sides]
        drop = self.height_m + GRIP_M if len(hands) == 1 else self.height_m / 2
        return np.mean(hands, axis=0) - (0.0, 0.0, drop)
