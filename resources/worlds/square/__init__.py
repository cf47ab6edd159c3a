"""A simulated square with people walking: its plan, its pictures, its raw files in two layouts."""

from __future__ import annotations

from resources.worlds.square.cvmhat import refused_cvmhat, write_cvmhat
from resources.worlds.square.plan import plan_square
from resources.worlds.square.tf2023 import refused_tf2023, write_tf2023
from resources.worlds.square.truth import Square, SquareSpec, Take, Walker

__all__ = [
    "Square",
    "SquareSpec",
    "Take",
    "Walker",
    "plan_square",
    "refused_cvmhat",
    "refused_tf2023",
    "write_cvmhat",
    "write_tf2023",
]
