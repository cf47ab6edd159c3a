"""Intention, head, approximate: by how much and to which side the person must turn (EgoProx 3.1).

Clips and instants are those of `intention`. The answer is a bin of 30 degrees of the signed turn on the
ground plane, from the camera's forward axis in the last frame to the goal (`bins`). The five options lie
two bins or more apart, and each bin is offered about five times as often as it is right in a recording.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from assets.questions.egoprox.bins import (
    TURN_MARGIN_DEG,
    Balance,
    turn_bin,
    turn_is_clear,
    turn_options,
    turn_text,
    turn_value,
)
from assets.questions.egoprox.goals import NEEDS, READS, uncertainty
from assets.questions.egoprox.intention import LIMITS, RULES, Look, looks
from assets.questions.kit.builder import Tables
from assets.questions.kit.recipe import Option, Recipe, Row, template

RECIPE = Recipe(
    "egoprox", "intention_approximate", 1, template(__file__, "intention_approximate.j2")
)


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions about the goals of one recording or several, 3 degrees or more from the ends of a bin.

    Args:
        tables: Rows of `recordings`, `spatial_facts` and `objects_3d`.
        reading: Under `paper`, ask after each time a goal left the view, whatever follows, without
            a margin.
    """
    recipe = RECIPE.under(reading)
    of_recording: dict[str, list[Look]] = defaultdict(list)
    for look in looks(
        tables,
        lambda bearing: recipe.as_paper or turn_is_clear(bearing["value"], uncertainty(bearing)),
        as_paper=recipe.as_paper,
    ):
        of_recording[look.anchor[0]].append(look)
    for found in of_recording.values():
        balance = Balance(("turn", _turn(look)) for look in found)
        for look in sorted(found, key=lambda look: look.identity(recipe)):
            truth = _turn(look)
            turns = turn_options(truth, balance, look.identity(recipe))
            yield recipe.question(
                anchor=look.anchor,
                text=look.text,
                answer=_option(truth),
                distractors=[_option(turn) for turn in turns if turn != truth],
                media=look.media,
                evidence=look.evidence,
            )


def _turn(look: Look) -> int:
    return turn_bin(look.bearing["value"])


def _option(turn: int) -> Option:
    return Option(turn_text(turn), turn_value(turn))


BUILDER = RECIPE.builder(
    questions,
    unit="recording",
    reads=READS,
    needs=NEEDS,
    rules=RULES,
    limits=LIMITS.format(TURN_MARGIN_DEG),
)
