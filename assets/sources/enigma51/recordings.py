"""Recordings of ENIGMA-51: one video each, or the frames that were taken out of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from assets.sources.enigma51.files import (
    EVENTS,
    FPS,
    FRAME,
    LICENCE,
    QUESTIONS,
    SIZE_PX,
    SPLIT,
    VIDEO,
    Shot,
    shot_of,
    video_id,
)
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from assets.sources.recording_rows import Footage, image_rows, recording_tables

_MEMBER = re.compile(rb'"([0-9]{1,6})_[0-9]{1,9}"\s*:')
_ASKED = re.compile(rb'"video_id"\s*:\s*\{([^{}]*)\}')
_ID = re.compile(rb':\s*"?([0-9]{1,6})"?')


@dataclass(slots=True)
class _Video:
    """What files say of one video."""

    file: str | None = None
    split: str | None = None
    footage: Footage = field(default_factory=Footage)


def read_recordings(part: PartFiles) -> Rows:
    """Every video that a file names or that is stored."""
    reader = RowReader("recordings")
    found: dict[str, _Video] = {}
    for path, data in sorted(part.files.items(), key=lambda f: (not _is_events(f[0]), f[0])):
        for uid in sorted(named_videos(path, data)):
            one = found.setdefault(uid, _Video())
            one.file = one.file or path
            if _is_events(path):
                one.split = SPLIT
    for path, medium in sorted(part.media.items()):
        uid, frame = _shown(path)
        found.setdefault(uid, _Video()).footage.add(medium, frame, reader, uid)
    rows = [_recording(part.source, uid, one) for uid, one in sorted(found.items())]
    images = (i for uid, one in sorted(found.items()) for i in _images(part.source, uid, one))
    return Rows(recording_tables(rows, "alone", 0.0, images), tuple(reader.refused))


def _shown(path: str) -> tuple[str, int | None]:
    """Video whose pixels a file holds, and the number of the frame if it is one."""
    if match := re.fullmatch(VIDEO, path):
        return match["video"], None
    match = re.fullmatch(FRAME, path)
    assert match is not None
    shot = shot_of(match["key"])
    return shot.video, shot.frame


def _is_events(path: str) -> bool:
    return re.fullmatch(EVENTS, path) is not None


def named_videos(path: str, data: bytes) -> set[str]:
    """Videos a file speaks of; what is wrong with it is reported by the part that reads it."""
    if _is_events(path):
        quiet = RowReader("")
        rows = quiet.csv(path, data, ("video_id",), lambda row: {"id": _id_or_none(row)})
        return {row["id"] for _, row in rows} - {None}
    if re.fullmatch(QUESTIONS, path):
        column = _ASKED.search(data)
        return {found.decode() for found in _ID.findall(column[1])} if column else set()
    # Looked for, not parsed: the documents are large and read by another part.
    return {found.decode() for found in _MEMBER.findall(data)}


def _id_or_none(row: Mapping[str, str]) -> str | None:
    try:
        return video_id(row["video_id"])
    except Malformed:
        return None


def _recording(source: str, uid: str, one: _Video) -> dict:
    return {
        "source": source,
        "recording_id": uid,
        "take_id": uid,
        "view": "ego",
        "device": "HoloLens 2",
        "scenario": "repair of electronic boards",
        "scene": "industrial laboratory",
        "split": one.split,
        **one.footage.columns(),
        "declared_fps": float(FPS),
        "width_px": SIZE_PX[0],
        "height_px": SIZE_PX[1],
        "licence": LICENCE,
        "source_file": one.file or one.footage.first_path,
        "source_key": uid,
    }


def _images(source: str, uid: str, one: _Video) -> list[dict]:
    pictures = one.footage.pictures
    return list(image_rows(source, uid, pictures, lambda number: Shot(uid, number).t_s))
