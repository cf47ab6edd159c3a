"""Every table of the platform, declared once."""

from expectations.schemas import (
    benchmark,
    derived,
    leakage,
    objects,
    platform,
    reviews,
    scene_graphs,
    sensors,
    skill,
    sources,
    statistics,
    task_sets,
    translations,
)
from expectations.schemas.core import Column, Rule, Table

_MODULES = (
    sources,
    sensors,
    objects,
    reviews,
    translations,
    derived,
    skill,
    leakage,
    task_sets,
    statistics,
    scene_graphs,
    benchmark,
    platform,
)
TABLES: dict[str, Table] = {table.name: table for module in _MODULES for table in module.TABLES}

__all__ = ["TABLES", "Column", "Rule", "Table"]
