"""Scene graph of a recording: who did what to what, with which hand, when, and what it left behind.

A segment's relations become an action of a person (`does`), things it acts on (`acts_on` with their
role, or the dataset's preposition; `functions` says what each is used for), hands that hold them (`holds`),
states that the verb leaves the direct object in (`has_state`, by `states.toml`), and places at which things are
(`located`, by `places.toml`). Annotated states become `has_state` edges too; `state_intervals` says how the two are
joined, and which action `causes` a state. Where a source has no relations, parsed narrations give
the actions (`narrated`): only what is done makes edges. Things with an instance are told apart; without one, a
name is one thing of the recording. What is only boxed, or only has a state, is a node without spans
of its own. `coverage` says where it means something that a graph shows nothing.

The person who wears the camera is called `camera wearer`: by the source's own word, or because an
egocentric recording names that person as its own.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import polars as pl

from assets.labels.narrated_verbs import NarratedVerbs
from assets.scene_graphs.functions import function_of
from assets.scene_graphs.moved import Movements, moved_by
from assets.scene_graphs.narrated import NarratedAction, is_person, narrated_actions
from assets.scene_graphs.places import Handling, Place, What, does_with_place, stays, way_to_place
from assets.scene_graphs.state_intervals import (
    Act,
    Interval,
    Named,
    Statement,
    named_state,
    state_intervals,
)
from assets.sources.wearer import WEARER, WEARER_WORDS
from expectations.contracts import Refusal
from expectations.schemas.identity import digest
from expectations.word_kinds import VERB, verb_kinds, words_of

_HAND = re.compile(r"(?:(left|right|both) )?hands?")
_INSTANCE = re.compile(r"(.+):(\d+)")
_VERB = "verb"
_DIRECT = "direct object"
_ACTED_ON = ("direct", "tool")
_GAP = 2.5
"""Median intervals between boxes of a track after which it counts as lost."""

_KEYS = {
    "relations": "relation_id",
    "object_states": "state_id",
    "labels": "label",
    "tracks": "track_id",
}

Tables = Mapping[str, pl.DataFrame]


@dataclass(frozen=True, slots=True)
class StateRules:
    """What verbs leave behind.

    Attributes:
        states: Dimension and state by verb.
        annotated: The same by attribute and value, as annotators write them.
        containers: What verbs may leave a container in, as far as annotators say so.
    """

    states: Mapping[str, tuple[str, str]]
    annotated: Mapping[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    containers: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(slots=True)
class Graph:
    """Rows of `graph_nodes` and `graph_edges`, and rows of the sources that could not be used."""

    nodes: list[dict] = field(default_factory=list)
    edges: list[dict] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)


def read_rules(text: str) -> StateRules:
    """Rules from a file in the form of `states.toml`.

    Verbs are named one by one (`verbs`), or by the kinds of `expectations.word_kinds` (`acts`).

    Raises:
        ValueError: A verb leaves two states, or an annotation means two.
    """
    found: dict[str, tuple[str, str]] = {}
    annotated: dict[tuple[str, str], tuple[str, str]] = {}
    containers: dict[str, tuple[str, str]] = {}
    for dimension, states in tomllib.loads(text).items():
        for state, rule in states.items():
            meant = (dimension, state)
            acts = rule.get("acts", ())
            for verb in sorted({*rule.get("verbs", ()), *(words_of(VERB, *acts) if acts else ())}):
                if found.setdefault(verb, meant) != meant:
                    raise ValueError(f"verb {verb!r} leaves {found[verb]} and {meant}")
            for verb in rule.get("containers", ()):
                if containers.setdefault(verb, meant) != meant:
                    raise ValueError(f"verb {verb!r} may leave {containers[verb]} and {meant}")
            for written in rule.get("annotated", ()):
                attribute, _, value = written.partition("=")
                if annotated.setdefault((attribute, value), meant) != meant:
                    raise ValueError(f"{written!r} means {annotated[attribute, value]} and {meant}")
    return StateRules(found, annotated, containers)


def shown(name: str) -> str:
    """Name as shown: lower case, blanks for underscores and hyphens."""
    return " ".join(re.sub(r"[_-]+", " ", name).lower().split())


def make_graph(source: str, uid: str, tables: Tables, rules: StateRules) -> Graph:
    """The scene graph of one recording.

    Args:
        source: Name of the source.
        uid: Recording.
        tables: Its rows of `recordings`, `segments`, `relations`, `labels`, `object_states`, `boxes` and
            `tracks`. A verb leaves no state where the narration says that it was not done. Where there are
            no relations, parsed narrations make the actions.
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
    object_id: str | None = None
    spans: set[tuple[float, float]] = field(default_factory=set)
    boxes: dict[str, dict] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Direct:
    """A direct object of a segment, with the edge to it."""

    thing: str
    edge: str
    segment: Mapping
    relation: Mapping
    leaves: tuple[str, str] | None

    def act(self, thing: str) -> Act:
        """The same as a possible cause of a state of a thing."""
        span = self.segment["start_s"], self.segment["end_s"]
        return Act(thing, self.segment["segment_id"], *span, self.edge, self.leaves)


class _Maker:
    def __init__(self, source: str, uid: str, tables: Tables, rules: StateRules) -> None:
        self.source, self.uid, self.rules = source, uid, rules
        self.nodes: dict[str, _Node] = {}
        self.edges: dict[str, dict] = {}
        self.directs: list[_Direct] = []
        self.containers: list[_Direct] = []
        self.handlings: list[Handling] = []
        self.refused: list[Refusal] = []
        self.segments = {r["segment_id"]: r for r in tables["segments"].iter_rows(named=True)}
        self.relations: dict[str, list[dict]] = defaultdict(list)
        for row in tables["relations"].sort("relation_id").iter_rows(named=True):
            self.relations[row["segment_id"]].append(row)
        self.narrated = NarratedVerbs(tables["labels"])
        self.movements = Movements(tables["tracks"], shown)
        view = str(tables["recordings"]["view"].item(0)) if tables["recordings"].height else "ego"
        self.told: Mapping[str, list[NarratedAction]] = (
            {} if self.relations else narrated_actions(tables["labels"], self.segments, view)
        )
        self.persons: dict[str, str] = {}
        self.states = tables["object_states"].sort("state_id").to_dicts()
        self.boxes: dict[tuple[str, str], list[dict]] = defaultdict(list)
        placed = pl.col("t_s").is_not_null() & pl.col("x_min").is_not_null()
        usable = tables["boxes"].filter(placed).sort("t_s", "box_id")
        for row in usable.filter(pl.col("segment_id").is_not_null()).iter_rows(named=True):
            self.boxes[row["segment_id"], shown(row["class_name"])].append(row)
        self.tracked = usable.filter(
            pl.col("segment_id").is_null() & pl.col("track_id").is_not_null()
        )
        self.placed_boxes: set[str] = set()
        self.instance_of = _only_instances(usable)
        self.end_s = _end_of(tables)
        self.wearer = _wearer(tables["recordings"])

    def graph(self) -> Graph:
        """Nodes and edges, ascending by id."""
        for key in sorted(self.segments):
            self._segment(self.segments[key], self.relations.get(key, []))
            self._narrated(self.segments[key], self.told.get(key, []))
        self._tracks()
        self._unclaimed_boxes()
        self._states()
        self._places()
        made = Graph(refused=self.refused)
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

    def _narrated(self, segment: Mapping, actions: list[NarratedAction]) -> None:
        """Actions of a parsed narration, each verb one of its own."""
        for told in actions:
            row = {
                "source_table": "labels",
                "label": told.label,
                "segment_id": segment["segment_id"],
            }
            key = f"{segment['segment_id']}|{told.verb}"
            if f"{self.uid}|action|{key}" in self.nodes:
                key = f"{key}|{told.number}"
            name = shown(told.verb)
            action = self._node("action", name, segment["segment_id"], None, row, segment, key=key)
            if told.person is not None:
                person = self._person(row | {"subject": told.person, "actor_id": None}, segment)
                side = next((r["hand_side"] for r in told.rows), None)
                self._edge(person, "does", action, segment, row, hand_side=side)
            things = [r for r in told.rows if r["role"] == "hand" or not is_person(r["object"])]
            for other in (r for r in told.rows if r not in things):
                person = self._person({**other, "subject": other["object"]}, segment)
                relation = "acts_on" if other["role"] in _ACTED_ON else shown(other["relation"])
                self._edge(action, relation, person, segment, other, role=other["role"])
            self._action(action, told.verb, things, segment)

    def _leaves(self, verb: str, row: Mapping) -> tuple[str, str] | None:
        """State that a verb leaves; in a narration, also one with a particle that changes nothing of it."""
        name = shown(verb)
        if self.narrated.was_not_done(row["segment_id"], name):
            return None
        found = self.rules.states.get(name)
        if found is None and _table_of(row) == "labels" and verb_kinds(name):
            found = self.rules.states.get(name.split()[0])
        return found

    def _action(self, action: str, verb: str, rows: Sequence[Mapping], segment: Mapping) -> None:
        hands: dict[str, tuple[str, Mapping]] = {}
        direct: list[tuple[str, Mapping]] = []
        handled: list[tuple[str, What, str]] = []
        places: list[Place] = []
        does = self._does_with_place(verb, segment)
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
            joined = shown(row["relation"])
            relation = "acts_on" if role in _ACTED_ON else joined
            function = function_of(shown(verb), joined, role)
            edge = self._edge(
                action, relation, node, segment, row, role=role, hand_side=row["hand_side"],
                function=function,
            )  # fmt: skip
            if is_direct:
                direct.append((node, row))
                leaves = self._leaves(verb, row)
                self.directs.append(_Direct(node, edge, segment, row, leaves))
                handled.append((node, does, edge))
                continue
            if function == "container" and shown(verb) in self.rules.containers:
                leaves = self.rules.containers[shown(verb)]
                self.containers.append(_Direct(node, edge, segment, row, leaves))
            if role == "tool" or joined in ("with", "using"):
                # Also what a thing is covered or mixed with was in a hand.
                handled.append((node, "use", edge))
            way = way_to_place(does, joined)
            if way is not None and not is_person(row["object"]):
                places.append(Place(node, way, row))
        for thing, does_or_uses, edge in handled:
            what, span = does_or_uses, (segment["start_s"], segment["end_s"])
            known = tuple(p for p in places if what == does and p.node != thing)
            if not known:
                what = moved_by(shown(verb), what)
                known = tuple(self._moved(action, thing, what, segment))
                what = what if known else does_or_uses
            self.handlings.append(Handling(thing, what, *span, edge, segment["segment_id"], known))
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

    def _moved(self, action: str, thing: str, what: What, segment: Mapping) -> Iterator[Place]:
        """The fixture that an annotated movement ends or begins at (see `moved`), with an edge to it."""
        span = segment["start_s"], segment["end_s"]
        fixture = self.movements.fixture(self.nodes[thing].name, what, *span)
        if fixture is None:
            return
        instance = fixture.key if fixture.key != fixture.name else None
        node = self._node(
            "object", fixture.name, instance, None, fixture.row, segment, key=fixture.key
        )
        relation = "to" if what == "put" else "from"
        self._edge(action, relation, node, segment, fixture.row, role=fixture.row["role"])
        yield Place(node, "at", fixture.row)

    def _does_with_place(self, verb: str, segment: Mapping) -> What:
        """What an action does with the place of its direct object; nothing tells of what was not done."""
        if self.narrated.was_not_done(segment["segment_id"], shown(verb)):
            return "other"
        return does_with_place(shown(verb))

    # -- places ------------------------------------------------------------------------------------

    def _places(self) -> None:
        """Where things are (see `places`)."""
        actions = {key for key, node in self.nodes.items() if node.kind == "action"}
        ends = (edge["end_s"] for edge in self.edges.values() if edge["from_node"] in actions)
        covered_s = max(ends, default=0.0)
        one_name = (replace(one, thing=self._same(one.thing)) for one in self.handlings)
        for stay in stays(one_name, covered_s):
            begun, place = stay.begun_by, stay.place
            span = {
                "segment_id": begun.segment_id,
                "start_s": stay.start_s,
                "end_s": stay.end_s,
            }
            self._edge(
                begun.thing, "located", self._same(place.node), span, place.row,
                role=place.row["role"],
                preposition=place.way,
                caused_by=begun.edge if begun.what == "put" else None,
                ended_by=stay.ended_by,
            )  # fmt: skip

    # -- states ------------------------------------------------------------------------------------

    def _states(self) -> None:
        """States that verbs leave, and annotated ones (see `state_intervals`)."""
        rows: dict[str, tuple[str, str, Mapping]] = {}
        statements = []
        for statement, node, table, row in (*self._left_by_verbs(), *self._annotated()):
            rows[statement.key] = (node, table, row)
            statements.append(statement)
        acts = [one.act(self._same(one.thing)) for one in (*self.directs, *self.containers)]
        by_verbs = {dimension for dimension, _ in self.rules.states.values()}
        for found in state_intervals(statements, acts, self.end_s, by_verbs):
            node, table, row = rows[found.statement.key]
            span = {
                "segment_id": found.statement.segment_id,
                "start_s": found.start_s,
                "end_s": max(found.end_s, found.start_s),
            }
            named = found.statement.state
            state = self._node("state", named.name, None, None, row, span, named.key, table=table)
            self._edge(node, "has_state", state, span, row, table=table, caused_by=found.caused_by)
            self._causes(found, state, table, row)

    def _causes(self, found: Interval, state: str, table: str, row: Mapping) -> None:
        """Edge from the action that causes a state, from the action's start to the state's."""
        if found.caused_by is None:
            return
        act = self.edges[found.caused_by]
        span = {
            "segment_id": act["segment_id"],
            "start_s": act["start_s"],
            "end_s": max(found.start_s, act["start_s"]),
        }
        self._edge(
            act["from_node"], "causes", state, span, row, table=table, caused_by=found.caused_by
        )

    def _left_by_verbs(self) -> Iterator[tuple[Statement, str, str, Mapping]]:
        for direct in self.directs:
            if direct.leaves is None:
                continue
            dimension, state = direct.leaves
            at = direct.segment["end_s"]
            statement = Statement(
                thing=self._same(direct.thing),
                state=Named(dimension, state, state),
                low_s=at,
                high_s=at,
                reach="forward",
                clear_s=at,
                key=direct.edge,
                segment_id=direct.relation["segment_id"],
                annotated=False,
                cause=direct.edge,
            )
            yield statement, direct.thing, _table_of(direct.relation), direct.relation

    def _annotated(self) -> Iterator[tuple[Statement, str, str, Mapping]]:
        known = self._things_by_word()
        for row in self.states:
            named = named_state(shown(row["attribute"]), shown(row["value"]), self.rules.annotated)
            if named is None:
                continue
            when = self._when(row)
            if when is None:
                self.refused.append(
                    Refusal(
                        row["source_file"], row["state_id"], "state_without_time", row["moment"],
                        "the state has no times, and its segment is not known",
                        "give start and end, or an action that is there",
                        table="object_states", recording_id=self.uid,
                    )
                )  # fmt: skip
                continue
            low, high, clear = when
            node = self._stated_thing(row, known)
            reach = {"after": "forward", "before": "backward"}.get(row["moment"] or "", "none")
            statement = Statement(
                thing=self._same(node),
                state=named,
                low_s=low,
                high_s=high,
                reach=reach,  # type: ignore[arg-type]
                clear_s=clear,
                key=f"object_states/{row['state_id']}",
                segment_id=row["segment_id"],
                annotated=True,
                moment=row["moment"],
            )
            yield statement, node, "object_states", row

    def _when(self, row: Mapping) -> tuple[float, float, float] | None:
        """When a row is known to hold from and to, and until when its own action lasts."""
        segment = self.segments.get(row["segment_id"] or "")
        start, end = row["start_s"], row["end_s"]
        if segment is not None and row["moment"] is not None:
            start = segment["start_s"] if start is None else start
            end = segment["end_s"] if end is None else end
        if start is None or end is None:
            return None
        if row["moment"] == "before":
            return start, start, max(start, segment["end_s"] if segment is not None else start)
        if row["moment"] == "after":
            return end, end, end
        return start, end, end

    def _things_by_word(self) -> dict[str, str]:
        """Nodes of objects by instance and by name; what takes part goes before what is only boxed."""
        known: dict[str, str] = {}
        nodes = [(key, node) for key, node in sorted(self.nodes.items()) if node.kind == "object"]
        for table in ("relations", "boxes"):
            for key, node in nodes:
                if node.table == table and node.instance is not None:
                    known.setdefault(f"instance {node.instance}", key)
                    if node.object_id is not None:
                        known.setdefault(f"instance {node.object_id}", key)
        for table in ("relations", "boxes"):
            for key, node in nodes:
                if node.table == table:
                    known.setdefault(f"name {node.name}", key)
        return known

    def _stated_thing(self, row: Mapping, known: dict[str, str]) -> str:
        """Node of what a state is of; a new one where nothing else tells of the thing."""
        numbered = _INSTANCE.fullmatch(row["object"])
        name = shown(numbered[1] if numbered else row["object"])
        instance = row["object_id"] or (row["object"] if numbered else None)
        found = known.get(f"instance {instance}") if instance is not None else None
        if found is None and (instance is None or not self._is_numbered(name)):
            found = known.get(f"name {name}")
        if found is None:
            found = f"{self.uid}|object|{instance or name}"
            self.nodes[found] = _Node(
                "object", name, instance, None, "object_states", row["state_id"]
            )
            known.setdefault(f"instance {instance}" if instance else f"name {name}", found)
        return found

    def _is_numbered(self, name: str) -> bool:
        """Whether the recording tells several things of one name apart."""
        found = {n.instance for n in self.nodes.values() if n.kind == "object" and n.name == name}
        return len(found - {None}) > 1

    def _same(self, node_id: str) -> str:
        """One node for a thing that has an instance in some segments and only a name in others."""
        node = self.nodes[node_id]
        only = self.instance_of.get(node.name) if node.instance is None else None
        other = f"{self.uid}|object|{only}"
        return other if only is not None and other in self.nodes else node_id

    # -- tracks ------------------------------------------------------------------------------------

    def _tracks(self) -> None:
        """Things that are only boxed, by their tracks."""
        for (_, name), rows in self.tracked.group_by("track_id", "class_name", maintain_order=True):
            times: list[float] = rows["t_s"].to_list()
            gaps = sorted(b - a for a, b in pairwise(times) if b > a)
            limit = _GAP * gaps[len(gaps) // 2] if gaps else 0.0
            first = rows.row(0, named=True)
            match = _HAND.fullmatch(shown(str(name)))
            if _is_person(first):
                node_id = self._boxed_person(first)
                node = self.nodes[node_id]
            else:
                node_id, instance = self._tracked_thing(first, "hand" if match else "object")
                node = self.nodes.setdefault(
                    node_id,
                    _Node(
                        "hand" if match else "object", shown(str(name)), instance,
                        match[1] if match else None, "boxes", first["box_id"],
                        object_id=first["object_id"],
                    ),
                )  # fmt: skip
            start = times[0]
            for before, after in pairwise([*times, float("inf")]):
                if after - before > limit:
                    node.spans.add((start, before))
                    start = after
            node.boxes.update((r["box_id"], _box(r)) for r in rows.iter_rows(named=True))

    def _tracked_thing(self, box: Mapping, kind: str) -> tuple[str, str | None]:
        """Node and instance of what a track follows; one thing has as many movements as it makes."""
        name, thing = str(box["class_name"]), box["object_id"]
        if thing is None or not self.movements.has(str(box["track_id"])):
            return f"{self.uid}|{kind}|{name}|{box['track_id']}", str(box["track_id"])
        if self.instance_of.get(shown(name)) == thing:
            # The only thing of its name is the one that narrations name.
            return f"{self.uid}|{kind}|{shown(name)}", None
        return f"{self.uid}|{kind}|{thing}", thing

    # -- boxes -------------------------------------------------------------------------------------

    def _unclaimed_boxes(self) -> None:
        """Things and people that are boxed for a segment and take part in none."""
        known = {f"{n.kind} {word}" for n in self.nodes.values() for word in (n.name, n.instance)}
        for (_, name), rows in sorted(self.boxes.items()):
            for row in rows:
                if row["box_id"] in self.placed_boxes:
                    continue
                if _is_person(row):
                    node_id = self._boxed_person(row)
                else:
                    match = _HAND.fullmatch(name)
                    kind = "hand" if match else "object"
                    instance = row["object_id"]
                    if f"{kind} {instance or name}" in known:
                        # A part's boxes are those of the segments it takes part in.
                        continue
                    node_id = f"{self.uid}|{kind}|{instance or name}"
                    self.nodes.setdefault(
                        node_id,
                        _Node(
                            kind, name, instance, match[1] if match else None,
                            "boxes", row["box_id"],
                        ),
                    )  # fmt: skip
                self.nodes[node_id].boxes[row["box_id"]] = _box(row)

    def _boxed_person(self, row: Mapping) -> str:
        """Node of a boxed person: the one that acts, where this is somebody who acts."""
        person = row["person_id"]
        if person in self.persons:
            return self.persons[person]
        named = shown(row["class_name"])
        name = shown(person) if named == "person" else named
        name = WEARER if person == self.wearer else name
        node_id = self.persons[person] = f"{self.uid}|person|{name}"
        self.nodes.setdefault(node_id, _Node("person", name, person, None, "boxes", row["box_id"]))
        return node_id

    # -- nodes and edges ---------------------------------------------------------------------------

    def _person(self, row: Mapping, segment: Mapping) -> str:
        name, actor = shown(row["subject"]), row["actor_id"] or None
        if name in WEARER_WORDS or (
            self.wearer is not None and self.wearer in (actor, row["subject"])
        ):
            name = WEARER
        match = _HAND.fullmatch(name)
        if match:
            # Tools held by the surgeon's hands: the dataset's actor is a hand.
            return self._thing(row["subject"], row, segment)
        node = self._node("person", name, actor, None, row, segment, key=name)
        if actor is not None:
            self.persons.setdefault(actor, node)
        return node

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
        self.placed_boxes.update(b["box_id"] for b in boxes)
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
        table: str | None = None,
    ) -> str:
        table = table or _table_of(row)
        node_id = f"{self.uid}|{kind}|{key or name}"
        node = self.nodes.setdefault(
            node_id, _Node(kind, name, instance, side, table, row[_KEYS[table]])
        )
        node.spans.add((span["start_s"], span["end_s"]))
        return node_id

    def _edge(
        self,
        start: str,
        relation: str,
        end: str,
        span: Mapping,
        row: Mapping,
        table: str | None = None,
        **said: str | None,
    ) -> str:
        table = table or _table_of(row)
        times = (f"{span['start_s']:.6f}", f"{span['end_s']:.6f}")
        key = row[_KEYS[table]]
        edge_id = digest([start, relation, end, *times, key])
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
            "source_table": table,
            "source_row": key,
            **said,
        }
        return edge_id


def _table_of(row: Mapping) -> str:
    """Table that a row of actions comes from: relations, or the labels of a narration."""
    return row.get("source_table", "relations")


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


def _wearer(recordings: pl.DataFrame) -> str | None:
    """Person who wears the camera of an egocentric recording, where the source names one."""
    row = recordings.row(0, named=True) if recordings.height else {}
    return (row.get("person_id") or None) if row.get("view") == "ego" else None


def _is_person(box: Mapping) -> bool:
    """Whether a person is boxed, and not a hand of theirs or a thing."""
    return bool(box["person_id"]) and box["object_id"] is None and box["hand_side"] is None


def _only_instances(boxes: pl.DataFrame) -> dict[str, str]:
    """Instance of each name that has one alone among the boxes of a recording."""
    found = (
        boxes.filter(pl.col("object_id").is_not_null()).select("class_name", "object_id").unique()
    )
    several: dict[str, set[str]] = defaultdict(set)
    for name, instance in found.iter_rows():
        several[shown(name)].add(instance)
    return {name: some.pop() for name, some in several.items() if len(some) == 1}
