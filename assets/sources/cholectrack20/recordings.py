"""Recordings of CholecTrack20: folders of pictures (training, validation) or videos (testing)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from assets.sources.cholectrack20.files import (
    ANY_ANNOTATIONS,
    FPS,
    LICENCE,
    PICTURE,
    QUARANTINED,
    SPLITS,
    VIDEO,
    Document,
    chosen,
    number_of,
    read_document,
    time_of,
)
from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.reading.row_reader import REMEDY_ROW, RowReader
from assets.sources.reading.values import Malformed
from assets.sources.recording_rows import picture_media, recording_tables, video_media

_SHOWN = 5


@dataclass(slots=True)
class _Folder:
    """What lies in the folder of one video."""

    path: str
    files: list[str] = field(default_factory=list)
    pictures: dict[int, Medium] = field(default_factory=dict)
    video: Medium | None = None

    @property
    def number(self) -> int:
        return int(self.path.rpartition("VID")[2])

    @property
    def recording_id(self) -> str:
        return self.path.rpartition("/")[2]


def read_recordings(part: PartFiles) -> Rows:
    """Recordings, their pictures and clocks.

    Pictures count before a video of the same recording: their numbers are those of the annotations.
    Two videos are quarantined (see `QUARANTINED`). `declared_frames` is what the file states, which
    may count annotated frames; no length is derived from it.
    """
    reader = RowReader("recordings")
    rows: list[dict] = []
    images: list[dict] = []
    seen: dict[str, str] = {}
    for folder in _folders(part):
        uid = folder.recording_id
        if folder.number in QUARANTINED:
            reader.reject(
                folder.path,
                None,
                "annotations_of_another",
                uid,
                QUARANTINED[folder.number],
                "leave the video out until the maintainers release corrected annotations",
                uid,
            )
            continue
        if uid in seen:
            reader.reject(
                folder.path,
                None,
                "recording_twice",
                seen[uid],
                "another folder holds the same recording and is used",
                "keep one of the folders",
                uid,
            )
            continue
        seen[uid] = folder.path
        document = _document(part, folder, reader)
        rows.append(_recording(part.source, folder, document, reader))
        images += _images(part.source, folder, reader)
        if document is not None and folder.pictures:
            _unpictured(folder, document, reader)
        if folder.pictures and folder.video is not None:
            reader.reject(
                folder.video.path,
                None,
                "media_twice",
                folder.path,
                "the recording lies as pictures too; they are used",
                "nothing to do; remove one form to silence this",
                uid,
            )
    tables = recording_tables(rows, "alone", 0.0, images=images)
    return Rows(tables, tuple(reader.refused))


def _folders(part: PartFiles) -> list[_Folder]:
    found: dict[str, _Folder] = {}

    def folder(path: str) -> _Folder:
        return found.setdefault(path, _Folder(path))

    for path in part.files:
        if re.fullmatch(ANY_ANNOTATIONS, path):
            folder(path.rpartition("/")[0]).files.append(path)
    picture, video = re.compile(PICTURE), re.compile(VIDEO)
    for path, medium in part.media.items():
        if match := picture.fullmatch(path):
            folder(match[1]).pictures[int(match[2])] = medium
        elif match := video.fullmatch(path):
            folder(match["folder"]).video = medium
    return [found[path] for path in sorted(found)]


def _document(part: PartFiles, folder: _Folder, reader: RowReader) -> Document | None:
    """The annotation file that is used, as far as it can be read."""
    uid = folder.recording_id
    if not folder.files:
        reader.reject(
            folder.path,
            None,
            "file_missing",
            None,
            "the recording has no annotation file",
            f"restore {uid}.json",
            uid,
        )
        return None
    used, *others = chosen(folder.files)
    for other in others:
        reader.reject(
            other,
            None,
            "annotations_twice",
            used,
            "another annotation file of the recording is used",
            "keep one of the files",
            uid,
        )
    try:
        return read_document(used, part.files[used], uid)
    except Malformed as error:
        reader.unreadable(used, error, uid)
        return None


def _recording(source: str, folder: _Folder, document: Document | None, reader: RowReader) -> dict:
    sequence = bool(folder.pictures) or (folder.video is None and _split(folder) != "test")
    stated = {} if document is None else _stated(document, reader)
    return {
        "source": source,
        "recording_id": folder.recording_id,
        "take_id": folder.recording_id,
        "view": "ego",
        "device": "laparoscope",
        "scenario": "laparoscopic cholecystectomy",
        "scene": "operating room",
        "split": _split(folder),
        **(
            picture_media(folder.pictures, "nominal_fps") if sequence else video_media(folder.video)
        ),
        "declared_fps": float(FPS),
        "licence": LICENCE,
        "source_file": folder.path if document is None else document.file,
        "source_key": folder.recording_id,
        **stated,
    }


def _stated(document: Document, reader: RowReader) -> dict[str, int | None]:
    names = {"width_px": "width", "height_px": "height", "declared_frames": "num_frames"}
    made: dict[str, int | None] = {}
    for column, name in names.items():
        try:
            made[column] = number_of(document.video, name) or None
        except Malformed as error:
            reader.reject(
                document.file, f"video/{name}", "unreadable_row", error.value,
                f"value cannot be read and is left out: {error}", REMEDY_ROW,
            )  # fmt: skip
            made[column] = None
    return made


def _split(folder: _Folder) -> str:
    return SPLITS[folder.path.split("/")[-2]]


def _images(source: str, folder: _Folder, reader: RowReader) -> list[dict]:
    rows = []
    for number in sorted(folder.pictures):
        medium = folder.pictures[number]
        if number < 1:
            reader.reject(
                medium.path,
                None,
                "frame_number",
                number,
                "frame numbers count from 1",
                "remove the picture, or number it as the dataset does",
                folder.recording_id,
            )
            continue
        rows.append(
            {
                "source": source,
                "recording_id": folder.recording_id,
                "source_frame": number,
                "path": medium.path,
                "content": medium.content,
                "t_s": time_of(number),
            }
        )
    return rows


def _unpictured(folder: _Folder, document: Document, reader: RowReader) -> None:
    """Say which annotated frames have no picture; they are joined by number, never by nearness."""
    lost = [f.number for f in document.frames if f.number not in folder.pictures]
    if lost:
        shown = ", ".join(map(str, lost[:_SHOWN]))
        more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
        reader.reject(
            document.file,
            None,
            "annotated_without_picture",
            f"{shown}{more}",
            f"{len(lost)} annotated frames have no picture; their boxes are kept, unseen",
            "restore the pictures",
            folder.recording_id,
        )
