"""Exploration, approximate: how far to a side the way to a goal begins, and how far it leads (EgoProx 3.1).

Ways and instants are those of `exploration_relative`. The answer is a bin of 30 degrees with a bin of distance
on the ground (`bins`): from the camera to the first bend, or to the goal where the way has none.

All five options have directions that lie two bins or more apart, so that the direction alone decides; their
distances are drawn from those of the recording's questions. First legs are mostly short: where distance alone
decided, whoever knows that would need no video.
"""

from __future__ import annotations

from collections.abc import Iterator

from assets.questions.egoprox.bins import (
    DISTANCE_MARGIN_SHARE,
    TURN_MARGIN_DEG,
    Balance,
    distance_bin,
    distance_margin_share,
    distance_text,
    turn_and_distance_options,
    turn_bin,
    turn_margin_deg,
    turn_text,
    turn_value,
)
from assets.questions.egoprox.ways import LIMITS, NEEDS, READS, RULES, Way, asked
from assets.questions.kit.builder import Tables
from assets.questions.kit.recipe import Option, Recipe, Row, template

RECIPE = Recipe(
    "egoprox", "exploration_approximate", 1, template(__file__, "exploration_approximate.j2")
)


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions about ways to the goals of one recording or several.

    A way makes none where `exploration_relative` has none for its goal and its sight, if its first leg lies
    within 3 degrees or a tenth of a bin of an edge, or is longer than the last bin.

    Args:
        tables: Rows of `recordings`, `spatial_facts`, `objects_3d` and `paths`.
        reading: Under `paper`, ask about every way whose goal is out of view.
    """
    recipe = RECIPE.under(reading)

    def answer(way: Way) -> int | None:
        known = distance_bin(way.distance_m) is not None
        return _turn(way) if known and (recipe.as_paper or _is_clear(way)) else None

    for _, found in asked(tables, recipe, answer):
        pairs = [(_turn(way), _distance(way)) for way in found]
        distances = sorted({distance for _, distance in pairs})
        balance = Balance(look for t, d in pairs for look in (("turn", t), ("distance", d)))
        for way, (turn, distance) in zip(found, pairs, strict=True):
            identity = recipe.id(str(way.recording["source"]), *way.anchor)
            shown = turn_and_distance_options(turn, distance, distances, balance, identity)
            right, *others = (_option(pair) for pair in shown)
            yield recipe.question(
                anchor=way.anchor,
                text=way.text,
                answer=right,
                distractors=others,
                media=[way.clip],
                evidence=way.evidence,
            )


def _is_clear(way: Way) -> bool:
    """Whether turn and distance lie far enough from the edges of their bins."""
    return (
        turn_margin_deg(way.turn_deg) >= TURN_MARGIN_DEG
        and distance_margin_share(way.distance_m) >= DISTANCE_MARGIN_SHARE
    )


def _turn(way: Way) -> int:
    return turn_bin(way.turn_deg)


def _distance(way: Way) -> int:
    number = distance_bin(way.distance_m)
    if number is None:
        raise ValueError(f"a first leg of {way.distance_m:g} m is longer than the last bin")
    return number


def _option(pair: tuple[int, int]) -> Option:
    turn, distance = pair
    return Option(
        f"{turn_text(turn)}, {distance_text(distance)}",
        f"{turn_value(turn)}, {distance_text(distance)}",
    )


BUILDER = RECIPE.builder(
    questions,
    unit="recording",
    reads=READS,
    needs=NEEDS,
    limits=(
        f"{LIMITS}, and whose first leg is {TURN_MARGIN_DEG:g} degrees and {DISTANCE_MARGIN_SHARE:.0%} of"
        " its bin from an edge"
    ),
    rules=RULES,
)
