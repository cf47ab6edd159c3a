"""Segments of Charades-Ego."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from assets.sources.charades_ego.files import LISTED, list_split, stated_length
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number
from expectations.schemas import TABLES

_ACTION = re.compile(r"(c\d{3}) (\S+) (\S+)")


def read_segments(part: PartFiles) -> Rows:
    """Actions, and the whole video as a `scene` with each of its descriptions."""
    reader = RowReader("segments")
    # What cannot be read of a list is reported by the part that reads recordings.
    segments: dict[str, dict] = {}
    for uid, (file, row) in part.document(LISTED).items():
        base = {"source": part.source, "recording_id": uid, "split": list_split(file)}
        for made in (*_actions(reader, file, row), *_scenes(row)):
            # The same action at the same time twice is reported once.
            segments.setdefault(made["segment_id"], {**base, "source_file": file, **made})
    return Rows(
        {"segments": TABLES["segments"].frame(list(segments.values()))}, tuple(reader.refused)
    )


def _actions(reader: RowReader, file: str, row: Mapping[str, str]) -> Iterator[dict]:
    uid = row["id"]
    length = stated_length(row)
    for said in filter(None, row["actions"].split(";")):

        def make(said: str = said) -> dict:
            match = _ACTION.fullmatch(said.strip())
            if match is None:
                raise Malformed("an action is `class start end`", said)
            start, end = number(match[2]), number(match[3])
            inside = end if length is None else min(end, length)
            if start >= inside:
                raise Malformed("the action ends before it begins, or begins after its video", said)
            return {
                "segment_id": f"{uid}/{match[1]}/{match[2]}-{match[3]}",
                "kind": "action",
                "start_s": start,
                "end_s": inside,
                "stated_end_s": end if end > inside else None,
                "class_id": int(match[1][1:]),
                "source_key": f"{uid}/{said.strip()}",
            }

        made = reader.make(file, uid, make, uid)
        if made is not None:
            yield made


def _scenes(row: Mapping[str, str]) -> Iterator[dict]:
    uid, length = row["id"], stated_length(row)
    if length is None:
        return
    for at, text in enumerate(filter(None, (row.get("descriptions") or "").split(";"))):
        yield {
            "segment_id": f"{uid}/description/{at}",
            "kind": "scene",
            "start_s": 0.0,
            "end_s": length,
            "narration": text.strip(),
            "source_key": f"{uid}/description/{at}",
        }
