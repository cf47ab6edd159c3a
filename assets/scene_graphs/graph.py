"""Scene graph of a recording: who did what to what, with which hand, when, and what it left behind.

A segment's relations become an action of a person (`does`), things it acts on (`acts_on` with their
role, or the dataset's preposition), hands that hold them (`holds`), and states that the verb leaves
the direct object in (`has_state`, by `states.toml`). Things with an instance are told apart; without
one, a name is one thing of the recording.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import polars as pl

from expectations.schemas.identity import digest

WEARER = "camera wearer"
_WEARERS = {"cw", "c", "camera wearer", "wearer"}
_HAND = re.compile(r"(?:(left|right|both) )?hands?")
_INSTANCE = re.compile(r"(.+):(\d+)")
_VERB = "verb"
_DIRECT = "direct object"
_GAP = 2.5
"""Median intervals between boxes of a track after which it counts as lost."""

Tables = Mapping[str, pl.DataFrame]


@dataclass(frozen=True, slots=True)
class StateRules:
    """What verbs leave behind.

    Attributes:
        states: Dimension and state by verb.
    """

    states: Mapping[str, tuple[str, str]]


@dataclass(slots=True)
class Graph:
    """Rows of `graph_nodes` and `graph_edges`."""

    nodes: list[dict] = field(default_factory=list)
    edges: list[dict] = field(default_factory=list)


def read_rules(text: str) -> StateRules:
    """Rules from a file in the form of `states.toml`.

    Raises:
        ValueError: A verb leaves two states.
    """
    found: dict[str, tuple[str, str]] = {}
    for dimension, states in tomllib.loads(text).items():
        for state, rule in states.items():
            for verb in rule["verbs"]:
                if found.setdefault(verb, (dimension, state)) != (dimension, state):
                    raise ValueError(f"verb {verb!r} leaves {found[verb]} and {(dimension, state)}")
    return StateRules(found)


def shown(name: str) -> str:
    """Name as shown: lower case, blanks for underscores and hyphens."""
    return " ".join(re.sub(r"[_-]+", " ", name).lower().split())


def make_graph(source: str, uid: str, tables: Tables, rules: StateRules) -> Graph:
    """The scene graph of one recording.

    Args:
        source: Name of the source.
        uid: Recording.
        tables: Its rows of `recordings`, `segments`, `relations` and `boxes`.
        rules: States by verb.
    """
    return _Maker(source, uid, tables, rules).graph()


@dataclass(slots=True)
class _Node:
    kind: str
    name: str
    instance: str | None
    side: str | None
    table: str
    row: str
    spans: set[tuple[float, float]] = field(default_factory=set)
    boxes: dict[str, dict] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Change:
    """A direct object that a segment left in a state."""

    thing: str
    dimension: str
    state: str
    at_s: float
    edge: str
    relation: Mapping


class _Maker:
    def __init__(self, source: str, uid: str, tables: Tables, rules: StateRules) -> None:
        self.source, self.uid, self.rules = source, uid, rules
        self.nodes: dict[str, _Node] = {}
        self.edges: dict[str, dict] = {}
        self.changes: list[_Change] = []
        self.segments = {r["segment_id"]: r for r in tables["segments"].iter_rows(named=True)}
        self.relations: dict[str, list[dict]] = defaultdict(list)
        for row in tables["relations"].sort("relation_id").iter_rows(named=True):
            self.relations[row["segment_id"]].append(row)
        self.boxes: dict[tuple[str, str], list[dict]] = defaultdict(list)
        placed = pl.col("t_s").is_not_null() & pl.col("x_min").is_not_null()
        usable = tables["boxes"].filter(placed).sort("t_s", "box_id")
        for row in usable.filter(pl.col("segment_id").is_not_null()).iter_rows(named=True):
            self.boxes[row["segment_id"], shown(row["class_name"])].append(row)
        self.tracked = usable.filter(
            pl.col("segment_id").is_null() & pl.col("track_id").is_not_null()
        )
        self.end_s = _end_of(tables)

    def graph(self) -> Graph:
        """Nodes and edges, ascending by id."""
        for key in sorted(self.segments):
            self._segment(self.segments[key], self.relations.get(key, []))
        self._states()
        self._tracks()
        made = Graph()
        for node_id in sorted(self.nodes):
            node = self.nodes[node_id]
            made.nodes.append(
                {
                    "source": self.source,
                    "recording_id": self.uid,
                    "node_id": node_id,
                    "kind": node.kind,
                    "name": node.name,
                    "instance": node.instance,
                    "hand_side": node.side,
                    "spans": [{"start_s": a, "end_s": b} for a, b in _joined(node.spans)],
                    "boxes": sorted(node.boxes.values(), key=lambda b: (b["t_s"], b["box_id"])),
                    "source_table": node.table,
                    "source_row": node.row,
                }
            )
        made.edges.extend(self.edges[key] for key in sorted(self.edges))
        return made

    # -- one segment -------------------------------------------------------------------------------

    def _segment(self, segment: Mapping, relations: list[dict]) -> None:
        verbs = {r["object"]: r for r in relations if r["relation"] == _VERB}
        for verb, first in verbs.items():
            person = self._person(first, segment)
            action = self._node(
                "action", shown(verb), segment["segment_id"], None, first, segment,
                key=f"{segment['segment_id']}|{verb}",
            )  # fmt: skip
            side = first["hand_side"]
            self._edge(person, "does", action, segment, first, hand_side=side)
            self._action(
                action,
                verb,
                [r for r in relations if r["subject"] == verb and r["relation"] != _VERB],
                segment,
            )
        for row in relations:
            # What no verb joins (a tool that grasps its target) keeps its own word.
            if row["relation"] != _VERB and row["subject"] not in verbs:
                start = self._thing(row["subject"], row, segment)
                end = self._thing(row["object"], row, segment)
                self._edge(
                    start,
                    shown(row["relation"]),
                    end,
                    segment,
                    row,
                    role=row["role"],
                    hand_side=row["hand_side"],
                )

    def _action(self, action: str, verb: str, rows: list[dict], segment: Mapping) -> None:
        hands: dict[str, tuple[str, dict]] = {}
        direct: list[tuple[str, dict]] = []
        for row in rows:
            if row["role"] == "hand" or _HAND.fullmatch(shown(row["object"])):
                node = self._thing(row["object"], row, segment)
                hands[node] = (node, row)
                self._edge(
                    action,
                    shown(row["relation"]),
                    node,
                    segment,
                    row,
                    role="hand",
                    hand_side=row["hand_side"],
                )
                continue
            node = self._thing(row["object"], row, segment)
            is_direct = row["role"] == "direct" or row["relation"] == _DIRECT
            role = "direct" if is_direct else row["role"]
            relation = "acts_on" if is_direct or role == "tool" else shown(row["relation"])
            edge = self._edge(
                action, relation, node, segment, row, role=role, hand_side=row["hand_side"]
            )
            if is_direct:
                direct.append((node, row))
                rule = self.rules.states.get(shown(verb))
                if rule is not None:
                    self.changes.append(_Change(node, *rule, segment["end_s"], edge, row))
        if not hands:
            # The side is said without a hand of its own.
            for row in rows:
                if row["hand_side"] is not None:
                    name = (
                        "both hands" if row["hand_side"] == "both" else f"{row['hand_side']} hand"
                    )
                    node = self._thing(name, row, segment)
                    hands[node] = (node, row)
        for hand, said in hands.values():
            side = self.nodes[hand].side
            for thing, _ in direct:
                self._edge(hand, "holds", thing, segment, said, role="direct", hand_side=side)

    # -- states ------------------------------------------------------------------------------------

    def _states(self) -> None:
        by_thing: dict[tuple[str, str], list[_Change]] = defaultdict(list)
        for change in self.changes:
            by_thing[change.thing, change.dimension].append(change)
        for changes in by_thing.values():
            changes.sort(key=lambda c: (c.at_s, c.edge))
            for at, change in enumerate(changes):
                after = changes[at + 1].at_s if at + 1 < len(changes) else self.end_s
                span = {
                    "segment_id": change.relation["segment_id"],
                    "start_s": change.at_s,
                    "end_s": max(after, change.at_s),
                }
                state = self._node("state", change.state, None, None, change.relation, span)
                self._edge(
                    change.thing, "has_state", state, span, change.relation, caused_by=change.edge
                )

    # -- tracks ------------------------------------------------------------------------------------

    def _tracks(self) -> None:
        """Things that are only boxed, by their tracks."""
        for (track, name), rows in self.tracked.group_by(
            "track_id", "class_name", maintain_order=True
        ):
            times: list[float] = rows["t_s"].to_list()
            gaps = sorted(b - a for a, b in pairwise(times) if b > a)
            limit = _GAP * gaps[len(gaps) // 2] if gaps else 0.0
            first = rows.row(0, named=True)
            match = _HAND.fullmatch(shown(str(name)))
            node_id = f"{self.uid}|{'hand' if match else 'object'}|{name}|{track}"
            node = self.nodes.setdefault(
                node_id,
                _Node(
                    "hand" if match else "object", shown(str(name)), str(track),
                    match[1] if match else None, "boxes", first["box_id"],
                ),
            )  # fmt: skip
            start = times[0]
            for before, after in pairwise([*times, float("inf")]):
                if after - before > limit:
                    node.spans.add((start, before))
                    start = after
            node.boxes.update((r["box_id"], _box(r)) for r in rows.iter_rows(named=True))

    # -- nodes and edges ---------------------------------------------------------------------------

    def _person(self, row: Mapping, segment: Mapping) -> str:
        name = shown(row["subject"])
        name = WEARER if name in _WEARERS else name
        match = _HAND.fullmatch(name)
        if match:
            # Tools held by the surgeon's hands: the dataset's actor is a hand.
            return self._thing(row["subject"], row, segment)
        return self._node("person", name, row["actor_id"] or None, None, row, segment, key=name)

    def _thing(self, word: str, row: Mapping, segment: Mapping) -> str:
        """Node of an object or hand, with its boxes of this segment."""
        numbered = _INSTANCE.fullmatch(word)
        name = shown(numbered[1] if numbered else word)
        match = _HAND.fullmatch(name)
        boxes = self.boxes.get((segment["segment_id"], name), [])
        if numbered:
            instance: str | None = word
            boxes = [b for b in boxes if b["object_id"] in (word, None)]
        else:
            held = {b["object_id"] for b in boxes}
            instance = held.pop() if len(held) == 1 else None
        kind = "hand" if match else "object"
        node = self._node(
            kind, name, instance, match[1] if match else None, row, segment, key=instance or name
        )
        self.nodes[node].boxes.update((b["box_id"], _box(b)) for b in boxes)
        return node

    def _node(
        self,
        kind: str,
        name: str,
        instance: str | None,
        side: str | None,
        row: Mapping,
        span: Mapping,
        key: str | None = None,
    ) -> str:
        node_id = f"{self.uid}|{kind}|{key or name}"
        node = self.nodes.setdefault(
            node_id, _Node(kind, name, instance, side, "relations", row["relation_id"])
        )
        node.spans.add((span["start_s"], span["end_s"]))
        return node_id

    def _edge(
        self, start: str, relation: str, end: str, span: Mapping, row: Mapping, **said: str | None
    ) -> str:
        times = (f"{span['start_s']:.6f}", f"{span['end_s']:.6f}")
        edge_id = digest([start, relation, end, *times, row["relation_id"]])
        self.edges[edge_id] = {
            "source": self.source,
            "recording_id": self.uid,
            "edge_id": edge_id,
            "from_node": start,
            "relation": relation,
            "to_node": end,
            "start_s": span["start_s"],
            "end_s": span["end_s"],
            "segment_id": span["segment_id"],
            "source_table": "relations",
            "source_row": row["relation_id"],
            **said,
        }
        return edge_id


def _box(row: Mapping) -> dict:
    return {name: row[name] for name in ("t_s", "x_min", "y_min", "x_max", "y_max", "box_id")}


def _joined(spans: Iterable[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Spans ascending, those that touch joined."""
    held: tuple[float, float] | None = None
    for start, end in sorted(spans):
        if held is not None and start <= held[1]:
            held = (held[0], max(held[1], end))
        else:
            if held is not None:
                yield held
            held = (start, end)
    if held is not None:
        yield held


def _end_of(tables: Tables) -> float:
    """Latest time anything is known of."""
    row = tables["recordings"].row(0, named=True) if tables["recordings"].height else {}
    times = [row.get("duration_s"), row.get("media_duration_s")]
    if tables["segments"].height:
        times.append(float(tables["segments"]["end_s"].max()))  # type: ignore[arg-type]
    return max((t for t in times if t is not None), default=0.0)
