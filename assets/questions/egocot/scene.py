"""The scene graph of one recording, as the questions of this benchmark walk it.

An evidence path leads from the hand over the action to the object.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import polars as pl

from assets.questions.egocot import wording
from assets.questions.kit import draw
from assets.questions.kit.builder import Need, Tables
from assets.questions.kit.names import distinct, is_thing
from assets.questions.kit.needs import EGO, rows_of
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Evidence, Option, Row
from expectations.action_words import readable_name
from expectations.word_kinds import verb_kinds

T = TypeVar("T")

WEARER = "camera wearer"
READS = {
    "recordings": (*RECORDING_COLUMNS, "media_duration_s", "view"),
    "graph_nodes": None,
    "graph_edges": None,
    "boxes": ("recording_id", "box_id", "segment_id", "moment"),
}
"""What `scenes` takes."""
# Clips are 8 to 60 s and evidence lies within 30 s: the shortest that holds the distractors, else the
# longest with those of the 30 s after it.
SHORTEST_S = 8.0
NEAR_S = ((8.0, 0.0), (15.0, 0.0), (30.0, 0.0), (30.0, 30.0))
# A distractor is left alone for so long before and after the moment.
CLEAR_S = 2.0
# After these a thing is out of hand.
_RELEASES = frozenset({"put", "open", "close", "switch_on", "switch_off"})
# Relations that are something's condition, not something done with it.
CONDITIONS = ("has_state", "located")


@dataclass(frozen=True, slots=True)
class Action:
    """One thing the wearer does to one object.

    Attributes:
        does: Edge from the wearer to the action.
        node: Node of the action.
        acts_on: Edge from the action to the object.
        thing: Node of the object.
    """

    does: Mapping[str, Any]
    node: Mapping[str, Any]
    acts_on: Mapping[str, Any]
    thing: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Moment:
    """When the wearer acts on an object.

    Attributes:
        t_s: Seconds in the recording.
        box: Box drawn of the object for the contact; None if there is none.
        action: The action.
    """

    t_s: float
    box: Row | None
    action: Action

    @property
    def part(self) -> tuple[str, str]:
        """Segment and role: an action that several edges tell is one."""
        edge = self.action.acts_on
        return str(edge["segment_id"] or edge["edge_id"]), str(edge["role"])


@dataclass(frozen=True, slots=True)
class Path:
    """The evidence path of a moment.

    Attributes:
        evidence: Rows it consists of.
        steps: Rows of each step of a rationale: hand (if one is known), action, object.
        text: Values for the template; times count from the start of the clip.
    """

    evidence: list[Evidence]
    steps: list[list[str]]
    text: Mapping[str, Any]


class Scene:
    """Nodes and edges of one recording.

    Attributes:
        recording: Row of `recordings`.
        nodes: Nodes by id.
        edges: Edges whose ends are there, in time order.
        actions: What the wearer does to objects, in time order.
    """

    def __init__(
        self,
        recording: Mapping[str, Any],
        nodes: pl.DataFrame,
        edges: pl.DataFrame,
        contacts: Collection[tuple[str, str]],
        roles: Collection[str] = ("direct",),
    ) -> None:
        """Index a recording's rows of `graph_nodes` and `graph_edges`; their order is free.

        `contacts` are segment and id of the boxes drawn for a contact, `roles` the parts that an
        object may play in an action.
        """
        self.recording = recording
        self.nodes = {row["node_id"]: row for row in nodes.sort("node_id").iter_rows(named=True)}
        self.edges = [
            row
            for row in edges.sort("start_s", "end_s", "edge_id").iter_rows(named=True)
            if row["from_node"] in self.nodes and row["to_node"] in self.nodes
        ]
        self._contacts = contacts
        self.actions = list(self._actions(roles))

    @cached_property
    def moments(self) -> list[Moment]:
        """When each action takes place, in time order."""
        moments = map(self._moment, self.actions)
        return sorted(moments, key=lambda m: (m.t_s, m.action.acts_on["edge_id"]))

    @cached_property
    def doing(self) -> list[Mapping[str, Any]]:
        """Edges from the wearer to all that they do, in time order."""
        return [
            edge
            for edge in self.edges
            if edge["relation"] == "does"
            and self.kind(edge["from_node"]) == "person"
            and str(self.nodes[edge["from_node"]]["name"]).casefold() == WEARER
        ]

    def _moment(self, action: Action) -> Moment:
        """The moment of an action: that of the box drawn for the contact, else its middle."""
        edge = action.acts_on
        for box in action.thing["boxes"] or ():
            drawn = (edge["segment_id"], box["box_id"]) in self._contacts
            if drawn and edge["start_s"] <= box["t_s"] <= edge["end_s"]:
                return Moment(box["t_s"], box, action)
        return Moment((edge["start_s"] + edge["end_s"]) / 2, None, action)

    def path(self, moment: Moment, start_s: float) -> Path:
        """The evidence path of a moment, in a clip that starts at a time."""
        action, edge, thing = moment.action, moment.action.acts_on, moment.action.thing
        hands = self.hands(action)
        parts = {str(node["node_id"]): node for _, node in hands}
        evidence = [("graph_edges", hand["edge_id"], "hand") for hand, _ in hands]
        evidence += [
            ("graph_edges", action.does["edge_id"], "action"),
            ("graph_edges", edge["edge_id"], "answer"),
        ]
        if moment.box is not None:
            evidence.append(("boxes", moment.box["box_id"], "answer"))
        if edge["segment_id"] is not None:
            evidence.append(("segments", edge["segment_id"], "answer"))
        steps = [
            [f"graph_edges:{hand['edge_id']}" for hand, _ in hands],
            [f"graph_edges:{action.does['edge_id']}", f"graph_nodes:{action.node['node_id']}"],
            [f"graph_edges:{edge['edge_id']}", f"graph_nodes:{thing['node_id']}"],
        ]
        text = {
            "t_s": moment.t_s - start_s,
            "began_s": max(0.0, edge["start_s"] - start_s),
            "hands": [
                {"name": name_shown(node), "box": box_at(node, moment.t_s)}
                for _, node in sorted(parts.items())
            ],
            "action": readable_name(str(action.node["name"])),
            "name": name_shown(thing),
            "role": edge["role"],
            "object_box": moment.box,
        }
        return Path(evidence, [rows for rows in steps if rows], text)

    def told(self, action: Action, start_s: float) -> Row:
        """Values for a step about the whole of an action; times count from the start of the clip."""
        return {
            "start_s": action.acts_on["start_s"] - start_s,
            "end_s": action.acts_on["end_s"] - start_s,
            "name": name_shown(action.thing),
            "done": self.done(action),
        }

    def done(self, action: Action) -> str:
        """What the wearer does, as it follows a subject, with the hands that are known."""
        hands = [name_shown(node) for _, node in self.hands(action)]
        return wording.done(str(action.node["name"]), name_shown(action.thing), hands)

    def evidence(self, action: Action, number: int) -> Iterator[Evidence]:
        """Rows of one of several actions; their roles end with its number."""
        yield "graph_edges", action.acts_on["edge_id"], f"contact_{number}"
        if action.acts_on["segment_id"] is not None:
            yield "segments", action.acts_on["segment_id"], f"contact_{number}"
        yield "graph_edges", action.does["edge_id"], f"action_{number}"
        for edge, _ in self.hands(action):
            yield "graph_edges", edge["edge_id"], f"hand_{number}"

    def step(self, action: Action) -> list[str]:
        """Rows of a step about the whole of an action."""
        edges = (action.acts_on, action.does, *(edge for edge, _ in self.hands(action)))
        return [f"graph_edges:{edge['edge_id']}" for edge in edges]

    def can_end_at(self, t_s: float) -> bool:
        """Whether a clip can end at a time: as late as the shortest is long, and within the recording."""
        return t_s >= SHORTEST_S and (self.length_s is None or t_s <= self.length_s)

    @property
    def length_s(self) -> float | None:
        """Length of the recording, of its video where the source does not tell; None if nothing does (s)."""
        lengths = (self.recording[name] for name in ("duration_s", "media_duration_s"))
        return next((float(length) for length in lengths if length is not None), None)

    def shortest_clip(
        self, end_s: float, lengths_s: Sequence[float], asked: Callable[[Clip], T | None]
    ) -> T | None:
        """What is asked in the shortest of some clips in which anything can be.

        Args:
            end_s: End of the clips.
            lengths_s: Their lengths, ascending; a clip is cut where the recording starts.
            asked: What can be asked in a clip; None or nothing if it shows too little.

        Returns:
            None if no clip shows enough.
        """
        for length_s in lengths_s:
            start_s = max(0.0, end_s - length_s)
            if answer := asked(Clip(self.recording, start_s, end_s, sampling="endpoints")):
                return answer
        return None

    def begins_alone(self, action: Action, start_s: float, end_s: float) -> bool:
        """Whether of all the wearer does an action, on one object, is the only one to begin in a span."""
        begun = {e["to_node"] for e in self.doing if start_s <= e["start_s"] <= end_s}
        on = [a for a in self.actions if start_s <= a.acts_on["start_s"] <= end_s]
        return begun == {action.node["node_id"]} and on == [action]

    def last_shown(self, start_s: float, end_s: float) -> list[Action]:
        """The last two actions on one object each that a span shows from start to end, in time order."""
        objects = Counter(action.acts_on["segment_id"] for action in self.actions)
        shown = [
            action
            for action in self.actions
            if action.acts_on["start_s"] >= start_s
            and action.acts_on["end_s"] <= end_s
            and objects[action.acts_on["segment_id"]] == 1
        ]
        last = sorted(shown, key=lambda one: (one.acts_on["end_s"], one.acts_on["start_s"]))[-2:]
        return sorted(last, key=lambda one: one.acts_on["start_s"])

    def objects_at(self, t_s: float, near_s: float) -> set[str]:
        """Names of the objects that the wearer acts on near a time, ends included."""
        return {str(action.thing["name"]) for action in self.actions_near(t_s, near_s)}

    def actions_near(self, t_s: float, near_s: float) -> list[Action]:
        """What the wearer does to objects near a time, ends included."""
        return [
            action
            for action in self.actions
            if action.acts_on["start_s"] <= t_s + near_s and action.acts_on["end_s"] >= t_s - near_s
        ]

    def kind(self, node_id: str) -> str:
        """Kind of a node."""
        return str(self.nodes[node_id]["kind"])

    def _actions(self, roles: Collection[str]) -> Iterator[Action]:
        """What the wearer does to objects of these roles, in time order."""
        doing = {edge["to_node"]: edge for edge in reversed(self.doing)}
        for edge in self.edges:
            if (
                edge["relation"] == "acts_on"
                and edge["role"] in roles
                and edge["from_node"] in doing
                and self.kind(edge["to_node"]) == "object"
            ):
                ends = self.nodes[edge["from_node"]], edge, self.nodes[edge["to_node"]]
                yield Action(doing[edge["from_node"]], *ends)

    def hands(self, action: Action) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
        """Edges that say with which hand a action is done, each with the hand's node."""
        found = []
        for edge in self.edges:
            of_action = edge["from_node"] == action.node["node_id"] and edge["role"] == "hand"
            of_thing = (
                edge["relation"] == "holds"
                and edge["to_node"] == action.thing["node_id"]
                and edge["segment_id"] == action.acts_on["segment_id"]
            )
            end = edge["to_node"] if of_action else edge["from_node"]
            if (of_action or of_thing) and self.kind(end) == "hand":
                found.append((edge, self.nodes[end]))
        return found

    def sides(self, action: Action) -> set[str | None]:
        """Sides of the hands with which an action is done; None for a hand of an unknown side."""
        told = {node["hand_side"] for _, node in self.hands(action)}
        return (told - {"both"}) | ({"left", "right"} if "both" in told else set())

    def only_hand(self, t_s: float, near_s: float) -> str | None:
        """Side of the one hand of all that is done near a time; None if there are more or one is unknown."""
        hands = [self.sides(action) for action in self.actions_near(t_s, near_s)]
        sides = set[str | None]().union(*hands)
        (side,) = sides if len(sides) == 1 else (None,)
        return side if all(hands) else None

    def may_be_held(self, t_s: float) -> set[str]:
        """Names of things that a hand may hold at a time: last acted on without being let go of."""
        last: dict[str, str] = {}
        for action in sorted(self.actions, key=lambda a: a.acts_on["end_s"]):
            if action.acts_on["start_s"] <= t_s:
                last[str(action.thing["name"])] = str(action.node["name"])
        return {name for name, verb in last.items() if not verb_kinds(verb) & _RELEASES}

    def left_alone(
        self,
        name: str,
        t_s: float,
        identity: str,
        weights: Mapping[str, float],
        count: int,
        except_for: Collection[str] = (),
    ) -> tuple[float, list[Mapping[str, Any]]] | None:
        """Length of the clip and things near in time that are left alone, of other names.

        A distractor is the answer of other questions about the recording, and weights see to it that
        each thing is offered about as often as it is right: a tap that is turned once but always in view
        would else seldom be right, and who notices that needs no video. Where there are too few, other
        things that are acted on stand in, but never what is not: a table on which things are only put is
        never an answer.

        Args:
            name: Name of the answer.
            t_s: Moment asked about, the end of the clip.
            identity: Id of the question.
            weights: Weight in the draw by the name that is shown.
            count: How many things there must be.
            except_for: Names that are not offered.
        """
        if t_s < SHORTEST_S:
            return None
        used = self.used(t_s - CLEAR_S, t_s + CLEAR_S).union(except_for)

        def place(node: Mapping[str, Any]) -> tuple[bool, float, str]:
            shown = name_shown(node)
            drawn = draw.place(identity, node["name"], weights.get(shown, 1.0))
            return shown not in weights, drawn, node["node_id"]

        for names in (weights, {name_shown(action.thing) for action in self.actions}):
            for length_s, later_s in NEAR_S:
                possible = [
                    node
                    for node in self.present(max(0.0, t_s - length_s), t_s + later_s)
                    if is_thing(str(node["name"]))
                    and node["name"] not in used
                    and name_shown(node) in names
                ]
                chosen = distinct(sorted(possible, key=place), lambda n: str(n["name"]), name)
                if len(chosen) >= count:
                    return length_s, chosen[:count]
        return None

    def used(self, start_s: float, end_s: float) -> set[str]:
        """Names of the objects with which anything is done in a span, ends included."""
        return {
            str(self.nodes[end]["name"])
            for edge in self.edges
            if edge["relation"] not in CONDITIONS
            and edge["start_s"] <= end_s
            and edge["end_s"] >= start_s
            for end in (edge["from_node"], edge["to_node"])
            if self.kind(end) == "object"
        }

    def present(self, start_s: float, end_s: float) -> list[Mapping[str, Any]]:
        """Objects that take part or are boxed in a span, ends included."""
        return [
            node
            for node in self.nodes.values()
            if node["kind"] == "object"
            and (
                any(s["start_s"] <= end_s and s["end_s"] >= start_s for s in node["spans"] or ())
                or any(start_s <= b["t_s"] <= end_s for b in node["boxes"] or ())
            )
        ]


def scenes(tables: Tables, roles: Collection[str] = ("direct",)) -> Iterator[Scene]:
    """The scene graph of each ego recording, by id.

    Args:
        tables: Rows of `recordings`, `graph_nodes`, `graph_edges` and `boxes`.
        roles: Parts that an object may play in an action.
    """
    drawn = tables["boxes"].filter(pl.col("moment") == "contact")
    ego = tables["recordings"].filter(pl.col("view") == "ego").sort("recording_id")
    for recording in ego.iter_rows(named=True):
        nodes, edges, boxes = (
            frame.filter(pl.col("recording_id") == recording["recording_id"])
            for frame in (tables["graph_nodes"], _annotated(tables["graph_edges"]), drawn)
        )
        contacts = set(boxes.select("segment_id", "box_id").iter_rows())
        yield Scene(recording, nodes, edges, contacts, roles)


def _annotated(edges: pl.DataFrame) -> pl.DataFrame:
    """Edges without those of parsed narrations: nobody drew the things these name, or checked them."""
    return edges.filter(pl.col("source_table") != "labels")


def name_shown(node: Mapping[str, Any]) -> str:
    """Name of a node as it is read, after an article that a text puts before it."""
    return wording.without_article(readable_name(str(node["name"])))


def box_at(node: Mapping[str, Any], t_s: float) -> Row | None:
    """Box of a node at a time, if one was drawn then."""
    return next((box for box in node["boxes"] or () if box["t_s"] == t_s), None)


def node_option(node: Mapping[str, Any]) -> Option:
    """A node as an option, with its row as evidence."""
    return Option(name_shown(node), node["node_id"], evidence=(("graph_nodes", node["node_id"]),))


def needs(least_s: float, things: int, *more: Need) -> tuple[Need, ...]:
    """What every question about actions needs: an ego recording, relations, and what `needs_actions` says.

    Args:
        least_s: Least time of an action (s).
        things: Least number of objects that one recording names.
        more: What else the questions need.
    """
    relations = rows_of("relations", "no relations: nothing says who does what to what")
    return EGO, relations, needs_actions(least_s, things), *more


def needs_actions(least_s: float, things: int) -> Need:
    """That the wearer acts on objects late enough, and that a recording names enough of them.

    Args:
        least_s: Least time of an action (s).
        things: Least number of objects that one recording names.
    """

    def missing(tables: Tables) -> str | None:
        nodes, edges = tables["graph_nodes"], _annotated(tables["graph_edges"])
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
        if direct.filter(pl.col("end_s") >= least_s).is_empty():
            return f"nothing is acted on {least_s:g} s or later"
        named = nodes.filter(pl.col("kind") == "object").group_by("recording_id")
        most = max(named.agg(pl.col("name").n_unique())["name"], default=0)
        return (
            None if most >= things else f"a recording names at most {most} things, {things} needed"
        )

    return Need(
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
                "source_table",
            ),
        },
        missing,
    )


def _missing_hands(tables: Tables) -> str | None:
    sides = set(tables["graph_nodes"]["hand_side"].drop_nulls())
    return (
        None if sides >= {"left", "right"} else "no scene graph tells the left hand from the right"
    )


NEEDS_HANDS = Need({"graph_nodes": ("hand_side",)}, _missing_hands)
