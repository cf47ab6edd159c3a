"""Homes, things and cameras: where everything stands on the table and how it projects.

Table frame in metres: origin at the wearer's edge, x to the wearer's right, y away, z up. Cameras
are pinholes onto a canvas; the wearer's picture is a window that the head moves over its canvas (a
shift of the sensor: exact projection, and a background drawn once).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from resources.worlds.household.tasks import FALSE_FRIEND, script
from resources.worlds.household.things import HOMES, LOOKS, Look
from resources.worlds.household.truth import Recording
from resources.worlds.tools.chance import between, digest

Point = tuple[float, float, float]

_FIXED: Final[dict[str, tuple[float, float]]] = {
    "stove": (0.44, 0.36), "sink": (-0.46, 0.36), "faucet": (-0.46, 0.53), "cutting_board": (0.0, 0.21),
    "table": (0.02, 0.07), "tablet": (0.62, 0.12), "bowl": (-0.25, 0.22), "plate": (0.27, 0.16),
    "centrifuge": (0.45, 0.40), "scale": (0.30, 0.21), "rack": (-0.22, 0.40), "beaker": (-0.24, 0.18),
    "tip": (0.12, 0.42),
}  # fmt: skip
_FREE: Final[tuple[tuple[float, float], ...]] = (
    (-0.24, 0.55), (-0.12, 0.55), (0.0, 0.55), (0.12, 0.55), (0.24, 0.55), (-0.14, 0.43), (0.0, 0.43),
    (0.14, 0.43), (-0.64, 0.50), (-0.66, 0.30), (-0.62, 0.10), (-0.50, 0.12), (-0.38, 0.10),
    (0.38, 0.07), (0.50, 0.12), (0.66, 0.36), (0.64, 0.54), (0.24, 0.34), (-0.24, 0.38), (0.36, 0.58),
    (-0.34, 0.58),
)  # fmt: skip


def meaning(rec: Recording, noun: str) -> str:
    """The thing a noun stands for here: the false friend means a spice to the demonstrator."""
    friend = (rec.task, noun) == FALSE_FRIEND and rec.view == "exo"
    return "ground pepper" if friend else noun


def look(rec: Recording, noun: str) -> Look:
    """How the thing that a noun stands for here is drawn."""
    return LOOKS[meaning(rec, noun)]


def layout(rec: Recording) -> dict[str, Point]:
    """Where each thing of the task stands at first; every recording has its own order of places."""
    nouns = {n for s in script(rec.task) for a in s.actions for n in a.nouns}
    nouns |= {"sink", "faucet", "table"} | ({"stove"} if rec.scene == "kitchen" else set())
    nouns |= {"cutting_board"} if rec.scene == "kitchen" else set()
    free = sorted(_FREE, key=lambda spot: digest(rec.seed, rec.view, rec.index, "spot", spot))
    flip = -1.0 if HOMES[rec.home].mirrored else 1.0
    out: dict[str, Point] = {}
    for noun in sorted(nouns):
        x, y = _FIXED[noun] if noun in _FIXED else free.pop()
        wobble = 0.0 if noun in _FIXED else 0.012
        dx, dy = (between(-wobble, wobble, rec.uid, noun, axis) for axis in "xy")
        out[noun] = (flip * x + dx, y + dy, 0.0)
    return out


@dataclass(frozen=True)
class Camera:
    """A pinhole on a canvas.

    Attributes:
        centre: position in the table frame, metres.
        axes: rows are the camera's right, down and forward directions.
        focal_px: focal length in canvas pixels.
        width_px, height_px: canvas size; the principal point is its middle.
    """

    centre: tuple[float, float, float]
    axes: tuple[Point, Point, Point]
    focal_px: float
    width_px: int
    height_px: int

    def project(self, x: float, y: float, z: float) -> tuple[float, float, float]:
        """Canvas x and y in pixels, pixels per metre there; points behind are pushed in front."""
        dx, dy, dz = x - self.centre[0], y - self.centre[1], z - self.centre[2]
        r, d, f = (a[0] * dx + a[1] * dy + a[2] * dz for a in self.axes)
        scale = self.focal_px / max(f, 0.08)
        return self.width_px / 2 + r * scale, self.height_px / 2 + d * scale, scale


def _aim(centre: Point, target: Point) -> tuple[Point, Point, Point]:
    forward = np.subtract(target, centre)
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)

    def point(v: np.ndarray) -> Point:
        return float(v[0]), float(v[1]), float(v[2])

    return point(right), point(down), point(forward)


@cache
def camera(rec_key: tuple[str, int, str, str, int, int]) -> Camera:
    """Camera of a recording by `camera_key`."""
    seed, index, view, home, width, height = rec_key
    if view == "ego":
        unit_px = width / 272
        centre: Point = (between(-0.02, 0.02, seed, index, "head"), -0.10, 0.56)
        axes = _aim(centre, (0.0, 0.25, 0.0))
        return Camera(centre, axes, 190 * unit_px, round(500 * unit_px), round(430 * unit_px))
    unit_px = width / 320
    swing = between(-0.45, 0.45, seed, index, "swing", home)
    centre = (swing, 1.42, between(0.62, 0.80, seed, index, "tall"))
    return Camera(centre, _aim(centre, (0.0, 0.16, 0.12)), 304 * unit_px, width, height)


def camera_of(rec: Recording) -> Camera:
    """The recording's camera in its upright picture."""
    return camera((rec.seed, rec.index, rec.view, rec.home, rec.width_px, rec.height_px))
