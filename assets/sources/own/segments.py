"""Segments of Own recordings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assets.sources.layout import PartFiles, Rows
from assets.sources.own.files import graph_of_file, hand_side, name_of
from assets.sources.own.graphs import (
    DIRECT,
    DOES,
    HAS_STATE,
    OwnGraph,
)
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import number, whole_number
from assets.sources.wearer import WEARER, WEARER_WORDS
from expectations.schemas import TABLES

_ROLES = {
    DIRECT: "direct", "with": "tool", "using": "tool", "from": "source", "off": "source",
    "to": "target", "into": "target", "onto": "target", "in": "container", "inside": "container",
    "on": "location", "at": "location", "under": "location", "near": "location",
}  # fmt: skip


def read_segments(part: PartFiles) -> Rows:
    """Actions, what they are done to and with, and states of things."""
    reader = RowReader("segments")
    found = graph_of_file(part, reader, RowReader("boxes"))
    if found is None:
        # Said with the recordings.
        return Rows({})
    path, uid, graph = found
    tables = {
        "segments": TABLES["segments"].frame(list(_segments(part.source, path, uid, graph))),
        "relations": TABLES["relations"].frame(list(_relations(part.source, path, uid, graph))),
        "object_states": TABLES["object_states"].frame(
            list(_states(part.source, path, uid, graph))
        ),
    }
    return Rows(tables, tuple(reader.refused))


def _segments(source: str, path: str, uid: str, graph: OwnGraph) -> Iterator[dict]:
    for node in graph.nodes.values():
        if node["kind"] != "action":
            continue
        direct = [
            graph.nodes[e["to"]].get("name")
            for e in graph.edges
            if e["from"] == node["id"] and e["relation"] == DIRECT
        ]
        order = node.get("step_order")
        yield {
            "source": source,
            "segment_id": f"{uid}/{node['id']}",
            "recording_id": uid,
            "kind": "action",
            "actor_id": graph.actor(node["id"]),
            "start_s": number(node["start_s"]),
            "end_s": number(node["end_s"]),
            "step_order": None if order is None else whole_number(order),
            "essential": node.get("essential"),
            "class_name": " ".join([node["verb"], *(n for n in direct if n)]),
            "narration": node.get("narration") or None,
            "source_file": path,
            "source_key": node["id"],
        }


def _relations(source: str, path: str, uid: str, graph: OwnGraph) -> Iterator[dict]:
    sides = {e["to"]: e.get("hand") for e in graph.edges if e["relation"] == DOES}
    for edge in graph.edges:
        if edge["relation"] == HAS_STATE:
            continue
        start, end = graph.nodes[edge["from"]], graph.nodes[edge["to"]]
        does = edge["relation"] == DOES
        action = end if does else start
        hand = hand_side(end) or edge.get("hand") or sides.get(action["id"])
        yield {
            "source": source,
            "recording_id": uid,
            "relation_id": f"{uid}/{edge['id']}",
            "segment_id": f"{uid}/{action['id']}",
            "subject": _actor_word(graph, start) if does else start["verb"],
            "relation": "verb" if does else edge["relation"],
            "object": action["verb"] if does else name_of(end),
            "role": None
            if does
            else "hand"
            if end["kind"] == "hand"
            else _ROLES.get(edge["relation"], "other"),
            "hand_side": hand,
            "actor_id": graph.actor(action["id"]),
            "source_file": path,
            "source_key": edge["id"],
        }


def _actor_word(graph: OwnGraph, person: Mapping[str, Any]) -> str:
    """How a person who acts is called: by name, else by id.

    The wearer is known by the recording's person where the two are one, else by the word for it; a
    person of another role is not called by that word.
    """
    word = name_of(person)
    if graph.wearer is None:
        return word
    if person["id"] == graph.wearer:
        named = graph.about.get("person")
        return word if named in (None, person["id"]) else WEARER
    return f"person {word}" if " ".join(word.lower().split()) in WEARER_WORDS else word


def _states(source: str, path: str, uid: str, graph: OwnGraph) -> Iterator[dict]:
    for edge in graph.edges:
        if edge["relation"] != HAS_STATE:
            continue
        thing, state = graph.nodes[edge["from"]], graph.nodes[edge["to"]]
        action = edge.get("action")
        yield {
            "source": source,
            "recording_id": uid,
            "state_id": f"{uid}/{edge['id']}",
            "segment_id": None if action is None else f"{uid}/{action}",
            "moment": edge.get("moment"),
            "start_s": None if action is not None else number(edge["start_s"]),
            "end_s": None if action is not None else number(edge["end_s"]),
            "object": name_of(thing),
            "object_id": thing["id"],
            "attribute": state["attribute"],
            "value": state["value"],
            "actor_id": None if action is None else graph.actor(action),
            "source_file": path,
            "source_key": edge["id"],
        }
