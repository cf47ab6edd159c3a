"""Gate `blind`: a model that sees no video does not find the answer (EgoExoBench, blind filter)."""

from __future__ import annotations

from collections.abc import Iterator

from expectations.gates.base import Derived, Finding, Gate, Question
from expectations.gates.guesses import Shortened, asked_letters
from expectations.gates.tables import EvidenceTables

NAME = "blind"
_WITHOUT_VIDEO = Shortened(NAME, "without video", "answered_blind", "not_answered_blind")


def _judge(question: Question, given: EvidenceTables, notes: Derived) -> Iterator[Finding]:
    guesses = given.guesses.get(NAME, {}).get(str(question.row["question_hash"]))
    if guesses is None and notes.said_by(NAME):
        return  # a model was asked in words instead
    yield from _WITHOUT_VIDEO.judge(question, given, asked_letters(question.row))


GATE = Gate(
    name=NAME,
    about="A model that sees no video does not find the answer, in whatever order the options stand.",
    judge=_judge,
    mandatory=False,
    asks=True,
)
