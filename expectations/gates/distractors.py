"""Gate `distractors`: every other option is wrong by the same derivation."""

from __future__ import annotations

from collections.abc import Iterator

from expectations.gates.base import Derived, Finding, Gate, Question
from expectations.gates.tables import EvidenceTables

NAME = "distractors"


def _judge(question: Question, given: EvidenceTables, notes: Derived) -> Iterator[Finding]:  # noqa: ARG001
    if not notes.right:
        yield Finding(NAME, "not_derived", notes.unknown or "nothing was derived", "unknown")
        return
    for letter in question.choices:
        if letter in question.right_choices:
            continue
        why = notes.why.get(letter, notes.unknown)
        right = notes.right.get(letter)
        if right:
            yield Finding(NAME, "second_right", f"{question.called(letter)} is right too: {why}")
        elif right is None:
            yield Finding(NAME, "not_derived", f"{question.called(letter)}: {why}", "unknown")


GATE = Gate(
    name=NAME,
    about="Every other option is wrong by the derivation that finds the answer.",
    judge=_judge,
)
