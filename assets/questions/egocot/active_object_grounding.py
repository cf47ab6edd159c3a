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
What kind of thing an option is must not tell the answer: see `_distractors`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from assets.questions.egocot.scene import (
    Action,
    Scene,
    box_at,
    name_shown,
    needs_actions,
    node_option,
)
from assets.questions.kit import draw
from assets.questions.kit.builder import Tables
from assets.questions.kit.names import are_confusable, is_thing
from assets.questions.kit.needs import EGO, rows_of
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Recipe, Row, template
from expectations.action_words import readable_name

RECIPE = Recipe(
    "egocot", "active_object_grounding", 2, template(__file__, "active_object_grounding.j2")
)
OPTIONS = 4
SAMPLING = "endpoints"
# Clips are 8 to 60 s and evidence lies within 30 s: the shortest that holds three distractors, else
# the longest with those of the 30 s after it.
SHORTEST_S = 8.0
NEAR_S = ((8.0, 0.0), (15.0, 0.0), (30.0, 0.0), (30.0, 30.0))
# A distractor is left alone for so long before and after the moment.
CLEAR_S = 2.0
# Another object acted on so near the moment makes the answer a matter of taste.
ALONE_S = 0.5
APART_S = 2.0
# What is asked depends on what may be offered, and that on what is asked: so often it is worked out.
PASSES = 5
Moment = tuple[float, Row | None, Action]
"""When an object is acted on, its box then, and the action."""


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
    roles = ("direct", "tool") if recipe.as_paper else ("direct",)
    contacts = {
        (row["recording_id"], row["segment_id"], row["box_id"])
        for row in tables["boxes"].filter(pl.col("moment") == "contact").iter_rows(named=True)
    }
    for recording in tables["recordings"].filter(pl.col("view") == "ego").iter_rows(named=True):
        uid = recording["recording_id"]
        nodes, edges = (
            tables[name].filter(pl.col("recording_id") == uid)
            for name in ("graph_nodes", "graph_edges")
        )
        scene = Scene(nodes, edges, roles)
        moments = sorted(
            (_moment(uid, action, contacts) for action in scene.actions),
            key=lambda moment: (moment[0], moment[2].acts_on["edge_id"]),
        )
        weights = {name_shown(action.thing): 1.0 for _, _, action in moments}
        rows: list[Row] = []
        for _ in range(PASSES):
            rows = list(_drawn(recipe, recording, scene, moments, weights))
            weights = draw.balanced(weights, rows)
        yield from rows


def _drawn(
    recipe: Recipe,
    recording: Mapping[str, Any],
    scene: Scene,
    moments: Sequence[Moment],
    weights: Mapping[str, float],
) -> Iterator[Row]:
    """Questions whose distractors are drawn by weight."""
    last_of: dict[str, float] = {}
    used: set[tuple[str, str]] = set()
    for moment in moments:
        t_s, _, action = moment
        name = str(action.thing["name"])
        segment = str(action.acts_on["segment_id"] or action.acts_on["edge_id"])
        part = (segment, str(action.acts_on["role"]))
        if part in used or t_s - last_of.get(name, float("-inf")) < APART_S:
            continue
        row = _question(recipe, recording, scene, moment, weights)
        if row is not None:
            used.add(part)
            last_of[name] = t_s
            yield row


def _moment(uid: str, action: Action, contacts: set[tuple[str, str, str]]) -> Moment:
    """The moment of an action: that of the box drawn for the contact, else its middle."""
    start_s, end_s = action.acts_on["start_s"], action.acts_on["end_s"]
    for box in action.thing["boxes"] or ():
        key = (uid, action.acts_on["segment_id"], box["box_id"])
        if key in contacts and start_s <= box["t_s"] <= end_s:
            return box["t_s"], box, action
    return (start_s + end_s) / 2, None, action


def _question(
    recipe: Recipe,
    recording: Mapping[str, Any],
    scene: Scene,
    moment: Moment,
    weights: Mapping[str, float],
) -> Row | None:
    t_s, box, action = moment
    name, edge = str(action.thing["name"]), action.acts_on
    limit = recording["duration_s"]
    at_once = {
        str(other.thing["name"])
        for other in scene.actions
        if other.acts_on["start_s"] <= t_s + ALONE_S and other.acts_on["end_s"] >= t_s - ALONE_S
    }
    if (
        not is_thing(name)
        or (at_once != {name} and not recipe.as_paper)
        or (limit is not None and t_s > limit)
    ):
        return None
    anchor = (str(recording["recording_id"]), str(edge["edge_id"]))
    drawn = _distractors(scene, name, t_s, recipe.id(str(recording["source"]), *anchor), weights)
    if drawn is None:
        return None
    length_s, others = drawn
    start_s = max(0.0, t_s - length_s)
    hands = scene.hands(action)
    parts = {str(node["node_id"]): node for _, node in hands}
    evidence = [("graph_edges", hand["edge_id"], "hand") for hand, _ in hands]
    evidence += [
        ("graph_edges", action.does["edge_id"], "action"),
        ("graph_edges", edge["edge_id"], "answer"),
    ]
    if box is not None:
        evidence.append(("boxes", box["box_id"], "answer"))
    if edge["segment_id"] is not None:
        evidence.append(("segments", edge["segment_id"], "answer"))
    steps = [
        [f"graph_edges:{hand['edge_id']}" for hand, _ in hands],
        [f"graph_edges:{action.does['edge_id']}", f"graph_nodes:{action.node['node_id']}"],
        [f"graph_edges:{edge['edge_id']}", f"graph_nodes:{action.thing['node_id']}"],
        [f"graph_nodes:{node['node_id']}" for node in others],
    ]
    return recipe.question(
        anchor=anchor,
        text={
            "t_s": t_s - start_s,
            "began_s": max(0.0, edge["start_s"] - start_s),
            "hands": [
                {"name": name_shown(node), "box": box_at(node, t_s)}
                for _, node in sorted(parts.items())
            ],
            "action": readable_name(str(action.node["name"])),
            "name": name_shown(action.thing),
            "role": edge["role"],
            "object_box": box,
            "clear_s": CLEAR_S,
            "left_alone": [name_shown(node) for node in others],
        },
        answer=node_option(action.thing),
        distractors=[node_option(node) for node in others],
        media=[Clip(recording, start_s, t_s, sampling=SAMPLING)],
        evidence=evidence,
        steps=[rows for rows in steps if rows],
    )


def _distractors(
    scene: Scene, name: str, t_s: float, identity: str, weights: Mapping[str, float]
) -> tuple[float, list[Mapping[str, Any]]] | None:
    """Length of the clip and three things near in time that are left alone, of other names.

    A distractor is the answer of other questions about the recording, and weights see to it that each
    thing is offered about as often as it is right: a tap that is turned once but always in view would
    else seldom be right, and who notices that needs no video. Where there are too few, other things that are acted on stand in,
    but never what is not: a table on which things are only put is never an answer.
    """
    if t_s < SHORTEST_S:
        return None
    used = scene.used(t_s - CLEAR_S, t_s + CLEAR_S)
    acted_on = {name_shown(action.thing) for action in scene.actions}
    for only in (weights, acted_on):
        for length_s, later_s in NEAR_S:
            possible = [
                node
                for node in scene.present(max(0.0, t_s - length_s), t_s + later_s)
                if is_thing(str(node["name"]))
                and node["name"] not in used
                and name_shown(node) in only
            ]
            possible.sort(
                key=lambda n: (
                    name_shown(n) not in weights,
                    draw.place(identity, n["name"], weights.get(name_shown(n), 1.0)),
                    n["node_id"],
                )
            )
            chosen: list[Mapping[str, Any]] = []
            for node in possible:
                taken = [name, *(str(other["name"]) for other in chosen)]
                if not any(are_confusable(str(node["name"]), other) for other in taken):
                    chosen.append(node)
            if len(chosen) >= OPTIONS - 1:
                return length_s, chosen[: OPTIONS - 1]
    return None


BUILDER = RECIPE.builder(
    questions,
    unit="recording",
    reads={
        "recordings": (*RECORDING_COLUMNS, "view"),
        "graph_nodes": None,
        "graph_edges": None,
        "boxes": ("recording_id", "box_id", "segment_id", "moment"),
    },
    needs=(
        EGO,
        rows_of("relations", "no relations: nothing says who does what to what"),
        needs_actions(SHORTEST_S, OPTIONS),
    ),
    limits=(
        f"one object acted on at a time, {SHORTEST_S:g} s or more before it, and {OPTIONS - 1} other"
        f" things within {NEAR_S[-1][0]:g} s that are left alone for {CLEAR_S:g} s around it"
    ),
)
