"""Somebody on the court as a script moves them: keys of motion are noted as their time goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from resources.worlds.court.motion import BallKey, Jump, Strike
from resources.worlds.court.truth import Deed
from resources.worlds.flat.places import EYE_M
from resources.worlds.flat.tracks import REST, SIDES, HandKey, wrapped
from resources.worlds.flat.truth import Side

LEVEL: Final = -0.2
DOWN: Final = -0.75
"""Pitch of a head that watches its feet."""


class Performer:
    """One person's head, feet and hands; `t` is their clock, seconds.

    Args:
        who: `C` or `O`.
        xy: Where they stand at first.
        yaw: Where they look, counterclockwise from the east.
    """

    def __init__(self, who: str, xy: tuple[float, float], yaw: float) -> None:
        self.who, self.xy, self.yaw, self.pitch, self.t = who, xy, yaw, LEVEL, 0.0
        self.walk: list[tuple[float, float, float]] = [(0.0, *xy)]
        self.turns: list[tuple[float, float, float]] = [(0.0, yaw, LEVEL)]
        self.hands: dict[Side, list[HandKey]] = {
            side: [HandKey(0.0, REST[side], in_body=True)] for side in SIDES
        }
        self.strikes: list[Strike] = []
        self.jumps: list[Jump] = []
        self.deeds: list[Deed] = []

    def wait(self, span_s: float) -> None:
        """Stands as they stand."""
        self.t += span_s

    def until(self, t_s: float) -> None:
        """Waits for a time, if it is not over."""
        self.t = max(self.t, t_s)

    def look(self, yaw: float, pitch: float, span_s: float) -> None:
        """Turns the head, the short way round; the body follows. Takes none of their time."""
        self.turns.append((self.t, self.yaw, self.pitch))
        self.yaw += wrapped(yaw - self.yaw)
        self.pitch = pitch
        self.turns.append((self.t + span_s, self.yaw, self.pitch))

    def face(self, point: tuple[float, float, float], span_s: float = 0.35) -> None:
        """Turns to a point, which is seen below the middle of the picture."""
        dx, dy, dz = point[0] - self.xy[0], point[1] - self.xy[1], point[2] - EYE_M
        pitch = float(np.clip(np.arctan2(dz, np.hypot(dx, dy)) + 0.25, DOWN, 0.3))
        self.look(float(np.arctan2(dy, dx)), pitch, span_s)
        self.t += span_s

    def go(self, xy: tuple[float, float], speed_mps: float, facing: float | None = None) -> None:
        """Goes straight to a place, looking ahead or where `facing` says."""
        dx, dy = xy[0] - self.xy[0], xy[1] - self.xy[1]
        if facing is None:
            self.look(float(np.arctan2(dy, dx)), self.pitch, 0.3)
            self.t += 0.3
        self.walk.append((self.t, *self.xy))
        self.t += float(np.hypot(dx, dy)) / speed_mps
        self.walk.append((self.t, *xy))
        self.xy = xy

    def jump(self, height_m: float, span_s: float) -> None:
        """Jumps up."""
        self.jumps.append(Jump(self.t, self.t + span_s, height_m))
        self.t += span_s

    def strike(
        self, side: Side, at: tuple[float, float, float], contact_s: float, after_s: float = 0.3
    ) -> None:
        """A foot is at a point at a time, while the rest goes on."""
        self.strikes.append(Strike(side, contact_s - 0.25, contact_s, contact_s + after_s, at))

    def hand(self, side: Side, at: tuple[float, float, float], span_s: float) -> None:
        """Brings a hand to a point of the world, from now on."""
        self._hold(side)
        self.hands[side].append(HandKey(self.t + span_s, at, in_body=False))

    def hand_by(self, side: Side, at: tuple[float, float, float], span_s: float) -> None:
        """Brings a hand to a place by the body (forward, left, height), from now on."""
        self._hold(side)
        self.hands[side].append(HandKey(self.t + span_s, at, in_body=True))

    def _hold(self, side: Side) -> None:
        last = self.hands[side][-1]
        if self.t > last.t_s:
            self.hands[side].append(replace(last, t_s=self.t))

    def both(self, middle: tuple[float, float, float], span_s: float) -> None:
        """Brings both hands to the sides of a point, across the line of sight."""
        dx, dy = -np.sin(self.yaw) * 0.15, np.cos(self.yaw) * 0.15
        for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
            x, y, z = middle
            self.hand(side, (x + float(dx) * sign, y + float(dy) * sign, z), span_s)

    def rest(self, span_s: float = 0.4) -> None:
        """Lets both hands hang."""
        for side in SIDES:
            self.hand_by(side, REST[side], span_s)

    def note(
        self, text: str, part: str, start_s: float, contact_s: float, end_s: float,
        thing: str = "", direction: str = "",
    ) -> None:  # fmt: skip
        """Notes what was done."""
        self.deeds.append(Deed(self.who, text, part, start_s, contact_s, end_s, thing, direction))


def send(
    keys: list[BallKey],
    t_s: float,
    to: tuple[float, float, float],
    span_s: float,
    apex_m: float = 0.0,
) -> None:
    """Sends the ball on its way."""
    keys.append(BallKey(t_s, t_s + span_s, to, apex_m))
