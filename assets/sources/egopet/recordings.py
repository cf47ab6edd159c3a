"""Recordings of EgoPet: segments of edited videos, each a recording with a clock of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from assets.sources.egopet.files import FPS, LICENCE, listed, set_of, species_of, split_of, stem_of
from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number
from assets.sources.recording_rows import recording_tables, video_media


@dataclass(slots=True)
class _Segment:
    """What the lists and folders say of one segment: file by value, where they may contradict."""

    species: dict[str, str] = field(default_factory=dict)
    splits: dict[str, str] = field(default_factory=dict)
    total_s: float | None = None
    file: str | None = None
    medium: Medium | None = None


def read_recordings(part: PartFiles) -> Rows:
    """Every segment that a list names or that is stored.

    The animal is what all lists and the folder agree on; where they do not, it is null. Where a
    segment lies in its edited video is not released.
    """
    reader = RowReader("recordings")
    found: dict[str, _Segment] = {}
    for file, data in sorted(part.files.items()):
        for row in listed(file, data, reader):
            one = found.setdefault(row.uid, _Segment())
            one.file = one.file or file
            one.splits.setdefault(row.split, file)
            if row.species is not None:
                one.species.setdefault(row.species, file)
            if set_of(file) == "object_interaction":
                one.total_s = _total(row.values)
    for path, medium in sorted(part.media.items()):
        one = found.setdefault(stem_of(path), _Segment())
        if one.medium is not None:
            reader.reject(
                path, None, "media_twice", one.medium.path,
                "another file holds the same segment and is used", "keep one of the files",
                stem_of(path),
            )  # fmt: skip
            continue
        one.medium = medium
        for told, held in ((split_of(path), one.splits), (species_of(path), one.species)):
            if told is not None:
                held.setdefault(told, path)
    for uid, one in sorted(found.items()):
        _tell(uid, one, reader)
    rows = [_recording(part.source, uid, one) for uid, one in sorted(found.items())]
    tables = recording_tables(rows, "alone", 0.0)
    return Rows(tables, tuple(reader.refused))


def _total(values: Mapping[str, str]) -> float | None:
    try:
        return number(values["total_time"])
    except Malformed:
        # Said by the part that reads interactions.
        return None


def _tell(uid: str, one: _Segment, reader: RowReader) -> None:
    for rule, held, said in (
        ("contradicting_species", one.species, "lists name several animals; none is kept"),
        ("contradicting_splits", one.splits, "lists put the segment in several splits"),
    ):
        if len(held) > 1:
            reader.reject(
                min(held.values()), None, rule, ", ".join(sorted(held)), said,
                "correct one of the lists", uid,
            )  # fmt: skip


def _recording(source: str, uid: str, one: _Segment) -> dict:
    medium = one.medium
    return {
        "source": source,
        "recording_id": uid,
        "take_id": uid,
        "view": "ego",
        "species": next(iter(one.species)) if len(one.species) == 1 else None,
        "split": next(iter(one.splits)) if len(one.splits) == 1 else None,
        **video_media(medium),
        "duration_s": one.total_s,
        "declared_fps": FPS,
        "licence": LICENCE,
        "source_file": one.file or (medium.path if medium else ""),
        "source_key": uid,
    }
