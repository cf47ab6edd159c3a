"""Worlds that stand otherwise than ours: turned so that z is up, by what gravity says.

Aria Digital Twin's world is y up, that of the machine perception services (MPS) is z up; the
trajectory's gravity columns tell which, never the name of the dataset.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from assets.sources.reading.values import Malformed

_TILT = 0.01
"""Share of gravity that may point off its axis."""

Up = Literal["y", "z"]


@dataclass(frozen=True, slots=True)
class Turn:
    """Rotation from a file's world to ours (z up).

    Attributes:
        up: Axis that is up in the file.
    """

    up: Up

    def position(self, x: str, y: str, z: str, out: str = "t") -> list[pl.Expr]:
        """Columns `<out>x`, `<out>y`, `<out>z` of a position."""
        turned = (pl.col(x), pl.col(y), pl.col(z))
        if self.up == "y":
            # A quarter turn about x: what was up (y) becomes z, what was z becomes -y.
            turned = (pl.col(x), -pl.col(z), pl.col(y))
        return [e.alias(f"{out}{a}") for e, a in zip(turned, "xyz", strict=True)]

    def rotation(self, w: str, x: str, y: str, z: str) -> list[pl.Expr]:
        """Columns `qw` to `qz` of a unit quaternion whose left side is the world.

        The file's number is divided by its norm, where that is near one: other numbers stay, for
        the contract to refuse.
        """
        q = [pl.col(n) for n in (w, x, y, z)]
        if self.up == "y":
            # Hamilton product of (cos 45, sin 45, 0, 0) with q.
            h = float(np.sqrt(0.5))
            q = [h * (q[0] - q[1]), h * (q[1] + q[0]), h * (q[2] - q[3]), h * (q[3] + q[2])]
        norm = sum((e**2 for e in q), pl.lit(0.0)).sqrt()
        near = (norm - 1).abs() < 0.01
        return [
            pl.when(near).then(e / norm).otherwise(e).alias(f"q{a}")
            for e, a in zip(q, "wxyz", strict=True)
        ]


def turn_of(gravity: pl.DataFrame) -> Turn:
    """Turn that makes a world with this gravity stand upright.

    Args:
        gravity: Columns `gravity_x_world`, `gravity_y_world`, `gravity_z_world`, in m/s^2.

    Raises:
        Malformed: No row, or gravity along neither -y nor -z.
    """
    if gravity.is_empty():
        raise Malformed("no row tells where gravity points")
    values = gravity.select(f"gravity_{a}_world" for a in "xyz").to_numpy()
    mean = np.median(values, axis=0)
    norm = float(np.linalg.norm(mean))
    for at, up in ((1, "y"), (2, "z")):
        off = np.linalg.norm(np.delete(mean, at)) if norm else 1.0
        if norm and mean[at] < 0 and off <= _TILT * norm:
            return Turn(up)  # type: ignore[arg-type]
    raise Malformed(
        f"gravity {mean.round(3).tolist()} points along neither -y nor -z", mean.tolist()
    )
