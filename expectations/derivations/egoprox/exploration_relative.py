"""Right option of exploration (relative): the sector in which the way to a goal out of view begins (P9).

The stored way is held against the boxes, against what the wearer saw, and against a search of its own; the
direction is computed from the camera pose composed here.
"""

from __future__ import annotations

from expectations.derivations.directions import check_neighbours
from expectations.derivations.explorations import READS, exploration_asked, note_wording
from expectations.derivations.geometry import sector_and_margin
from expectations.derivations.wording import options_said
from expectations.gates.base import Derivation, Derived, Margin, Question
from expectations.gates.statements import Meaning
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import SECTORS, sector_of

_MARGIN_DEG = 7.5
_ASKS = (
    "Seen from above and relative to the person's viewpoint in the last frame, in which direction does"
    " the person need to walk first to reach the {goal} without walking into anything?",
)


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    asked = exploration_asked(question, given, notes)
    turn = asked.leg.turn_deg
    sector, margin = sector_and_margin(turn)
    least_deg = 0.0 if question.as_paper else _MARGIN_DEG
    words = f"first leg {turn:.1f} to its border"
    notes.margins.append(Margin("sector_border", margin, least_deg, "deg", words))
    said = dict(options_said(question, notes, sector_of, "direction"))
    for letter, direction in said.items():
        why = f"the way begins at {turn:.1f} deg, {SECTORS[sector]}"
        notes.option(letter, direction == sector, why)
    check_neighbours(list(said.values()), sector, notes)
    meaning = Meaning(sector, sector_of, SECTORS[sector])
    note_wording(question, asked, _ASKS, meaning, given, notes)


DERIVATION = Derivation(
    benchmark="egoprox",
    subtasks=("exploration_relative",),
    reads=READS,
    derive=_derive,
    recipes=("exploration_relative",),
    explained_in=("detailed_answer",),
)
