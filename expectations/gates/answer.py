"""Gate `answer`: the option re-derived from the source tables is the one the key names."""

from __future__ import annotations

from collections.abc import Iterator

from expectations.gates.base import Derived, Finding, Gate, NumberedSequence, Question, listed
from expectations.gates.tables import EvidenceTables

NAME = "answer"


def _judge(question: Question, given: EvidenceTables, notes: Derived) -> Iterator[Finding]:  # noqa: ARG001
    if question.is_sequence:
        yield from _sequences(question, notes)
        return
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


def _sequences(question: Question, notes: Derived) -> Iterator[Finding]:
    """The valid sequences are those of the key: none is wrong, and none is left out."""
    if notes.sequences is None:
        yield Finding(NAME, "not_derived", notes.unknown or "no sequence was derived", "unknown")
        return
    stated = set(question.sequences)
    derived = listed([_shown(one) for one in sorted(notes.sequences)]) or "none"
    for wrong in sorted(stated - notes.sequences):
        message = f"{_shown(wrong)} is not a valid answer; derived: {derived}"
        yield Finding(NAME, "wrong_key", message)
    for missing in sorted(notes.sequences - stated):
        message = f"{_shown(missing)} is valid too, and the key does not have it"
        yield Finding(NAME, "incomplete_key", message)


def _shown(one: NumberedSequence) -> str:
    numbers, moves = one
    return f"[{', '.join(map(str, numbers))}] [{', '.join(moves)}]"


GATE = Gate(
    name=NAME,
    about="The answer, re-derived from the source tables, is the option the key names.",
    judge=_judge,
)
