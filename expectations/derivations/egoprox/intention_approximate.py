"""Right option of intention (approximate): the interval of the turn to a goal out of view (P9)."""

from __future__ import annotations

from expectations.derivations.directions import namesake_directions
from expectations.derivations.intentions import READS, intention_asked, note_wording
from expectations.derivations.intervals import arc_of, judge_turns
from expectations.gates.base import Derivation, Derived, Question
from expectations.gates.statements import Meaning
from expectations.gates.tables import EvidenceTables

_ASKS = (
    "Seen from above and relative to the person's viewpoint in the last frame, by how much and to which"
    " side does the person need to turn to look towards the {goal}?"
)


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    asked = intention_asked(question, 0.0, given, notes)
    turn = asked.direction.bearing_deg
    offered = [arc_of(option["text"]) for option in question.options]
    right = next((arc for arc in offered if arc and arc.margin_deg(turn) >= 0), None)
    said = Meaning(right, arc_of, f"the interval of {turn:.1f} deg")
    note_wording(question, asked, _ASKS, {"direction": said}, given, notes)
    namesakes = namesake_directions(question, asked.direction, given)
    judge_turns(question, turn, notes, namesakes=namesakes, off_deg=asked.direction.off_deg)


DERIVATION = Derivation(
    benchmark="egoprox",
    subtasks=("intention_approximate",),
    reads=READS,
    derive=_derive,
    recipes=("intention_approximate",),
    explained_in=("detailed_answer",),
)
