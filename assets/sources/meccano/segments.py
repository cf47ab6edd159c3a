"""Actions and verbs of MECCANO as segments, and its vocabularies.

The last frame is part of a segment: it ends where the next frame begins. Borders are those of frames,
known to 1/12 s.
"""

from __future__ import annotations

import re
from typing import Final

from assets.sources.layout import PartFiles, Rows
from assets.sources.meccano.files import (
    ACTIONS,
    FPS,
    published_split,
    split_of,
    time_of,
)
from assets.sources.meccano.rows import Listed, listed_rows
from assets.sources.reading.row_reader import RowReader
from expectations.schemas import TABLES

WEARER: Final = "Camera wearer"


def read_segments(part: PartFiles) -> Rows:
    """Actions (`keystep`) and verbs (`atomic`), with who does what to what of the actions."""
    reader = RowReader("segments")
    segments: dict[str, dict] = {}
    relations: list[dict] = []
    for path, data in sorted(part.files.items()):
        is_action = re.fullmatch(ACTIONS, path) is not None
        for line, one in listed_rows(path, data, reader):
            row = _segment(part.source, path, line, one, "keystep" if is_action else "atomic")
            if row["segment_id"] in segments:
                reader.reject(
                    path, line, "segment_twice", row["segment_id"],
                    "the same class is given twice for the same frames; the first counts",
                    "remove one of the rows", one.video,
                )  # fmt: skip
                continue
            segments[row["segment_id"]] = row
            if is_action:
                relations += _relations(row, one.name)
    tables = {
        "segments": TABLES["segments"].frame(segments.values()),
        "relations": TABLES["relations"].frame(relations),
    }
    return Rows(tables, tuple(reader.refused))


def verb_and_object(name: str) -> tuple[str, str | None]:
    """Verb and object of an action: `take_red_perforated_bar` is `take` and `red_perforated_bar`."""
    verb, _, rest = name.partition("_")
    return verb, rest or None


def _segment(source: str, path: str, line: int, one: Listed, kind: str) -> dict:
    return {
        "source": source,
        "segment_id": f"{kind}/{one.video}/{one.first}-{one.last}/{one.class_id}",
        "recording_id": one.video,
        "kind": kind,
        "start_s": time_of(one.first),
        "end_s": time_of(one.last + 1),
        "precision_s": 1 / FPS,
        "split": published_split(one.video) or split_of(path),
        "class_id": one.class_id,
        "class_name": one.name,
        "source_file": path,
        "source_key": str(line),
    }


def _relations(segment: dict, name: str) -> list[dict]:
    """The wearer does the verb, to the object; no hand is stated."""
    verb, thing = verb_and_object(name)
    same = ("source", "recording_id", "segment_id", "source_file", "source_key")
    fixed = {column: segment[column] for column in same}
    rows = [{**fixed, "subject": WEARER, "relation": "verb", "object": verb, "role": None}]
    if thing is not None:
        direct = {"relation": "direct object", "object": thing, "role": "direct"}
        rows.append({**fixed, "subject": verb, **direct})
    return [{**row, "relation_id": f"{segment['segment_id']}/{row['relation']}"} for row in rows]
