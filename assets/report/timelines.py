"""Scene graphs over time for cards of questions whose evidence is edges of a graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from assets.scene_graphs.timeline import GRAPH, Shown, timeline

BESIDE_S = 1.0
"""So much is shown before and after the clip."""
MOST_BESIDE_S = 10.0
"""So much at most where evidence lies outside it."""
_MOMENT = re.compile(r"\bat (\d+(?:\.\d+)?) s\b", re.IGNORECASE)

Row = Mapping[str, Any]
Read = Callable[[str, str, list[str]], pl.DataFrame]
"""Rows of a table of a source, of some recordings."""


def timelines(questions: pl.DataFrame, read: Read) -> dict[str, str]:
    """Pictures of the graph around each question, as SVG text by question id.

    Args:
        questions: Rows of `questions`.
        read: Reads `graph_nodes`, `graph_edges` and `graph_coverage`.
    """
    found: dict[str, str] = {}
    for (source,), part in questions.partition_by("source", as_dict=True).items():
        asked = [row for row in part.iter_rows(named=True) if _cited(row)]
        recordings = sorted({row["recording_id"] for row in asked})
        if not recordings:
            continue
        graphs = [read(table, str(source), recordings) for table in GRAPH]
        by_recording = [rows.partition_by("recording_id", as_dict=True) for rows in graphs]
        for row in asked:
            key = (row["recording_id"],)
            drawn = question_timeline(
                row,
                *(
                    parts.get(key, rows.clear())
                    for parts, rows in zip(by_recording, graphs, strict=True)
                ),
            )
            if drawn is not None:
                found[row["question_id"]] = drawn
    return found


def question_timeline(
    question: Row, nodes: pl.DataFrame, edges: pl.DataFrame, coverage: pl.DataFrame
) -> str | None:
    """The graph around a question's clip, or None where nothing is done there.

    Args:
        question: Row of `questions`.
        nodes: Rows of `graph_nodes` of the recording.
        edges: Its rows of `graph_edges`.
        coverage: Its rows of `graph_coverage`.
    """
    shown = _shown(question, edges)
    if shown is None:
        return None
    return timeline(nodes.to_dicts(), edges.to_dicts(), coverage.to_dicts(), shown)


def _cited(question: Row) -> frozenset[str]:
    rows = question["evidence"] or ()
    return frozenset(row["key"] for row in rows if row["table"] == "graph_edges")


def _shown(question: Row, edges: pl.DataFrame) -> Shown | None:
    """The clip with what lies beside it, and the moment that the question's words name."""
    medium = next(
        (m for m in question["media"] if m["recording_id"] == question["recording_id"]), None
    )
    if medium is None or medium["start_s"] is None or medium["end_s"] is None:
        return None
    cited = _cited(question)
    clip = (float(medium["start_s"]), float(medium["end_s"]))
    spans = edges.filter(pl.col("edge_id").is_in(sorted(cited)), pl.col("relation") != "has_state")
    starts, ends = ([*spans[name], at] for name, at in zip(("start_s", "end_s"), clip, strict=True))
    named = _MOMENT.search(question["text"])
    moment = clip[0] + float(named[1]) if named else None
    said = "" if moment is None else f", moment asked about {moment - clip[0]:.1f} s"
    return Shown(
        start_s=max(0.0, min(starts) - BESIDE_S, clip[0] - MOST_BESIDE_S),
        end_s=min(max(ends) + BESIDE_S, clip[1] + MOST_BESIDE_S),
        what=f"Scene graph over time: clip 0.0 to {clip[1] - clip[0]:.1f} s{said}",
        zero_s=clip[0],
        clip=clip,
        moment_s=moment,
        cited=cited,
    )
