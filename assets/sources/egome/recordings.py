"""Recordings of EgoMe."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from assets.sources.egome.files import ENTRIES, HEIGHT_PX, LICENCE, VIDEO, WIDTH_PX
from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import number, text_or_none
from assets.sources.recording_rows import video_media, videos_by_id
from expectations.schemas import TABLES

_PERSON = re.compile(r"_(User\d+)_")


def read_recordings(part: PartFiles) -> Rows:
    """Annotated videos and those that are only here; each imitation is tied to what it imitates."""
    reader = RowReader("recordings")
    media = videos_by_id(part.media, VIDEO)
    entries = part.document(ENTRIES, reader)
    rows, links = [], []
    for uid in sorted(entries.keys() | media.keys()):
        file, entry = entries.get(uid, ("", {}))
        medium = media.get(uid)
        row = reader.make(
            file, uid, lambda u=uid, f=file, e=entry, m=medium: _recording(part.source, u, f, e, m)
        )
        if row is None:
            continue
        rows.append(row)
        other = uid.removesuffix("_ego") + "_exo"
        if row["view"] == "ego" and other in entries.keys() | media.keys():
            links.append(
                {
                    "source": part.source,
                    "take_id": uid,
                    "link": "imitates",
                    "other_take_id": other,
                    "faithful": entry.get("Video type"),
                    "source_file": row["source_file"],
                }
            )
    tables = {
        "recordings": TABLES["recordings"].frame(rows),
        "take_links": TABLES["take_links"].frame(links),
    }
    return Rows(tables, tuple(reader.refused))


def _recording(
    source: str, uid: str, file: str, entry: Mapping[str, Any], medium: Medium | None
) -> dict:
    person = _PERSON.search(uid)
    return {
        "source": source,
        "recording_id": uid,
        "take_id": uid,
        "view": uid[-3:],
        "scenario": text_or_none(entry.get("Action"), "Action"),
        "scene": text_or_none(entry.get("Scene"), "Scene"),
        "person_id": person[1] if person and uid.endswith("_ego") else None,
        "split": entry.get("Split"),
        **video_media(medium),
        "duration_s": number(entry["Duration"]) if entry else None,
        "width_px": WIDTH_PX,
        "height_px": HEIGHT_PX,
        "licence": LICENCE,
        "source_file": file or (medium.path if medium else ""),
        "source_key": uid,
    }
