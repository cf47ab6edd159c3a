"""Recordings of EgoSchema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assets.sources.egoschema.files import (
    CLIP,
    LICENCE,
    PLACES,
    QUESTIONS,
    file_matching,
    question_uid,
)
from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number
from assets.sources.recording_rows import video_media, videos_by_id
from expectations.schemas import TABLES


def read_recordings(part: PartFiles) -> Rows:
    """Clips that a file names or that are here, and where they lie in their Ego4D videos."""
    reader = RowReader("recordings")
    places = _places(part, reader)
    clips = videos_by_id(part.media, CLIP)
    named = file_matching(part, QUESTIONS)
    asked = {} if named is None else dict.fromkeys(_ids(reader, named, part.files[named]), named)
    rows, clocks = [], []
    for uid in sorted(places.keys() | clips.keys() | asked.keys()):
        place, medium = places.get(uid), clips.get(uid)
        file = place["file"] if place else asked.get(uid, medium.path if medium else "")
        rows.append(_recording(part.source, uid, place, medium, file))
        if place is not None:
            clocks.append(
                {
                    "source": part.source,
                    "recording_id": uid,
                    "take_id": place["video"],
                    "offset_s": place["start_s"],
                    "rate": 1.0,
                    "method": "linear",
                    "source_file": file,
                }
            )
    tables = {
        "recordings": TABLES["recordings"].frame(rows),
        "clocks": TABLES["clocks"].frame(clocks),
    }
    return Rows(tables, tuple(reader.refused))


def _ids(reader: RowReader, file: str, data: bytes) -> list[str]:
    # What cannot be read is reported by the part that reads the questions.
    quiet = RowReader(reader.table)
    return [
        row["uid"] for _, row in quiet.json(file, data, lambda item: {"uid": question_uid(item)})
    ]


def _places(part: PartFiles, reader: RowReader) -> dict[str, dict[str, Any]]:
    file = file_matching(part, PLACES)
    if file is None:
        return {}

    def make(uid: str, item: Any) -> dict:
        if not isinstance(item, dict) or not isinstance(item.get("video_uid"), str):
            raise Malformed("the clip names no Ego4D video", str(item)[:80])
        start, end = number(item.get("starting_sec")), number(item.get("ending_sec"))
        if not 0 <= start < end:
            raise Malformed("the clip ends before it starts", f"{start:g}-{end:g} s")
        return {
            "uid": uid,
            "video": item["video_uid"],
            "start_s": start,
            "end_s": end,
            "file": file,
        }

    return {row["uid"]: row for row in reader.json_object(file, part.files[file], make)}


def _recording(
    source: str, uid: str, place: Mapping[str, Any] | None, medium: Medium | None, file: str
) -> dict:
    return {
        "source": source,
        "recording_id": uid,
        # A clip whose place is unknown is a take of its own.
        "take_id": place["video"] if place else uid,
        "view": "ego",
        **video_media(medium),
        "duration_s": place["end_s"] - place["start_s"] if place else None,
        "licence": LICENCE,
        "source_file": file,
        "source_key": uid,
    }
