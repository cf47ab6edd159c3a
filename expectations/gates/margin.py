"""Gate `margin`: what was measured lies far enough from the border for people to agree."""

from __future__ import annotations

from collections.abc import Iterator

from expectations.gates.base import Derived, Finding, Gate, Question
from expectations.gates.tables import EvidenceTables

NAME = "margin"


def _judge(question: Question, given: EvidenceTables, notes: Derived) -> Iterator[Finding]:  # noqa: ARG001
    if notes.unknown and not notes.margins:
        yield Finding(NAME, "not_derived", notes.unknown, "unknown")
        return
    if not notes.margins and not notes.said_by(NAME):
        yield Finding(NAME, "no_border", "nothing here lies near a border", "pass")
        return
    for m in notes.margins:
        wide = m.value >= m.threshold
        words = f"{m.what}: {m.value:.3g} {m.unit}, at least {m.threshold:g} is asked"
        yield Finding(NAME, m.rule, words, "pass" if wide else "refuse", m.value, m.threshold)


GATE = Gate(
    name=NAME,
    about="Angles, cells and times lie far enough from a border for people to agree.",
    judge=_judge,
)
