"""Content hashes of table rows: equal values give equal hashes, whatever wrote them and in what order.

A unit's rows are sorted by the table's key and hashed column by column, so that a later stage can
depend on the columns it reads and on no others. Volatile columns are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from blake3 import blake3

from expectations.schemas.core import Table

HASH_BYTES = 16
"""Length of every content hash."""


def canonical_json(value: object) -> str:
    """JSON with sorted keys, no blanks and no non-finite numbers: equal content, equal bytes."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def stable_hash(*parts: str) -> str:
    """Hash of parts; each is prefixed by its length in bytes.

    `stable_hash("ab", "c")` therefore differs from `stable_hash("a", "bc")`.
    """
    return digest(parts)


def digest(parts: Iterable[str]) -> str:
    """Hash of a sequence of strings; the boundaries between them count.

    Returns:
        32 hexadecimal characters (16 bytes of blake3).
    """
    # One call on all bytes: a call per part costs more than its hashing.
    told: list[bytes] = []
    for part in parts:
        data = part.encode()
        told += (len(data).to_bytes(8, "little"), data)
    return blake3(b"".join(told)).hexdigest(length=HASH_BYTES)


def digest_map(parts: Mapping[str, str]) -> str:
    """Hash of a mapping of strings, independent of its order."""
    return digest(text for key in sorted(parts) for text in (key, parts[key]))


def unit_hashes(table: Table, rows: pl.DataFrame) -> Iterator[tuple[str, int, dict[str, str]]]:
    """Hash of every content column, unit by unit.

    Args:
        table: Declaration of the rows.
        rows: Rows in the table's schema, in any order.

    Yields:
        Unit, number of rows, column name to 32 hexadecimal characters; units ascending.
    """
    if rows.is_empty():
        return
    ordered = rows.sort([table.unit, *table.key], nulls_last=True, maintain_order=True)
    runs = ordered[table.unit].rle().struct.unnest()
    stops = np.cumsum(runs["len"].to_numpy())
    columns = [
        (name, str(ordered[name].dtype), _layers(ordered[name])) for name in table.content_columns
    ]
    start = 0
    for unit, stop in zip(runs["value"], stops.tolist(), strict=True):
        yield unit, stop - start, {n: _hash(d, layers, start, stop) for n, d, layers in columns}
        start = stop


def row_hashes(table: Table, rows: pl.DataFrame) -> list[str]:
    """Hash of every row over its content columns, in the order given.

    Returns:
        32 hexadecimal characters per row.
    """
    columns = [(n, str(rows[n].dtype), _layers(rows[n])) for n in table.content_columns]
    head = digest(part for name, dtype, _ in columns for part in (name, dtype)).encode()
    told: list[list[bytes | memoryview]] = [[head] for _ in range(rows.height)]
    for _, _, layers in columns:
        for layer in layers:
            for row, (first, last) in zip(
                told, pairwise(layer.starts.astype(np.int64).tolist()), strict=True
            ):
                row += ((last - first).to_bytes(8, "little"), layer.data[first:last])
    return [blake3(b"".join(row)).hexdigest(length=HASH_BYTES) for row in told]


@dataclass(frozen=True, slots=True)
class _Layer:
    """Bytes of a column, and where each row's share of them starts."""

    data: memoryview
    starts: np.ndarray


def _hash(dtype: str, layers: list[_Layer], start: int, stop: int) -> str:
    hasher = blake3(f"{dtype}|{stop - start}|".encode())
    for layer in layers:
        first, last = int(layer.starts[start]), int(layer.starts[stop])
        hasher.update((last - first).to_bytes(8, "little"))
        hasher.update(layer.data[first:last])
    return hasher.hexdigest(length=HASH_BYTES)


def _layers(series: pl.Series) -> list[_Layer]:
    """A column's values in a form that does not depend on buffers or on what lies under nulls."""
    return [_fixed(series.is_null().to_numpy()), *_values(series)]


def _values(series: pl.Series) -> list[_Layer]:
    dtype = series.dtype
    if isinstance(dtype, pl.Struct):
        return [layer for f in dtype.fields for layer in _layers(series.struct.field(f.name))]
    if isinstance(dtype, pl.List):
        lengths = series.list.len().fill_null(0).to_numpy().astype("<i8")
        # An empty list would explode into a null; such lists hold no value and are left out.
        inner = series.filter(series.list.len().fill_null(0) > 0).explode()
        first = np.concatenate([[0], np.cumsum(lengths)])
        nested = [_Layer(layer.data, layer.starts[first]) for layer in _layers(inner)]
        return [_fixed(lengths), *nested]
    if dtype == pl.String:
        filled = series.fill_null("")
        lengths = filled.str.len_bytes().to_numpy().astype("<u8")
        data = memoryview("".join(filled.to_list()).encode())
        return [_fixed(lengths), _Layer(data, np.concatenate([[0], np.cumsum(lengths)]))]
    if dtype == pl.Boolean:
        return [_fixed(series.fill_null(False).to_numpy())]
    if dtype.is_float():
        # -0.0 equals 0.0, and every NaN is the same NaN.
        values = series.fill_null(0.0).to_numpy()
        nan = np.isnan(values)
        return [_fixed(nan), _fixed(np.where(nan, 0, values) + 0.0)]
    if dtype.is_integer():
        return [_fixed(series.fill_null(0).to_numpy())]
    if dtype == pl.Binary:
        filled = series.fill_null(b"")
        lengths = filled.bin.size().to_numpy().astype("<u8")
        data = memoryview(b"".join(filled.to_list()))
        return [_fixed(lengths), _Layer(data, np.concatenate([[0], np.cumsum(lengths)]))]
    if dtype == pl.Date:
        return [_fixed(series.to_physical().fill_null(0).to_numpy())]
    if dtype == pl.Null:
        return []
    raise TypeError(f"column {series.name!r} has type {dtype}, which no table may store")


def _fixed(values: np.ndarray) -> _Layer:
    flat = np.ascontiguousarray(values)
    size = flat.dtype.itemsize
    starts = np.arange(len(flat) + 1, dtype=np.int64) * size
    return _Layer(flat.data.cast("B") if len(flat) else memoryview(b""), starts)
