"""Rotations and directions for the derivations, written apart from the scene graphs' geometry.

Quaternions are `(w, x, y, z)`; `T_a_b` takes points of b into a. Worlds are metres, z up. Camera
frames have z forward.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

_UP = np.array([0.0, 0.0, 1.0])
Vector = np.ndarray


@dataclass(frozen=True, slots=True)
class Pose:
    """A rigid motion: rotation matrix and translation."""

    turn: Vector
    shift: Vector

    def __matmul__(self, other: Pose) -> Pose:
        """This motion after the other."""
        return Pose(self.turn @ other.turn, self.turn @ other.shift + self.shift)

    def at(self, point: Vector) -> Vector:
        """A point, moved."""
        return self.turn @ point + self.shift

    def back(self) -> Pose:
        """The opposite motion."""
        return Pose(self.turn.T, -self.turn.T @ self.shift)


def matrix(w: float, x: float, y: float, z: float) -> Vector:
    """Rotation matrix of a quaternion, column by column as images of the axes.

    Raises:
        ValueError: The quaternion is zero.
    """
    length = math.sqrt(w * w + x * x + y * y + z * z)
    if length < 1e-9:
        raise ValueError("quaternion 0 0 0 0 is not a rotation")
    w, x, y, z = w / length, x / length, y / length, z / length
    images = []
    # Numbers one by one: for three of them an array takes twenty times as long.
    for a, b, c in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        # v + 2 w (q x v) + 2 q x (q x v): the product q v q* without the product.
        p, q, r = y * c - z * b, z * a - x * c, x * b - y * a
        images.append(
            (
                a + 2.0 * (w * p + y * r - z * q),
                b + 2.0 * (w * q + z * p - x * r),
                c + 2.0 * (w * r + x * q - y * p),
            )
        )
    return np.array(images).T


def pose_of(row: Mapping[str, Any]) -> Pose:
    """Pose of a row with `tx..tz` and `qw..qz`."""
    turn = matrix(row["qw"], row["qx"], row["qy"], row["qz"])
    return Pose(turn, np.array([row["tx"], row["ty"], row["tz"]], dtype=float))


def box_centre(row: Mapping[str, Any]) -> Vector:
    """Centre of an `objects_3d` box in the world."""
    middle = np.array([(row[f"{a}_min_m"] + row[f"{a}_max_m"]) / 2 for a in "xyz"], dtype=float)
    return pose_of(row).at(middle)


def axis_from_vertical_deg(camera: Pose) -> float:
    """Angle between the camera's axis and the vertical, 0 to 90."""
    forward = camera.turn[:, 2]
    return math.degrees(math.acos(min(1.0, abs(float(forward @ _UP)))))


def bearing_deg(camera: Pose, point: Vector) -> float:
    """Bearing of a point in the ground plane: 0 ahead, right positive, in (-180, 180].

    Args:
        camera: T_world_camera.
        point: In the world.
    """
    forward = camera.turn[:, 2] - (camera.turn[:, 2] @ _UP) * _UP
    right = np.cross(forward, _UP)
    to = point - camera.shift
    angle = math.degrees(math.atan2(float(to @ right), float(to @ forward)))
    return 180.0 if angle == -180.0 else angle


def sector_and_margin(bearing: float) -> tuple[int, float]:
    """Sector of 45 degrees on the ring (0 front, clockwise), and degrees to its border."""
    turns = bearing / 45.0
    nearest = math.floor(turns + 0.5)
    return nearest % 8, 22.5 - abs(bearing - 45.0 * nearest)


def ray_distance_m(origin: Vector, direction: Vector, row: Mapping[str, Any]) -> float | None:
    """Distance along a ray to an object's box; None if it misses. 0 if it starts inside."""
    inside = pose_of(row).back()
    o, d = inside.at(origin), inside.turn @ direction
    near, far = 0.0, math.inf
    for i, a in enumerate("xyz"):
        low, high = float(row[f"{a}_min_m"]), float(row[f"{a}_max_m"])
        if abs(d[i]) < 1e-12:
            if not low <= o[i] <= high:
                return None
            continue
        first, second = sorted(((low - o[i]) / d[i], (high - o[i]) / d[i]))
        near, far = max(near, first), min(far, second)
    return near if near <= far else None


def distance_to_box_m(point: Vector, row: Mapping[str, Any]) -> float:
    """Distance of a point to an object's box; 0 inside."""
    p = pose_of(row).back().at(point)
    out = [
        max(float(row[f"{a}_min_m"]) - p[i], p[i] - float(row[f"{a}_max_m"]), 0.0)
        for i, a in enumerate("xyz")
    ]
    return math.hypot(*out)
