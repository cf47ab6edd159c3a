"""Recordings of EgoSurgery: sessions of pictures, one every two seconds."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from assets.sources.egosurgery.files import (
    COCO,
    FPS,
    LICENCE,
    PHASE,
    PHASE_SPLIT,
    Document,
    read_document,
    shot_of,
    split_of,
    video_of,
)
from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from assets.sources.recording_rows import picture_media, recording_tables

_SHOWN = 5


@dataclass(slots=True)
class _Session:
    """What the files say of one session."""

    uid: str
    phase_file: str | None = None
    listed_in: list[str] = field(default_factory=list)
    numbers: set[int] = field(default_factory=set)
    size: tuple[int, int] | None = None
    split: str | None = None
    pictures: dict[int, Medium] = field(default_factory=dict)


def read_recordings(part: PartFiles) -> Rows:
    """Sessions, their pictures and clocks.

    A session is a recording where it has phases, listed pictures or stored ones. Its split is that
    of tools (the folder of its pictures); phases were split otherwise, which is reported.
    """
    reader = RowReader("recordings")
    found: dict[str, _Session] = {}

    def session(uid: str) -> _Session:
        return found.setdefault(uid, _Session(uid))

    for path in part.files:
        if match := re.fullmatch(PHASE, path):
            session(match["recording"]).phase_file = path
        elif re.fullmatch(COCO, path):
            document = _document(path, part.files[path], reader)
            for picture in () if document is None else document.pictures.values():
                one = session(picture.shot.recording_id)
                one.size = one.size or (picture.width, picture.height)
                one.split = one.split or split_of(path)
                one.numbers.add(picture.shot.number)
                if path not in one.listed_in:
                    one.listed_in.append(path)
    _stored(part, session, reader)
    rows, images = [], []
    for uid in sorted(found):
        rows.append(_recording(part.source, found[uid]))
        images += _images(part.source, found[uid])
        _tell(found[uid], reader)
    tables = recording_tables(rows, "alone", 0.0, images=images)
    return Rows(tables, tuple(reader.refused))


def phase_split(uid: str) -> str | None:
    """Split of the phase paper, None for videos it does not name."""
    video = video_of(uid)
    return next((split for split, videos in PHASE_SPLIT.items() if video in videos), None)


def _document(path: str, data: bytes, reader: RowReader) -> Document | None:
    try:
        document = read_document(path, data)
    except Malformed as error:
        reader.unreadable(path, error)
        return None
    for key, fault in document.faults:
        said = f"row cannot be read: {fault}"
        reader.reject(
            path, key, "unreadable_row", fault.value, said, "correct the list of pictures"
        )
    return document


def _stored(part: PartFiles, session: Callable[[str], _Session], reader: RowReader) -> None:
    """Put stored pictures into their sessions."""
    for path, medium in sorted(part.media.items()):
        try:
            shot = shot_of(path)
        except Malformed as error:
            reader.reject(
                path, None, "picture_name", error.value, str(error),
                "name the picture as the dataset does",
            )  # fmt: skip
            continue
        one = session(shot.recording_id)
        if shot.number in one.pictures:
            reader.reject(
                path, None, "picture_twice", one.pictures[shot.number].path,
                "another file holds the same picture and is used", "keep one of the files",
                shot.recording_id,
            )  # fmt: skip
            continue
        one.pictures[shot.number] = medium
        folder = re.search(r"(?:^|/)(train|val|test)/\d", path)
        if one.split is None and folder is not None:
            one.split = folder[1]


def _recording(source: str, one: _Session) -> dict:
    width, height = one.size or (None, None)
    first = min((m.path for m in one.pictures.values()), default="")
    return {
        "source": source,
        "recording_id": one.uid,
        "take_id": one.uid,
        "view": "ego",
        "device": "head-mounted camera",
        "scenario": "open surgery",
        "scene": "operating room",
        "split": one.split or phase_split(one.uid),
        **picture_media(one.pictures, "nominal_fps"),
        "declared_fps": FPS,
        "width_px": width,
        "height_px": height,
        "licence": LICENCE,
        "source_file": one.phase_file or min(one.listed_in, default=first),
        "source_key": one.uid,
    }


def _images(source: str, one: _Session) -> list[dict]:
    return [
        {
            "source": source,
            "recording_id": one.uid,
            "source_frame": number,
            "path": one.pictures[number].path,
            "content": one.pictures[number].content,
            "t_s": shot_of(one.pictures[number].path).t_s,
        }
        for number in sorted(one.pictures)
    ]


def _tell(one: _Session, reader: RowReader) -> None:
    """Say what contradicts and what is absent."""
    phase = phase_split(one.uid)
    if phase and one.split and phase != one.split:
        reader.reject(
            one.phase_file or min(one.listed_in, default=one.uid), None, "contradicting_splits",
            f"phases {phase}, tools {one.split}",
            "the papers on phases and on tools split the videos differently; both are in `splits`,"
            " the recording has that of tools",
            "nothing to do; do not train on one task and test on the other", one.uid,
        )  # fmt: skip
    lost = sorted(one.numbers - one.pictures.keys())
    if one.pictures and lost:
        more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
        reader.reject(
            min(one.listed_in), None, "annotated_without_picture",
            ", ".join(map(str, lost[:_SHOWN])) + more,
            f"{len(lost)} annotated frames have no picture; their boxes are kept, unseen",
            "restore the pictures", one.uid,
        )  # fmt: skip
