"""Exploration, relative: in which direction the way to a goal out of view begins (EgoProx 3.1, 4.1).

The goal was in view earlier in the clip and is out of view at its end. The answer is the sector of
the first leg of the planned way: to the goal itself where nothing stands in between, else to the first
bend. Directions are offered about as often as they are right among the questions of a recording.

The paper asks whatever its planner finds. The reading `paper` does the same: it asks about ways of which
nothing was seen, keeps no margin to a sector's border, and limits no answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from assets.questions.egoprox.bins import Balance, Shown
from assets.questions.egoprox.ways import LIMITS, NEEDS, READS, RULES, Way, asked
from assets.questions.kit.builder import Tables
from assets.questions.kit.directions import NAMES, PATTERN, RING, turned
from assets.questions.kit.recipe import Option, Recipe, Row, template

RECIPE = Recipe("egoprox", "exploration_relative", 1, template(__file__, "exploration_relative.j2"))
MARGIN_DEG = 7.5
_WIDTH_DEG = 360.0 / RING


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions about ways to the goals of one recording or several.

    A way makes none if its goal cannot be named alone, was in no frame sent, or is in view or in the
    hand at the end; if less than 95 % of it was seen, it is shorter than 1 m or its first leg than 0.5 m;
    or if the first leg lies within 7.5 degrees of a sector's border.

    Args:
        tables: Rows of `recordings`, `spatial_facts`, `objects_3d` and `paths`.
        reading: Under `paper`, ask about every way whose goal is out of view.
    """
    recipe = RECIPE.under(reading)
    least_deg = 0.0 if recipe.as_paper else MARGIN_DEG

    def answer(way: Way) -> int | None:
        beside = (way.turn_deg + _WIDTH_DEG / 2) % _WIDTH_DEG
        return _sector(way) if min(beside, _WIDTH_DEG - beside) >= least_deg else None

    for _, found in asked(tables, recipe, answer):
        balance = Balance(map(_sector, found))
        for way in found:
            yield _question(recipe, way, balance)


def _question(recipe: Recipe, way: Way, balance: Balance) -> Row:
    truth = _sector(way)
    candidates = []
    for place in PATTERN:
        sectors = turned(PATTERN, truth - place, RING)
        lone = [s for s in sectors if not {(s + 1) % RING, (s - 1) % RING} & set(sectors)]
        looks = (*sectors, *("lone" if s in lone else "beside another" for s in sectors))
        right = "lone" if truth in lone else "beside another"
        candidates.append(Shown(tuple(sectors), looks, (right,)))
    identity = recipe.id(str(way.recording["source"]), *way.anchor)
    shown = balance.choose(candidates, identity).options
    return recipe.question(
        anchor=way.anchor,
        text=way.text,
        answer=Option(NAMES[truth], str(truth)),
        distractors=[Option(NAMES[s], str(s)) for s in shown if s != truth],
        media=[way.clip],
        evidence=way.evidence,
    )


def _sector(way: Way) -> int:
    return int((way.turn_deg + _WIDTH_DEG / 2) // _WIDTH_DEG) % RING


BUILDER = RECIPE.builder(
    questions,
    unit="recording",
    reads=READS,
    needs=NEEDS,
    limits=f"{LIMITS}, and whose first leg is {MARGIN_DEG:g} degrees from a border",
    rules=RULES,
)
