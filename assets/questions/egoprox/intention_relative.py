"""Intention, head, relative: in which direction the person must turn to see the goal (EgoProx 3.1).

Clips and instants are those of `intention`. The answer is the sector of the goal's bearing on the ground
plane, from the camera's position and forward axis in the last frame.

The direction is seen from above, as the paper's is: a goal that lies ahead below the picture is "front",
though no turn of the head to a side shows it. The options alone tell nothing of the answer
(`directions.option_sectors`), so that `chance` is one in five.
"""

from __future__ import annotations

from collections.abc import Iterator

from assets.questions.egoprox.goals import NEEDS, READS, sector_is_clear
from assets.questions.egoprox.intention import LIMITS, RULES, looks
from assets.questions.kit.builder import Tables
from assets.questions.kit.directions import NAMES, option_sectors
from assets.questions.kit.recipe import Option, Recipe, Row, template

RECIPE = Recipe("egoprox", "intention_relative", 2, template(__file__, "intention_relative.j2"))
MARGIN_DEG = 7.5


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions about the goals of one recording or several, 7.5 degrees or more from a sector's border.

    Args:
        tables: Rows of `recordings`, `spatial_facts` and `objects_3d`.
        reading: Under `paper`, ask after each time a goal left the view, whatever follows, without
            a margin.
    """
    recipe = RECIPE.under(reading)

    def is_clear(bearing: Row) -> bool:
        return recipe.as_paper or sector_is_clear(bearing, MARGIN_DEG)

    for look in looks(tables, is_clear, as_paper=recipe.as_paper):
        sector = int(look.bearing["sector"])
        sectors = option_sectors(sector, look.identity(recipe))
        yield recipe.question(
            anchor=look.anchor,
            text=look.text,
            answer=Option(NAMES[sector], str(sector)),
            distractors=[Option(NAMES[s], str(s)) for s in sectors if s != sector],
            media=look.media,
            evidence=look.evidence,
        )


BUILDER = RECIPE.builder(
    questions,
    unit="recording",
    reads=READS,
    needs=NEEDS,
    rules=RULES,
    limits=LIMITS.format(MARGIN_DEG),
)
