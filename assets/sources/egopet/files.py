"""Files of EgoPet: where they lie, and what a row of each list says of a segment.

A segment is known by the stem of its video: numbers are padded with zeros in some stems and not in
others, and lists that state the number state it without, so that no name can be made from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, whole_number

LICENCE: Final = "CC-BY-NC-4.0"
FPS: Final = 30.0
OBJECTS: Final = (
    "person",
    "ball",
    "bench",
    "bird",
    "dog",
    "cat",
    "other animal",
    "toy",
    "door",
    "floor",
    "food",
    "plant",
    "filament",
    "plastic",
    "water",
    "vehicle",
    "other",
)
"""Objects of interactions, numbered from 0 as the code of the release does."""

_STEM = r"edited_[0-9a-f]{64}_segment_\d{1,4}"
VIDEO: Final = rf"(?:.+/)?{_STEM}\.mp4"
LIST: Final = (
    r"(?:.+/)?(?:object_interaction_(?:train|validation)"
    r"|locomotion_prediction_(?:train|train_25|val)|egopet_pretrain)\.csv"
)
TRAJECTORY: Final = rf"(?:.+/)?(?P<recording>{_STEM})_calib_eth_stride_(?P<stride>\d+)_interp\.txt"

_FOLDERS: Final = {
    "training_set": "train",
    "train": "train",
    "validation_set": "val",
    "validation": "val",
}
_INTERACTIONS = (
    "animal", "ds_type", "video_id", "segment_id", "start_time", "end_time", "total_time",
    "interacting_object", "video_path",
)  # fmt: skip
_LOCOMOTION = (
    "animal", "ds_type", "segment_id", "stride", "start_time", "end_time", "video_path",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Listed:
    """A row of a list.

    Attributes:
        line: Line it starts on, from 1.
        uid: Segment.
        split: Split it is listed in.
        species: Animal, where the list names one.
        values: All values by column.
    """

    line: int
    uid: str
    split: str
    species: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)


def set_of(path: str) -> str:
    """Family a list belongs to: `object_interaction`, `locomotion`, `locomotion_25`, `pretrain`."""
    name = path.rpartition("/")[2]
    if name.startswith("object"):
        return "object_interaction"
    if name.startswith("locomotion"):
        return "locomotion_25" if "_25" in name else "locomotion"
    return "pretrain"


def stem_of(path: str) -> str:
    """Segment of a path.

    Raises:
        Malformed: No segment is named so.
    """
    stem = path.strip().rpartition("/")[2].removesuffix(".mp4")
    if re.fullmatch(_STEM, stem) is None:
        raise Malformed("segments are named edited_<sha256>_segment_<number>", path)
    return stem


def split_of(path: str) -> str | None:
    """Split the folders of a path tell, in both ways they were published."""
    return next((_FOLDERS[f] for f in path.split("/")[:-1] if f in _FOLDERS), None)


def species_of(path: str) -> str | None:
    """Animal the folders tell (`train/cat/edited_...`); the other way of foldering tells none."""
    folders = path.split("/")[:-1]
    for above, folder in pairwise(folders):
        if above in _FOLDERS and not folder.startswith("edited_"):
            return folder.replace("_", " ")
    return None


def listed(file: str, data: bytes, reader: RowReader) -> Iterator[Listed]:
    """Rows of a list whose segment is named without doubt; the others are refused."""
    if set_of(file) == "pretrain":
        yield from _pretrained(file, data, reader)
        return
    interactions = set_of(file) == "object_interaction"
    required = _INTERACTIONS if interactions else _LOCOMOTION

    def make(values: Mapping[str, str]) -> dict:
        uid = stem_of(values["video_path"])
        if interactions:
            _same_segment(values, uid)
        elif values["segment_id"].strip() != uid:
            raise Malformed("segment_id and video_path name two segments", values["segment_id"])
        split = _FOLDERS.get(values["ds_type"].strip())
        if split is None:
            raise Malformed("ds_type is not a split", values["ds_type"])
        return {"uid": uid, "split": split, "values": dict(values)}

    for line, row in reader.csv(file, data, required, make):
        species = row["values"]["animal"].strip().lower() or None
        yield Listed(line, row["uid"], row["split"], species, row["values"])


def _same_segment(values: Mapping[str, str], uid: str) -> None:
    """The number is compared as a number: stems pad it with zeros."""
    sha, _, number = uid.removeprefix("edited_").partition("_segment_")
    if values["video_id"].strip() != sha or whole_number(values["segment_id"]) != int(number):
        named = f"{values['video_id']} {values['segment_id']}"
        raise Malformed("video_id, segment_id and video_path name two segments", named)


def _pretrained(file: str, data: bytes, reader: RowReader) -> Iterator[Listed]:
    """A list without a header: path and a 1, between them a space."""

    def make(line: str) -> dict:
        path, _, label = line.partition(" ")
        if not label:
            raise Malformed("the line is not a path and label with a space between", line)
        split = split_of(path)
        if split is None:
            raise Malformed("the path lies in no split", path)
        return {"uid": stem_of(path), "split": split}

    for at, row in reader.lines(file, data, make):
        yield Listed(at, row["uid"], row["split"])
