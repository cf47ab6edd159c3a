"""How somebody on stage moves: turns, walks, reaches; keys of motion are noted as time goes on."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np

from resources.worlds.flat.places import EYE_M, Point, way
from resources.worlds.flat.stage import Stage
from resources.worlds.flat.things import Kind
from resources.worlds.flat.tracks import CARRY, GRIP_M, REST, SIDES, HandKey, wrapped
from resources.worlds.flat.truth import Action, Fixation, Glance, Hand, Side
from resources.worlds.tools.chance import between

_SPEED: Final = 1.15
LEVEL: Final = float(np.radians(-12))
REACH_S: Final = 0.5


class Mover:
    """The head, feet and hands of one person; `t` is their clock, seconds."""

    def __init__(self, stage: Stage, person_id: str, node: str, yaw: float, start_s: float) -> None:
        self.stage, self.person_id, self.node = stage, person_id, node
        self.t, self.step = start_s, 0
        self.xy = way(node, node)[0]
        self.yaw, self.pitch = yaw, LEVEL
        self.walk: list[tuple[float, float, float]] = [(0.0, *self.xy)]
        self.turns: list[tuple[float, float, float]] = [(0.0, yaw, LEVEL)]
        self.hands: dict[Side, list[HandKey]] = {
            side: [HandKey(0.0, REST[side], in_body=True)] for side in SIDES
        }
        self.held: dict[Side, str] = {"left": "", "right": ""}
        self.fixations: list[Fixation] = []
        self.glances: list[Glance] = []
        self._count = 0

    # Head and feet.

    def turn(self, yaw: float, pitch: float, span_s: float) -> None:
        """Turns the head, the short way round."""
        self.turns.append((self.t, self.yaw, self.pitch))
        self.yaw += wrapped(yaw - self.yaw)
        self.pitch = pitch
        self.turns.append((self.t + span_s, self.yaw, self.pitch))
        self.t += span_s

    def aim(self, point: Point) -> tuple[float, float]:
        """Yaw and pitch of a head that looks straight at a point."""
        dx, dy, dz = point[0] - self.xy[0], point[1] - self.xy[1], point[2] - EYE_M
        return float(np.arctan2(dy, dx)), float(np.arctan2(dz, np.hypot(dx, dy)))

    def look(self, point: Point, instance: str, hold_s: float, turn_s: float = 0.45) -> None:
        """Turns the head towards a point and keeps the gaze on it; the eyes do the last degrees."""
        yaw, pitch = self.aim(point)
        shift = between(-0.1, 0.1, self.stage.key, self.person_id, len(self.fixations), "eyes")
        self.turn(yaw + shift, float(np.clip(pitch + 0.16, -0.6, 0.5)), turn_s)
        self.fixations.append(Fixation(self.t, self.t + hold_s, instance, point))
        self.t += hold_s

    def stay(self, hold_s: float) -> None:
        """Stands still, head still."""
        self.turns.append((self.t, self.yaw, self.pitch))
        self.t += hold_s

    def go(self, name: str) -> None:
        """Walks to the standing place of a piece of furniture, looking ahead."""
        path = way(self.node, name)
        for n, ((x0, y0), (x1, y1)) in enumerate(pairwise(path)):
            heading, span = (
                float(np.arctan2(y1 - y0, x1 - x0)),
                float(np.hypot(x1 - x0, y1 - y0)) / _SPEED,
            )
            turn = min(0.4 if n == 0 else 0.3, 0.7 * span)
            if n == 0:
                self.turn(heading, LEVEL, 0.3)
                self.walk.append((self.t, x0, y0))
            else:
                begun = self.t
                self.turn(heading, LEVEL, turn)
                self.t = begun
            self.t += span
            self.turns.append((self.t, self.yaw, self.pitch))
            self.walk.append((self.t, x1, y1))
        self.node, self.xy = name, path[-1]

    # Hands.

    def move_hand(
        self,
        side: Side,
        at: Point,
        span_s: float,
        in_body: bool = False,
        start_s: float | None = None,
    ) -> None:
        """Brings a hand somewhere in `span_s`, from where it is at `start_s` (now)."""
        begun = self.t if start_s is None else start_s
        last = self.hands[side][-1]
        if begun > last.t_s:
            self.hands[side].append(replace(last, t_s=begun))
        self.hands[side].append(HandKey(begun + span_s, at, in_body))

    def hand_home(self, side: Side, span_s: float = 0.45) -> None:
        """Brings a hand back to rest, or before the body if it holds something."""
        self.move_hand(side, (CARRY if self.held[side] else REST)[side], span_s, in_body=True)

    def free_hand(self, wanted: str) -> Side:
        """The hand asked for, else a free one; `ValueError` if it holds something."""
        if wanted == "left" or (wanted != "right" and self.held["right"] and not self.held["left"]):
            side: Side = "left"
        else:
            side = "right"
        if self.held[side]:
            raise ValueError(
                f"{self.stage.key}: {self.person_id}'s {side} hand holds {self.held[side]}; put it first"
            )
        return side

    def holding(self, instance: str) -> tuple[Side, ...]:
        """The hands that hold a thing; `ValueError` if none does."""
        sides: list[Side] = [side for side in SIDES if self.held[side] == instance]
        if not sides:
            raise ValueError(
                f"{self.stage.key}: {self.person_id} does not hold {instance}; get it first"
            )
        return tuple(sides)

    def note_action(
        self, verb: str, thing: str, hand: Hand, start_s: float, contact_s: float, *,
        source: str = "", target: str = "", tool: str = "",
    ) -> None:  # fmt: skip
        """Notes an action that ends now."""
        name = f"{self.stage.key}-{self.person_id}-{self._count:02d}"
        self._count += 1
        self.stage.actions.append(
            Action(
                name,
                self.person_id,
                verb,
                thing,
                hand,
                source,
                target,
                tool,
                start_s,
                contact_s,
                self.t,
                self.step,
            )
        )

    # Helpers of commands.

    def standing_at(self, on: str) -> str:
        """The furniture to stand at for something that rests on `on`."""
        while on in self.stage.items:
            on = self.stage.items[on].on
        if not on:
            raise ValueError(
                f"{self.stage.key}: {self.person_id} reaches for something that is held"
            )
        return on

    def reach(self, sides: tuple[Side, ...], place: Point, kind: Kind) -> None:
        """Brings hands to where they hold a thing whose underside is at `place`."""
        x, y, z = place
        if len(sides) == 1:
            self.move_hand(sides[0], (x, y, z + kind.size_m[2] + GRIP_M), REACH_S)
        else:
            yaw, _ = self.aim(place)
            reach = kind.size_m[0] / 2 + 0.05
            for side in SIDES:
                sign = 1.0 if side == "left" else -1.0
                dx, dy = -np.sin(yaw) * reach * sign, np.cos(yaw) * reach * sign
                self.move_hand(
                    side, (x + float(dx), y + float(dy), z + kind.size_m[2] / 2), REACH_S
                )
        self.t += REACH_S

    def keep_gaze(self, start_s: float, end_s: float) -> None:
        """Lets the fixation that ends at `start_s` last on."""
        last = self.fixations[-1]
        if abs(last.end_s - start_s) < 0.01:
            self.fixations[-1] = replace(last, end_s=end_s)
