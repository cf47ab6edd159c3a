"""Right option of exploration (approximate): intervals of the turn and of the first leg's length (P9)."""

from __future__ import annotations

from expectations.derivations.explorations import READS, exploration_asked, note_wording
from expectations.derivations.intervals import judge_turns_and_distances
from expectations.gates.base import Derivation, Derived, Question
from expectations.gates.tables import EvidenceTables

_SAME_LENGTH_M = 0.4
"""How much longer or shorter than the first leg of the shortest way the stored one's may be."""
_ASKS = (
    "Seen from above and relative to the person's viewpoint in the last frame, in which direction does"
    " the person need to walk first to reach the {goal} without walking into anything, and how far before"
    " the way bends or ends?",
)


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    asked = exploration_asked(question, given, notes)
    leg = asked.leg
    note_wording(question, asked, _ASKS, None, given, notes)
    judge_turns_and_distances(question, leg.turn_deg, leg.distance_m, notes)
    apart = abs(leg.distance_m - leg.shortest_m)
    if apart > _SAME_LENGTH_M:
        notes.refuse(
            "margin",
            "another_bend",
            f"the stored way bends after {leg.distance_m:.2f} m, the shortest after {leg.shortest_m:.2f} m",
            apart,
            _SAME_LENGTH_M,
        )


DERIVATION = Derivation(
    benchmark="egoprox",
    subtasks=("exploration_approximate",),
    reads=READS,
    derive=_derive,
    recipes=("exploration_approximate",),
    explained_in=("detailed_answer",),
)
