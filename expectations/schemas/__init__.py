"""Every table of the platform, declared once."""

from expectations.schemas import (
    domain_gap,
    frames,
    grounding,
    judged_scores,
    judgements,
    keysteps,
    labels,
    leakage,
    ledger,
    navigation,
    objects,
    pairs,
    parity,
    predictions,
    questions,
    reviews,
    scene_graphs,
    scores,
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
    frames,
    labels,
    pairs,
    skill,
    leakage,
    task_sets,
    statistics,
    scene_graphs,
    navigation,
    keysteps,
    questions,
    predictions,
    judgements,
    scores,
    judged_scores,
    grounding,
    parity,
    domain_gap,
    ledger,
)
TABLES: dict[str, Table] = {table.name: table for module in _MODULES for table in module.TABLES}

__all__ = ["TABLES", "Column", "Rule", "Table"]
