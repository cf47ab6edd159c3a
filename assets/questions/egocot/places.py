"""Where things are in the scene graph of a recording, for questions about places.

A place is known where an edge `located` says so. It must have a name that no other thing of the recording has, as the
thing must, and the wearer must be the one who puts the thing there or takes it away. What is only near a place is
left out: a thing is near many.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.questions.egocot.scene import Action, Scene, name_shown, node_option
from assets.questions.kit import draw
from assets.questions.kit.builder import Need, Tables
from assets.questions.kit.names import distinct, is_thing
from assets.questions.kit.recipe import Clip, Option
from expectations.word_kinds import verb_kinds

LENGTHS_S = (8.0, 12.0, 16.0, 20.0, 25.0, 30.0)
"""Lengths of clips; evidence lies within 30 s."""
SETTLED_S = 0.5
"""For so long around a moment nothing may be done with a thing."""
BESIDE_S = 0.75
"""So long after an action it is asked what it left behind."""
DISTRACTORS = 3
_PLACES = ("location", "container", "source", "target")
PASSES = 5
"""How often distractors are drawn until their weights are balanced."""
MOST_RIGHT = 0.4
"""Of the options that name a place at most this share is right."""


@dataclass(frozen=True, slots=True)
class Located:
    """A thing at a place.

    Attributes:
        edge: Edge from the thing to the place.
        thing: Node of the thing.
        place: Node of the place.
        action: What the wearer does: puts it there, or takes it from there.
    """

    edge: Mapping[str, Any]
    thing: Mapping[str, Any]
    place: Mapping[str, Any]
    action: Action

    @property
    def name(self) -> str:
        """Name of the thing as it is read."""
        return name_shown(self.thing)

    @property
    def is_taken(self) -> bool:
        """Whether only a taking tells of the place, and of its first moment alone."""
        return self.edge["caused_by"] is None

    @property
    def words(self) -> str:
        """Where the thing is, as texts read."""
        return f"{self.edge['preposition']} the {name_shown(self.place)}"

    def holds(self, t_s: float) -> bool:
        """Whether the thing is there at a time, and for a while before and after."""
        return self.edge["start_s"] + SETTLED_S <= t_s <= self.edge["end_s"] - SETTLED_S


class Places:
    """Places of the things of one recording that can be asked about.

    Attributes:
        scene: The scene graph.
        known: Things at places, in time order.
        covered_s: End of the last action that is annotated.
    """

    def __init__(self, scene: Scene) -> None:
        """Index the places of a recording."""
        self.scene = scene
        named = Counter(name_shown(n) for n in scene.nodes.values() if n["kind"] == "object")
        self._named_once = {name for name, n in named.items() if n == 1 and is_thing(name)}
        actions = {(a.acts_on["segment_id"], name_shown(a.thing)): a for a in scene.actions}
        self._edges = [edge for edge in scene.edges if edge["relation"] == "located"]
        places = Counter((edge["segment_id"], edge["from_node"]) for edge in self._edges)
        self.known: list[Located] = []
        for edge in self._edges:
            thing, place = (scene.nodes[edge[end]] for end in ("from_node", "to_node"))
            action = actions.get((edge["segment_id"], name_shown(thing)))
            names = {name_shown(thing), name_shown(place)}
            one = places[edge["segment_id"], edge["from_node"]] == 1
            if action and one and edge["preposition"] != "near" and names <= self._named_once:
                self.known.append(Located(edge, thing, place, action))
        self.covered_s = max((float(edge["end_s"]) for edge in scene.doing), default=0.0)
        self._at: dict[str, set[str]] = defaultdict(set)
        for edge in self._edges:
            self._at[edge["from_node"]].add(edge["to_node"])
        ends = {edge["to_node"] for edge in scene.edges if edge["role"] in _PLACES}
        self._places = [
            node
            for node in map(scene.nodes.__getitem__, sorted(ends))
            if node["kind"] == "object" and name_shown(node) in self._named_once
        ]

    def at(self, thing: Mapping[str, Any], t_s: float) -> Located | None:
        """Where a thing is at a time; None if that is not known, or it is at two places at once."""
        name = name_shown(thing)
        if str(thing["name"]) in self.scene.used(t_s - SETTLED_S, t_s + SETTLED_S):
            return None
        places = [one for one in self.known if one.name == name and one.holds(t_s)]
        return places[0] if len(places) == 1 else None

    def taken(self, located: Located, t_s: float) -> Action | None:
        """The taking that ends a thing's time at a place; None if there is none before a time, or it is put down again."""
        edge = str(located.edge["ended_by"])
        later = (a for a in self.scene.actions if a.acts_on["edge_id"] == edge)
        action = located.action if located.is_taken else next(later, None)
        if action is None or "take" not in verb_kinds(str(action.node["name"])):
            return None
        since = float(action.acts_on["end_s"])
        again = any(
            edge["from_node"] == located.thing["node_id"]
            and since < edge["end_s"]
            and edge["start_s"] <= t_s
            for edge in self._edges
        )
        return None if again or since > t_s else action

    def clips(self, begins_s: float, ends_s: float) -> Iterator[Clip]:
        """The shortest clip to the end of each action that shows a span, ascending.

        Args:
            begins_s: Start of the span.
            ends_s: End of the span.
        """
        ends = {float(action.acts_on["end_s"]) + BESIDE_S for action in self.scene.actions}
        for end_s in sorted(ends):
            length_s = next((n for n in LENGTHS_S if end_s - n <= begins_s), None)
            if (
                length_s is not None
                and begins_s >= 0
                and ends_s <= end_s <= self.covered_s
                and self.scene.can_end_at(end_s)
            ):
                start_s = max(0.0, end_s - length_s)
                yield Clip(self.scene.recording, start_s, end_s, sampling="endpoints")

    def others(
        self,
        located: Located,
        identity: str,
        weights: Mapping[str, float],
        first: Sequence[Mapping[str, Any]] = (),
    ) -> list[Option] | None:
        """Other places of the recording as distractors; None if there are too few.

        They are places at which something is put or done at some time, drawn so that each is offered about as often
        as it is right. No place is offered at which the right one is itself.

        Args:
            located: The answer.
            identity: Id of the question.
            weights: Weight in the draw by the name that is shown.
            first: Places that must be among them.
        """
        within = self._around(str(located.place["node_id"]))
        taken = (located.name, name_shown(located.place))
        possible = [
            node
            for node in self._places
            if node["node_id"] not in within and name_shown(node) not in taken
        ]

        def place(node: Mapping[str, Any]) -> tuple[bool, bool, float, str]:
            shown = name_shown(node)
            drawn = draw.place(identity, shown, weights.get(shown, 1.0))
            return node not in first, shown not in weights, drawn, str(node["node_id"])

        ordered = distinct(sorted(possible, key=place), name_shown, name_shown(located.place))
        if any(node not in ordered for node in first) or len(ordered) < DISTRACTORS:
            return None
        return [node_option(node) for node in ordered[:DISTRACTORS]]

    def _around(self, node_id: str) -> set[str]:
        """Places at which a place is ever itself, and those at which these are."""
        reached: set[str] = set()
        left = [node_id]
        while left:
            new = self._at[left.pop()] - reached
            reached |= new
            left += new
        return reached


def _missing(tables: Tables) -> str | None:
    edges = tables["graph_edges"]
    if edges.filter(pl.col("relation") == "located").is_empty():
        return "no scene graph says where a thing is"
    places = edges.filter(pl.col("role").is_in(_PLACES)).group_by("recording_id")
    most = max(places.agg(pl.col("to_node").n_unique())["to_node"], default=0)
    return (
        None
        if most > DISTRACTORS
        else f"a recording names at most {most} places, {DISTRACTORS + 1} needed"
    )


NEEDS_PLACES = Need({"graph_edges": ("recording_id", "relation", "to_node", "role")}, _missing)
