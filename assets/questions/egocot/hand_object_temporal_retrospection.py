"""Hand-object temporal retrospection: in which order hands acted on things (EgoCoT-Bench 3.2.2, HOTR).

The paper asks for "the temporal order of hand-object interactions". Here it is that in which
three things are first acted on in the clip; before that, nothing is done with them
there, and no hand may hold the second and third when the clip begins. The three actions
do not overlap and begin at least a second apart, and the clip shows all of each. It ends 2 s after the last,
so that its last frame seldom shows it.

Options are the four orders in which one of the things is not in the middle. Which one that is, the first
or the last, is drawn by hash, so that the right order is every one of the four equally often, whatever is
known of the options.

The evidence path is hand, action, object, three times.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from assets.pairs.choice import stable_hash
from assets.questions.egocot.scene import (
    READS,
    SHORTEST_S,
    Action,
    Scene,
    name_shown,
    needs,
    scenes,
)
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Apart
from assets.questions.kit.funnel import NEAR, refuse
from assets.questions.kit.names import distinct, is_thing
from assets.questions.kit.recipe import Clip, Option, Recipe, Row, template

RECIPE = Recipe(
    "egocot",
    "hand_object_temporal_retrospection",
    1,
    template(__file__, "hand_object_temporal_retrospection.j2"),
)
CONTACTS = 3
AFTER_S = 2.0
# The shortest clip that holds three; sixteen frames of a longer one may miss an action of a second.
LENGTHS_S = (8.0, 12.0, 16.0, 20.0)
BEGIN_APART_S = 1.0
APART_S = 4.0
THREE, LONG_ENOUGH = "three_things_in_turn", "clip_is_long_enough"


def questions(tables: Tables, reading: str) -> Iterator[Row]:  # noqa: ARG001
    """Questions about three actions in turn of one recording or several.

    Each action of the wearer is a candidate for the last of the three; the two nearest before it with
    which other things are first acted on are the others.

    Args:
        tables: Rows of `recordings`, `graph_nodes`, `graph_edges` and `boxes`.
        reading: Not used: the paper states no rule that differs.
    """
    for scene in scenes(tables):
        asked = Apart(APART_S)
        for last in scene.actions:
            at_s = float(last.acts_on["start_s"])
            if asked.is_near("order", at_s):
                refuse(NEAR)
                continue
            row = _question(scene, last)
            if row is not None:
                asked.add("order", at_s)
                yield row


def _question(scene: Scene, last: Action) -> Row | None:
    end_s = float(last.acts_on["end_s"]) + AFTER_S
    if not scene.can_end_at(end_s):
        return refuse(LONG_ENOUGH)
    for length_s in LENGTHS_S:
        start_s = max(0.0, end_s - length_s)
        contacts = _in_turn(scene, start_s, last)
        if len(contacts) == CONTACTS:
            break
    else:
        return refuse(THREE)
    things = [contact.thing for contact in contacts]
    anchor = (
        str(scene.recording["recording_id"]),
        *(str(contact.acts_on["edge_id"]) for contact in contacts),
    )
    identity = RECIPE.id(str(scene.recording["source"]), *anchor)
    # The thing that is in the middle of no option.
    outer = things[0 if int(stable_hash("outer", identity)[:8], 16) % 2 else -1]
    answer, *others = (
        _option(order)
        for order in permutations(things)  # the first is as given
        if order[1] is not outer
    )
    return RECIPE.question(
        anchor=anchor,
        text={
            "things": _listed(sorted(name_shown(thing) for thing in things)),
            "contacts": [scene.told(contact, start_s) for contact in contacts],
            "order": answer.text,
        },
        answer=answer,
        distractors=others,
        media=[Clip(scene.recording, start_s, end_s, sampling="endpoints")],
        evidence=[
            row for n, contact in enumerate(contacts, 1) for row in scene.evidence(contact, n)
        ],
        steps=[
            *(scene.step(contact) for contact in contacts),
            [f"graph_nodes:{thing['node_id']}" for thing in things],
        ],
    )


def _in_turn(scene: Scene, start_s: float, last: Action) -> list[Action]:
    """The action and the two nearest before it with which things are first acted on from a time on."""
    found: list[Action] = []
    held = scene.may_be_held(start_s)  # only the first may be: holding it comes first too
    for action in reversed(scene.actions[: scene.actions.index(last) + 1]):
        begins, name = float(action.acts_on["start_s"]), str(action.thing["name"])
        names = [name, *(str(one.thing["name"]) for one in found)]
        after = found[0].acts_on["start_s"] if found else math.inf
        if (
            len(found) < CONTACTS
            and begins >= start_s
            and action.acts_on["end_s"] <= after
            and begins <= after - BEGIN_APART_S
            and is_thing(name)
            and len(distinct(names, str)) == len(names)
            and (len(found) == CONTACTS - 1 or name not in held)
            and name not in scene.used(start_s, math.nextafter(begins, 0.0))
        ):
            found.insert(0, action)
        elif not found:
            return []
    return found


def _listed(names: Sequence[str]) -> str:
    *others, last = (f"the {name}" for name in names)
    return f"{', '.join(others)} and {last}"


def _option(order: Sequence[Mapping[str, Any]]) -> Option:
    ids = [str(node["node_id"]) for node in order]
    return Option(
        ", then ".join(f"the {name_shown(node)}" for node in order),
        " > ".join(ids),
        evidence=tuple(("graph_nodes", node_id) for node_id in ids),
    )


BUILDER = RECIPE.builder(
    questions,
    unit="recording",
    reads=READS,
    needs=needs(SHORTEST_S - AFTER_S, CONTACTS),
    rules=(NEAR, LONG_ENOUGH, THREE),
    limits=(
        f"{CONTACTS} things first acted on in turn within {LENGTHS_S[-1]:g} s, {BEGIN_APART_S:g} s or more"
        " apart"
    ),
    paper=False,
)
