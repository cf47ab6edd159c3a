"""Files of Own recordings: where they lie and what they share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assets.sources.layout import PartFiles
from assets.sources.own.graphs import OwnGraph, read_graph
from assets.sources.reading.row_reader import RowReader

LICENCE = "own recording"
_ID = r"[A-Za-z0-9][A-Za-z0-9_-]*"
GRAPH = rf"recordings/(?P<recording>{_ID})\.json"
GRAPH_FILE = rf"recordings/({_ID})\.json"
VIDEO = rf"recordings/({_ID})\.mp4"
GAZE = rf"recordings/(?P<recording>{_ID})\.gaze\.csv"


def graph_of_file(
    part: PartFiles, reader: RowReader, boxes: RowReader
) -> tuple[str, str, OwnGraph] | None:
    """Path, recording and graph of the file a recording is described in, None where it cannot be read."""
    assert part.recording is not None
    uid = str(part.recording["recording_id"])
    for path, data in part.files.items():
        graph = read_graph(path, data, uid, reader, boxes)
        return None if graph is None else (path, uid, graph)
    return None


def hand_side(node: Mapping[str, Any]) -> str | None:
    """Side of a node that is a hand, None of other nodes."""
    return node["side"] if node["kind"] == "hand" else None


def name_of(node: Mapping[str, Any]) -> str:
    """How a node is called: hands by their side, things and people by their name, else by id."""
    if node["kind"] == "hand":
        return f"{node['side']} hand"
    return node.get("name") or node["id"]
