"""Recordings of EgoExoBench: the videos and folders of pictures that its questions show."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from assets.sources.egoexobench.files import (
    LICENCE,
    PICTURE,
    VIDEO,
    ReleasedMedium,
    questions_in,
)
from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.recording_rows import picture_media, video_media
from expectations.schemas import TABLES


def read_recordings(part: PartFiles) -> Rows:
    """One recording per video and per folder of pictures that a question shows."""
    reader = RowReader("recordings")
    shown: dict[str, tuple[str, ReleasedMedium]] = {}
    names: dict[str, set[str]] = {}
    for file, data in part.files.items():
        # What cannot be read is reported by the part that reads the questions.
        for _, question in questions_in(RowReader(""), file, data):
            for _, medium in question.media:
                known = shown.setdefault(medium.recording_id, (file, medium))
                names.setdefault(medium.recording_id, set()).update(medium.names)
                if known[1].view is None and medium.view is not None:
                    shown[medium.recording_id] = (known[0], medium)
    rows, images = [], []
    pictures = _pictures(part)
    for uid, (file, medium) in sorted(shown.items()):
        if medium.view is None:
            reader.reject(
                file, None, "unknown_view", medium.path,
                "neither the path nor the question says whether the camera is ego or exo",
                "put a folder `ego` or `exo` into the path", uid,
            )  # fmt: skip
            continue
        if medium.names:
            here = pictures.get(uid, {})
            ordered = sorted(names[uid] | here.keys())
            numbered = {at: here[name] for at, name in enumerate(ordered) if name in here}
            media = picture_media(numbered)
            images += [
                {
                    "source": part.source,
                    "recording_id": uid,
                    "source_frame": at,
                    "path": picture.path,
                    "content": picture.content,
                }
                for at, picture in numbered.items()
            ]
        else:
            media = video_media(part.media.get(medium.path))
        rows.append(_recording(part.source, uid, file, medium, media))
    tables = {
        "recordings": TABLES["recordings"].frame(rows),
        "images": TABLES["images"].frame(images),
    }
    return Rows(tables, tuple(reader.refused))


def _pictures(part: PartFiles) -> dict[str, dict[str, Medium]]:
    """Pictures that are here, by folder and name."""
    found: dict[str, dict[str, Medium]] = {}
    for path, medium in part.media.items():
        if re.fullmatch(PICTURE, path, re.IGNORECASE) and not re.fullmatch(VIDEO, path):
            place = PurePosixPath(path)
            found.setdefault(str(place.parent), {})[place.name] = medium
    return found


def _recording(source: str, uid: str, file: str, medium: ReleasedMedium, media: dict) -> dict:
    parts = PurePosixPath(uid).parts
    return {
        "source": source,
        "recording_id": uid,
        # Cameras of one take lie beside each other.
        "take_id": str(PurePosixPath(*parts[:-1])) if len(parts) > 1 else uid,
        "view": medium.view,
        # The first folder is named after the dataset.
        "scenario": parts[0] if len(parts) > 1 else None,
        "split": "test",
        **media,
        "licence": LICENCE,
        "source_file": file,
        "source_key": uid,
    }
