"""Right option of intention (relative): the sector of the goal's bearing when the clip ends (P9)."""

from __future__ import annotations

from expectations.derivations.directions import judge_directions
from expectations.derivations.intentions import READS, intention_asked, note_wording
from expectations.gates.base import Derivation, Derived, Question
from expectations.gates.tables import EvidenceTables

_MARGIN_DEG = 7.5
_ASKS = (
    "Seen from above and relative to the person's viewpoint in the last frame, in which direction does"
    " the person need to look to see the {goal}?"
)


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    least_deg = 0.0 if question.as_paper else _MARGIN_DEG
    asked = intention_asked(question, least_deg, given, notes)
    note_wording(question, asked, _ASKS, {}, given, notes)
    judge_directions(question, asked.direction, given, notes)


DERIVATION = Derivation(
    benchmark="egoprox",
    subtasks=("intention_relative",),
    reads=READS,
    derive=_derive,
    recipes=("intention_relative",),
    explained_in=("detailed_answer",),
)
