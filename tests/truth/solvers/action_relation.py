"""Tells which of four clips shows the same moment from the other side, from pixels alone.

In the wearer's pictures the panels on the walls tell where the wearer stands and looks, and so along
which lines in the room things, sleeves and other people are seen. The room's camera sees the same
along lines of its own. Two clips show one moment if at equal times these lines meet, the wearer is
where the room's camera sees one, and the same things are in hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from resources.worlds.flat import KINDS, Pose
from resources.worlds.flat.plan import _MASTER as MASTER
from tests.truth.solvers.flat_sight import (
    Floats,
    Image,
    Patch,
    Point,
    camera_of,
    is_ego,
    numbers,
    on_plane,
    patches,
    stand,
)

Frame = tuple[float, Image]
SHIRT_TOP_M = 1.42
OTHER = {"P1": "P2", "P2": "P1"}
# What each kind of disagreement weighs, and the distance in metres that counts half.
WEIGHTS = {"place": 1.0, "thing": 1.0, "arm": 1.0, "other": 1.0, "lamp": 1.0}
SCALE_M = 0.3
# Weight of a comparison that says nothing: little that fits says less than much that fits.
PRIOR = 0.5
LEAST_SHARE = 0.0013
# Lamp beside the sink, lit while the water runs.
LAMP_M = (0.03, 2.77, 1.39)


@dataclass(frozen=True)
class View:
    """What one picture tells.

    Attributes:
        pose: Where the camera is; None where it is not known.
        lines: Directions in the room along which each named thing is seen.
        people: Where people stand, in the room's pictures.
        wearer: `P1` or `P2` in a wearer's picture, by the sleeves.
        lamp: Whether the lamp at the sink is lit, if it is seen.
    """

    pose: Pose | None
    lines: dict[str, list[Floats]]
    people: dict[str, Point]
    wearer: str
    lamp: bool | None


def views(frames: Sequence[Frame]) -> list[View]:
    """Read the pictures of a clip, in time order."""
    found: list[View] = []
    pose: Pose | None = None
    for _, image in frames:
        one = _view(image, pose)
        pose = one.pose or pose
        found.append(one)
    return found


def _view(image: Image, before: Pose | None) -> View:
    seen, camera = numbers(image), camera_of(image)
    found = patches(seen, least=4)
    ego = is_ego(image)
    pose = stand(found, camera, before) if ego else before or _room_camera(found)
    if pose is None:
        return View(None, {}, {}, "", None)
    lines = {
        name: [
            pose.rotation @ camera.rays(np.array([p.x, p.y]))
            for p in (held if name == "cup" else held[:1])
            if not p.cut
        ]
        for name, held in found.items()
        if not name.startswith("panel:")
    }
    people: dict[str, Point] = {}
    for who in () if ego else ("P1", "P2"):
        shirt = found.get(f"{who}:shirt")
        if shirt and shirt[0].pixels >= LEAST_SHARE * seen.size:
            at = on_plane(pose, camera, shirt[0].x, shirt[0].top, SHIRT_TOP_M)
            if at is not None:
                people[who] = at
    wearer = _wearer(found) if ego else ""
    return View(pose, lines, people, wearer, _lamp(image, pose))


def _wearer(found: dict[str, list[Patch]]) -> str:
    """Who wears the camera: not the one whose shirt is seen; else by the sleeves.

    P2's sleeves are black and white, as much else is, so that P1's decide.
    """
    for who, other in OTHER.items():
        if any(p.pixels >= 30 for p in found.get(f"{other}:shirt", ())):
            return who
    own = sum(p.pixels for side in ("left", "right") for p in found.get(f"P1:{side}", ()))
    return "P1" if own >= 20 else "P2"


def _room_camera(found: dict[str, list[Patch]]) -> Pose:
    """Pose of the fixed camera: the kitchen's panels or the living room's are in its picture."""

    def pixels(room: str) -> int:
        return sum(
            p.pixels for n, held in found.items() if n.startswith(f"panel:{room}") for p in held
        )

    return MASTER["kitchen" if pixels("kitchen") >= pixels("living") else "living"]


def _lamp(image: Image, pose: Pose) -> bool | None:
    """Whether the lamp beside the sink is lit; None where it is not in view."""
    camera = camera_of(image)
    local = pose.to_local(np.array(LAMP_M))
    x, y = camera.project(local)
    height, width = image.shape[:2]
    if local[2] <= 0 or not (2 < x < width - 3 and 2 < y < height - 3):
        return None
    colour = image[int(y) - 1 : int(y) + 2, int(x) - 1 : int(x) + 2].reshape(-1, 3).mean(0)
    if colour.min() > 232:
        return True
    return False if np.abs(colour - (199, 199, 194)).max() < 14 else None


def solve(query: Sequence[Frame], options: Sequence[Sequence[Frame]]) -> int | None:
    """Index of the option that shows the query's moments; None where nothing can be compared.

    Args:
        query: Frames of the query clip, in time order, as many as each option has.
        options: Frames of the options.
    """
    return choose(views(query), [views(option) for option in options], is_ego(query[0][1]))


def choose(
    query: Sequence[View], options: Sequence[Sequence[View]], wearer_asks: bool
) -> int | None:
    """The same for clips that were read already."""
    told = [_gaps(query, option) if wearer_asks else _gaps(option, query) for option in options]
    if not any(told):
        return None
    costs = [
        (PRIOR * 0.5 + sum(weight(key) * gap for key, gap in gaps.items()))
        / (PRIOR + sum(weight(key) for key in gaps))
        for gaps in told
    ]
    return int(np.argmin(costs))


def weight(key: str) -> float:
    """What a comparison weighs; of the things with twins one may see one and the other the other."""
    kind, _, name = key.partition(":")
    return WEIGHTS[kind] * (0.25 if name == "cup" else 1.0)


def _gaps(ego: Sequence[View], exo: Sequence[View]) -> dict[str, float]:
    """How far two clips are from showing one moment, 0 to 1, by what is compared."""
    wearers = [v.wearer for v in ego if v.wearer]
    who = max(("P1", "P2"), key=wearers.count)
    found: dict[str, list[float]] = {}
    for mine, theirs in zip(ego, exo, strict=True):
        if mine.pose is None or theirs.pose is None:
            continue
        if who in theirs.people:
            gap = float(np.hypot(*np.subtract(mine.pose.position[:2], theirs.people[who])))
            found.setdefault("place", []).append(gap / (gap + SCALE_M))
        for name, its in mine.lines.items():
            kind = _kind(name, who)
            if kind is None or not its or not theirs.lines.get(name):
                continue
            gap = min(
                _between(mine.pose.position, a, theirs.pose.position, b)
                for a in its
                for b in theirs.lines[name]
            )
            found.setdefault(f"{kind}:{name}", []).append(gap / (gap + SCALE_M))
        if mine.lamp is not None and theirs.lamp is not None:
            found.setdefault("lamp", []).append(float(mine.lamp != theirs.lamp))
    return {key: float(np.mean(held)) for key, held in found.items()}


def _kind(name: str, who: str) -> str | None:
    if name in KINDS:
        return "thing"
    if name in ("P1:left", "P1:right"):
        return "arm" if who == "P1" else "other"
    return "other" if name == f"{OTHER[who]}:shirt" else None


def _between(one: Floats, along: Floats, other: Floats, beside: Floats) -> float:
    """Least distance of two lines of sight, metres; far where they would meet behind an eye."""
    normal, gap = np.cross(along, beside), other - one
    length = float(np.linalg.norm(normal))
    if length < 1e-3:
        return float(np.linalg.norm(np.cross(gap, along)))
    first = float(np.dot(np.cross(gap, beside), normal)) / length**2
    second = float(np.dot(np.cross(gap, along), normal)) / length**2
    return 2.0 if min(first, second) < 0 else abs(float(gap @ normal)) / length
