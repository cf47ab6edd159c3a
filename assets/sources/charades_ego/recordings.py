"""Recordings of Charades-Ego."""

from __future__ import annotations

from collections.abc import Mapping

from assets.sources.charades_ego.files import (
    LICENCE,
    LISTED,
    VIDEO,
    list_split,
    stated_length,
)
from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.recording_rows import video_media, videos_by_id
from expectations.schemas import TABLES

EGO = "EGO"


def read_recordings(part: PartFiles) -> Rows:
    """Listed videos, and their ties; a video that no list names is not one of the dataset's."""
    reader = RowReader("recordings")
    media = videos_by_id(part.media, VIDEO)
    listed = part.document(LISTED, reader)
    rows = [
        _recording(part.source, file, row, media.get(uid)) for uid, (file, row) in listed.items()
    ]
    links = [
        {
            "source": part.source,
            "take_id": uid,
            "link": "re_enacts",
            "other_take_id": partner,
            "source_file": file,
        }
        for uid, (file, row) in listed.items()
        if _is_ego(row) and (partner := _partner(row)) in listed
    ]
    tables = {
        "recordings": TABLES["recordings"].frame(rows),
        "take_links": TABLES["take_links"].frame(links),
    }
    return Rows(tables, tuple(reader.refused))


def _is_ego(row: Mapping[str, str]) -> bool:
    said = row.get("egocentric")
    return said == "Yes" if said else row["id"].endswith(EGO)


def _partner(row: Mapping[str, str]) -> str:
    return row.get("charades_video") or row["id"].removesuffix(EGO)


def _recording(source: str, file: str, row: Mapping[str, str], medium: Medium | None) -> dict:
    return {
        "source": source,
        "recording_id": row["id"],
        "take_id": row["id"],
        "view": "ego" if _is_ego(row) else "exo",
        "scene": row.get("scene") or None,
        "person_id": row.get("subject") or None,
        "split": list_split(file),
        **video_media(medium),
        "duration_s": stated_length(row),
        "licence": LICENCE,
        "source_file": file,
        "source_key": row["id"],
    }
