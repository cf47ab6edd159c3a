"""Cameras of the flat: intrinsics, poses, projection and its inverse.

Camera axes: x right, y down, z forward, in the upright picture. World: metres, right-handed, z up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Model = Literal["fisheye", "pinhole"]


@dataclass(frozen=True)
class Pose:
    """A rigid pose `T_world_X`.

    Attributes:
        position: (3,) translation, metres.
        rotation: (3, 3), columns are X's axes in the world.
    """

    position: Floats
    rotation: Floats

    @property
    def quaternion(self) -> Floats:
        """(4,) unit quaternion qw, qx, qy, qz with qw >= 0."""
        return quaternion(self.rotation)

    def to_local(self, points: Floats) -> Floats:
        """World points (..., 3) in this frame."""
        return (points - self.position) @ self.rotation

    def to_world(self, points: Floats) -> Floats:
        """Points of this frame (..., 3) in the world."""
        return points @ self.rotation.T + self.position

    def compose(self, other: Pose) -> Pose:
        """`T_world_Y` from this `T_world_X` and the other as `T_X_Y`."""
        return Pose(self.to_world(other.position), self.rotation @ other.rotation)

    def inverse(self) -> Pose:
        """`T_X_world`."""
        return Pose(-self.position @ self.rotation, self.rotation.T)


def quaternion(rotation: Floats) -> Floats:
    """(4,) unit quaternion qw, qx, qy, qz of a rotation matrix, the larger parts computed first."""
    m = rotation
    four = np.array(
        [
            [1 + m[0, 0] + m[1, 1] + m[2, 2], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], 1 + m[0, 0] - m[1, 1] - m[2, 2], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
            [m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], 1 - m[0, 0] + m[1, 1] - m[2, 2], m[1, 2] + m[2, 1]],
            [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], 1 - m[0, 0] - m[1, 1] + m[2, 2]],
        ]
    )  # fmt: skip
    best = four[int(np.argmax(np.diag(four)))]
    best = best / np.linalg.norm(best)
    return best if best[0] >= 0 else -best


def rotation_of(quat: npt.ArrayLike) -> Floats:
    """Rotation matrix of a quaternion qw, qx, qy, qz (normalised here)."""
    w, x, y, z = np.asarray(quat, float) / np.linalg.norm(np.asarray(quat, float))
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def looking(position: npt.ArrayLike, yaw_rad: float, pitch_rad: float) -> Pose:
    """Pose of an unrolled camera; yaw counterclockwise from world x, pitch positive upwards."""
    cy, sy, cp, sp = np.cos(yaw_rad), np.sin(yaw_rad), np.cos(pitch_rad), np.sin(pitch_rad)
    # Columns right, down (forward x right) and forward, written out: this runs for every frame.
    rotation = np.array([[sy, cy * sp, cy * cp], [-cy, sy * sp, sy * cp], [0.0, -cp, sp]])
    return Pose(np.asarray(position, float), rotation)


def aimed(position: npt.ArrayLike, target: npt.ArrayLike) -> Pose:
    """Pose of an unrolled camera that looks at a point."""
    delta = np.asarray(target, float) - np.asarray(position, float)
    return looking(
        position,
        float(np.arctan2(delta[1], delta[0])),
        float(np.arctan2(delta[2], np.hypot(delta[0], delta[1]))),
    )


@dataclass(frozen=True)
class Camera:
    """Intrinsics of an upright picture; the principal point is in pixel centres (0 = first pixel).

    Attributes:
        name: `ego`, `ego2`, `cam01` .. `cam04` or `master`.
        model: `fisheye` (Kannala-Brandt with zero coefficients: r = f * theta) or `pinhole`.
        person_id: whose head carries it, "" for a fixed camera.
    """

    name: str
    model: Model
    width_px: int
    height_px: int
    focal_px: float
    person_id: str = ""

    @property
    def centre_px(self) -> tuple[float, float]:
        """Principal point x, y: the middle of the picture."""
        return (self.width_px - 1) / 2, (self.height_px - 1) / 2

    def project(self, points: Floats) -> Floats:
        """Camera-frame points (..., 3) to pixels (..., 2); only meaningful where z > 0."""
        x, y, z = points[..., 0], points[..., 1], points[..., 2]
        if self.model == "pinhole":
            scale = self.focal_px / np.maximum(z, 1e-6)
        else:
            rho = np.hypot(x, y)
            scale = self.focal_px * np.arctan2(rho, z) / np.maximum(rho, 1e-12)
        cx, cy = self.centre_px
        return np.stack([cx + x * scale, cy + y * scale], axis=-1)

    def rays(self, pixels: Floats) -> Floats:
        """Pixels (..., 2) to unit directions (..., 3) in the camera frame."""
        x = (pixels[..., 0] - self.centre_px[0]) / self.focal_px
        y = (pixels[..., 1] - self.centre_px[1]) / self.focal_px
        if self.model == "pinhole":
            out = np.stack([x, y, np.ones_like(x)], axis=-1)
            return out / np.linalg.norm(out, axis=-1, keepdims=True)
        theta = np.hypot(x, y)
        ratio = np.sinc(theta / np.pi)
        return np.stack([x * ratio, y * ratio, np.cos(theta)], axis=-1)
