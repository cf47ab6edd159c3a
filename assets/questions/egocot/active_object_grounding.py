"""Active object grounding: what the wearer acts on now (EgoCoT-Bench 3.2.2, AOG).

The paper asks for "the object currently attended to, touched, or manipulated". Current is the last
moment of the clip: the clip ends at it, and its sampling rule sends it. The moment is the one whose
boxes the annotator drew for the contact, else the middle of the action; the question tells it in
seconds of the clip. Nothing is drawn on the pictures.

The paper's object is "attended to, touched, or manipulated". Here it is what an action is done to, and
the only one within half a second. The reading `paper` also asks about tools in use, and where several
objects are touched at once; then only one of them is an option.

The evidence path is hand, action, object. Options are things of the same graph that take part near
in time, in the clip where there are three, and with which nothing is done within 2 s of the moment.
What kind of thing an option is must not tell the answer: see `Scene.left_alone`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from assets.questions.egocot.scene import (
    CLEAR_S,
    NEAR_S,
    READS,
    SHORTEST_S,
    Moment,
    Scene,
    name_shown,
    needs,
    node_option,
    scenes,
)
from assets.questions.kit import draw
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Apart
from assets.questions.kit.funnel import NEAR, refuse
from assets.questions.kit.names import is_thing
from assets.questions.kit.recipe import Clip, Recipe, Row, template

RECIPE = Recipe(
    "egocot", "active_object_grounding", 2, template(__file__, "active_object_grounding.j2")
)
DISTRACTORS = 3
# Another object acted on so near the moment makes the answer a matter of taste.
ALONE_S = 0.5
APART_S = 2.0
PASSES = 5
ASKED, THING, ALONE, LONG_ENOUGH, LEFT_ALONE = (
    "action_not_asked_about",
    "object_is_a_thing",
    "one_object_acted_on",
    "clip_is_long_enough",
    "three_others_left_alone",
)


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions about the actions of one recording or several.

    An action makes none if its object is part of the body or not the only one acted on then, if
    less than 8 s come before, or if fewer than three other things that are acted on too take part
    within 30 s and are left alone then.

    Args:
        tables: Rows of `recordings`, `graph_nodes`, `graph_edges` and `boxes`.
        reading: Under `paper`, ask about tools in use too, and where several objects are touched
            at once.
    """
    recipe = RECIPE.under(reading)
    for scene in scenes(tables, ("direct", "tool") if recipe.as_paper else ("direct",)):
        names = (name_shown(action.thing) for action in scene.actions)
        yield from draw.balanced_rows(partial(_drawn, recipe, scene), names, PASSES)


def _drawn(recipe: Recipe, scene: Scene, weights: Mapping[str, float]) -> Iterator[Row]:
    """Questions whose distractors are drawn by weight."""
    asked = Apart(APART_S)
    parts: set[tuple[str, str]] = set()
    for moment in scene.moments:
        name = str(moment.action.thing["name"])
        if moment.part in parts:
            refuse(ASKED)
            continue
        if asked.is_near(name, moment.t_s):
            refuse(NEAR)
            continue
        row = _question(recipe, scene, moment, weights)
        if row is not None:
            parts.add(moment.part)
            asked.add(name, moment.t_s)
            yield row


def _question(
    recipe: Recipe, scene: Scene, moment: Moment, weights: Mapping[str, float]
) -> Row | None:
    t_s, thing = moment.t_s, moment.action.thing
    name = str(thing["name"])
    if not is_thing(name):
        return refuse(THING)
    if not recipe.as_paper and scene.objects_at(t_s, ALONE_S) != {name}:
        return refuse(ALONE)
    if not scene.can_end_at(t_s):
        return refuse(LONG_ENOUGH)
    anchor = (str(scene.recording["recording_id"]), str(moment.action.acts_on["edge_id"]))
    identity = recipe.id(str(scene.recording["source"]), *anchor)
    drawn = scene.left_alone(name, t_s, identity, weights, DISTRACTORS)
    if drawn is None:
        return refuse(LEFT_ALONE)
    length_s, others = drawn
    clip = Clip(scene.recording, max(0.0, t_s - length_s), t_s, sampling="endpoints")
    path = scene.path(moment, clip.start_s)
    return recipe.question(
        anchor=anchor,
        text={
            **path.text,
            "clear_s": CLEAR_S,
            "left_alone": [name_shown(node) for node in others],
        },
        answer=node_option(thing),
        distractors=[node_option(node) for node in others],
        media=[clip],
        evidence=path.evidence,
        steps=[*path.steps, [f"graph_nodes:{node['node_id']}" for node in others]],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="recording",
    reads=READS,
    needs=needs(SHORTEST_S, DISTRACTORS + 1),
    rules=(ASKED, NEAR, THING, ALONE, LONG_ENOUGH, LEFT_ALONE),
    limits=(
        f"one object acted on at a time, {SHORTEST_S:g} s or more before it, and {DISTRACTORS} other"
        f" things within {NEAR_S[-1][0]:g} s that are left alone for {CLEAR_S:g} s around it"
    ),
    one_frame=True,
)
