"""Objects and boxes of Ego4D in its own JSON."""

from __future__ import annotations

from assets.sources.ego4d.actions import actions_of, box_rows
from assets.sources.ego4d.files import FHO, chosen
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from expectations.schemas import TABLES


def read_objects(part: PartFiles) -> Rows:
    """Boxes of things and hands in the frames of actions that count."""
    reader = RowReader("boxes")
    # What is wrong with the actions is reported once, by the part that fills `segments`.
    silent = RowReader("segments")
    path = chosen(part.large, FHO, silent)
    rows: list[dict] = []
    if path is not None:
        for action in actions_of(path, part.large[path], silent, silent):
            rows += box_rows(part.source, path, action, reader)
    return Rows({"boxes": TABLES["boxes"].frame(rows)}, tuple(reader.refused))
