"""People of TF2023."""

from __future__ import annotations

from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.tf2023.files import (
    EXO,
    ITEMS,
    person_of,
    recording_of,
)
from expectations.schemas import TABLES


def read_people(part: PartFiles) -> Rows:
    """The items of the lists: who is in a third-person picture, and whose picture goes with it."""
    reader = RowReader("listed_people")
    rows = (
        {
            "source": part.source,
            "recording_id": recording_of(item.scene, EXO),
            "source_frame": item.frame,
            "ego_recording_id": recording_of(item.scene, item.camera),
            "wearer_id": person_of(item.scene, item.camera),
            "people": [person_of(item.scene, one) for one in item.people],
            "raw": item.people,
            "split": item.split,
            "source_file": item.file,
            "source_key": f"{item.scene}/{item.frame:05d}/{item.camera}",
        }
        for item in part.document(ITEMS, reader)
    )
    table = TABLES["listed_people"].frame(rows)
    return Rows({"listed_people": table}, tuple(reader.refused))
