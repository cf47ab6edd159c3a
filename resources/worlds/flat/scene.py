"""The boxes of one moment: the still flat, states of furniture, things, people."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from resources.worlds.flat.camera import Floats
from resources.worlds.flat.palette import Colour
from resources.worlds.flat.places import EYE_M, Block, furniture, panels, shell
from resources.worlds.flat.render import Scene, box_corners, painted
from resources.worlds.flat.tracks import SIDES, BodyTrack
from resources.worlds.flat.truth import Agent


def scene_of(blocks: list[Block], owners: list[int]) -> Scene:
    """Blocks as a scene."""
    if not blocks:
        return Scene(np.zeros((0, 8, 3)), np.zeros((0, 6, 3), np.uint8), np.zeros(0, np.int32))
    return Scene(
        box_corners([b.lo for b in blocks], [b.hi for b in blocks]),
        painted([b.colour for b in blocks], [b.plain for b in blocks]),
        np.array(owners, np.int32),
    )


@cache
def still() -> Scene:
    """Walls, floor, panels (owner 0) and furniture (owners 1, 2, ... in the order of the plan)."""
    blocks, owners = list(shell()), [0] * len(shell())
    for panel in panels():
        blocks.append(Block(panel.lo, panel.hi, panel.colour, plain=True))
        owners.append(0)
    for number, piece in enumerate(furniture().values(), 1):
        blocks += piece.blocks
        owners += [number] * len(piece.blocks)
    return scene_of(blocks, owners)


def moved(blocks: tuple[Block, ...], at: Floats) -> list[Block]:
    """Blocks of a thing's own frame, in the world."""
    x, y, z = (float(v) for v in at)
    return [
        Block(
            (b.lo[0] + x, b.lo[1] + y, b.lo[2] + z), (b.hi[0] + x, b.hi[1] + y, b.hi[2] + z), b.colour, b.plain
        )
        for b in blocks
    ]  # fmt: skip


def turned(lo: npt.ArrayLike, hi: npt.ArrayLike, yaw: float, x: float, y: float) -> Floats:
    """(8, 3) corners of a box turned about the vertical, then moved."""
    corners = box_corners(lo, hi)
    c, s = np.cos(yaw), np.sin(yaw)
    return corners @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1.0]]) + (x, y, 0.0)


def limb(start: Floats, end: Floats, thick: float) -> Floats:
    """(8, 3) corners of an upright-sided bar between two points."""
    x, y, z = (float(v) for v in end - start)
    flat, long = max((x * x + y * y) ** 0.5, 1e-9), max((x * x + y * y + z * z) ** 0.5, 1e-9)
    side = np.array([y / flat, -x / flat, 0.0]) * thick
    up = np.array([-x * z / flat, -y * z / flat, flat]) * (thick / long)
    out = np.empty((8, 3))
    for k in range(8):
        out[k] = (end if k & 1 else start) + (side if k & 2 else -side) + (up if k & 4 else -up)
    return out


def person(agent: Agent, track: BodyTrack, t_s: float, owner: int, own_eyes: bool) -> Scene:
    """A person: trunk and head `owner`, left arm and hand `owner + 1`, right `owner + 2`.

    Args:
        agent: who.
        track: how they move.
        t_s: when.
        owner: number of the trunk.
        own_eyes: drawn for the person's own camera: forearms and hands only.
    """
    (x, y), yaw = track.place(t_s), track.body(t_s)
    head_yaw, _ = track.head(t_s)
    corners: list[Floats] = []
    colours: list[Colour] = []
    owners: list[int] = []

    def add(box: Floats, colour: Colour, who: int) -> None:
        corners.append(box)
        colours.append(colour)
        owners.append(who)

    if not own_eyes:
        add(turned((-0.11, -0.16, 0.0), (0.11, 0.16, 0.78), yaw, x, y), (70, 74, 92), owner)
        add(turned((-0.12, -0.2, 0.78), (0.12, 0.2, 1.42), yaw, x, y), agent.shirt, owner)
        add(turned((-0.1, -0.09, 1.46), (0.1, 0.09, 1.62), head_yaw, x, y), (224, 186, 160), owner)
        add(turned((-0.11, -0.1, 1.62), (0.07, 0.1, 1.74), head_yaw, x, y), (58, 44, 36), owner)
        add(
            turned((0.1, -0.03, EYE_M - 0.06), (0.15, 0.03, EYE_M), head_yaw, x, y),
            (200, 150, 120),
            owner,
        )
    for n, side in enumerate(SIDES):
        hand = track.hand(side, t_s)
        shoulder = track.from_body((0.0, 0.24 if side == "left" else -0.24, 1.36), t_s)
        reach = hand - shoulder
        for a, b in (
            ((0.55, 0.72), (0.72, 0.9)) if own_eyes else ((0.0, 0.3), (0.3, 0.6), (0.6, 0.9))
        ):
            add(
                limb(shoulder + reach * a, shoulder + reach * b, 0.042),
                agent.sleeves[side],
                owner + 1 + n,
            )
        add(box_corners(hand - 0.045, hand + 0.045), agent.hands[side], owner + 1 + n)
    return Scene(
        np.stack(corners), painted(colours, [False] * len(colours)), np.array(owners, np.int32)
    )
