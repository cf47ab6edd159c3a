"""Every table of the platform, declared once."""

from expectations.schemas import (
    benchmark,
    derived,
    objects,
    platform,
    scene_graphs,
    sensors,
    sources,
    task_sets,
)
from expectations.schemas.core import Column, Rule, Table

_MODULES = (sources, sensors, objects, derived, task_sets, scene_graphs, benchmark, platform)
TABLES: dict[str, Table] = {table.name: table for module in _MODULES for table in module.TABLES}

__all__ = ["TABLES", "Column", "Rule", "Table"]
