"""Simulated worlds: households made by code, whose truth is known, written as raw dataset files."""

from __future__ import annotations

from resources.worlds.clocks import Part, parts
from resources.worlds.egoexolearn import write_egoexolearn, write_recording
from resources.worlds.gaze import GazeTruth, true_gaze
from resources.worlds.plan import plan
from resources.worlds.truth import (
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
