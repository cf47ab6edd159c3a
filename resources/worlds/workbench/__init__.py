"""A simulated workbench seen from above: its plan, its pictures, its raw files in two layouts."""

from __future__ import annotations

from resources.worlds.workbench.enigma51 import write_enigma51
from resources.worlds.workbench.meccano import write_meccano
from resources.worlds.workbench.plan import plan_workbench
from resources.worlds.workbench.truth import Act, Bench, Event, Thing, Workbench, WorkbenchSpec

__all__ = [
    "Act",
    "Bench",
    "Event",
    "Thing",
    "Workbench",
    "WorkbenchSpec",
    "plan_workbench",
    "write_enigma51",
    "write_meccano",
]
