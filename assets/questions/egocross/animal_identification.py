"""Animal identification (EgoCross, Identification): which animal wears the camera.

The label of the recording is right. Clips show the middle of a recording, where no title stands; the
testbed's last as long as the recording, and so do those of the reading `paper`. Chance is 25 %.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from assets.questions.egocross.cells import Cell
from assets.questions.egocross.recording_labels import COLUMNS, RULES, questions_about
from assets.questions.kit.builder import Tables
from assets.questions.kit.needs import rows_where
from assets.questions.kit.recipe import Recipe, Row, template
from assets.questions.kit.wording import wording

RECIPE: Final = Recipe(
    "egocross",
    "animal_identification",
    1,
    template(__file__, "animal_identification.j2"),
    released=wording(__file__, "released/animal_identification.j2", "released_egopet"),
)
CELL: Final = Cell(
    dataset="EgoPet",
    shortest_s=4.0,
    longest_s=30.0,
    answer_type="animal",
    program="label of the recording",
    distractors="labels of other recordings, each about as often as it is right",
    coverage="the recording names its animal",
)


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of a source.

    Args:
        tables: Rows of `recordings` of a whole source.
        reading: Under `paper`, show recordings whole and draw other labels by hash.
    """
    yield from questions_about(RECIPE.under(reading), CELL, "species", tables, str.capitalize)


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads={"recordings": (*COLUMNS, "species")},
    needs=(
        rows_where(
            "recordings",
            ("species",),
            pl.col("species").is_not_null(),
            "no recording says which animal wears the camera",
        ),
    ),
    limits=CELL.limits,
    rules=RULES,
    one_frame=True,
)
