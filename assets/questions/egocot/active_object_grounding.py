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

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from assets.pairs.choice import stable_hash
from assets.questions.egocot.scene import WEARER, Deed, Scene
from assets.questions.kit.builder import Need, Tables
from assets.questions.kit.names import is_thing, may_mean
from assets.questions.kit.needs import EGO, rows_of
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option, Recipe, Row, template
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
MOST_WEIGHT = 16.0
Moment = tuple[float, Row | None, Deed]
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
            (_moment(uid, deed, contacts) for deed in scene.deeds),
            key=lambda moment: (moment[0], moment[2].acts_on["edge_id"]),
        )
        weights = {_shown(deed.thing): 1.0 for _, _, deed in moments}
        rows: list[Row] = []
        for _ in range(PASSES):
            rows = list(_drawn(recipe, recording, scene, moments, weights))
            weights = _balanced(weights, rows)
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
        t_s, _, deed = moment
        name = str(deed.thing["name"])
        segment = str(deed.acts_on["segment_id"] or deed.acts_on["edge_id"])
        part = (segment, str(deed.acts_on["role"]))
        if part in used or t_s - last_of.get(name, float("-inf")) < APART_S:
            continue
        row = _question(recipe, recording, scene, moment, weights)
        if row is not None:
            used.add(part)
            last_of[name] = t_s
            yield row


def _balanced(weights: Mapping[str, float], rows: Sequence[Row]) -> dict[str, float]:
    """Weights of the things that are answers, raised for those that are too seldom distractors."""
    right = Counter(str(row["answer_text"]) for row in rows)
    shown = Counter(str(option["text"]) for row in rows for option in row["options"])
    raised = {
        name: weights[name] * ((OPTIONS - 1) * n + 1) / (shown[name] - n + 1)
        for name, n in right.items()
    }
    return {name: min(max(w, 1 / MOST_WEIGHT), MOST_WEIGHT) for name, w in raised.items()}


def _moment(uid: str, deed: Deed, contacts: set[tuple[str, str, str]]) -> Moment:
    """The moment of an action: that of the box drawn for the contact, else its middle."""
    start_s, end_s = deed.acts_on["start_s"], deed.acts_on["end_s"]
    for box in deed.thing["boxes"] or ():
        key = (uid, deed.acts_on["segment_id"], box["box_id"])
        if key in contacts and start_s <= box["t_s"] <= end_s:
            return box["t_s"], box, deed
    return (start_s + end_s) / 2, None, deed


def _question(
    recipe: Recipe,
    recording: Mapping[str, Any],
    scene: Scene,
    moment: Moment,
    weights: Mapping[str, float],
) -> Row | None:
    t_s, box, deed = moment
    name, edge = str(deed.thing["name"]), deed.acts_on
    limit = recording["duration_s"]
    at_once = {
        str(other.thing["name"])
        for other in scene.deeds
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
    hands = scene.hands(deed)
    parts = {str(node["node_id"]): node for _, node in hands}
    evidence = [("graph_edges", hand["edge_id"], "hand") for hand, _ in hands]
    evidence += [
        ("graph_edges", deed.does["edge_id"], "action"),
        ("graph_edges", edge["edge_id"], "answer"),
    ]
    if box is not None:
        evidence.append(("boxes", box["box_id"], "answer"))
    if edge["segment_id"] is not None:
        evidence.append(("segments", edge["segment_id"], "answer"))
    steps = [
        [f"graph_edges:{hand['edge_id']}" for hand, _ in hands],
        [f"graph_edges:{deed.does['edge_id']}", f"graph_nodes:{deed.action['node_id']}"],
        [f"graph_edges:{edge['edge_id']}", f"graph_nodes:{deed.thing['node_id']}"],
        [f"graph_nodes:{node['node_id']}" for node in others],
    ]
    return recipe.question(
        anchor=anchor,
        text={
            "t_s": t_s - start_s,
            "began_s": max(0.0, edge["start_s"] - start_s),
            "hands": [
                {"name": _shown(node), "box": _box_at(node, t_s)}
                for _, node in sorted(parts.items())
            ],
            "action": readable_name(str(deed.action["name"])),
            "name": _shown(deed.thing),
            "role": edge["role"],
            "object_box": box,
            "clear_s": CLEAR_S,
            "left_alone": [_shown(node) for node in others],
        },
        answer=_option(deed.thing),
        distractors=[_option(node) for node in others],
        media=[Clip(recording, start_s, t_s, sampling=SAMPLING)],
        evidence=evidence,
        steps=[rows for rows in steps if rows],
    )


def _option(node: Mapping[str, Any]) -> Option:
    return Option(_shown(node), node["node_id"], evidence=(("graph_nodes", node["node_id"]),))


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
    acted_on = {_shown(deed.thing) for deed in scene.deeds}
    for only in (weights, acted_on):
        for length_s, later_s in NEAR_S:
            possible = [
                node
                for node in scene.present(max(0.0, t_s - length_s), t_s + later_s)
                if is_thing(str(node["name"])) and node["name"] not in used and _shown(node) in only
            ]
            possible.sort(
                key=lambda n: (
                    _shown(n) not in weights,
                    _draw(identity, n["name"], weights.get(_shown(n), 1.0)),
                    n["node_id"],
                )
            )
            chosen: list[Mapping[str, Any]] = []
            for node in possible:
                taken = [name, *(str(other["name"]) for other in chosen)]
                if not any(_confusable(str(node["name"]), other) for other in taken):
                    chosen.append(node)
            if len(chosen) >= OPTIONS - 1:
                return length_s, chosen[: OPTIONS - 1]
    return None


def _draw(identity: str, name: str, weight: float) -> float:
    """Place in a draw by hash in which weights are chances (Efraimidis and Spirakis 2006)."""
    number = int(stable_hash("distractor", identity, name)[:13], 16)
    return -math.log((number + 0.5) / 16**13) / weight


def _confusable(one: str, other: str) -> bool:
    """Whether a viewer may take one name for the other ("mug", "red mug"; "cover", "cover lid")."""
    begins = one.startswith(other) or other.startswith(one)
    return begins or may_mean(one, other) or may_mean(other, one)


def _shown(node: Mapping[str, Any]) -> str:
    """Name of a node as it is read."""
    return readable_name(str(node["name"]))


def _box_at(node: Mapping[str, Any], t_s: float) -> Row | None:
    return next((box for box in node["boxes"] or () if box["t_s"] == t_s), None)


def _without_deeds(tables: Tables) -> str | None:
    """Why the graphs of a source hold nothing that the wearer does to an object."""
    nodes, edges = tables["graph_nodes"], tables["graph_edges"]
    ego = tables["recordings"].filter(pl.col("view") == "ego")
    edges = edges.join(ego, on="recording_id", how="semi")
    people = nodes.filter((pl.col("kind") == "person") & (pl.col("name") == WEARER))
    does = edges.filter(pl.col("relation") == "does")
    mine = does.join(people, left_on="from_node", right_on="node_id", how="semi")
    if does.is_empty():
        return "no scene graph of an ego recording says who does anything"
    if mine.is_empty():
        return "no action is the camera wearer's: the source does not say who wears the camera"
    direct = edges.filter((pl.col("relation") == "acts_on") & (pl.col("role") == "direct"))
    direct = direct.join(mine, left_on="from_node", right_on="to_node", how="semi")
    if direct.is_empty():
        return "no action of the camera wearer has a direct object"
    if direct.filter(pl.col("end_s") >= SHORTEST_S).is_empty():
        return f"nothing is acted on {SHORTEST_S:g} s or later"
    things = nodes.filter(pl.col("kind") == "object")
    named = things.group_by("recording_id").agg(pl.col("name").n_unique())
    most = int(named["name"].max() or 0)  # type: ignore[arg-type]
    return None if most >= OPTIONS else f"a recording names at most {most} things, {OPTIONS} needed"


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
        Need(
            {
                "recordings": ("recording_id", "view"),
                "graph_nodes": ("recording_id", "node_id", "kind", "name"),
                "graph_edges": (
                    "recording_id",
                    "from_node",
                    "relation",
                    "to_node",
                    "role",
                    "end_s",
                ),
            },
            _without_deeds,
        ),
    ),
    limits=(
        f"one object acted on at a time, {SHORTEST_S:g} s or more before it, and {OPTIONS - 1} other"
        f" things within {NEAR_S[-1][0]:g} s that are left alone for {CLEAR_S:g} s around it"
    ),
)
