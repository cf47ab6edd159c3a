"""State retrospection: in which states two things were at an earlier time (EgoCoT-Bench 3.2.2, SR).

The paper asks for "an object's earlier state". Earlier is three quarters of a second before an action of the wearer,
and 2 s or more before the end of the clip. Both things were acted on in the clip before that time; it ends three
quarters of a second after an action. At both times their states are known, and for half a second around them nothing
is done with either.

In one question of four both states are the same at the end, so that the last frame alone does not tell the answer.
See `states` for this and for the options.

The evidence path is hand, action, object, state, for each of the things, and their states at the end.
"""

from __future__ import annotations

from collections.abc import Iterator

from assets.questions.egocot import states
from assets.questions.egocot.scene import Action
from assets.questions.egocot.states import BESIDE_S, EITHER_STATE, TWO_KNOWN, Asked, States
from assets.questions.kit.builder import Tables
from assets.questions.kit.funnel import NEAR, refuse
from assets.questions.kit.recipe import Clip, Recipe, Row, template

RECIPE = Recipe("egocot", "state_retrospection", 1, template(__file__, "state_retrospection.j2"))
# The shortest in which anything can be asked.
LENGTHS_S = (8.0, 12.0, 16.0, 20.0, 25.0, 30.0)
# From the moment asked about to the end of the clip; texts round the moment.
EARLIER_S = 2.1
GOES_ON = "clip_goes_on"


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions about the moments before actions of a source's recordings.

    Args:
        tables: Rows of `recordings`, `graph_nodes`, `graph_edges` and `boxes`.
        reading: Under `paper`, keep all questions however often a combination of states is right, or is
            still so at the end.
    """
    yield from states.questions(RECIPE.under(reading), tables, _askable)


def _askable(known: States, action: Action) -> list[Asked]:
    """What can be asked of the moment before an action, for each end of the clip."""
    scene, t_s = known.scene, float(action.acts_on["start_s"]) - BESIDE_S
    ends = {float(later.acts_on["end_s"]) + BESIDE_S for later in scene.actions}
    ends = {
        end_s
        for end_s in ends
        if t_s + EARLIER_S <= end_s <= t_s + LENGTHS_S[-1] and scene.can_end_at(end_s)
    }
    if not ends:
        refuse(GOES_ON)
        return []
    asked = [one for end_s in sorted(ends) for one in _in_shortest(known, action, t_s, end_s)]
    if not asked:
        refuse(TWO_KNOWN)
    return asked


def _in_shortest(known: States, action: Action, t_s: float, end_s: float) -> list[Asked]:
    def in_clip(clip: Clip) -> list[Asked]:
        return [
            Asked(known.scene, t_s, clip.start_s, end_s, pair, action, at_end)
            for pair in known.pairs(clip.start_s, t_s)
            if (at_end := known.later(pair, clip.start_s, end_s))
        ]

    return known.scene.shortest_clip(end_s, LENGTHS_S, in_clip) or []


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads=states.READS,
    needs=states.NEEDS_TWO,
    rules=(GOES_ON, TWO_KNOWN, NEAR, EITHER_STATE),
    limits=(
        f"two things acted on in a clip of at most {LENGTHS_S[-1]:g} s whose states are known and have"
        f" opposites {EARLIER_S:g} s or more before its end, as many questions with each combination, and one"
        " of four in which they are still so at the end"
    ),
)
