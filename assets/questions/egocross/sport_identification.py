"""Sport identification (EgoCross, Identification): which sport is filmed.

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
    "sport_identification",
    1,
    template(__file__, "sport_identification.j2"),
    released=wording(__file__, "released/sport_identification.j2", "released_extremesportfpv"),
)
CELL: Final = Cell(
    dataset="ExtremeSportFPV",
    shortest_s=4.0,
    longest_s=10.0,
    answer_type="sport",
    program="label of the recording",
    distractors="labels of other recordings, each about as often as it is right",
    coverage="the recording names its sport",
)


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of a source.

    Args:
        tables: Rows of `recordings` of a whole source.
        reading: Under `paper`, show recordings whole and draw other labels by hash.
    """
    yield from questions_about(RECIPE.under(reading), CELL, "scenario", tables, str.title)


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads={"recordings": (*COLUMNS, "scenario")},
    needs=(
        rows_where(
            "recordings",
            ("scenario",),
            pl.col("scenario").is_not_null(),
            "no recording says which sport is filmed",
        ),
    ),
    limits=CELL.limits,
    rules=RULES,
    one_frame=True,
)
