"""Next phase (EgoCross, Prediction): which phase of the operation comes after the one that a clip shows.

Clips show 8 to 30 s of a phase and end with its last picture, so that nothing of the next one is seen; the text
names neither. The phase that begins with the next annotated picture is right. The other options are other
phases of the source's vocabulary, the one that is shown among them; each is right about as often as chance, 25 %,
has it.

The reading `paper` asks in the words of the testbed, which name the phase that ends, and its clips show the
beginning of the next one (`answer_visible`). Other phases are drawn by hash.
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
    "egocross", "next_phase", 1, template(__file__, "next_phase.j2"), released=RELEASED
)
CELL: Final = next_phase_cell("CholecTrack20")
NAMES: Final = {
    "preparation": "Preparation",
    "calotTriangleDissection": "Calot triangle dissection",
    "clippingAndCutting": "Clipping and cutting",
    "gallbladderDissection": "Gallbladder dissection",
    "gallbladderPackaging": "Gallbladder packaging",
    "cleaningAndCoagulation": "Cleaning and coagulation",
    "gallbladderRetraction": "Gallbladder extraction",
}
"""Labels of phases, and how options name them; the gallbladder is drawn out of the body in the last one."""
# The testbed misspells one of them.
_MISSPELT: Final = {"calotTriangleDissection": "carlot triangle dissection"}
RELEASED_NAMES: Final = {label: name.lower() for label, name in NAMES.items()} | _MISSPELT


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of a source.

    Args:
        tables: Rows of `recordings` and `segments` of a whole source.
        reading: Under `paper`, show the beginning of the next phase and draw other phases by hash.
    """
    yield from phase_questions(RECIPE.under(reading), NAMES, RELEASED_NAMES, tables)


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads=READS,
    needs=(needs_phases(NAMES),),
    limits=LIMITS,
    rules=RULES,
    one_frame=True,
)
