"""A simulated path that animals walk: four animals, what they turn to, and what they pass by."""

from __future__ import annotations

from resources.worlds.animal.egopet import write_egopet
from resources.worlds.animal.plan import plan_animals
from resources.worlds.animal.truth import Animals, AnimalSpec, Clip, Interaction

__all__ = [
    "AnimalSpec",
    "Animals",
    "Clip",
    "Interaction",
    "plan_animals",
    "write_egopet",
]
