"""Recordings of MECCANO: videos, or the pictures that were taken out of them, and their split."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from assets.sources.guard import Guard
from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.meccano_files import (
    ACTIONS,
    COCO,
    FPS,
    FRAME,
    LICENCE,
    SIZE_PX,
    VERBS,
    VIDEO,
    is_next,
    published_split,
    read_document,
    split_of,
    time_of,
    video_id,
)
from assets.sources.meccano_rows import listed_rows
from assets.sources.reading import Malformed
from assets.sources.recording_rows import clock_row, image_rows
from expectations.schemas import TABLES
from expectations.schemas.identity import digest

_BY_NAME: Final = re.compile(r"(?:.*/)([0-9]{1,4})(?:_gaze-data)?\.csv")


@dataclass(slots=True)
class _Video:
    """What files say of one video: file by split, where they may contradict."""

    splits: dict[str, str] = field(default_factory=dict)
    file: str | None = None
    medium: Medium | None = None
    frames: dict[int, Medium] = field(default_factory=dict)


def read_recordings(part: PartFiles) -> Rows:
    """Every video that an annotation names or that is stored.

    Where the video is here, stored frames are copies of its pictures and not listed; without it the
    frames are the recording.
    """
    guard = Guard("recordings")
    found: dict[str, _Video] = {}
    for path in sorted(part.files):
        for uid in sorted(_named(path, part.files[path])):
            one = found.setdefault(uid, _Video())
            one.file = one.file or path
            one.splits.setdefault(split_of(path), path)
    for path, medium in sorted(part.media.items()):
        if match := re.fullmatch(VIDEO, path):
            one = found.setdefault(match["video"], _Video())
            held, one.medium = one.medium, one.medium or medium
        else:
            match = re.fullmatch(FRAME, path)
            assert match is not None
            one = found.setdefault(match["of"], _Video())
            held = one.frames.get(int(match["number"]))
            one.frames.setdefault(int(match["number"]), medium)
        if held is not None:
            guard.refuse(
                path, None, "media_twice", held.path, "another file holds the same and is used",
                "keep one of the files",
            )  # fmt: skip
    for uid, one in sorted(found.items()):
        _tell(uid, one, guard)
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
    """Videos by what was annotated: `actions`, `verbs`, `active_objects`, `next_objects`, ...

    The position is that of the video among those of its split, by number.
    """
    homes: dict[tuple[str, str], dict[str, str]] = {}
    for path in sorted(part.files):
        for uid in sorted(_named(path, part.files[path])):
            homes.setdefault((_set_of(path), split_of(path)), {}).setdefault(uid, path)
    rows = [
        {
            "source": part.source, "split_set": name, "recording_id": uid, "split": split,
            "position": at, "source_file": held[uid],
        }
        for (name, split), held in sorted(homes.items())
        for at, uid in enumerate(sorted(held))
    ]  # fmt: skip
    return Rows({"splits": TABLES["splits"].frame(rows)})


def _set_of(path: str) -> str:
    if re.fullmatch(COCO, path):
        return "next_objects" if is_next(path) else "active_objects"
    if re.fullmatch(ACTIONS, path):
        return "actions"
    if re.fullmatch(VERBS, path):
        return "verbs"
    return "gaze" if path.endswith("_gaze-data.csv") else "hands"


def _named(path: str, data: bytes) -> Iterator[str]:
    """Videos a file speaks of; what is wrong with it is told by the part that reads it."""
    if re.fullmatch(COCO, path):
        try:
            document = read_document(data)
        except Malformed:
            return
        yield from {picture.video for picture in document.pictures.values()}
    elif re.fullmatch(ACTIONS, path) or re.fullmatch(VERBS, path):
        yield from {row.video for _, row in listed_rows(path, data, Guard(""))}
    elif match := _BY_NAME.fullmatch(path):
        yield video_id(match[1])


def _tell(uid: str, one: _Video, guard: Guard) -> None:
    published = published_split(uid)
    told = {*one.splits, *([published] if published else [])}
    if len(told) > 1:
        guard.refuse(
            min(one.splits.values()), None, "contradicting_splits", ", ".join(sorted(told)),
            "files put the video in several splits, or elsewhere than the release; the recording"
            " has the release's" if published else "files put the video in several splits",
            "restore the files from one release", uid,
        )  # fmt: skip


def _recording(source: str, uid: str, one: _Video) -> dict:
    frames = [one.frames[n] for n in sorted(one.frames)]
    as_frames = one.medium is None and bool(frames)
    first = one.medium.path if one.medium else min((m.path for m in frames), default="")
    hashes = [digest(f"{m.path}={m.content}" for m in frames)] if as_frames else []
    alone = next(iter(one.splits)) if len(one.splits) == 1 else None
    return {
        "source": source,
        "recording_id": uid,
        "take_id": uid,
        "view": "ego",
        "device": "head-mounted, with gaze and depth",
        "scenario": "assembly of a toy motorbike",
        "scene": "desk",
        "split": published_split(uid) or alone,
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
    # Pictures of a video that is here are not needed, and numbers count from 1.
    frames = {} if one.medium is not None else one.frames
    return list(image_rows(source, uid, {n: m for n, m in frames.items() if n > 0}, time_of))
