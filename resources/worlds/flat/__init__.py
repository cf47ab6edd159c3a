"""A flat of two rooms in 3D: people who act in it, cameras that see it, and what is true."""

from __future__ import annotations

from resources.worlds.flat.camera import Camera, Pose, quaternion, rotation_of
from resources.worlds.flat.places import Panel, furniture, panels
from resources.worlds.flat.plan import plan_flat
from resources.worlds.flat.take import Box, Flat, Sight, Take
from resources.worlds.flat.things import KINDS, Kind
from resources.worlds.flat.truth import Action, Agent, Fixation, FlatSpec, Glance, Thing

__all__ = [
    "KINDS",
    "Action",
    "Agent",
    "Box",
    "Camera",
    "Fixation",
    "Flat",
    "FlatSpec",
    "Glance",
    "Kind",
    "Panel",
    "Pose",
    "Sight",
    "Take",
    "Thing",
    "furniture",
    "panels",
    "plan_flat",
    "quaternion",
    "rotation_of",
]
