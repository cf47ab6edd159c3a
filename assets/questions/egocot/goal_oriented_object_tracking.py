"""Goal-oriented object tracking: where a thing that was used for something ends up (EgoCoT-Bench 3.2.2, GOT).

The paper tracks "an object over time according to its functional role in the ongoing manipulation goal". The question
does not name the thing, only what it is used for (`function` of the scene graph: tool, container, or target of an
action) and when. After that the wearer puts it somewhere, and it is still there when the clip ends.

Options are four places of the same graph (`places`), among them the one where the thing was before, if that is known.

The evidence path is action, function, object, the action that puts it down, place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from assets.questions.egocot import wording
from assets.questions.egocot.places import (
    BESIDE_S,
    DISTRACTORS,
    LENGTHS_S,
    NEEDS_PLACES,
    PASSES,
    Located,
    Places,
)
from assets.questions.egocot.scene import (
    READS,
    SHORTEST_S,
    Action,
    name_shown,
    needs,
    node_option,
    scenes,
)
from assets.questions.kit import draw
from assets.questions.kit.builder import Tables
from assets.questions.kit.funnel import refuse
from assets.questions.kit.recipe import Clip, Option, Recipe, Row, template

RECIPE = Recipe(
    "egocot",
    "goal_oriented_object_tracking",
    1,
    template(__file__, "goal_oriented_object_tracking.j2"),
)
# What is put down is a target too, so that other functions are asked about first.
FUNCTIONS = ("tool", "container", "target")
_USED = {"tool": "uses as a tool", "container": "uses as a container", "target": "acts on"}
STILL_THERE, USED_BEFORE, OTHER_PLACES = (
    "put_down_and_still_there",
    "used_alone_before",
    "three_other_places",
)


class _Asked(NamedTuple):
    known: Places
    located: Located
    use: Action
    clip: Clip
    before: list[Mapping]
    """Where the thing was before, if that is known."""

    @property
    def anchor(self) -> tuple[str, ...]:
        edges = (self.located.edge["edge_id"], self.use.acts_on["edge_id"])
        return str(self.clip.recording["recording_id"]), *map(str, edges)


def questions(tables: Tables, reading: str) -> Iterator[Row]:  # noqa: ARG001
    """Questions about things that are used and put down in a source's recordings.

    Args:
        tables: Rows of `recordings`, `graph_nodes`, `graph_edges` and `boxes`.
        reading: Not used: the paper states no rule that differs.
    """
    candidates = [asked for known in map(Places, scenes(tables)) for asked in _askable(known)]
    names = sorted({name_shown(asked.located.place) for asked in candidates})
    yield from draw.balanced_rows(partial(_drawn, candidates), names, PASSES)


def _askable(known: Places) -> Iterator[_Asked]:
    """A thing that is put down, with the use of it before that is asked about."""
    uses = _uses(known)
    for located in known.known:
        if located.is_taken:
            continue
        put, end_s = located.action.acts_on, float(located.edge["start_s"]) + BESIDE_S
        clips = known.clips(float(put["start_s"]), end_s)
        ends = [clip for clip in clips if known.at(located.thing, clip.end_s) is located]
        if not ends:
            refuse(STILL_THERE)
            continue
        before = [
            (FUNCTIONS.index(use.acts_on["function"]), -use.acts_on["start_s"], use, clip)
            for use in uses
            if name_shown(use.thing) == located.name and use.acts_on["end_s"] <= put["start_s"]
            for clip in known.clips(float(use.acts_on["start_s"]), end_s)
            if clip.end_s == ends[0].end_s
        ]
        if not before:
            refuse(USED_BEFORE)
            continue
        *_, use, clip = min(before, key=lambda one: (*one[:2], str(one[2].acts_on["edge_id"])))
        places = [
            one.place
            for one in known.known
            if one.name == located.name
            and one.edge["start_s"] < located.edge["start_s"]
            and one.place is not located.place
        ]
        yield _Asked(known, located, use, clip, places[-1:])


def _uses(known: Places) -> list[Action]:
    """What the wearer uses for something, with nothing else used for the same meanwhile."""
    scene = known.scene
    does = {edge["to_node"]: edge for edge in reversed(scene.doing)}
    uses = [
        Action(
            does[edge["from_node"]],
            scene.nodes[edge["from_node"]],
            edge,
            scene.nodes[edge["to_node"]],
        )
        for edge in scene.edges
        if edge["function"] in FUNCTIONS
        and edge["from_node"] in does
        and edge["relation"] != "holds"
    ]
    return [
        one
        for one in uses
        if not any(
            other.acts_on["function"] == one.acts_on["function"]
            and other.acts_on["start_s"] < one.acts_on["end_s"]
            and other.acts_on["end_s"] > one.acts_on["start_s"]
            for other in uses
            if other is not one
        )
    ]


def _drawn(candidates: Sequence[_Asked], weights: Mapping[str, float]) -> Iterator[Row]:
    """Questions whose distractors are drawn by weight."""
    for asked in candidates:
        identity = RECIPE.id(str(asked.clip.recording["source"]), *asked.anchor)
        others = asked.known.others(asked.located, identity, weights, asked.before)
        others = others or asked.known.others(asked.located, identity, weights)
        if others is None:
            refuse(OTHER_PLACES)
        else:
            yield _question(asked, others)


def _question(asked: _Asked, others: list[Option]) -> Row:
    scene, located, use, start_s = asked.known.scene, asked.located, asked.use, asked.clip.start_s
    used, does = str(use.acts_on["edge_id"]), str(use.does["edge_id"])
    edge, place = str(located.edge["edge_id"]), f"graph_nodes:{located.place['node_id']}"
    shown_use = scene.told(use, start_s)
    return RECIPE.question(
        anchor=asked.anchor,
        text={
            "function": use.acts_on["function"],
            "used": _USED[use.acts_on["function"]],
            "used_from_s": shown_use["start_s"],
            "used_to_s": shown_use["end_s"],
            "action": name_shown(use.node),
            "done": wording.done(str(use.node["name"]), located.name, ()),
            "name": located.name,
            "put": scene.told(located.action, start_s),
            "words": located.words,
            "end_s": asked.clip.end_s - start_s,
        },
        answer=node_option(located.place),
        distractors=others,
        media=[asked.clip],
        evidence=[
            ("graph_edges", used, "use"),
            ("segments", str(use.acts_on["segment_id"]), "use"),
            ("graph_edges", does, "action"),
            *scene.evidence(located.action, 1),
            ("graph_edges", edge, "place"),
        ],
        steps=[
            [f"graph_edges:{used}", f"graph_edges:{does}"],
            scene.step(located.action),
            [f"graph_edges:{edge}"],
            [f"graph_edges:{edge}", place],
        ],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads=READS,
    needs=needs(SHORTEST_S - BESIDE_S, DISTRACTORS + 1, NEEDS_PLACES),
    rules=(STILL_THERE, USED_BEFORE, OTHER_PLACES),
    limits=(
        "a thing that the wearer uses as the only tool, container or target of an action and later puts somewhere, where"
        f" it is when the clip of at most {LENGTHS_S[-1]:g} s ends, and {DISTRACTORS} other places of the recording"
    ),
    paper=False,
)
