"""Evidence rows of questions as times, names and boxes, in the time of the clip that a model saw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from assets.scores.grounding.matching import Facts

READS = {
    "graph_edges": ("recording_id", "edge_id", "from_node", "to_node", "start_s", "end_s"),
    "graph_nodes": ("recording_id", "node_id", "kind", "name", "boxes"),
    "boxes": ("recording_id", "box_id", "x_min", "y_min", "x_max", "y_max"),
}
"""Tables that evidence is resolved in; what it names of other tables cites no time, thing or box."""
_KEYS = {"graph_edges": "edge_id", "graph_nodes": "node_id", "boxes": "box_id"}
_CORNERS = ("x_min", "y_min", "x_max", "y_max")

Row = Mapping[str, Any]
Rows = Mapping[str, Mapping[str, Row]]
"""Rows of the tables by their keys."""


def evidence_rows(tables: Mapping[str, pl.DataFrame]) -> Rows:
    """Rows of `graph_edges`, `graph_nodes` and `boxes` by their keys."""
    return {
        table: {row[key]: row for row in tables[table].iter_rows(named=True)}
        for table, key in _KEYS.items()
    }


def facts(question: Row, rows: Rows) -> Facts:
    """What the evidence of a question says.

    Args:
        question: Row of `questions` with recording_id, evidence, rationale and media.
        rows: Rows by table and key.
    """
    named = set(_evidence(question))
    edges = [
        edge
        for table, key in named
        if table == "graph_edges" and (edge := rows["graph_edges"].get(key)) is not None
    ]
    nodes = {end for edge in edges for end in (edge["from_node"], edge["to_node"])}
    nodes |= {key for table, key in named if table == "graph_nodes"}
    start_s, end_s = _clip(question)
    spans = {
        (max(0.0, edge["start_s"] - start_s), min(edge["end_s"], end_s) - start_s)
        for edge in edges
        if edge["end_s"] >= start_s and edge["start_s"] <= end_s
    }
    parts = [part for node in nodes if (part := rows["graph_nodes"].get(node)) is not None]
    named_boxes = {
        _corners(row)
        for table, key in named
        if table == "boxes" and (row := rows["boxes"].get(key)) is not None
    }
    seen_boxes = {
        _corners(box)
        for part in parts
        for box in part["boxes"] or ()
        if start_s <= box["t_s"] <= end_s
    }
    return Facts(
        tuple(sorted(spans)),
        tuple(sorted({part["name"] for part in parts if part["kind"] == "object"})),
        tuple(sorted(box for box in named_boxes if None not in box)),
        tuple(sorted(box for box in seen_boxes if None not in box)),
    )


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
