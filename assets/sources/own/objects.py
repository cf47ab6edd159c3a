"""Objects and boxes of Own recordings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assets.sources.layout import PartFiles, Rows
from assets.sources.own.files import graph_of_file, hand_side, name_of
from assets.sources.own.graphs import (
    size_of,
)
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import number
from expectations.schemas import TABLES


def read_objects(part: PartFiles) -> Rows:
    """Boxes of people, hands and things; those of no action are a track per node."""
    reader = RowReader("boxes")
    found = graph_of_file(part, RowReader("segments"), reader)
    if found is None:
        return Rows({})
    path, uid, graph = found
    # Where it is not a size, every box was refused.
    size = size_of(graph.about) if graph.boxes else None
    rows = []
    for node, box in graph.boxes if size is not None else ():
        raw = [number(box[name]) for name in ("x", "y", "width", "height")]
        edges, clipped = _edges(raw, size)  # type: ignore[arg-type]
        action, at = box.get("action"), number(box["t_s"])
        key = f"{uid}/{node['id']}/{at:.6f}/{action or ''}/{box.get('moment') or ''}"
        rows.append(
            {
                "source": part.source,
                "recording_id": uid,
                "box_id": key,
                "t_s": at,
                "segment_id": None if action is None else f"{uid}/{action}",
                "moment": box.get("moment"),
                "class_name": _boxed_as(node),
                "object_id": node["id"] if node["kind"] == "object" else None,
                "track_id": None if action is not None else f"{uid}/{node['id']}",
                "person_id": node["id"] if node["kind"] == "person" else node.get("of"),
                "hand_side": hand_side(node),
                "image_space": "upright",
                **edges,
                "raw": raw,
                "raw_form": "xywh_px",
                "clipped": clipped,
                "method": "manual",
                "source_file": path,
                "source_key": key,
            }
        )
    return Rows({"boxes": TABLES["boxes"].frame(rows)}, tuple(reader.refused))


def _boxed_as(node: Mapping[str, Any]) -> str:
    if node["kind"] == "person":
        return node.get("name") or "person"
    return name_of(node)


def _edges(raw: list[float], size: tuple[int, int]) -> tuple[dict, bool]:
    """Edges in shares of the picture, cut at its border, and whether they were cut."""
    left, top, width, height = raw
    whole = (left / size[0], top / size[1], (left + width) / size[0], (top + height) / size[1])
    inside = tuple(min(max(edge, 0.0), 1.0) for edge in whole)
    names = ("x_min", "y_min", "x_max", "y_max")
    clipped = any(abs(a - b) > 1e-9 for a, b in zip(whole, inside, strict=True))
    return dict(zip(names, inside, strict=True)), clipped
