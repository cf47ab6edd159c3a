"""Action intervals of LEMMA: who does what in which frames, for which tasks.

`{vid: {pid: [[name, start, end, task], ...]}}`, frames counted from 0 at 24 a second, `end` not
included. Of two files of the same content (`per_act_intervals.json` and the older
`action_intervals_w_tasks.json`) the first is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assets.sources.documents import Document
from assets.sources.lemma.files import INTERVALS, is_person, vid_or_none
from assets.sources.reading.json import object_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, whole_number

_NULL = frozenset({"null", "null$"})


@dataclass(frozen=True, slots=True)
class Interval:
    """One annotated interval.

    Attributes:
        vid: Video, with hyphens.
        pid: Agent.
        name: Action as written, `Get [cup] from [table] using [hand]`.
        start: First frame, from 0.
        end: Frame after the last.
        tasks: Tasks it serves; several for actions shared by tasks.
        file: File that holds it.
    """

    vid: str
    pid: str
    name: str
    start: int
    end: int
    tasks: tuple[str, ...]
    file: str

    @property
    def key(self) -> str:
        """The source's own key, in the form its question files use, and the action."""
        return f"{self.vid}|{self.pid}|{self.start}|{self.end}|{self.name}"

    @property
    def is_null(self) -> bool:
        """Whether it says that nothing is done."""
        return self.name.casefold() in _NULL


def _parse_intervals(
    files: Mapping[str, bytes], reader: RowReader
) -> Mapping[str, Mapping[str, list[Interval]]]:
    """Intervals by video and agent, agents without intervals included.

    Args:
        files: Claimed files; only the interval file is looked at.
        reader: Collects what cannot be read.
    """
    path = _chosen(files)
    if path is None:
        reader.reject(
            "annotations/new_annotations/per_act_intervals.json",
            None,
            "file_missing",
            None,
            "the action intervals are absent",
            "restore annotations/new_annotations/per_act_intervals.json",
        )
        return {}
    try:
        document = object_of(files[path])
    except Malformed as error:
        reader.unreadable(path, error)
        return {}
    found: dict[str, dict[str, list[Interval]]] = {}
    for name, people in document.items():
        vid = vid_or_none(name)
        if vid is None:
            _not_read(reader, path, name, name, "is not an id of a video")
        elif vid in found:
            _not_read(reader, path, name, name, "is given twice, with hyphens and underscores")
        elif not isinstance(people, dict):
            _not_read(reader, path, name, type(people).__name__, "holds no agents")
        elif not people:
            _not_read(reader, path, name, people, "holds no agents")
        else:
            found[vid] = {
                pid: list(_intervals(path, vid, pid, items, reader))
                for pid, items in people.items()
                if _known(reader, path, vid, pid, items)
            }
    return found


def _chosen(files: Mapping[str, bytes]) -> str | None:
    """The interval file: the newer name first, then the shorter path."""
    found = [path for path in files if re.fullmatch(INTERVALS, path)]
    return min(found, key=lambda p: ("per_act" not in p, len(p), p), default=None)


def _known(reader: RowReader, path: str, vid: str, pid: object, items: object) -> bool:
    if not is_person(pid):
        _not_read(reader, path, f"{vid}|{pid}", pid, "is not an agent (P1, P2)")
        return False
    if not isinstance(items, list):
        _not_read(reader, path, f"{vid}|{pid}", type(items).__name__, "is not a list of intervals")
        return False
    return True


def _not_read(reader: RowReader, path: str, row: str, value: object, what: str) -> None:
    reader.reject(
        path,
        row,
        "unreadable_row",
        value,
        f"row cannot be read: {value!r} {what}",
        "correct the row in the annotation file",
    )


def _intervals(
    path: str, vid: str, pid: str, items: list[object], reader: RowReader
) -> Iterator[Interval]:
    for at, item in enumerate(items):
        try:
            yield _interval(path, vid, pid, item)
        except Malformed as error:
            reader.reject(
                path,
                f"{vid}|{pid}|{at}",
                "unreadable_row",
                error.value,
                f"row cannot be read: {error}",
                "correct the row in the annotation file",
            )


def _interval(path: str, vid: str, pid: str, item: object) -> Interval:
    if not isinstance(item, list) or not 3 <= len(item) <= 4:
        raise Malformed("an interval is not a list of name, start, end and task", item)
    name, start, end, *task = item
    if not isinstance(name, str) or not name.strip():
        raise Malformed(f"name {name!r} is not text", name)
    text = task[0] if task else ""
    if not isinstance(text, str):
        raise Malformed(f"task {text!r} is not text", text)
    tasks = tuple(part.strip() for part in text.split(",") if part.strip())
    return Interval(vid, pid, name.strip(), whole_number(start), whole_number(end), tasks, path)


PEOPLE = Document("segments", INTERVALS, _parse_intervals)
"""Intervals by video and agent; `segments` records what is wrong with the file."""
