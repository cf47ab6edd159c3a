"""Objects and boxes of Ego-EASG."""

from __future__ import annotations

from collections.abc import Iterator

from assets.sources.easg.clips import ALL_GRAPHS
from assets.sources.easg.files import (
    FPS,
)
from assets.sources.easg.graph import MOMENTS, Box, Graph
from assets.sources.easg.words import hand_side
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from expectations.schemas import TABLES

_MOMENT = {"pre": "pre", "pnr": "contact", "post": "post"}
_TOLERANCE = 1e-6
"""A box counts as clipped where it reaches further than float32 sums are off."""


def read_objects(part: PartFiles) -> Rows:
    """Boxes of things and hands before, at and after each PNR."""
    reader = RowReader("boxes")
    graphs = part.document(ALL_GRAPHS).graphs.values()
    rows = [row for graph in graphs for row in _boxes(part.source, graph)]
    return Rows({"boxes": TABLES["boxes"].frame(rows)}, tuple(reader.refused))


def _boxes(source: str, graph: Graph) -> Iterator[dict]:
    """Rows of a graph; boxes of one name and moment are numbered from the left."""
    count: dict[tuple[str, str], int] = {}
    for box in sorted(
        graph.boxes, key=lambda b: (MOMENTS.index(b.moment), b.name, b.numbers, b.instance or "")
    ):
        at = count.get((box.moment, box.name), 0)
        count[box.moment, box.name] = at + 1
        frame = graph.frame(box.moment)
        key = f"{graph.uid}|{_MOMENT[box.moment]}|{box.name}|{at}"
        yield {
            "source": source,
            "recording_id": graph.clip,
            "box_id": key,
            "source_frame": frame,
            "t_s": None if frame is None else frame / FPS,
            "segment_id": graph.uid,
            "moment": _MOMENT[box.moment],
            "class_name": box.name,
            "object_id": box.instance,
            "hand_side": hand_side(box.name),
            "image_space": "stored",
            **_edges(box),
            "raw": list(box.numbers),
            "raw_form": "xywh_norm" if box.size_px is None else "xywh_px",
            "method": "manual",
            "source_file": graph.file,
            "source_key": key,
        }


def _edges(box: Box) -> dict:
    """Edges in shares of the picture, cut at its border."""
    left, top, width, height = box.numbers
    across, down = box.size_px or (1, 1)
    whole = (left / across, top / down, (left + width) / across, (top + height) / down)
    inside = tuple(min(max(edge, 0.0), 1.0) for edge in whole)
    names = ("x_min", "y_min", "x_max", "y_max")
    clipped = any(abs(a - b) > _TOLERANCE for a, b in zip(whole, inside, strict=True))
    return {**dict(zip(names, inside, strict=True)), "clipped": clipped}
