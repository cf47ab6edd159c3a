"""Next state anticipation: which state comes about next (EgoCoT-Bench 3.2.2, NSA).

The paper asks for "an object's most likely next state". That is the one that the wearer's next action leaves its object in,
within 5 s after the clip. The clip ends 1 s before that action begins, and no other begins until half a second later.

The other options are states that other things are ever in, but that do not begin in the last 2 s of the clip nor within
5 s after it. The things of all options take part in the clip, or are boxed in it. Things are put down more often than they
are switched on: across a source each state is drawn about as often as it is right, and of the options with
one state at most a third is right.

The evidence path is hand, action, object of the last two actions that the clip shows from start to end, and hand,
action, object, state of what comes next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from assets.questions.egocot import states, upcoming
from assets.questions.egocot.scene import SHORTEST_S, Action, name_shown, needs, scenes
from assets.questions.egocot.states import InState, States
from assets.questions.egocot.upcoming import (
    AHEAD_S,
    ALONE,
    APART_S,
    CLEAR_S,
    DISTRACTORS,
    HORIZON_S,
    LENGTHS_S,
    LONG_ENOUGH,
)
from assets.questions.kit import draw
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Apart
from assets.questions.kit.funnel import NEAR, refuse
from assets.questions.kit.names import distinct
from assets.questions.kit.recipe import Clip, Option, Recipe, Row, template

RECIPE = Recipe(
    "egocot", "next_state_anticipation", 1, template(__file__, "next_state_anticipation.j2")
)
# A state that began in the last seconds of the clip may seem to be coming about.
JUST_BEGUN_S = 2.0
LEAVES, THREE_OTHERS, STATE_AS_OFTEN = (
    "action_leaves_a_state",
    "three_other_states",
    "each_state_as_often_as_offered",
)


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions about what the next actions of a source's recordings leave behind.

    Args:
        tables: Rows of `recordings`, `graph_nodes`, `graph_edges` and `boxes`.
        reading: Under `paper`, keep all questions however often a state is right.
    """
    recipe = RECIPE.under(reading)
    found = [States(scene) for scene in scenes(tables)]
    named = {one.state for known in found for one in known.all()}
    drawn = partial(_drawn, recipe, found)
    yield from upcoming.as_often_as_offered(recipe, drawn, named, _state, STATE_AS_OFTEN)


def _drawn(recipe: Recipe, found: Sequence[States], weights: Mapping[str, float]) -> Iterator[Row]:
    """Questions whose distractors are drawn by the weights of their states."""
    for known in found:
        asked = Apart(APART_S)
        for action in known.scene.actions:
            end_s = float(action.acts_on["start_s"]) - AHEAD_S
            left = _left(known, action, end_s)
            if len(left) != 1:
                refuse(LEAVES)
                continue
            if asked.is_near(left[0].words, end_s):
                refuse(NEAR)
                continue
            row = _question(recipe, known, action, left[0], end_s, weights)
            if row is not None:
                asked.add(left[0].words, end_s)
                yield row


def _left(known: States, action: Action, end_s: float) -> list[InState]:
    """States that an action's object comes to be in with the action and is not in at the end of the clip."""
    mine = [one for one in known.all() if one.thing is action.thing]
    so = {one.state for one in mine if one.edge["start_s"] <= end_s <= one.edge["end_s"]}
    until_s = min(action.acts_on["end_s"], end_s + HORIZON_S)
    return [
        one
        for one in mine
        if action.acts_on["start_s"] <= one.edge["start_s"] <= until_s and one.state not in so
    ]


def _question(
    recipe: Recipe,
    known: States,
    action: Action,
    left: InState,
    end_s: float,
    weights: Mapping[str, float],
) -> Row | None:
    scene = known.scene
    if not upcoming.begins_alone(scene, action, end_s):
        return refuse(ALONE)
    if not scene.can_end_at(end_s):
        return refuse(LONG_ENOUGH)
    edges = (left.edge, action.acts_on)
    anchor = (str(scene.recording["recording_id"]), *(str(edge["edge_id"]) for edge in edges))
    identity = recipe.id(str(scene.recording["source"]), *anchor)

    def in_clip(clip: Clip) -> Row | None:
        before = scene.last_shown(clip.start_s, clip.end_s)
        others = _others(known, left, clip, identity, weights)
        if not before or len(others) < DISTRACTORS:
            return None
        options = [_option(one) for one in (left, *others)]
        text = {"comes_s": left.edge["start_s"] - clip.end_s, "so": options[0].text}
        path, states = [*before, action], [str(left.edge["edge_id"])]
        return upcoming.question(recipe, scene, anchor, clip, path, options, text, states)

    return scene.shortest_clip(end_s, LENGTHS_S, in_clip) or refuse(THREE_OTHERS)


def _others(
    known: States, left: InState, clip: Clip, identity: str, weights: Mapping[str, float]
) -> list[InState]:
    """States of three other things of the clip that do not begin near its end."""
    present = {node["node_id"] for node in known.scene.present(clip.start_s, clip.end_s)}
    if left.thing["node_id"] not in present:
        return []
    start_s, end_s = clip.end_s - JUST_BEGUN_S, clip.end_s + HORIZON_S + CLEAR_S
    begun = {one.words for one in known.all() if start_s <= one.edge["start_s"] <= end_s}
    possible = {
        one.words: one
        for one in known.all()
        if one.thing["node_id"] in present and one.words not in begun
    }

    def place(one: InState) -> tuple[bool, float, str]:
        # A state that is never right is offered where there is nothing else.
        drawn = draw.place(identity, one.words, weights.get(one.state, 1.0))
        return one.state not in weights, drawn, one.words

    ranked = sorted(possible.values(), key=place)
    return distinct(ranked, lambda one: one.name, name_shown(left.thing))[:DISTRACTORS]


def _state(text: str) -> str:
    """State that the text of an option names."""
    return text.rpartition(" is ")[2]


def _option(one: InState) -> Option:
    node = str(one.thing["node_id"])
    return Option(one.words, f"{node}={one.state}", evidence=(("graph_nodes", node),))


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads=states.READS,
    needs=needs(
        SHORTEST_S + AHEAD_S,
        DISTRACTORS + 1,
        states.NEEDS_STATES,
    ),
    rules=(LEAVES, NEAR, ALONE, LONG_ENOUGH, THREE_OTHERS, STATE_AS_OFTEN),
    limits=(
        f"an action that begins alone, {SHORTEST_S + AHEAD_S:g} s or later, and leaves a state with an opposite;"
        f" {DISTRACTORS} other things of the clip with states that do not begin within {HORIZON_S:g} s after it"
    ),
)
