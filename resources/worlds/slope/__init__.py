"""A simulated slope: four sports seen from the head, with curves, jumps and turns in the air."""

from __future__ import annotations

from resources.worlds.slope.extremesportfpv import write_extremesportfpv
from resources.worlds.slope.plan import plan_slope
from resources.worlds.slope.truth import Action, Run, Slope, SlopeSpec

__all__ = [
    "Action",
    "Run",
    "Slope",
    "SlopeSpec",
    "plan_slope",
    "write_extremesportfpv",
]
