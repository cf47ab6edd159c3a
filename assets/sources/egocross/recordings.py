"""Recordings of The EgoCross testbed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assets.sources.egocross.files import LICENCE, PICTURE, clip_id, clip_key, clip_pictures
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from expectations.schemas import TABLES
from expectations.schemas.identity import digest


def read_recordings(part: PartFiles) -> Rows:
    """One recording per question's folder of pictures; pictures that are not here are counted."""
    reader = RowReader("recordings")
    here: dict[str, dict[str, str]] = {}
    for path in sorted(part.media):
        match = re.fullmatch(PICTURE, path)
        assert match is not None
        here.setdefault(clip_id(match["clip"]), {})[match["name"]] = path
    # What cannot be read is told by the part that reads the questions.
    asked = {
        row["clip"]: row
        for file, data in part.files.items()
        for row in _clips(RowReader(""), file, data)
    }
    rows, images = [], []
    for clip in sorted(here.keys() | asked.keys()):
        found, said = here.get(clip, {}), asked.get(clip)
        names = list(found) if said is None else [n for n in said["names"] if n in found]
        if said is not None and found and len(names) < len(said["names"]):
            reader.reject(
                said["file"],
                said["key"],
                "picture_missing",
                next(n for n in said["names"] if n not in found),
                f"{len(said['names']) - len(names)} of {len(said['names'])} pictures are not here",
                "fetch the whole folder of pictures",
                clip,
            )
        media = [part.media[found[name]] for name in names]
        row = _recording(part.source, clip, said, [m.content for m in media])
        rows.append({"source_file": said["file"] if said else media[0].path, **row})
        images += [
            {
                "source": part.source,
                "recording_id": clip,
                "source_frame": _number_of(name),
                "path": medium.path,
                "content": medium.content,
            }
            for name, medium in zip(names, media, strict=True)
        ]
    tables = {
        "recordings": TABLES["recordings"].frame(rows),
        "images": TABLES["images"].frame(images),
    }
    return Rows(tables, tuple(reader.refused))


def _clips(reader: RowReader, file: str, data: bytes) -> Iterator[dict]:
    def make(item: object) -> dict:
        clip, names = clip_pictures(item)
        return {"clip": clip, "names": names, "key": clip_key(item), "file": file}

    for _, row in reader.json(file, data, make):
        yield row


def _number_of(name: str) -> int:
    """`frame_00003.jpg` is 3; `04_1_640.jpg`, of one session of an operation, is 640."""
    digits = re.findall(r"\d+", name.rpartition(".")[0])
    return int(digits[-1])


def _recording(source: str, clip: str, said: dict | None, contents: list[str]) -> dict:
    dataset, video, _ = clip.split("/")
    return {
        "source": source,
        "recording_id": clip,
        "take_id": f"{dataset}/{video}",
        "view": "ego",
        "scenario": dataset,
        "split": "test",
        "media_kind": "image_sequence",
        "time_base": "index_only",
        "declared_frames": len(said["names"]) if said else None,
        "media": "present" if contents else "missing",
        "media_paths": [],
        "media_hashes": [digest(contents)] if contents else [],
        "licence": LICENCE,
        "source_key": said["key"] if said else clip,
    }
