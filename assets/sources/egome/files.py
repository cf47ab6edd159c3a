"""Files of EgoMe: where they lie and what they share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from assets.sources.documents import Document
from assets.sources.reading.json import document_of, member_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number

LICENCE = "gated, academic use"
ANNOTATIONS = r"(?:.*/)?Annotation/(?:train|val|test|total)\.json"
GAZE = r"(?:.*/)?Gaze_IMU/(?P<recording>[^/]+_(?:ego|exo))\.csv"
VIDEO = r"(?:.*/)?Video/(?P<uid>[^/]+_(?:ego|exo))\.mp4"
WIDTH_PX, HEIGHT_PX = 1280, 960
_VIEWS = {"Ego": "ego", "Exo": "exo"}
_SPLITS = ("train", "val", "test")


def _parse_entries(
    files: Mapping[str, bytes], reader: RowReader
) -> Mapping[str, tuple[str, dict[str, Any]]]:
    """Entries by recording, those of the split lists before those of the list of all."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for file in sorted(files, key=lambda path: (path.endswith("total.json"), path)):
        for uid, entry in _file(reader, file, files[file]):
            first = found.setdefault(uid, (file, entry))
            if first[1] != entry:
                reader.reject(
                    file,
                    uid,
                    "contradicting_entry",
                    str(entry)[:80],
                    f"{first[0]} says something else of the video, which is used",
                    "restore both files from one release",
                    uid,
                )
    return found


def _file(reader: RowReader, file: str, data: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        entries = member_of(document_of(data), "annotations", dict)
    except Malformed as error:
        reader.unreadable(file, error)
        return
    for name, entry in entries.items():
        made = reader.make(file, name, lambda n=name, e=entry: _entry(n, e))
        if made is not None:
            yield made["uid"], made["entry"]


def _entry(name: str, entry: Any) -> dict:
    if not re.fullmatch(r"[^/]+_(ego|exo)\.mp4", name) or not isinstance(entry, dict):
        raise Malformed("the entry is of no video", name)
    uid = name.removesuffix(".mp4")
    view = _VIEWS.get(str(entry.get("View")))
    if view != uid[-3:]:
        raise Malformed("the entry's view is not that of its name", str(entry.get("View")))
    if entry.get("Split") not in (*_SPLITS, None):
        raise Malformed("the entry's split is unknown", str(entry.get("Split")))
    if number(entry.get("Duration")) <= 0:
        raise Malformed("the video has no length", str(entry.get("Duration")))
    if not isinstance(entry.get("Video type"), bool | None):
        raise Malformed("whether the imitation is right is not a truth value", entry["Video type"])
    return {"uid": uid, "entry": entry}


ENTRIES = Document("recordings", ANNOTATIONS, _parse_entries)
"""Entry of each video and the file it is from; `recordings` records what is wrong with the lists."""
