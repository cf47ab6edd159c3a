"""What one sees in pictures of the simulated flat: colours, things, people, and where one stands.

Known are the flat's map (walls with their panels, the fixed camera) and how its things and people
look; everything else is read from pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import cast

import numpy as np
import numpy.typing as npt
from scipy import ndimage
from scipy.optimize import least_squares

from resources.worlds.flat import KINDS, Camera, Pose, panels
from resources.worlds.flat.camera import looking
from resources.worlds.flat.places import EYE_M
from resources.worlds.flat.plan import AGENTS

Image = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Point = tuple[float, float]
Point3 = tuple[float, float, float]

# Faces of a box are painted a little darker than its top.
SHADES = (1.0, 0.93, 0.86, 0.78)
# Squared distance in colour beyond which a pixel is nobody's.
_NEAR = 40.0**2
_EGO_HALF_RAD = 0.9773843811168246
_EXO_HALF_RAD = 0.95
LIT = {"glow": (255, 228, 218), "cream": (250, 244, 225), "water": (214, 234, 255)}
DULL = (
    (205, 205, 200), (232, 232, 230), (150, 146, 138), (132, 122, 112), (170, 142, 112), (96, 84, 74),
    (168, 172, 178), (112, 112, 110), (120, 126, 140), (44, 44, 46), (214, 220, 226), (196, 204, 212),
    (70, 74, 92), (58, 44, 36), (224, 186, 160), (173, 131, 109), (195, 160, 137),
    (70, 70, 74), (255, 252, 190),
)  # fmt: skip


@cache
def _palette() -> tuple[Floats, tuple[str, ...]]:
    """Colours and what they are of; panels and dull things show one shade or few."""
    colours: list[tuple[float, ...]] = []
    names: list[str] = []

    def add(name: str, colour: tuple[int, int, int], shades: tuple[float, ...] = SHADES) -> None:
        for factor in shades:
            colours.append(tuple(c * factor for c in colour))
            names.append(name)

    for panel in panels():
        add(f"panel:{panel.name}", panel.colour, (1.0,))
    for kind in KINDS.values():
        add(kind.name, kind.colour, (*SHADES, 0.7, 0.6))
    for agent in AGENTS:
        add(f"{agent.person_id}:shirt", agent.shirt)
        for side in ("left", "right"):
            add(f"{agent.person_id}:{side}", agent.sleeves[side])
            # Darker skin is as brown as wood.
            add(f"{agent.person_id}:{side} hand", agent.hands[side], SHADES[:2])
    for colour in DULL:
        add("", colour)
    for name, colour in LIT.items():
        add(name, colour, (1.0,))
    return np.array(colours), tuple(names)


@cache
def _table() -> npt.NDArray[np.int16]:
    """Name number of each colour in steps of 8; 0 is nobody's."""
    colours, names = _palette()
    known = ["", *sorted(set(names) - {""})]
    numbers = np.array([known.index(name) for name in names])
    steps = np.arange(0, 256, 8) + 4.0
    grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), -1).reshape(-1, 3)
    best = np.zeros(len(grid), np.int16)
    least = np.full(len(grid), _NEAR)
    for colour, number in zip(colours, numbers, strict=True):
        distance = ((grid - colour) ** 2).sum(1)
        closer = distance < least
        best[closer], least[closer] = number, distance[closer]
    return best.reshape(32, 32, 32)


@cache
def names() -> tuple[str, ...]:
    """Names by number."""
    return ("", *sorted(set(_palette()[1]) - {""}))


def numbers(image: Image) -> npt.NDArray[np.int16]:
    """Number of the name of each pixel."""
    r, g, b = (image[..., k] >> 3 for k in range(3))
    return _table()[r, g, b]


def camera_of(image: Image) -> Camera:
    """The camera of a picture: the wearer's are square."""
    height, width = image.shape[:2]
    half = _EGO_HALF_RAD if height == width else _EXO_HALF_RAD
    return Camera(
        "ego" if height == width else "master", "fisheye", width, height, width / 2 / half
    )


def is_ego(image: Image) -> bool:
    """Whether a picture is a wearer's."""
    return image.shape[0] == image.shape[1]


@dataclass(frozen=True)
class Patch:
    """A connected patch of a name.

    Attributes:
        x: Middle, pixels.
        y: Middle.
        top: Row near its upper end.
        pixels: Pixels.
        cut: Whether it reaches the border.
        corners: Top left, top right, bottom right, bottom left; None where the border cuts it.
    """

    x: float
    y: float
    top: float
    pixels: int
    cut: bool
    corners: tuple[Point | None, ...]


def patches(seen: npt.NDArray[np.int16], least: int = 6) -> dict[str, list[Patch]]:
    """Patches of each name that fill enough pixels, the largest first."""
    out: dict[str, list[Patch]] = {}
    for number, place in enumerate(ndimage.find_objects(seen), 1):
        if place is None:
            continue
        mask = seen[place] == number
        if not names()[number].startswith("panel:"):
            # Where two colours meet, compression mixes a third: lines one pixel wide are none.
            mask = ndimage.binary_opening(np.pad(mask, 1))[1:-1, 1:-1]
        labels, count = cast("tuple[npt.NDArray, int]", ndimage.label(mask))
        sizes = np.bincount(labels.ravel(), minlength=count + 1)[1:]
        for one in np.argsort(-sizes, kind="stable")[:3].tolist():
            if sizes[one] < least:
                break
            rows, columns = np.nonzero(labels == one + 1)
            patch = _patch(rows + place[0].start, columns + place[1].start, seen.shape)
            out.setdefault(names()[number], []).append(patch)
    return out


def _patch(rows: npt.NDArray, columns: npt.NDArray, shape: tuple[int, ...]) -> Patch:
    height, width = shape
    corners: list[Point | None] = []
    for key in (rows + columns, rows - columns, -rows - columns, columns - rows):
        at = int(key.argmin())
        x, y = float(columns[at]), float(rows[at])
        inside = 1 < x < width - 2 and 1 < y < height - 2
        corners.append((x, y) if inside else None)
    return Patch(
        float(columns.mean()),
        float(rows.mean()),
        float(np.quantile(rows, 0.03)),
        len(rows),
        bool(
            rows.min() < 2
            or columns.min() < 2
            or rows.max() > height - 3
            or columns.max() > width - 3
        ),
        tuple(corners),
    )


# -- where one stands ------------------------------------------------------------------------------

_STARTS: dict[str, tuple[Point, ...]] = {
    "kitchen": ((1.6, 2.9), (2.9, 2.9), (1.1, 2.3), (2.2, 2.0), (1.1, 0.8), (3.3, 1.2)),
    "living": ((6.2, 1.3), (6.1, 2.8), (7.1, 1.9), (5.8, 3.0), (5.0, 2.0)),
}


def stand(found: dict[str, list[Patch]], camera: Camera, before: Pose | None = None) -> Pose | None:
    """Pose of the eyes, from the corners of panels in view; None where there are too few.

    Args:
        found: What is seen.
        camera: With what.
        before: Pose a moment ago, to start from.
    """
    marks = _marks(found)
    if len(marks) < 3:
        return None
    points = np.array([at for at, _, _ in marks])
    rays = camera.rays(np.array([pixel for _, pixel, _ in marks]))

    def errors(v: Floats) -> Floats:
        pose = looking((v[0], v[1], EYE_M), v[2], v[3])
        local = pose.to_local(points)
        local = local / np.linalg.norm(local, axis=1, keepdims=True)
        return (local - rays).ravel()

    def best_of(starts: list[tuple[float, ...]]) -> tuple[float, Floats]:
        made = [least_squares(errors, s, loss="soft_l1", f_scale=0.02, max_nfev=25) for s in starts]
        best = min(made, key=lambda one: one.cost)
        return float(best.cost), best.x

    cost, at = np.inf, np.zeros(4)
    if before is not None:
        cost, at = best_of([_turned(before)])
    if cost > 0.0004 * len(marks):
        starts = [
            (x, y, yaw, -0.35) for x, y in _STARTS[marks[0][2]] for yaw in np.arange(8) * np.pi / 4
        ]
        ranked = sorted(starts, key=lambda s: float(np.abs(errors(np.array(s))).sum()))[:3]
        again = best_of(ranked)
        if again[0] < cost:
            cost, at = again
    return looking((at[0], at[1], EYE_M), at[2], at[3])


def _turned(pose: Pose) -> tuple[float, ...]:
    x, y, _ = pose.position
    forward = pose.rotation[:, 2]
    yaw = float(np.arctan2(forward[1], forward[0]))
    return float(x), float(y), yaw, float(np.arcsin(np.clip(forward[2], -1, 1)))


@cache
def _corners() -> dict[str, tuple[tuple[Point3, ...], str]]:
    """Corners of panels on walls as one sees them: top left, top right, bottom right, bottom left."""
    out: dict[str, tuple[tuple[Point3, ...], str]] = {}
    for panel in panels():
        if panel.facing[2]:
            continue
        fx, fy, _ = panel.facing
        # Whoever faces the wall has the side at (fy, -fx) x up to the right: forward is -facing.
        middle = np.add(panel.lo, panel.hi) / 2 + np.array(panel.facing) * 0.0075
        right, up = np.array([-fy, fx, 0.0]) * 0.26, np.array([0, 0, 0.25])
        ends = (middle - right + up, middle + right + up, middle + right - up, middle - right - up)
        out[f"panel:{panel.name}"] = (
            tuple((float(e[0]), float(e[1]), float(e[2])) for e in ends),
            panel.room,
        )
    return out


def _marks(found: dict[str, list[Patch]]) -> list[tuple[Point3, Point, str]]:
    """Corners of panels: place in the room, pixel, room; of the room that fills most of the view."""
    seen = [
        (*_corners()[n], held[0])
        for n, held in found.items()
        if n in _corners() and held[0].pixels >= 40
    ]
    size = {room: sum(p.pixels for _, its, p in seen if its == room) for room in _STARTS}
    room = max(size, key=lambda name: size[name])
    return [
        (at, pixel, room)
        for ends, its, p in seen
        if its == room
        for at, pixel in zip(ends, p.corners, strict=True)
        if pixel is not None
    ]


def on_plane(pose: Pose, camera: Camera, x: float, y: float, height_m: float) -> Point | None:
    """Where the ray of a pixel meets a height; None above the horizon."""
    ray = pose.rotation @ camera.rays(np.array([x, y]))
    down = height_m - pose.position[2]
    if abs(ray[2]) < 1e-3 or down / ray[2] < 0 or down / ray[2] > 8:
        return None
    at = pose.position + ray * (down / ray[2])
    return float(at[0]), float(at[1])
