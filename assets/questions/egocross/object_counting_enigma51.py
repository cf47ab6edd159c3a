"""Object counting at a workbench (EgoCross, Counting): how many kinds of things a clip shows.

The program is that of `object_counting`, in clips of 10 s. Kinds are what the reviewed list of the dataset tells
apart: all buttons are one, as the text says.

The reading `paper` asks in the words of the testbed, counts what any annotated picture shows, and draws other
numbers by hash.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from assets.questions.egocross.cells import Cell
from assets.questions.egocross.even import EVEN
from assets.questions.egocross.object_counting import IN_VIEW, SENT, kinds_in_view
from assets.questions.egocross.stretches import COVERED
from assets.questions.egocross.tools import REFINED_READS
from assets.questions.egocross.workbench import BOXES, NEEDS
from assets.questions.kit.builder import Tables
from assets.questions.kit.funnel import ENOUGH
from assets.questions.kit.recipe import Recipe, Row, template
from assets.questions.kit.wording import wording

RECIPE: Final = Recipe(
    "egocross",
    "object_counting",
    1,
    template(__file__, "object_counting_enigma51.j2"),
    name="object_counting_enigma51",
    released=wording(__file__, "released/object_counting.j2", "released_enigma51"),
)
LENGTHS_S: Final = (10.0,)
CELL: Final = Cell(
    dataset="ENIGMA-51",
    shortest_s=min(LENGTHS_S),
    longest_s=max(LENGTHS_S),
    answer_type="number of kinds",
    program="number of kinds of things in the annotated pictures of the clip",
    distractors="one to three more or fewer; each number and each rank about as often as it is right",
    coverage="all things in every picture sent and in 90 % of the seconds",
)


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of a source; arguments as of `object_counting.questions`."""
    yield from kinds_in_view(RECIPE.under(reading), tables, BOXES, LENGTHS_S)


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads=REFINED_READS,
    needs=NEEDS,
    limits=CELL.limits,
    rules=(COVERED, IN_VIEW, SENT, EVEN, ENOUGH),
)
