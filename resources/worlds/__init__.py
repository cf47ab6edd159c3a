"""Simulated worlds: households made by code, whose truth is known, written as raw dataset files."""

from __future__ import annotations

from resources.worlds.household.clocks import Part, parts
from resources.worlds.household.egoexolearn import write_egoexolearn, write_recording
from resources.worlds.household.gaze import GazeTruth, true_gaze
from resources.worlds.household.plan import plan
from resources.worlds.household.truth import (
    Clock,
    CoarseStep,
    FineAction,
    HouseholdSpec,
    Performer,
    Recording,
    World,
)

__all__ = [
    "Clock",
    "CoarseStep",
    "FineAction",
    "GazeTruth",
    "HouseholdSpec",
    "Part",
    "Performer",
    "Recording",
    "World",
    "parts",
    "plan",
    "true_gaze",
    "write_egoexolearn",
    "write_recording",
]
