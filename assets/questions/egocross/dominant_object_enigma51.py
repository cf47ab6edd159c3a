"""Dominant held object at a workbench (EgoCross, Identification): the thing that a hand is in contact with longest.

The program is that of `dominant_object`, in clips of 20 and 30 s. A hand holds a thing from the point at which it
meets it to the one at which it leaves it; pictures a second apart count. A clip with a point whose hand or thing
is not annotated is left out. Things count as the reviewed list of the dataset says: a button is a button.

The reading `paper` asks in the words of the testbed for the thing of most pictures, and draws others by hash.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from assets.questions.egocross.cells import Cell
from assets.questions.egocross.dominant_object import LEADS, LEADS_SENT, Dominant, dominant
from assets.questions.egocross.even import EVEN
from assets.questions.egocross.hand_actions import NAMED, hand_actions
from assets.questions.egocross.hand_actions import NEEDS as ACTED
from assets.questions.egocross.hand_actions import READS as ACTIONS
from assets.questions.egocross.stretches import COVERED
from assets.questions.egocross.tools import REFINED_READS
from assets.questions.egocross.workbench import BOXES, NEEDS, uses_by_points
from assets.questions.kit.builder import Tables
from assets.questions.kit.funnel import ENOUGH
from assets.questions.kit.recipe import Recipe, Row, template

RECIPE: Final = Recipe(
    "egocross",
    "dominant_object",
    1,
    template(__file__, "dominant_object_enigma51.j2"),
    name="dominant_object_enigma51",
)
LENGTHS_S: Final = (20.0, 30.0)
CELL: Final = Cell(
    dataset="ENIGMA-51",
    shortest_s=min(LENGTHS_S),
    longest_s=max(LENGTHS_S),
    answer_type="kind of thing",
    program="thing of most pictures, a second apart, in which the hand holds one",
    distractors="other things, each about as often as it is right for that hand",
    coverage="all things in every picture sent and in 90 % of the seconds; all interactions, with hand and object",
)


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of a source.

    Args:
        tables: Rows of `recordings`, `images`, `boxes`, `annotated_frames`, `taxonomies`, `segments` and
            `relations` of a whole source.
        reading: Under `paper`, ask for the thing of most pictures and draw others by hash.
    """
    uses = partial(uses_by_points, hand_actions(tables))
    yield from dominant(RECIPE.under(reading), tables, Dominant(BOXES, LENGTHS_S, uses))


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads={**REFINED_READS, **ACTIONS},
    needs=(*NEEDS, *ACTED),
    limits=CELL.limits,
    rules=(COVERED, NAMED, LEADS, LEADS_SENT, EVEN, ENOUGH),
)
