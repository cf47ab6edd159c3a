"""Evidence rows of questions as times, names and boxes, in the time of the clip that a model saw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from assets.extract.times import readable, times_in
from assets.scores.grounding.matching import Facts
from expectations.action_words import readable_name

READS = {
    "graph_edges": ("recording_id", "edge_id", "from_node", "to_node", "start_s", "end_s"),
    "graph_nodes": ("recording_id", "node_id", "kind", "name", "boxes"),
    "boxes": ("recording_id", "box_id", "x_min", "y_min", "x_max", "y_max"),
    "segments": ("recording_id", "segment_id", "start_s", "end_s", "class_name"),
}
"""Tables that evidence is resolved in; what it names of other tables cites no time, thing or box."""
_KEYS = {
    "graph_edges": "edge_id",
    "graph_nodes": "node_id",
    "boxes": "box_id",
    "segments": "segment_id",
}
_CORNERS = ("x_min", "y_min", "x_max", "y_max")

Row = Mapping[str, Any]
Rows = Mapping[str, Mapping[str, Row]]
"""Rows of the tables by their keys."""


def evidence_rows(tables: Mapping[str, pl.DataFrame]) -> Rows:
    """Rows of the tables of `READS` by their keys."""
    return {
        table: {row[key]: row for row in tables[table].iter_rows(named=True)}
        for table, key in _KEYS.items()
    }


def facts(question: Row, rows: Rows) -> Facts:
    """What the evidence of a question says.

    Args:
        question: Row of `questions` with recording_id, text, evidence, rationale and media.
        rows: Rows by table and key.
    """
    named: dict[str, list[Row]] = {table: [] for table in _KEYS}
    for table, key in sorted(set(_evidence(question))):
        if (row := rows.get(table, {}).get(key)) is not None:
            named[table].append(row)
    edges, steps = named["graph_edges"], named["segments"]
    ends = {end for edge in edges for end in (edge["from_node"], edge["to_node"])}
    nodes = {row["node_id"]: row for row in named["graph_nodes"]}
    nodes |= {end: row for end in ends if (row := rows["graph_nodes"].get(end)) is not None}
    start_s, end_s = _clip(question)
    spans = {
        (max(0.0, row["start_s"] - start_s), min(row["end_s"], end_s) - start_s)
        for row in (*edges, *steps)
        if row["end_s"] >= start_s and row["start_s"] <= end_s
    }
    named_boxes = {_corners(row) for row in named["boxes"]}
    seen_boxes = {
        _corners(box)
        for node in nodes.values()
        for box in node["boxes"] or ()
        if start_s <= box["t_s"] <= end_s
    }
    things = {node["name"] for node in nodes.values() if node["kind"] == "object"}
    others = {node["name"] for node in nodes.values() if node["kind"] != "object"}
    others |= {step["class_name"] for step in steps if step["class_name"] is not None}
    return Facts(
        tuple(sorted(spans)),
        tuple(sorted(things)),
        tuple(sorted(box for box in named_boxes if None not in box)),
        tuple(sorted(box for box in seen_boxes if None not in box)),
        tuple(_moments(question["text"])),
        tuple(sorted(map(readable_name, others))),
    )


def _moments(text: str) -> Iterator[float]:
    """Times that a question names, in seconds from the start of the clip."""
    for one in times_in(readable(text)):
        for time in (one.first, one.last):
            if time is not None and time.seconds is not None:
                yield time.seconds


def _corners(box: Row) -> tuple[float, float, float, float]:
    x_min, y_min, x_max, y_max = (box[corner] for corner in _CORNERS)
    return x_min, y_min, x_max, y_max


def _evidence(question: Row) -> Iterator[tuple[str, str]]:
    """Tables and keys that a question's evidence names, in the question and in the steps of its rationale."""
    yield from ((one["table"], one["key"]) for one in question["evidence"])
    for step in question["rationale"]:
        for name in step["evidence"]:
            table, _, key = name.partition(":")
            yield table, key


def _clip(question: Row) -> tuple[float, float]:
    """Start and end, in seconds, of the clip of the question's recording; all of it where it has no bounds."""
    clips: Iterable[Row] = (
        medium for medium in question["media"] if medium["recording_id"] == question["recording_id"]
    )
    clip = next(iter(clips), None)
    if clip is None or clip["start_s"] is None or clip["end_s"] is None:
        return 0.0, float("inf")
    return float(clip["start_s"]), float(clip["end_s"])
