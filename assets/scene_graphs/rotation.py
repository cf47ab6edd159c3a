"""Unit quaternions (w first, Hamilton) and rigid poses, on numpy arrays.

`T_a_b` maps points of frame b into frame a; `T_a_b.then(T_b_c)` is `T_a_c`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def product(p: ArrayLike, q: ArrayLike) -> Array:
    """Hamilton product of quaternions, shapes (..., 4): first `q` turns, then `p`."""
    pw, px, py, pz = np.moveaxis(np.asarray(p, dtype=float), -1, 0)
    qw, qx, qy, qz = np.moveaxis(np.asarray(q, dtype=float), -1, 0)
    return np.stack(
        [
            pw * qw - px * qx - py * qy - pz * qz,
            pw * qx + px * qw + py * qz - pz * qy,
            pw * qy - px * qz + py * qw + pz * qx,
            pw * qz + px * qy - py * qx + pz * qw,
        ],
        axis=-1,
    )


def conjugate(q: ArrayLike) -> Array:
    """The turn back, shape (..., 4)."""
    return np.asarray(q, dtype=float) * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q: ArrayLike, points: ArrayLike) -> Array:
    """Points (..., 3) turned by quaternions (..., 4); both broadcast."""
    q, points = np.asarray(q, dtype=float), np.asarray(points, dtype=float)
    w, v = q[..., :1], q[..., 1:]
    cross = 2.0 * np.cross(v, points)
    return points + w * cross + np.cross(v, cross)


def matrix(q: ArrayLike) -> Array:
    """Rotation matrices, shape (..., 3, 3); columns are the turned axes."""
    q = np.asarray(q, dtype=float)
    return np.stack([rotate(q, axis) for axis in np.eye(3)], axis=-1)


def from_vector(vector: ArrayLike) -> Array:
    """Quaternion of a rotation vector (axis times angle in radians), shape (3,)."""
    vector = np.asarray(vector, dtype=float)
    angle = float(np.linalg.norm(vector))
    half = angle / 2
    # sin(x) / x near 0 is 1: no axis is needed there.
    scale = 0.5 * np.sinc(half / np.pi)
    return np.concatenate([[np.cos(half)], scale * vector])


def from_axes(y: ArrayLike, z: ArrayLike) -> Array:
    """Quaternion whose rotation puts the y and z axes on these unit vectors."""
    y, z = np.asarray(y, dtype=float), np.asarray(z, dtype=float)
    m = np.column_stack([np.cross(y, z), y, z])
    # Of the four ways to read a quaternion off a matrix, the one with the largest component.
    squares = np.array(
        [
            1 + m[0, 0] + m[1, 1] + m[2, 2],
            1 + m[0, 0] - m[1, 1] - m[2, 2],
            1 - m[0, 0] + m[1, 1] - m[2, 2],
            1 - m[0, 0] - m[1, 1] + m[2, 2],
        ]
    )
    wx, wy, wz = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    at = int(np.argmax(squares))
    root = float(np.sqrt(squares[at]))
    xy, xz, yz = m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1]
    rows = (
        (root * root, wx, wy, wz),
        (wx, root * root, xy, xz),
        (wy, xy, root * root, yz),
        (wz, xz, yz, root * root),
    )
    q = np.array(rows[at]) / (2 * root)
    return q / np.linalg.norm(q)


@dataclass(frozen=True, slots=True)
class Pose:
    """Rigid pose T_a_b, or an array of them.

    Attributes:
        t: Translation, shape (..., 3), metres.
        q: Unit quaternion, shape (..., 4), w first.
    """

    t: Array
    q: Array

    @classmethod
    def of(cls, t: ArrayLike, q: ArrayLike) -> Self:
        """A pose from lists; the quaternion is normalised."""
        q = np.asarray(q, dtype=float)
        return cls(np.asarray(t, dtype=float), q / np.linalg.norm(q, axis=-1, keepdims=True))

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Self:
        """The pose of a table's row: `tx` to `tz`, `qw` to `qz`."""
        return cls.of([row[f"t{a}"] for a in "xyz"], [row[f"q{a}"] for a in "wxyz"])

    @classmethod
    def identity(cls) -> Self:
        """No turn, no shift."""
        return cls(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))

    def then(self, inner: Pose) -> Pose:
        """T_a_c of T_a_b (this) and T_b_c."""
        return Pose(self.t + rotate(self.q, inner.t), product(self.q, inner.q))

    def inverse(self) -> Pose:
        """T_b_a."""
        back = conjugate(self.q)
        return Pose(-rotate(back, self.t), back)

    def apply(self, points: ArrayLike) -> Array:
        """Points of b in a, shape (..., 3)."""
        return self.t + rotate(self.q, points)

    def __getitem__(self, at: int | slice | NDArray[np.int64] | NDArray[np.bool_]) -> Pose:
        return Pose(self.t[at], self.q[at])
