"""A simulated court with people, a ball and four calibrated cameras, in Ego-Exo4D's layout."""

from __future__ import annotations

from resources.worlds.court.egoexo4d import write_court
from resources.worlds.court.plan import plan_court
from resources.worlds.court.take import Court, Take
from resources.worlds.court.truth import LEVELS, CourtSpec, Deed, Player, Step

__all__ = [
    "LEVELS",
    "Court",
    "CourtSpec",
    "Deed",
    "Player",
    "Step",
    "Take",
    "plan_court",
    "write_court",
]
