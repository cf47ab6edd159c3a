"""How a table partition lies in files: sorted by unit, a few megabytes each.

Pure rules: which files a change touches, where rows are cut, which files have drifted from order.
"""

from __future__ import annotations

import io
import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from expectations.schemas import Table

FILE_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class DataFile:
    """One parquet file of a table partition, with the range of units it holds."""

    path: str
    size: int
    rows: int
    first_unit: str
    last_unit: str

    @property
    def is_one_unit(self) -> bool:
        """Whether all rows are of one unit."""
        return self.first_unit == self.last_unit


def holds_any(file: DataFile, units: Sequence[str]) -> bool:
    """Whether a file's range meets any of the (sorted) units."""
    at = bisect_left(units, file.first_unit)
    return at < len(units) and units[at] <= file.last_unit


def small_neighbour(files: list[DataFile], unit: str) -> list[DataFile]:
    """The file before a new unit, if it has room: keeps single additions from scattering files."""
    before = [f for f in files if f.first_unit <= unit] or files[:1]
    # A unit of several files keeps them to itself: read in order, they are the unit in order.
    shared = [f for f in files if before and f.last_unit == before[-1].last_unit]
    return [f for f in before[-1:] if f.size < FILE_BYTES // 2 and len(shared) == 1]


def drifted(files: list[DataFile]) -> list[list[DataFile]]:
    """Groups of files (ascending) that would be fewer or better ordered if written anew."""
    groups: list[list[DataFile]] = []
    for file in files:
        if groups and file.first_unit <= max(f.last_unit for f in groups[-1]):
            groups[-1].append(file)
        else:
            groups.append([file])
    merged: list[list[DataFile]] = []
    was_small = False
    for group in groups:
        is_small = len(group) == 1 and group[0].size < FILE_BYTES // 4
        if was_small and is_small:
            merged[-1].extend(group)
        else:
            merged.append(group)
        was_small = is_small
    return [g for g in merged if len(g) > 1 and not _is_full_unit(g)]


def _is_full_unit(files: list[DataFile]) -> bool:
    """Whether these are the files of one large unit, of the size they should have."""
    is_one = files[0].first_unit == files[-1].last_unit
    return is_one and sum(f.size for f in files) >= len(files) * FILE_BYTES // 2


def cut(table: Table, rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Cut sorted rows into files near the wanted size.

    Units share files where they are small; one that needs several files has them to itself.
    """
    if rows.is_empty():
        return
    wanted = max(1, int(FILE_BYTES / max(1.0, _stored_bytes(rows))))
    per_file = _even(rows.height, wanted)
    start = filled = 0
    for length in rows[table.unit].rle().struct.field("len").to_list():
        if filled and filled + length > per_file:
            yield rows.slice(start, filled)
            start, filled = start + filled, 0
        if length <= 1.5 * wanted:
            filled += length
            continue
        part = _even(length, wanted)
        for at in range(0, length, part):
            yield rows.slice(start + at, min(part, length - at))
        start += length
    if filled:
        yield rows.slice(start, filled)


def _even(rows: int, wanted: int) -> int:
    """Rows of each of even parts near a wanted size: no full file with a crumb beside it."""
    return math.ceil(rows / max(1, round(rows / wanted)))


def _stored_bytes(rows: pl.DataFrame) -> float:
    """Stored bytes per row, from writing a sample to memory."""
    sample = rows.slice(rows.height // 3, 20_000)
    buffer = io.BytesIO()
    sample.write_parquet(buffer, compression="zstd", compression_level=1)
    return buffer.tell() / sample.height
