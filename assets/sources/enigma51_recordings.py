"""Recordings of ENIGMA-51: one video each, or the frames that were taken out of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from assets.sources.enigma51_files import (
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
from assets.sources.guard import Guard
from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.reading import Malformed
from assets.sources.recording_rows import clock_row, image_rows
from expectations.schemas import TABLES
from expectations.schemas.identity import digest

_MEMBER = re.compile(rb'"([0-9]{1,6})_[0-9]{1,9}"\s*:')
_ASKED = re.compile(rb'"video_id"\s*:\s*\{([^{}]*)\}')
_ID = re.compile(rb':\s*"?([0-9]{1,6})"?')


@dataclass(slots=True)
class _Video:
    """What files say of one video."""

    file: str | None = None
    split: str | None = None
    medium: Medium | None = None
    frames: dict[int, Medium] = field(default_factory=dict)


def read_recordings(part: PartFiles) -> Rows:
    """Every video that a file names or that is stored.

    Where the video is here, stored frames are copies of its pictures and not listed; without it the
    frames are the recording.
    """
    guard = Guard("recordings")
    found: dict[str, _Video] = {}
    for path, data in sorted(part.files.items(), key=lambda f: (not _is_events(f[0]), f[0])):
        for uid in sorted(_named(path, data)):
            one = found.setdefault(uid, _Video())
            one.file = one.file or path
            if _is_events(path):
                one.split = SPLIT
    for path, medium in sorted(part.media.items()):
        if match := re.fullmatch(VIDEO, path):
            one = found.setdefault(match["video"], _Video())
            if one.medium is None:
                one.medium = medium
                continue
            twice, uid = one.medium.path, match["video"]
        else:
            match = re.fullmatch(FRAME, path)
            assert match is not None
            shot = shot_of(match["key"])
            one = found.setdefault(shot.video, _Video())
            if shot.frame not in one.frames:
                one.frames[shot.frame] = medium
                continue
            twice, uid = one.frames[shot.frame].path, shot.video
        guard.refuse(
            path, None, "media_twice", twice, "another file holds the same and is used",
            "keep one of the files", uid,
        )  # fmt: skip
    rows = [_recording(part.source, uid, one) for uid, one in sorted(found.items())]
    tables = {
        "recordings": TABLES["recordings"].frame(rows),
        "images": TABLES["images"].frame(
            row for uid, one in sorted(found.items()) for row in _images(part.source, uid, one)
        ),
        "clocks": TABLES["clocks"].frame(clock_row(row, "alone", 0.0) for row in rows),
    }
    return Rows(tables, tuple(guard.refused))


def read_splits(part: PartFiles) -> Rows:
    """Videos of the files of points: all of the test split; the other lists are not released there."""
    rows: dict[str, dict] = {}
    for path, data in sorted(part.files.items()):
        for uid in _named(path, data):
            rows.setdefault(uid, {"source_file": path})
    # By number: text would put 107 before 46.
    ordered = sorted(rows, key=lambda uid: (int(uid), uid))
    made = [
        {
            "source": part.source, "split_set": "interactions", "recording_id": uid,
            "split": SPLIT, "position": at, **rows[uid],
        }
        for at, uid in enumerate(ordered)
    ]  # fmt: skip
    return Rows({"splits": TABLES["splits"].frame(made)})


def _is_events(path: str) -> bool:
    return re.fullmatch(EVENTS, path) is not None


def _named(path: str, data: bytes) -> set[str]:
    """Videos a file speaks of; what is wrong with it is told by the part that reads it."""
    if _is_events(path):
        quiet = Guard("")
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
    frames = [one.frames[n] for n in sorted(one.frames)]
    as_frames = one.medium is None and bool(frames)
    first = one.medium.path if one.medium else min((m.path for m in frames), default="")
    hashes = [digest(f"{m.path}={m.content}" for m in frames)] if as_frames else []
    return {
        "source": source,
        "recording_id": uid,
        "take_id": uid,
        "view": "ego",
        "device": "HoloLens 2",
        "scenario": "repair of electronic boards",
        "scene": "industrial laboratory",
        "split": one.split,
        "media_kind": "image_sequence" if as_frames else "video",
        "time_base": "nominal_fps" if as_frames else "pts",
        "media_duration_s": one.medium.duration_s if one.medium else None,
        "declared_fps": float(FPS),
        "width_px": SIZE_PX[0],
        "height_px": SIZE_PX[1],
        "media": "present" if one.medium or frames else "missing",
        "media_paths": [one.medium.path] if one.medium else [],
        "media_hashes": [one.medium.content] if one.medium else hashes,
        "licence": LICENCE,
        "source_file": one.file or first,
        "source_key": uid,
    }


def _images(source: str, uid: str, one: _Video) -> list[dict]:
    # Pictures of a video that is here are not needed.
    pictures = {} if one.medium is not None else one.frames
    return list(image_rows(source, uid, pictures, lambda number: Shot(uid, number).t_s))
