"""Lists of EgoExoLearn whose order decides released sets: planning, association, closed classes.

The planning lists hold the recordings in an order that no other file has; those of the split bundle
that have no line there (fewer than nine steps) follow in the bundle's order. An association list
holds its recordings one after the other. The closed set of anticipation is two files of class
numbers, in an order that is not theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from assets.sources.egoexolearn.files import (
    ASSOCIATION,
    PLANNING_BUNDLE,
    PLANNING_LIST,
    VALID_CLASSES,
    uid_or_none,
)
from assets.sources.reading.csv import csv_rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, whole_number


def listed_recordings(
    files: Mapping[str, bytes], reader: RowReader
) -> Iterator[tuple[str, str, str, list[str]]]:
    """Recordings of the lists of planning and association, in the lists' order.

    Yields:
        Split set, split, file and recordings.
    """
    planned: dict[tuple[str, str], tuple[str, list[str]]] = {}
    for path, data in sorted(
        files.items(), key=lambda f: bool(re.fullmatch(PLANNING_BUNDLE, f[0]))
    ):
        stem = PurePosixPath(path).stem
        if re.fullmatch(ASSOCIATION, path):
            view, _, split = stem.partition("_")
            yield f"association_{view}", split, path, _of_association(data)
        elif re.fullmatch(PLANNING_LIST, path):
            split, _, name = stem.removesuffix("_anno_list").partition("_")
            planned[name, split] = (path, _of_lines(path, data, "|", reader))
        elif re.fullmatch(PLANNING_BUNDLE, path):
            name, _, split = stem.removesuffix("_annotations").rpartition("_")
            place, first = planned.get((name, split), (path, []))
            listed = _of_lines(path, data, ".txt", reader)
            planned[name, split] = (place, list(dict.fromkeys([*first, *listed])))
    for (name, split), (path, uids) in planned.items():
        yield f"planning_{name}", split, path, uids


def _of_association(data: bytes) -> list[str]:
    """Recordings in the order of their first rows; bad rows are refused by the part `segments`."""
    found: dict[str, None] = {}
    try:
        for _, values in csv_rows(data, ("video_uid",)):
            uid = None if isinstance(values, Malformed) else uid_or_none(values["video_uid"])
            if uid is not None:
                found.setdefault(uid)
    except Malformed:
        return []
    return list(found)


def _of_lines(path: str, data: bytes, end: str, reader: RowReader) -> list[str]:
    found: dict[str, None] = {}

    def made(line: str) -> dict:
        uid = uid_or_none(line.partition(end)[0])
        if uid is None:
            raise Malformed("line does not begin with a video_uid", line)
        return {"uid": uid}

    for _, row in reader.lines(path, data, made):
        found.setdefault(row["uid"])
    return list(found)


def closed_positions(files: Mapping[str, bytes], reader: RowReader) -> dict[tuple[str, int], int]:
    """Index in the released closed set of anticipation, by taxonomy and class."""
    found: dict[tuple[str, int], int] = {}
    for path, data in files.items():
        if not re.fullmatch(VALID_CLASSES, path):
            continue
        taxonomy = "verb" if "verb" in PurePosixPath(path).name else "noun"
        rows = reader.lines(path, data, lambda line, kind=taxonomy: _class(line, kind, found))
        for position, (_, row) in enumerate(rows):
            found[taxonomy, row["class_id"]] = position
    return found


def _class(line: str, taxonomy: str, known: Mapping[tuple[str, int], int]) -> dict:
    class_id = whole_number(line)
    if (taxonomy, class_id) in known:
        raise Malformed("class is listed twice; the first place holds", line)
    return {"class_id": class_id}
