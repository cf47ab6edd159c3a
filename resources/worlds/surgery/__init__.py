"""A simulated operating table: its plan, its pictures, its raw files in two layouts."""

from __future__ import annotations

from resources.worlds.surgery.cholectrack20 import write_cholectrack20
from resources.worlds.surgery.egosurgery import write_egosurgery
from resources.worlds.surgery.plan import plan_surgery
from resources.worlds.surgery.truth import (
    Instrument,
    Phase,
    Seen,
    Surgery,
    SurgerySpec,
    Video,
)

__all__ = [
    "Instrument",
    "Phase",
    "Seen",
    "Surgery",
    "SurgerySpec",
    "Video",
    "plan_surgery",
    "write_cholectrack20",
    "write_egosurgery",
]
