"""Object not visible at a workbench (EgoCross, Identification): which of four things a clip never shows.

The program is that of `object_not_visible`, in clips of 10 s. Things count as the reviewed list of the dataset says:
a button is in view where any of them is.

The reading `paper` asks in the words of the testbed, and draws an absent thing and three that are boxed by hash.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from assets.questions.egocross.cells import Cell
from assets.questions.egocross.even import EVEN
from assets.questions.egocross.object_not_visible import ABSENT, IN_VIEW, not_visible
from assets.questions.egocross.stretches import COVERED
from assets.questions.egocross.tools import REFINED_READS
from assets.questions.egocross.workbench import BOXES, NEEDS
from assets.questions.kit.builder import Tables
from assets.questions.kit.funnel import ENOUGH
from assets.questions.kit.recipe import Recipe, Row, template
from assets.questions.kit.wording import wording

RECIPE: Final = Recipe(
    "egocross",
    "object_not_visible",
    1,
    template(__file__, "object_not_visible_enigma51.j2"),
    name="object_not_visible_enigma51",
    released=wording(__file__, "released/object_not_visible.j2", "released_enigma51"),
)
LENGTHS_S: Final = (10.0,)
CELL: Final = Cell(
    dataset="ENIGMA-51",
    shortest_s=min(LENGTHS_S),
    longest_s=max(LENGTHS_S),
    answer_type="kind of thing",
    program="thing that is boxed in no annotated picture of the clip",
    distractors="things boxed in two pictures sent, each about as often as it is right",
    coverage="all things in every picture sent and in 90 % of the seconds",
)


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of a source; arguments as of `object_not_visible.questions`."""
    yield from not_visible(RECIPE.under(reading), tables, BOXES, LENGTHS_S)


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads=REFINED_READS,
    needs=NEEDS,
    limits=CELL.limits,
    rules=(COVERED, IN_VIEW, ABSENT, EVEN, ENOUGH),
)
