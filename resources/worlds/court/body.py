"""A person with arms, legs and feet: joints, and the boxes that are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from resources.worlds.court.motion import Feet, Jump, upward
from resources.worlds.court.truth import Player
from resources.worlds.flat.camera import Floats, Pose, looking
from resources.worlds.flat.palette import Colour
from resources.worlds.flat.places import EYE_M
from resources.worlds.flat.render import Scene, box_corners, painted
from resources.worlds.flat.scene import limb, turned
from resources.worlds.flat.tracks import SIDES, BodyTrack
from resources.worlds.flat.truth import Side

PARTS: Final = 5
"""Numbers that a person takes: body, left arm, right arm, left leg, right leg."""
JOINTS: Final = (
    "nose",
    *(
        f"{side}-{name}"
        for name in ("eye", "ear", "shoulder", "elbow", "wrist", "hip", "knee", "ankle")
        for side in SIDES
    ),
)
_TROUSERS: Final[Colour] = (70, 74, 92)
_SKIN: Final[Colour] = (224, 186, 160)
_HAIR: Final[Colour] = (58, 44, 36)


@dataclass(frozen=True)
class Body:
    """A person in motion."""

    player: Player
    track: BodyTrack
    feet: Feet
    jumps: tuple[Jump, ...]

    def height(self, t_s: float) -> float:
        """How far the body is off the ground, metres."""
        return sum(jump.height(t_s) for jump in self.jumps)

    def head(self, t_s: float) -> Pose:
        """Pose of the head: camera axes (right, down, forward) at the eyes."""
        yaw, pitch = self.track.head(t_s)
        return looking((*self.track.place(t_s), EYE_M + self.height(t_s)), yaw, pitch)

    def sole(self, side: Side, t_s: float) -> Floats:
        """(3,) middle of a sole in the world."""
        return self.feet.sole(side, t_s) + upward(self.height(t_s))

    def hand(self, side: Side, t_s: float) -> Floats:
        """(3,) middle of a hand in the world."""
        return self.track.hand(side, t_s) + upward(self.height(t_s))

    def joints(self, t_s: float) -> dict[str, Floats]:
        """(3,) of every joint in `JOINTS`, in the world."""
        up = upward(self.height(t_s))

        def at(forward: float, left: float, height: float) -> Floats:
            return self.track.from_body((forward, left, height), t_s) + up

        (x, y), (yaw, _) = self.track.place(t_s), self.track.head(t_s)
        ahead = np.array([np.cos(yaw), np.sin(yaw), 0.0])
        left = np.array([-np.sin(yaw), np.cos(yaw), 0.0])
        middle = np.array([x, y, EYE_M]) + up
        out = {"nose": middle + 0.12 * ahead - upward(0.05)}
        for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
            out[f"{side}-eye"] = middle + 0.1 * ahead + 0.035 * sign * left
            out[f"{side}-ear"] = middle + 0.09 * sign * left
            out[f"{side}-shoulder"] = shoulder = at(0.0, 0.24 * sign, 1.36)
            out[f"{side}-wrist"] = wrist = self.hand(side, t_s)
            out[f"{side}-elbow"] = (shoulder + wrist) / 2 - upward(0.05)
            out[f"{side}-hip"] = hip = at(0.0, 0.1 * sign, 0.86)
            out[f"{side}-ankle"] = ankle = self.sole(side, t_s) + upward(0.09)
            out[f"{side}-knee"] = (hip + ankle) / 2 + 0.06 * (at(1, 0, 0) - at(0, 0, 0))
        return out

    def scene(self, t_s: float, owner: int, own_eyes: bool) -> Scene:
        """Boxes: body `owner`, arms `owner + 1` (left), `+ 2`, legs with shoes `+ 3` (left), `+ 4`.

        Args:
            t_s: When.
            owner: Number of the body.
            own_eyes: Drawn for the person's own camera: forearms, shins and shoes only.
        """
        player, joints = self.player, self.joints(t_s)
        (x, y), yaw, (head_yaw, _) = (
            self.track.place(t_s),
            self.track.body(t_s),
            self.track.head(t_s),
        )
        up = upward(self.height(t_s))
        boxes: list[tuple[Floats, Colour, int]] = []

        def block(lo: tuple, hi: tuple, turn: float, colour: Colour) -> None:
            boxes.append((turned(lo, hi, turn, x, y) + up, colour, owner))

        if not own_eyes:
            block((-0.11, -0.17, 0.8), (0.11, 0.17, 0.94), yaw, _TROUSERS)
            block((-0.12, -0.2, 0.94), (0.12, 0.2, 1.42), yaw, player.shirt)
            block((-0.1, -0.09, 1.46), (0.1, 0.09, 1.62), head_yaw, _SKIN)
            block((-0.11, -0.1, 1.62), (0.07, 0.1, 1.74), head_yaw, _HAIR)
        for n, side in enumerate(SIDES):
            shoulder, elbow, hand = (joints[f"{side}-{j}"] for j in ("shoulder", "elbow", "wrist"))
            hip, knee, ankle = (joints[f"{side}-{j}"] for j in ("hip", "knee", "ankle"))
            sleeve, arm, leg = player.sleeves[side], owner + 1 + n, owner + 3 + n
            if not own_eyes:
                boxes.append((limb(shoulder, elbow, 0.045), sleeve, arm))
                boxes.append((limb(hip, knee, 0.075), _TROUSERS, leg))
            near = (elbow + hand) / 2 if own_eyes else elbow
            boxes.append((limb(near, hand - 0.12 * (hand - elbow), 0.042), sleeve, arm))
            boxes.append((box_corners(hand - 0.045, hand + 0.045), _SKIN, arm))
            boxes.append((limb(knee, ankle, 0.055), _SKIN, leg))
            sole = self.sole(side, t_s)
            shoe = turned((-0.11, -0.055, 0.0), (0.17, 0.055, 0.11), yaw, sole[0], sole[1])
            boxes.append((shoe + upward(sole[2] + 0.004), player.shoes[side], leg))
        corners, colours, owners = zip(*boxes, strict=True)
        return Scene(
            np.stack(corners), painted(colours, [False] * len(colours)), np.array(owners, np.int32)
        )
