"""Lists that EgoExoLearn released for its tasks, row by row and in their own order.

Planning lists and anticipation tables are the truth that the released evaluators read. Lists for
training on both views, and lists of skill, are kept so that they can be written again. Of an association
list only the places of its rows are kept here: its rows are segments.

A row that another part of the layout refuses (a planning line without a recording, a bad pair, a bad
association row) is left out here without being refused again.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from assets.sources.egoexolearn.files import (
    ANTICIPATION_COTRAIN,
    ANTICIPATION_TABLE,
    ASSOCIATION,
    PLANNING_COTRAIN,
    PLANNING_LIST,
    SEMANTIC,
    SKILL_LIST,
    uid_or_none,
)
from assets.sources.egoexolearn.lists import closed_positions
from assets.sources.egoexolearn.skills import listed_clips
from assets.sources.egoexolearn.taxonomies import coarse_classes
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.csv import csv_rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, int_list, number
from expectations.schemas import TABLES

AHEAD = 8
"""Steps that a row of planning asks for."""
TABLE_COLUMNS = (
    *("video_id", "annotation_id", "start_sec", "end_sec", "verb", "noun", "scenario"),
)
"""Columns of an anticipation table."""


@dataclass(frozen=True, slots=True)
class _Known:
    """Classes that lists may name.

    Attributes:
        coarse: Coarse classes ascending: planning lists count them from 0 in this order.
        closed: Classes of the closed set of verbs and of nouns; empty where its file is not there.
    """

    coarse: Sequence[int]
    closed: Mapping[str, frozenset[int]]


_Placed = Iterator[tuple[int, dict]]
_Read = Callable[[str, bytes, _Known, RowReader], _Placed]


def read_lists(part: PartFiles) -> Rows:
    """Rows of all released lists."""
    reader = RowReader("released_rows")
    # What is wrong with these files is refused by the part that fills `taxonomies`.
    quiet = RowReader("taxonomies")
    positions = closed_positions(part.files, quiet)
    known = _Known(
        sorted(coarse_classes(part.files.get(SEMANTIC, b""), quiet)),
        {kind: frozenset(c for k, c in positions if k == kind) for kind in ("verb", "noun")},
    )
    rows = []
    for path, data in part.files.items():
        for pattern, (task, named, read) in _LISTS.items():
            if re.fullmatch(pattern, path):
                name, split = named(path)
                head = {
                    "source": part.source,
                    "released_list": f"{task}/{name}/{split}",
                    "task": task,
                    "list": name,
                    "split": split,
                    "source_file": path,
                }
                rows += [
                    {**head, "position": at, **row}
                    for at, row in read(path, data, known, reader)
                    if row
                ]
    return Rows({"released_rows": TABLES["released_rows"].frame(rows)}, tuple(reader.refused))


# -- planning --------------------------------------------------------------------------------------


def _plans(path: str, data: bytes, known: _Known, reader: RowReader) -> _Placed:
    """`recording|seen until|[next classes]`."""
    is_split_list = re.fullmatch(PLANNING_LIST, path) is not None
    if is_split_list and not data.strip():
        return
    if not known.coarse:
        message = "without class names the classes of planning lists cannot be checked"
        reader.reject(path, None, "file_missing", None, message, f"restore {SEMANTIC}")
        return

    def row(line: str) -> dict:
        fields = line.split("|")
        uid = uid_or_none(fields[0])
        if uid is None and is_split_list:
            return {}
        if uid is None or len(fields) != 3:
            raise Malformed("line is not `<video_uid>|<seconds>|[<classes>]`", line)
        seen_until_s, steps = _seconds(fields[1]), int_list(fields[2])
        if len(steps) != AHEAD:
            raise Malformed(f"line names {len(steps)} classes; a plan has {AHEAD}", fields[2])
        unknown = [step for step in steps if step >= len(known.coarse)]
        if unknown:
            raise Malformed(
                f"class {unknown[0]} is not one of the {len(known.coarse)} of {SEMANTIC}, counted"
                " from 0",
                unknown[0],
            )
        return {
            "recording_id": uid,
            "seen_until_s": seen_until_s,
            "classes": [known.coarse[step] for step in steps],
            "text": line,
        }

    yield from reader.lines(path, data, row)


# -- anticipation ----------------------------------------------------------------------------------


def _clips(path: str, data: bytes, known: _Known, reader: RowReader) -> _Placed:
    """Rows of a table; times and classes of each."""
    seen: set[str] = set()

    def row(values: Mapping[str, str]) -> dict:
        uid, key = uid_or_none(values["video_id"]), values["annotation_id"]
        if uid is None:
            raise Malformed("video_id is not a UUID", values["video_id"])
        if not key:
            raise Malformed("annotation_id is empty")
        if key in seen:
            raise Malformed("annotation is listed twice; the first row is used", key)
        start_s, end_s = _times(values["start_sec"], values["end_sec"])
        classes = {kind: int_list(values[kind]) for kind in ("verb", "noun")}
        for kind, found in classes.items():
            unknown = [c for c in found if known.closed[kind] and c not in known.closed[kind]]
            if unknown:
                raise Malformed(f"{kind} {unknown[0]} is not in valid_{kind}s.txt", unknown[0])
        seen.add(key)
        return {
            "recording_id": uid,
            "source_key": key,
            "target_start_s": start_s,
            "target_end_s": end_s,
            "verbs": classes["verb"],
            "nouns": classes["noun"],
            "text": _csv_line([values[name] for name in TABLE_COLUMNS]),
        }

    yield from reader.csv(path, data, TABLE_COLUMNS, row, lambda v: uid_or_none(v["video_id"]))


def _cotraining(path: str, data: bytes, known: _Known, reader: RowReader) -> _Placed:
    """`recording|start|end|[indices in the closed set]`, for training on both views."""
    kind = "noun" if PurePosixPath(path).parent.name.startswith("noun") else "verb"
    size = len(known.closed[kind])

    def row(line: str) -> dict:
        fields = line.split("|")
        uid = uid_or_none(fields[0])
        if uid is None or len(fields) != 4:
            raise Malformed("line is not `<video_uid>|<start>|<end>|[<classes>]`", line)
        start_s, end_s = _times(fields[1], fields[2])
        unknown = [index for index in int_list(fields[3]) if size and index >= size]
        if unknown:
            raise Malformed(
                f"index {unknown[0]} is not one of the {size} of valid_{kind}s.txt, from 0",
                unknown[0],
            )
        times = {"target_start_s": start_s, "target_end_s": end_s}
        return {"recording_id": uid, **times, "text": line}

    yield from reader.lines(path, data, row)


def _csv_line(values: Sequence[str]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="").writerow(values)
    return out.getvalue()


def _seconds(text: str) -> float:
    value = number(text)
    if value < 0:
        raise Malformed(f"{value:g} s lies before the video", text)
    return value


def _times(start: str, end: str) -> tuple[float, float]:
    start_s, end_s = _seconds(start), _seconds(end)
    if end_s < start_s:
        raise Malformed(f"ends at {end_s:g} s, before it starts at {start_s:g} s", end)
    return start_s, end_s


# -- lists whose rows other parts read -------------------------------------------------------------


def _pairs(path: str, data: bytes, _known: _Known, _reader: RowReader) -> _Placed:
    """Pairs of clips, the better one first; the recording is that of the better one."""

    def row(line: str) -> dict:
        first, _ = listed_clips(line)
        return {"recording_id": first.split("_")[1], "source_key": line, "text": line}

    yield from RowReader("skill_votes").lines(path, data, row)


def _places(_path: str, data: bytes, _known: _Known, _reader: RowReader) -> _Placed:
    """Places of the rows of an association list."""
    try:
        for line, values in csv_rows(data, ("video_uid",)):
            if isinstance(values, Malformed):
                continue
            uid = uid_or_none(values["video_uid"])
            key = values.get("annotation_id") or values.get("annotation_uid")
            if uid is not None and key:
                yield line, {"recording_id": uid, "source_key": key}
    except Malformed:
        return


# -- names -----------------------------------------------------------------------------------------


def _split_first(path: str) -> tuple[str, str]:
    split, _, name = PurePosixPath(path).stem.removesuffix("_anno_list").partition("_")
    return name, split


def _split_last(path: str) -> tuple[str, str]:
    name, _, split = PurePosixPath(path).stem.removesuffix("_valid").partition("_")
    return name, split


def _skill(path: str) -> tuple[str, str]:
    return "pairs", _split_last(path)[1]


def _for_training(path: str) -> tuple[str, str]:
    stem = PurePosixPath(path).stem
    if stem.endswith("_anno_list"):
        return stem.removesuffix("_anno_list"), "train"
    return f"cotraining_{PurePosixPath(path).parent.name}", "train"


_LISTS: Mapping[str, tuple[str, Callable[[str], tuple[str, str]], _Read]] = {
    PLANNING_LIST: ("planning", _split_first, _plans),
    PLANNING_COTRAIN: ("planning", _for_training, _plans),
    ANTICIPATION_TABLE: ("anticipation", _split_last, _clips),
    ANTICIPATION_COTRAIN: ("anticipation", _for_training, _cotraining),
    SKILL_LIST: ("skill", _skill, _pairs),
    ASSOCIATION: ("association", _split_last, _places),
}
"""Task, name and split, and reader of a list, by pattern of its path."""
