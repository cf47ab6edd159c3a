"""Manipulation state perception: in which states two things are now (EgoCoT-Bench 3.2.2, MSP).

The paper asks for "the current manipulation-related state of the object". Current is the last moment of the
clip. It lies three quarters of a second after an action of the wearer on one of the two things; the other was
acted on earlier in the clip. Then and for half a second around it nothing is done with either, so that nothing is
half open.

The evidence path is hand, action, object, state, for each of the things. See `states` for the options.
"""

from __future__ import annotations

from collections.abc import Iterator

from assets.questions.egocot import states
from assets.questions.egocot.scene import Action
from assets.questions.egocot.states import (
    BESIDE_S,
    EITHER_STATE,
    LENGTHS_S,
    TWO_KNOWN,
    Asked,
    States,
)
from assets.questions.kit.builder import Tables
from assets.questions.kit.funnel import NEAR, refuse
from assets.questions.kit.recipe import Clip, Recipe, Row, template

RECIPE = Recipe(
    "egocot",
    "manipulation_state_perception",
    1,
    template(__file__, "manipulation_state_perception.j2"),
)
LONG_ENOUGH = "clip_is_long_enough"


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions about the moments after actions of a source's recordings.

    Args:
        tables: Rows of `recordings`, `graph_nodes`, `graph_edges` and `boxes`.
        reading: Under `paper`, keep all questions however often a combination of states is right.
    """
    yield from states.questions(RECIPE.under(reading), tables, _askable)


def _askable(known: States, action: Action) -> list[Asked]:
    """What can be asked after an action, in the shortest clip in which anything can be."""
    scene, t_s = known.scene, float(action.acts_on["end_s"]) + BESIDE_S
    if not scene.can_end_at(t_s):
        refuse(LONG_ENOUGH)
        return []

    def in_clip(clip: Clip) -> list[Asked]:
        return [
            Asked(scene, t_s, clip.start_s, t_s, pair, action)
            for pair in known.pairs(clip.start_s, t_s)
            if action in (held.action for held in pair)
        ]

    offers = scene.shortest_clip(t_s, LENGTHS_S, in_clip)
    if not offers:
        refuse(TWO_KNOWN)
    return offers or []


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads=states.READS,
    needs=states.NEEDS_TWO,
    rules=(LONG_ENOUGH, TWO_KNOWN, NEAR, EITHER_STATE),
    limits=(
        f"two things acted on within {LENGTHS_S[-1]:g} s whose states are known and have opposites, and"
        " as many questions with each combination of states"
    ),
    one_frame=True,
)
