"""Gate `single_frame`: a model that sees one frame of each clip does not find the answer."""

from __future__ import annotations

from collections.abc import Iterator

from expectations.gates.base import Derived, Finding, Gate, Question
from expectations.gates.guesses import Shortened
from expectations.gates.tables import EvidenceTables

NAME = "single_frame"
_FROM_ONE_FRAME = Shortened(
    NAME, "from one frame of each clip", "answered_from_one_frame", "not_answered_from_one_frame"
)


def _judge(question: Question, given: EvidenceTables, notes: Derived) -> Iterator[Finding]:  # noqa: ARG001
    yield from _FROM_ONE_FRAME.judge(question, given, question.letters)


GATE = Gate(
    name=NAME,
    about="Where time matters, a model that sees one frame of each clip does not find the answer.",
    judge=_judge,
    mandatory=False,
    asks=True,
)
