"""Bearings on the ground plane from a camera's forward axis, and the eight sectors.

Sectors lie on a ring: 0 front, then clockwise seen from above, 45 degrees each. A bearing is
positive to the right, in (-180, 180].
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assets.scene_graphs.rotation import Pose, rotate

STEEP_DEG = 20.0
"""A camera that looks closer to the vertical than this has no heading."""
NEAR_M = 0.1
"""Ground distance below which a thing lies under or over the camera, in no direction."""
SECTOR_DEG = 45.0
FORWARD = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, slots=True)
class Direction:
    """A bearing with its sector.

    Attributes:
        bearing_deg: Right positive, in (-180, 180].
        sector: 0 front, clockwise.
        margin_deg: Distance to the sector's nearer border.
    """

    bearing_deg: float
    sector: int
    margin_deg: float


def tilt_deg(world_camera: Pose) -> float:
    """Angle of the forward axis to the vertical, 0 (straight up or down) to 90."""
    up = abs(float(rotate(world_camera.q, FORWARD)[2]))
    return math.degrees(math.acos(min(up, 1.0)))


def direction(
    world_camera: Pose, point: np.ndarray, origin: np.ndarray | None = None
) -> Direction | None:
    """Direction of a point of the world, on the ground, relative to where the camera looks.

    Args:
        world_camera: T_world_camera (never a device's pose), world z up.
        point: Shape (3,), metres.
        origin: Point from which the direction is measured, shape (3,); the camera if None. From a
            thing's place to another it is the direction in which the thing is moved.

    Returns:
        None where the camera looks within 20 degrees of the vertical, or the point lies under or
        over the origin.
    """
    if tilt_deg(world_camera) < STEEP_DEG:
        return None
    fx, fy, _ = rotate(world_camera.q, FORWARD)
    start = world_camera.t if origin is None else np.asarray(origin, dtype=float)
    dx, dy = (np.asarray(point, dtype=float) - start)[:2]
    if math.hypot(dx, dy) < NEAR_M:
        return None
    # Right of a heading (fx, fy), seen from above, is (fy, -fx).
    return of_bearing(math.degrees(math.atan2(dx * fy - dy * fx, dx * fx + dy * fy)))


def of_bearing(bearing_deg: float) -> Direction:
    """A bearing in (-180, 180] with its sector and margin."""
    turned = -((-bearing_deg + 180.0) % 360.0 - 180.0)
    shifted = (turned + SECTOR_DEG / 2) % 360.0
    sector = int(shifted // SECTOR_DEG) % 8
    inside = shifted % SECTOR_DEG
    return Direction(turned, sector, min(inside, SECTOR_DEG - inside))
