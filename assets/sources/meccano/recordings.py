"""Recordings of MECCANO: videos, or the pictures that were taken out of them, and their split."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from assets.sources.layout import PartFiles, Rows
from assets.sources.meccano.files import (
    ACTIONS,
    COCO,
    FPS,
    FRAME,
    LICENCE,
    SIZE_PX,
    VERBS,
    VIDEO,
    published_split,
    read_document,
    split_of,
    time_of,
    video_id,
)
from assets.sources.meccano.rows import listed_rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from assets.sources.recording_rows import Footage, image_rows, recording_tables

_BY_NAME: Final = re.compile(r"(?:.*/)([0-9]{1,4})(?:_gaze-data)?\.csv")


@dataclass(slots=True)
class _Video:
    """What files say of one video: file by split, where they may contradict."""

    splits: dict[str, str] = field(default_factory=dict)
    file: str | None = None
    footage: Footage = field(default_factory=Footage)


def read_recordings(part: PartFiles) -> Rows:
    """Every video that an annotation names or that is stored."""
    reader = RowReader("recordings")
    found: dict[str, _Video] = {}
    for path in sorted(part.files):
        for uid in sorted(named_videos(path, part.files[path])):
            one = found.setdefault(uid, _Video())
            one.file = one.file or path
            one.splits.setdefault(split_of(path), path)
    for path, medium in sorted(part.media.items()):
        uid, frame = _shown(path)
        found.setdefault(uid, _Video()).footage.add(medium, frame, reader, uid)
    for uid, one in sorted(found.items()):
        _tell(uid, one, reader)
    rows = [_recording(part.source, uid, one) for uid, one in sorted(found.items())]
    images = (i for uid, one in sorted(found.items()) for i in _images(part.source, uid, one))
    return Rows(recording_tables(rows, "alone", 0.0, images), tuple(reader.refused))


def _shown(path: str) -> tuple[str, int | None]:
    """Video whose pixels a file holds, and the number of the frame if it is one."""
    if match := re.fullmatch(VIDEO, path):
        return match["video"], None
    match = re.fullmatch(FRAME, path)
    assert match is not None
    return match["of"], int(match["number"])


def named_videos(path: str, data: bytes) -> Iterator[str]:
    """Videos a file speaks of; what is wrong with it is reported by the part that reads it."""
    if re.fullmatch(COCO, path):
        try:
            document = read_document(data)
        except Malformed:
            return
        yield from {picture.video for picture in document.pictures.values()}
    elif re.fullmatch(ACTIONS, path) or re.fullmatch(VERBS, path):
        yield from {row.video for _, row in listed_rows(path, data, RowReader(""))}
    elif match := _BY_NAME.fullmatch(path):
        yield video_id(match[1])


def _tell(uid: str, one: _Video, reader: RowReader) -> None:
    published = published_split(uid)
    told = {*one.splits, *([published] if published else [])}
    if len(told) > 1:
        reader.reject(
            min(one.splits.values()), None, "contradicting_splits", ", ".join(sorted(told)),
            "files put the video in several splits, or elsewhere than the release; the recording"
            " has the release's" if published else "files put the video in several splits",
            "restore the files from one release", uid,
        )  # fmt: skip


def _recording(source: str, uid: str, one: _Video) -> dict:
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
        **one.footage.columns(),
        "declared_fps": float(FPS),
        "width_px": SIZE_PX[0],
        "height_px": SIZE_PX[1],
        "licence": LICENCE,
        "source_file": one.file or one.footage.first_path,
        "source_key": uid,
    }


def _images(source: str, uid: str, one: _Video) -> list[dict]:
    # Numbers count from 1.
    pictures = {n: m for n, m in one.footage.pictures.items() if n > 0}
    return list(image_rows(source, uid, pictures, time_of))
