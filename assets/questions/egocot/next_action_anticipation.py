"""Next action anticipation: what the wearer does next (EgoCoT-Bench 3.2.2, NAA).

The paper asks for "the operator's most likely next action". That is the one that is done: the first that begins after the
clip, which ends 1 s before it begins. No other begins until half a second later, and the clip does not
end with the same action on the same thing.

The other options are what the wearer does to things at other times of the recording, but not in the last 2 s of the clip
nor within 5 s after it. The things of all options take part in the clip, or are boxed in it. What was taken is mostly
put down next: across a source each verb is drawn about as often as it is right, and of the options with one verb
at most a third is right.

The evidence path is hand, action, object: of the last two actions that the clip shows from start to end, and of the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from assets.questions.egocot import upcoming, wording
from assets.questions.egocot.scene import (
    READS,
    SHORTEST_S,
    Action,
    Scene,
    name_shown,
    needs,
    scenes,
)
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
from assets.questions.kit.names import are_confusable, is_thing
from assets.questions.kit.recipe import Clip, Option, Recipe, Row, template
from expectations.word_kinds import verb_kinds

RECIPE = Recipe(
    "egocot", "next_action_anticipation", 1, template(__file__, "next_action_anticipation.j2")
)
# The same action on the same thing in the last seconds of the clip may be going on.
JUST_DONE_S = 2.0
THING, REPEATED, THREE_OTHERS, VERB_AS_OFTEN = (
    "object_is_a_thing",
    "another_action_than_before",
    "three_other_actions",
    "each_verb_as_often_as_offered",
)


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions about the actions of a source's recordings.

    An action makes none if its object is part of the body, if another begins in the second before it or the half
    second after, if it repeats what the clip ends with, if less than 8 s come before, or if the
    clip does not show an action from start to end and the things of it and of three other actions.

    Args:
        tables: Rows of `recordings`, `graph_nodes`, `graph_edges` and `boxes`.
        reading: Under `paper`, keep all questions however often a verb is right.
    """
    recipe = RECIPE.under(reading)
    found = list(scenes(tables))
    verbs = {_verb(_described(action)) for scene in found for action in scene.actions}
    drawn = partial(_drawn, recipe, found)
    yield from upcoming.as_often_as_offered(recipe, drawn, verbs, _verb, VERB_AS_OFTEN)


def _drawn(recipe: Recipe, found: Sequence[Scene], weights: Mapping[str, float]) -> Iterator[Row]:
    """Questions whose distractors are drawn by the weights of their verbs."""
    for scene in found:
        asked = Apart(APART_S)
        for action in scene.actions:
            begins_s = float(action.acts_on["start_s"])
            if asked.is_near(_described(action), begins_s):
                refuse(NEAR)
                continue
            row = _question(recipe, scene, action, begins_s - AHEAD_S, weights)
            if row is not None:
                asked.add(_described(action), begins_s)
                yield row


def _question(
    recipe: Recipe, scene: Scene, action: Action, end_s: float, weights: Mapping[str, float]
) -> Row | None:
    if not is_thing(str(action.thing["name"])):
        return refuse(THING)
    if not upcoming.begins_alone(scene, action, end_s):
        return refuse(ALONE)
    if _is_done(scene, action, end_s - JUST_DONE_S, end_s):
        return refuse(REPEATED)
    if not scene.can_end_at(end_s):
        return refuse(LONG_ENOUGH)
    anchor = (str(scene.recording["recording_id"]), str(action.acts_on["edge_id"]))
    identity = recipe.id(str(scene.recording["source"]), *anchor)

    def in_clip(clip: Clip) -> Row | None:
        before = scene.last_shown(clip.start_s, clip.end_s)
        others = _others(scene, action, clip, identity, weights)
        if not before or len(others) < DISTRACTORS:
            return None
        options = [_option(one) for one in (action, *others)]
        text = {"described": options[0].text}
        return upcoming.question(recipe, scene, anchor, clip, [*before, action], options, text)

    return scene.shortest_clip(end_s, LENGTHS_S, in_clip) or refuse(THREE_OTHERS)


def _others(
    scene: Scene, action: Action, clip: Clip, identity: str, weights: Mapping[str, float]
) -> list[Action]:
    """Other actions on things of the clip that are not done near its end, none like another."""
    present = {node["node_id"] for node in scene.present(clip.start_s, clip.end_s)}
    if action.thing["node_id"] not in present:
        return []
    possible = {
        _described(one): one
        for one in reversed(scene.actions)
        if one.thing["node_id"] in present and is_thing(str(one.thing["name"]))
    }

    def place(text: str) -> tuple[bool, float, str]:
        # A verb that is never right is offered where there is nothing else.
        verb = _verb(text)
        return verb not in weights, draw.place(identity, text, weights.get(verb, 1.0)), text

    chosen: list[Action] = []
    for text in sorted(possible, key=place):
        one = possible[text]
        if (
            len(chosen) < DISTRACTORS
            and not any(_are_alike(one, other) for other in (action, *chosen))
            and not _is_done(scene, one, clip.end_s - JUST_DONE_S, clip.end_s + HORIZON_S + CLEAR_S)
        ):
            chosen.append(one)
    return chosen


def _is_done(scene: Scene, action: Action, start_s: float, end_s: float) -> bool:
    """Whether something like an action is done in a span, ends included."""
    return any(
        _are_alike(action, other)
        for other in scene.actions
        if other.acts_on["start_s"] <= end_s and other.acts_on["end_s"] >= start_s
    )


def _are_alike(one: Action, other: Action) -> bool:
    """Whether a viewer may call both by one name: verbs of one kind or unknown, and names that may mean one thing."""
    verbs = [str(action.node["name"]) for action in (one, other)]
    kinds = [verb_kinds(verb) for verb in verbs]
    differ = all(kinds) and not kinds[0] & kinds[1]
    same = name_shown(one.node) == name_shown(other.node) or not differ
    return same and are_confusable(name_shown(one.thing), name_shown(other.thing))


def _described(action: Action) -> str:
    """An action as options read."""
    return wording.described(str(action.node["name"]), name_shown(action.thing))


def _verb(text: str) -> str:
    """Verb of an action as options read."""
    return text.partition(" the ")[0]


def _option(action: Action) -> Option:
    node = str(action.thing["node_id"])
    value = f"{name_shown(action.node)}|{node}"
    return Option(_described(action), value, evidence=(("graph_nodes", node),))


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads=READS,
    needs=needs(SHORTEST_S + AHEAD_S, 2),
    rules=(NEAR, THING, ALONE, REPEATED, LONG_ENOUGH, THREE_OTHERS, VERB_AS_OFTEN),
    limits=(
        f"an action that begins alone, {SHORTEST_S + AHEAD_S:g} s or later, and {DISTRACTORS} other actions on"
        f" things of the clip that are not done within {HORIZON_S:g} s after it"
    ),
)
