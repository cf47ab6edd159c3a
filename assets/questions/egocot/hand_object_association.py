"""Hand-object association: which hand acts on which object now (EgoCoT-Bench 3.2.2, HOA).

The paper asks "which hand is interacting with which object". The moment is that of active object
grounding: the last of the clip. Options are both hands with each of two objects, so that neither the hand
alone nor the object alone tells the answer.

A hand that is not mentioned tells nothing unless hands are annotated: the action names exactly one hand,
and so does every other action of the wearer within half a second. Whatever the other hand may still hold,
because it was taken and not put down, is not an option.

The evidence path is hand, action, object. The second object takes part in the same graph near in time,
and nothing is done with it within 2 s of the moment. People use one hand more than the other: of each
recording as many questions are kept whose answer is the left hand as the right. The reading `paper`
keeps all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from assets.questions.egocot.scene import (
    CLEAR_S,
    NEAR_S,
    NEEDS_HANDS,
    READS,
    SHORTEST_S,
    Moment,
    Scene,
    name_shown,
    needs,
    scenes,
)
from assets.questions.kit import draw
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Apart
from assets.questions.kit.funnel import NEAR, refuse
from assets.questions.kit.names import is_thing
from assets.questions.kit.recipe import Clip, Option, Recipe, Row, template

RECIPE = Recipe(
    "egocot", "hand_object_association", 1, template(__file__, "hand_object_association.j2")
)
OTHER_SIDE = {"left": "right", "right": "left"}
THINGS = 2
# Another hand or object so near the moment makes the answer a matter of taste.
ALONE_S = 0.5
APART_S = 2.0
PASSES = 5
THING, ONE_HAND, ALONE, LONG_ENOUGH, LEFT_ALONE, EITHER_HAND = (
    "object_is_a_thing",
    "one_hand_annotated",
    "one_object_acted_on",
    "clip_is_long_enough",
    "another_left_alone",
    "either_hand_as_often",
)


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions about the actions of one recording or several.

    An action makes none if its object is part of the body, if another object or hand is acted on or
    with within half a second or no single hand is known, if less than 8 s come before, or if no other
    thing that is acted on too takes part within 30 s and is left alone then.

    Args:
        tables: Rows of `recordings`, `graph_nodes`, `graph_edges` and `boxes`.
        reading: Under `paper`, keep all questions whichever hand is right.
    """
    recipe = RECIPE.under(reading)
    for scene in scenes(tables):
        names = (name_shown(action.thing) for action in scene.actions)
        rows = draw.balanced_rows(partial(_drawn, recipe, scene), names, PASSES, _thing)
        yield from rows if recipe.as_paper else _as_many_of_each_hand(rows)


def _drawn(recipe: Recipe, scene: Scene, weights: Mapping[str, float]) -> Iterator[Row]:
    """Questions whose second objects are drawn by weight."""
    asked = Apart(APART_S)
    for moment in scene.moments:
        name = str(moment.action.thing["name"])
        if asked.is_near(name, moment.t_s):
            refuse(NEAR)
            continue
        row = _question(recipe, scene, moment, weights)
        if row is not None:
            asked.add(name, moment.t_s)
            yield row


def _question(
    recipe: Recipe, scene: Scene, moment: Moment, weights: Mapping[str, float]
) -> Row | None:
    t_s, thing = moment.t_s, moment.action.thing
    name = str(thing["name"])
    if not is_thing(name):
        return refuse(THING)
    side = scene.only_hand(t_s, ALONE_S)
    if side is None:
        return refuse(ONE_HAND)
    if scene.objects_at(t_s, ALONE_S) != {name}:
        return refuse(ALONE)
    if not scene.can_end_at(t_s):
        return refuse(LONG_ENOUGH)
    anchor = (str(scene.recording["recording_id"]), str(moment.action.acts_on["edge_id"]))
    identity = recipe.id(str(scene.recording["source"]), *anchor)
    drawn = scene.left_alone(name, t_s, identity, weights, 1, scene.may_be_held(t_s))
    if drawn is None:
        return refuse(LEFT_ALONE)
    length_s, (other,) = drawn
    clip = Clip(scene.recording, max(0.0, t_s - length_s), t_s, sampling="endpoints")
    path = scene.path(moment, clip.start_s)
    answer, *others = (
        Option(
            f"the {hand} hand on the {name_shown(node)}",
            f"{hand}|{node['node_id']}",
            evidence=(("graph_nodes", str(node["node_id"])),),
        )
        for node in (thing, other)
        for hand in (side, OTHER_SIDE[side])
    )
    told = {"side": side, "other_side": OTHER_SIDE[side], "other": name_shown(other)}
    return recipe.question(
        anchor=anchor,
        text={**path.text, **told, "alone_s": ALONE_S, "clear_s": CLEAR_S},
        answer=answer,
        distractors=others,
        media=[clip],
        evidence=path.evidence,
        steps=[
            *path.steps,
            [path.steps[-1][0], *(f"graph_nodes:{node['node_id']}" for node in (thing, other))],
        ],
    )


def _thing(text: str) -> str:
    """Name of the object in the text of an option."""
    return text.partition(" hand on the ")[2]


def _as_many_of_each_hand(rows: list[Row]) -> list[Row]:
    """As many questions whose answer is the left hand as the right."""
    return draw.as_many_of_each(
        rows,
        lambda row: row["question_id"],
        lambda _: None,
        lambda row: str(row["answer_text"]).split()[1],
        len(OTHER_SIDE),
        EITHER_HAND,
    )


BUILDER = RECIPE.builder(
    questions,
    unit="recording",
    reads=READS,
    needs=needs(
        SHORTEST_S,
        THINGS,
        NEEDS_HANDS,
    ),
    rules=(NEAR, THING, ONE_HAND, ALONE, LONG_ENOUGH, LEFT_ALONE, EITHER_HAND),
    limits=(
        f"one object acted on with one hand at a time, {SHORTEST_S:g} s or more before it, another"
        f" thing within {NEAR_S[-1][0]:g} s that is not in the other hand and left alone for"
        f" {CLEAR_S:g} s around it, and as many such moments of either hand"
    ),
    one_frame=True,
)
