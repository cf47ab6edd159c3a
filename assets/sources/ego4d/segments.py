"""Segments of Ego4D in its own JSON."""

from __future__ import annotations

from assets.sources.ego4d.actions import actions_of, relation_rows, segment_row
from assets.sources.ego4d.files import FHO, NARRATION, chosen
from assets.sources.ego4d.narrations import narration_rows
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from expectations.schemas import TABLES


def read_segments(part: PartFiles) -> Rows:
    """Narrations (`atomic`, `coarse`) and actions (`interaction`) with what they are done to."""
    reader = RowReader("segments")
    segments: list[dict] = []
    relations: list[dict] = []
    path = chosen(part.large, NARRATION, reader)
    if path is not None:
        segments += narration_rows(part.source, path, part.large[path], reader)
    path = chosen(part.large, FHO, reader)
    if path is not None:
        for action in actions_of(path, part.large[path], reader, reader):
            row = reader.make(
                path, action.uid, lambda p=path, a=action: segment_row(part.source, p, a),
                action.video,
            )  # fmt: skip
            if row is not None:
                segments.append(row)
                relations += relation_rows(part.source, path, action)
    tables = {
        "segments": TABLES["segments"].frame(segments),
        "relations": TABLES["relations"].frame(relations),
    }
    return Rows(tables, tuple(reader.refused))
