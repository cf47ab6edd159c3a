"""Gate `answer`: the option re-derived from the source tables is the one the key names."""

from __future__ import annotations

from collections.abc import Iterator

from expectations.gates.base import Derived, Finding, Gate, Question, listed
from expectations.gates.tables import EvidenceTables

NAME = "answer"


def _judge(question: Question, given: EvidenceTables, notes: Derived) -> Iterator[Finding]:  # noqa: ARG001
    if question.answer not in notes.right:
        yield Finding(NAME, "not_derived", notes.unknown or "the key was not derived", "unknown")
        return
    right = [x for x, is_right in notes.right.items() if is_right]
    told = notes.right[question.answer]
    why = notes.why.get(question.answer, "")
    if told is None:
        yield Finding(NAME, "not_derived", f"option {question.answer}: {why}", "unknown")
    elif not told:
        derived = f"derived: {listed(right)}" if right else "no option is right"
        yield Finding(NAME, "wrong_key", f"option {question.answer} is wrong: {why}; {derived}")


GATE = Gate(
    name=NAME,
    about="The answer, re-derived from the source tables, is the option the key names.",
    judge=_judge,
)
