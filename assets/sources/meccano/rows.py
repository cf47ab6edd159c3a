"""Rows of actions and verbs of MECCANO, with a header or without one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from assets.sources.meccano.files import ACTIONS, frame_number, video_id
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, whole_number

_COLUMNS: Final = ("video_id", "{}_id", "{}_name", "start_frame", "end_frame")


@dataclass(frozen=True, slots=True)
class Listed:
    """A row: class and first and last frame, both inclusive."""

    video: str
    class_id: int
    name: str
    first: int
    last: int


def listed_rows(path: str, data: bytes, reader: RowReader) -> Iterator[tuple[int, Listed]]:
    """Rows of a file with their lines.

    Args:
        path: Path of the file: actions or verbs.
        data: Its content; the columns are named by the first row, or else have the usual order.
        reader: Takes the refusals.
    """
    what = "action" if re.fullmatch(ACTIONS, path) else "verb"
    columns = tuple(name.format(what) for name in _COLUMNS)
    first = data.partition(b"\n")[0]
    headless = bool(data.strip()) and columns[0].encode() not in first
    if headless:
        # A header is put before the rows; lines are counted without it.
        data = (",".join(columns) + "\n").encode() + data.removeprefix(b"\xef\xbb\xbf")

    def make(values: Mapping[str, str]) -> dict:
        video, class_id, name, start, end = (values[c] for c in columns)
        row = Listed(
            video_id(video),
            whole_number(class_id),
            name.strip(),
            frame_number(start),
            frame_number(end),
        )
        if not row.name:
            raise Malformed(f"the row names no {what}", class_id)
        if row.last < row.first:
            raise Malformed("the row ends before its start", f"{start} {end}")
        return {"row": row}

    own = RowReader(reader.table)
    for line, row in own.csv(path, data, columns, make, _video_or_none):
        yield line - headless, row["row"]
    for one in own.refused:
        moved = str(int(str(one.row)) - 1) if headless and one.row else one.row
        reader.refused.append(replace(one, row=moved))


def _video_or_none(values: Mapping[str, str]) -> str | None:
    try:
        return video_id(values["video_id"])
    except Malformed:
        return None
