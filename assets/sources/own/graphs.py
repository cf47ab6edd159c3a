"""The form of own recordings: one scene graph per video, checked part by part (docs/own-recordings.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from assets.sources.reading.json import json_tree, sound
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number, whole_number
from assets.sources.wearer import WEARER_WORDS

FORM = "own recording 1"
MOMENTS = ("before", "after", "during")
BOX_MOMENTS = ("pre", "contact", "post")
SIDES = ("left", "right", "both")
DIRECT = "direct object"
DOES = "does"
HAS_STATE = "has_state"

_FIELDS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "person": (frozenset(), frozenset({"name", "wears_camera", "boxes"})),
    "hand": (frozenset({"of", "side"}), frozenset({"boxes"})),
    "action": (
        frozenset({"verb", "start_s", "end_s"}),
        frozenset({"narration", "step_order", "essential"}),
    ),
    "object": (frozenset({"name"}), frozenset({"boxes"})),
    "state": (frozenset({"attribute", "value"}), frozenset()),
}
"""Fields a node of each kind must and may have, beside `id` and `kind`."""
_ENDS = {
    ("person", "action"): DOES,
    ("object", "state"): HAS_STATE,
    ("action", "object"): None,
    ("action", "hand"): None,
}
"""Kinds an edge may join, and the relation it then has; None: any words."""
_EDGE = frozenset({"id", "from", "to", "relation"})
_EDGE_MAY = frozenset({"hand", "start_s", "end_s", "action", "moment"})
_BOX = frozenset({"t_s", "x", "y", "width", "height"})
_BOX_MAY = frozenset({"action", "moment"})
REMEDY = "see docs/own-recordings.md for the form"

Node = Mapping[str, Any]


class Unfit(Malformed):
    """A part that is well read and does not fit the others.

    Attributes:
        rule: Name of the fault.
    """

    def __init__(self, rule: str, message: str, value: object = None) -> None:
        super().__init__(message, value)
        self.rule = rule


@dataclass(slots=True)
class OwnGraph:
    """What a file says, faulty parts left out.

    Attributes:
        about: The object `recording`.
        nodes: Nodes by id.
        edges: Edges in the order of the file.
        boxes: Node and box, in the order of the file.
        wearer: Id of the person who wears the camera; None in an exo recording, or where the file
            does not tell.
    """

    about: Mapping[str, Any]
    nodes: dict[str, Node] = field(default_factory=dict)
    edges: list[Mapping[str, Any]] = field(default_factory=list)
    boxes: list[tuple[Node, Mapping[str, Any]]] = field(default_factory=list)
    wearer: str | None = None

    def actor(self, action: str) -> str | None:
        """Person that does an action."""
        return next(
            (e["from"] for e in self.edges if e["to"] == action and e["relation"] == DOES), None
        )


def read_graph(
    path: str, data: bytes, uid: str, reader: RowReader, boxes: RowReader
) -> OwnGraph | None:
    """The graph of a file; None, and a refusal, where it holds none.

    Args:
        path: Path under the root.
        data: The file.
        uid: Recording.
        reader: Takes the refusals of the file, its nodes and edges.
        boxes: Takes those of boxes.
    """
    try:
        document = json_tree(data)
        if not isinstance(document, dict) or document.get("form") != FORM:
            said = document.get("form") if isinstance(document, dict) else type(document).__name__
            reader.reject(path, None, "unknown_form", said, f"`form` is not {FORM!r}", REMEDY, uid)
            return None
        lists = {}
        for name in ("nodes", "edges"):
            lists[name] = document.get(name)
            if not isinstance(lists[name], list):
                raise Malformed(f"`{name}` is not a list", str(lists[name])[:80])
        about = sound(document.get("recording"))
        if not isinstance(about, dict):
            raise Malformed("`recording` is not an object", str(about)[:80])
    except Malformed as error:
        reader.unreadable(path, error, uid)
        return None
    graph = OwnGraph(about)
    checker = _Reader(path, uid, graph)
    for at, node in enumerate(lists["nodes"]):
        checker.one(reader, f"nodes/{at}", lambda n=node: checker.node(sound(n)))
    for at, edge in enumerate(lists["edges"]):
        checker.one(reader, f"edges/{at}", lambda e=edge: checker.edge(sound(e)))
    for node in list(graph.nodes.values()):
        for at, box in enumerate(node.get("boxes", ())):
            checker.one(
                boxes, f"{node['id']}/boxes/{at}", lambda n=node, b=box: checker.box(n, b)
            )  # fmt: skip
    checker.without_actor(reader)
    checker.choose_wearer(reader)
    checker.without_place(reader)
    return graph


class _Reader:
    """Checks parts of a file against those read before."""

    def __init__(self, path: str, uid: str, graph: OwnGraph) -> None:
        self.path, self.uid, self.graph = path, uid, graph
        self.edge_ids: set[str] = set()
        self.names: set[tuple[str, str]] = set()

    def one(self, reader: RowReader, row: str, take: Callable[[], None]) -> None:
        """Take a part; what is wrong with it is refused by name."""
        try:
            take()
        except Malformed as error:
            rule = error.rule if isinstance(error, Unfit) else "unreadable_row"
            reader.reject(self.path, row, rule, error.value, str(error), REMEDY, self.uid)

    def node(self, said: Any) -> None:
        """A node, by its kind."""
        node = _object(said, "a node")
        kind = node.get("kind")
        if not isinstance(kind, str) or kind not in _FIELDS:
            raise Unfit("unknown_kind", f"kind is not one of {sorted(_FIELDS)}", kind)
        must, may = _FIELDS[kind]
        _only(node, must | {"id", "kind"}, may)
        uid = _text(node["id"], "id")
        if uid in self.graph.nodes:
            raise Unfit("id_twice", "two nodes have one id", uid)
        for name in sorted(must - {"start_s", "end_s"}):
            _text(node[name], name)
        if not isinstance(node.get("boxes", []), list):
            raise Malformed("boxes is not a list", str(node["boxes"])[:80])
        if kind == "action":
            _action(node)
        if kind == "hand":
            if node["side"] not in SIDES[:2]:
                raise Malformed("side is neither left nor right", node["side"])
            if self._kind(node["of"]) != "person":
                raise Unfit("unknown_node", "the hand is nobody's: list its person first",
                            node["of"])  # fmt: skip
        if kind == "person":
            _person(node)
        if kind in ("object", "person") and node.get("name") is not None:
            name = " ".join(node["name"].lower().split())
            if (kind, name) in self.names:
                people = "people" if kind == "person" else "objects"
                raise Unfit("name_twice", f"two {people} have one name: tell them apart", name)
            self.names.add((kind, name))
        self.graph.nodes[uid] = node

    def edge(self, said: Any) -> None:
        """An edge between nodes that are there."""
        edge = _object(said, "an edge")
        _only(edge, _EDGE, _EDGE_MAY)
        for name in sorted(_EDGE):
            _text(edge[name], name)
        if edge["id"] in self.edge_ids:
            raise Unfit("id_twice", "two edges have one id", edge["id"])
        ends = tuple(self._kind(edge[name]) for name in ("from", "to"))
        for name, kind in zip(("from", "to"), ends, strict=True):
            if kind is None:
                raise Unfit("unknown_node", f"`{name}` is not a node", edge[name])
        if ends not in _ENDS or _ENDS[ends] not in (None, edge["relation"]):  # type: ignore[index]
            raise Unfit("edge_does_not_fit",
                        f"no {edge['relation']!r} goes from {ends[0]} to {ends[1]}",
                        edge["id"])  # fmt: skip
        if edge.get("hand") is not None and edge["hand"] not in SIDES:
            raise Malformed(f"hand is not one of {SIDES}", edge["hand"])
        if edge["relation"] == DOES and self.graph.actor(edge["to"]) is not None:
            raise Unfit("two_actors", "an action is done by one person", edge["to"])
        self._when(edge)
        self.edge_ids.add(edge["id"])
        self.graph.edges.append(edge)

    def _when(self, edge: Mapping[str, Any]) -> None:
        """A state holds over a span, or at the edge of an action; other edges last as their action."""
        given = {n for n in ("start_s", "end_s", "action", "moment") if edge.get(n) is not None}
        if edge["relation"] != HAS_STATE:
            if given:
                raise Unfit("span_without_state", "only edges to states have times of their own",
                            ", ".join(sorted(given)))  # fmt: skip
            return
        if given == {"start_s", "end_s"}:
            _span(edge)
        elif given == {"action", "moment"}:
            if self._kind(edge["action"]) != "action":
                raise Unfit("unknown_node", "`action` is not an action", edge["action"])
            if edge["moment"] not in MOMENTS:
                raise Malformed(f"moment is not one of {MOMENTS}", edge["moment"])
        else:
            raise Malformed("a state needs start_s and end_s, or action and moment", sorted(given))

    def box(self, node: Node, said: Any) -> None:
        """A box in one picture."""
        box = _object(said, "a box")
        _only(box, _BOX, _BOX_MAY)
        numbers = {name: number(box[name]) for name in sorted(_BOX)}
        if numbers["t_s"] < 0 or numbers["width"] <= 0 or numbers["height"] <= 0:
            raise Malformed("a box has a time from 0 and a size above 0", str(numbers))
        if size_of(self.graph.about) is None:
            raise Unfit("box_without_size", "boxes need width_px and height_px of the recording")
        if (box.get("action") is None) != (box.get("moment") is None):
            raise Malformed("a box names an action and its moment, or neither", str(box)[:80])
        if box.get("action") is not None:
            if self._kind(box["action"]) != "action":
                raise Unfit("unknown_node", "`action` is not an action", box["action"])
            if box["moment"] not in BOX_MOMENTS:
                raise Malformed(f"moment is not one of {BOX_MOMENTS}", box["moment"])
        self.graph.boxes.append((node, box))

    def without_actor(self, reader: RowReader) -> None:
        """Leave out actions that nobody does, and the edges that hang on them."""
        graph = self.graph
        idle = [
            uid
            for uid, node in graph.nodes.items()
            if node["kind"] == "action" and graph.actor(uid) is None
        ]
        for uid in idle:
            reader.reject(self.path, uid, "action_without_actor", uid,
                         "no `does` edge leads to the action", REMEDY, self.uid)  # fmt: skip
            del graph.nodes[uid]
        gone = set(idle)
        graph.edges = [e for e in graph.edges if not gone & {e["from"], e["to"], e.get("action")}]
        graph.boxes = [(n, b) for n, b in graph.boxes if b.get("action") not in gone]

    def choose_wearer(self, reader: RowReader) -> None:
        """Find who wears the camera: the person marked, named by the recording, or the only one."""
        graph = self.graph
        people = {uid: node for uid, node in graph.nodes.items() if node["kind"] == "person"}
        marked = [uid for uid, node in people.items() if node.get("wears_camera") is True]
        if graph.about.get("view") != "ego":
            for uid in marked:
                reader.reject(
                    self.path, uid, "wearer_not_ego", uid,
                    "`wears_camera` marks a person of a recording whose view is not ego",
                    "leave `wears_camera` out: it speaks of this recording's own camera", self.uid,
                )  # fmt: skip
            return
        possible = [uid for uid, node in people.items() if node.get("wears_camera") is not False]
        named = graph.about.get("person")
        by_name = [uid for uid in people if named is not None and uid == named] or [
            uid for uid, node in people.items() if named is not None and node.get("name") == named
        ]
        told = list(dict.fromkeys([*marked, *by_name]))
        if not told:
            words = [uid for uid in possible if " ".join(uid.lower().split()) in WEARER_WORDS]
            told = words or (possible if len(possible) == 1 else [])
        if len(told) == 1 and told[0] in possible:
            graph.wearer = told[0]
        elif told:
            reader.reject(
                self.path, "nodes", "two_wearers", ", ".join(told),
                "`wears_camera` and the recording's `person` do not agree on one person: "
                + ", ".join(told),
                'mark one person with `"wears_camera": true`', self.uid,
            )  # fmt: skip
        elif possible:
            reader.reject(
                self.path, "nodes", "no_wearer", ", ".join(possible),
                "nothing says which person wears the camera of this ego recording: "
                + ", ".join(possible),
                'mark one with `"wears_camera": true`, or name its id as `person` of the recording;'
                ' where it is nobody of these, say `"wears_camera": false` of each', self.uid,
            )  # fmt: skip

    def without_place(self, reader: RowReader) -> None:
        """Leave out nodes that no edge and no box refers to: nothing says when they take part."""
        graph = self.graph
        boxed = [node for node, _ in graph.boxes]
        used = {uid for edge in graph.edges for uid in (edge["from"], edge["to"])}
        used |= {node["id"] for node in boxed} | {node.get("of") for node in boxed}
        used.add(graph.wearer)
        for uid in [uid for uid in graph.nodes if uid not in used]:
            reader.reject(
                self.path, uid, "node_alone", uid, "the node has neither an edge nor a box",
                "add an edge or a box, or leave the node out", self.uid,
            )  # fmt: skip
            del graph.nodes[uid]

    def _kind(self, uid: object) -> str | None:
        node = self.graph.nodes.get(uid) if isinstance(uid, str) else None
        return None if node is None else node["kind"]


def size_of(about: Mapping[str, Any]) -> tuple[int, int] | None:
    """Width and height of the upright picture, where told.

    Raises:
        Malformed: One of them is missing, or no size.
    """
    given = about.get("width_px"), about.get("height_px")
    if given == (None, None):
        return None
    size = whole_number(given[0]), whole_number(given[1])
    if min(size) <= 0:
        raise Malformed("the picture has no size", str(size))
    return size


def _person(node: Node) -> None:
    if node.get("name") is not None:
        _text(node["name"], "name")
    if not isinstance(node.get("wears_camera"), bool | None):
        raise Malformed("wears_camera is neither true nor false", node["wears_camera"])


def _action(node: Node) -> None:
    _span(node)
    if not isinstance(node.get("narration", ""), str):
        raise Malformed("narration is not text", node["narration"])
    if node.get("step_order") is not None and whole_number(node["step_order"]) < 0:
        raise Malformed("step_order is negative", node["step_order"])
    if not isinstance(node.get("essential"), bool | None):
        raise Malformed("essential is neither true nor false", node["essential"])


def _span(said: Mapping[str, Any]) -> None:
    start, end = number(said["start_s"]), number(said["end_s"])
    if not 0 <= start < end:
        raise Unfit("span_without_length", "it ends before it begins", f"{start}-{end}")


def _object(said: object, what: str) -> Mapping[str, Any]:
    if not isinstance(said, dict):
        raise Malformed(f"{what} is not an object", str(said)[:80])
    return said


def _only(said: Mapping[str, Any], must: frozenset[str] | set[str], may: frozenset[str]) -> None:
    missing = sorted(must - said.keys())
    if missing:
        raise Malformed(f"fields are missing: {', '.join(missing)}", ", ".join(missing))
    other = sorted(said.keys() - must - may)
    if other:
        raise Unfit("unknown_field", "the form has no such field", ", ".join(map(str, other)))


def _text(value: object, name: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise Malformed(f"{name} is not text", str(value)[:80])
    return value
