"""Next phase in open surgery (EgoCross, Prediction): the cell of EgoSurgery that the testbed does not ask.

As `next_phase`, with the phases of EgoSurgery: clips, options and both readings are the same. It is an extension:
`[benchmarks.egocross] extensions` must list it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from assets.questions.egocross.phases import (
    LIMITS,
    READS,
    RELEASED,
    RULES,
    needs_phases,
    next_phase_cell,
    phase_questions,
)
from assets.questions.kit.builder import Tables
from assets.questions.kit.recipe import Recipe, Row, template

RECIPE: Final = Recipe(
    "egocross",
    "next_phase",
    1,
    template(__file__, "next_phase_egosurgery.j2"),
    name="next_phase_egosurgery",
    released=RELEASED,
)
CELL: Final = next_phase_cell("EgoSurgery")
RELEASED_NAMES: Final = {
    x: x
    for x in (
        *("disinfection", "design", "anesthesia", "incision", "dissection"),
        *("hemostasis", "irrigation", "closure", "dressing"),
    )
}
NAMES: Final = {label: name.capitalize() for label, name in RELEASED_NAMES.items()}
"""Labels of phases, and how options name them."""


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of a source; arguments as of `next_phase.questions`."""
    yield from phase_questions(RECIPE.under(reading), NAMES, RELEASED_NAMES, tables)


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads=READS,
    needs=(needs_phases(NAMES),),
    limits=LIMITS,
    rules=RULES,
    one_frame=True,
    extension=True,
)
