"""Recordings of the EgoCross testbed and its support set."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence

from assets.sources.egocross.files import (
    LICENCE,
    PICTURE,
    SUPPORT,
    clip_id,
    clip_key,
    clip_pictures,
)
from assets.sources.egocross.support import Sample, samples
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
        if match is None:
            continue
        here.setdefault(clip_id(match["clip"]), {})[match["name"]] = path
    # What cannot be read is reported by the part that reads the questions.
    asked = {
        row["clip"]: row
        for file, data in part.files.items()
        if not re.fullmatch(SUPPORT, file)
        for row in _clips(RowReader(""), file, data)
    }
    rows, images = [], []
    for clip in sorted(here.keys() | asked.keys()):
        found, said = here.get(clip, {}), asked.get(clip)
        names = list(found) if said is None else [n for n in said["names"] if n in found]
        if said is not None and found:
            _reject_missing(reader, said["file"], said["key"], clip, said["names"], found)
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
    for file, data in part.files.items():
        if re.fullmatch(SUPPORT, file):
            for sample in samples(RowReader(""), file, data):
                row, pictures = _of_sample(part, reader, file, sample)
                rows.append(row)
                images += pictures
    tables = {
        "recordings": TABLES["recordings"].frame(rows),
        "images": TABLES["images"].frame(images),
    }
    return Rows(tables, tuple(reader.refused))


def _reject_missing(
    reader: RowReader,
    file: str,
    key: str,
    recording_id: str,
    named: Sequence[str],
    here: Collection[str],
) -> None:
    """Refuse, once per question, pictures that are named and not here."""
    missing = [name for name in named if name not in here]
    if missing:
        reader.reject(
            file,
            key,
            "picture_missing",
            missing[0],
            f"{len(missing)} of {len(named)} pictures are not here",
            "fetch the whole folder of pictures",
            recording_id,
        )


def _of_sample(
    part: PartFiles, reader: RowReader, file: str, sample: Sample
) -> tuple[dict, list[dict]]:
    """A sample's pictures as a recording; their places in the sample are their numbers."""
    here = [path for path in sample.pictures if path in part.media]
    if here:
        _reject_missing(reader, file, sample.key, sample.recording_id, sample.pictures, part.media)
    row = {
        "source": part.source,
        "recording_id": sample.recording_id,
        "take_id": posixpath.dirname(sample.pictures[0]),
        "view": "ego",
        "scenario": sample.domain,
        "split": "train",
        "media_kind": "image_sequence",
        "time_base": "index_only",
        "declared_frames": len(sample.pictures),
        "media": "present" if here else "missing",
        "media_paths": [],
        "media_hashes": [digest(part.media[path].content for path in here)] if here else [],
        "licence": LICENCE,
        "source_file": file,
        "source_key": sample.key,
    }
    images = [
        {
            "source": part.source,
            "recording_id": sample.recording_id,
            "source_frame": sample.pictures.index(path),
            "path": path,
            "content": part.media[path].content,
        }
        for path in here
    ]
    return row, images


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
