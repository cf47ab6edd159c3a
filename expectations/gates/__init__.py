"""Question gates: whether one question may be published, judged by code the builders do not share.

A gate is a module with a `GATE`; what a subtask's answer is, re-derived from the source tables, is a
module with a `DERIVATION`. Both are found by scanning this package: to add one, add a module.
"""

from expectations.gates.base import (
    Checked,
    Derivation,
    Derived,
    Finding,
    Gate,
    Guesses,
    NotAsked,
    Question,
)
from expectations.gates.judging import judge, published, reads_of
from expectations.gates.tables import EvidenceTables

__all__ = [
    "Checked",
    "Derivation",
    "Derived",
    "EvidenceTables",
    "Finding",
    "Gate",
    "Guesses",
    "NotAsked",
    "Question",
    "judge",
    "published",
    "reads_of",
]
