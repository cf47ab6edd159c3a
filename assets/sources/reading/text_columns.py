"""Annotation tables by column: each different text of a column is read once.

`RowReader.csv` makes a row at a time. Where a file has ten thousands of rows that repeat few words and
lists, columns are read here instead: the same judgement of each value, a fraction of the time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import polars as pl

from assets.sources.reading.csv import csv_rows
from assets.sources.reading.row_reader import REMEDY_ROW, RowReader
from assets.sources.reading.values import Malformed

_T = TypeVar("_T")
_CLOCK = re.compile(r"([0-9]{1,3}):([0-9]{1,2}):([0-9]{1,2})(?:\.([0-9]{1,9}))?")


class TextColumns:
    """Columns of a file as text, and what is wrong with its rows.

    Attributes:
        file: Path of the file.
        rows: Row keys for refusals: lines of the file.
        texts: Texts by column; a column that is absent from the file is absent here.
        faults: First fault of each bad row, by index.
    """

    def __init__(self, file: str, rows: list[int], texts: Mapping[str, list[str]]) -> None:
        self.file = file
        self.rows = rows
        self.texts = texts
        self.faults: dict[int, Malformed] = {}

    def __len__(self) -> int:
        return len(self.rows)

    def read(self, name: str, make: Callable[[str], _T]) -> list[_T | None]:
        """What `make` gives of each text; None, and a fault of the row, where it raises `Malformed`."""
        known: dict[str, _T | Malformed] = {}
        made: list[_T | None] = []
        for at, text in enumerate(self.texts[name]):
            value = known.get(text)
            if value is None and text not in known:
                try:
                    value = make(text)
                except Malformed as error:
                    value = Malformed(f"{name}: {error}", error.value)
                known[text] = value
            if isinstance(value, Malformed):
                self.faults.setdefault(at, value)
                made.append(None)
            else:
                made.append(value)
        return made

    def fault(self, at: int, message: str, value: object) -> None:
        """Note that a row cannot be used."""
        self.faults.setdefault(at, Malformed(message, value))

    def reject(self, reader: RowReader, recordings: Sequence[str | None]) -> None:
        """Refuse the rows that have a fault.

        Args:
            reader: Takes the refusals.
            recordings: Recording of each row, where known.
        """
        for at, error in sorted(self.faults.items()):
            reader.reject(
                self.file, self.rows[at], "unreadable_row", error.value,
                f"row cannot be read: {error}", REMEDY_ROW, recordings[at],
            )  # fmt: skip

    def sound(self, columns: Mapping[str, list], schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
        """Rows without a fault, of columns as long as the file."""
        frame = pl.DataFrame(dict(columns), schema=dict(schema))
        if not self.faults:
            return frame
        good = [at not in self.faults for at in range(len(self.rows))]
        return frame.filter(pl.Series(good, dtype=pl.Boolean))


def text_columns(
    reader: RowReader,
    file: str,
    data: bytes,
    required: Sequence[str],
    optional: Sequence[str] = (),
) -> TextColumns | None:
    """Columns of a CSV file; None, and a refusal, where it cannot be read at all.

    Args:
        reader: Takes the refusals of rows that are not CSV.
        file: Path, for the refusals.
        data: The file.
        required: Columns that must be there.
        optional: Columns that may be there.
    """
    rows: list[int] = []
    held: list[dict[str, str]] = []
    try:
        for line, values in csv_rows(data, required):
            if isinstance(values, Malformed):
                said = f"row cannot be read: {values}"
                reader.reject(file, line, "unreadable_row", values.value, said, REMEDY_ROW)
            else:
                rows.append(line)
                held.append(values)
    except Malformed as error:
        reader.unreadable(file, error)
        return None
    names = [*required, *(n for n in optional if held and n in held[0])]
    return TextColumns(file, rows, {n: [values[n] for values in held] for n in names})


def clock_s(text: str) -> float:
    """Seconds of `HH:MM:SS.fff`, whether or not each number has its leading zero.

    Raises:
        Malformed: Anything else, or more than 59 minutes or seconds.
    """
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        raise Malformed(f"{text[:40]!r} is not a time HH:MM:SS", text)
    hours, minutes, seconds = (int(part) for part in match.groups()[:3])
    if minutes > 59 or seconds > 59:
        raise Malformed(f"{text[:40]!r} is not a time of a clock", text)
    digits = match[4] or ""
    # One division of whole numbers: the sum of its parts would be off in the last place.
    whole = (hours * 3600 + minutes * 60 + seconds) * 10 ** len(digits) + int(digits or "0")
    return whole / 10 ** len(digits)
