"""Cell arrays of MATLAB files, version 5: text and whole or broken numbers, nothing else.

Read by hand and bounded: a file may state any size for anything in it, and other kinds of content
(objects, functions) are of no use here.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from assets.sources.reading.values import Malformed

UNPACKED_BYTES: Final = 64 << 20
"""No packed variable is unpacked beyond this."""
_HEADER: Final = 128
_COMPRESSED, _MATRIX = 15, 14
_CELL, _CHAR, _NUMBERS = 1, 4, range(6, 16)
_DTYPES: Final = {
    1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8",
}  # fmt: skip
_TEXTS: Final = {16: "utf-8", 17: "utf-16", 18: "utf-32"}

Value = str | npt.NDArray[np.generic]


def cell_array(data: bytes, name: str) -> list[list[Value]]:
    """A two-dimensional cell array by its name, row by row.

    Args:
        data: The file.
        name: Name of the variable.

    Returns:
        Text of character arrays, and numbers as arrays (rows, columns) in the type they are
        stored as.

    Raises:
        Malformed: No MATLAB file of version 5, cut off, without that variable, or one that is no
            array of cells with text and numbers.
    """
    if len(data) < _HEADER or data[126:128] not in (b"IM", b"MI"):
        raise Malformed("no MATLAB file of version 5", data[:19].decode("latin-1"))
    order = "<" if data[126:128] == b"IM" else ">"
    at = _HEADER
    while at < len(data):
        kind, body, at = _element(data, at, order, packed=True)
        if kind == _COMPRESSED:
            kind, body, _ = _element(_unpacked(body), 0, order)
        if kind != _MATRIX:
            continue
        content, dims, said = _opened(body, order)
        if said == name:
            return _cells(body, content, dims, order)
    raise Malformed(f"the file holds no variable {name}", name)


def _unpacked(body: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    try:
        made = unpacker.decompress(body, UNPACKED_BYTES)
    except zlib.error as error:
        raise Malformed(f"packed variable is damaged: {error}") from None
    if not unpacker.eof:
        raise Malformed(f"packed variable is cut off, or over {UNPACKED_BYTES} bytes")
    return made


def _element(data: bytes, at: int, order: str, *, packed: bool = False) -> tuple[int, bytes, int]:
    """Kind, content and end of the element at a place."""
    if at + 8 > len(data):
        raise Malformed("file is cut off", at)
    kind, size = struct.unpack_from(f"{order}II", data, at)
    if kind >> 16:  # a short one: size and kind in one word, the content in the next
        kind, size = kind & 0xFFFF, kind >> 16
        if size > 4:
            raise Malformed("a short element is over four bytes", size)
        return kind, data[at + 4 : at + 4 + size], at + 8
    end = at + 8 + size
    if end > len(data):
        raise Malformed("file is cut off", at)
    body = data[at + 8 : end]
    return kind, body, end if packed and kind == _COMPRESSED else end + -size % 8


def _opened(body: bytes, order: str) -> tuple[tuple[int, int], list[int], str]:
    """Class and start of the content of a matrix, its sizes and its name."""
    _, flags, at = _element(body, 0, order)
    _, sizes, at = _element(body, at, order)
    _, name, at = _element(body, at, order)
    if len(flags) != 8 or len(sizes) % 4:
        raise Malformed("a matrix has no readable head")
    kind = struct.unpack_from(f"{order}I", flags)[0] & 0xFF
    dims = [int(n) for n in np.frombuffer(sizes, f"{order}i4")]
    if len(dims) != 2 or min(dims) < 0:
        raise Malformed(f"a matrix has the sizes {dims}", dims)
    return (kind, at), dims, name.decode("latin-1")


def _cells(body: bytes, content: tuple[int, int], dims: list[int], order: str) -> list[list[Value]]:
    kind, at = content
    rows, columns = dims
    # Each cell takes eight bytes at least: a size that the file cannot hold is refused first.
    if kind != _CELL or rows * columns * 8 > len(body):
        raise Malformed(f"the variable is not an array of {rows} x {columns} cells", kind)
    found = list(_values(body, at, rows * columns, order))
    return [found[row::rows] for row in range(rows)]


def _values(body: bytes, at: int, count: int, order: str) -> Iterator[Value]:
    for _ in range(count):
        kind, inner, at = _element(body, at, order)
        if kind != _MATRIX:
            raise Malformed("a cell holds no matrix", kind)
        yield _value(inner, order) if inner else np.empty((0, 0))


def _value(inner: bytes, order: str) -> Value:
    (kind, at), dims, _ = _opened(inner, order)
    if kind != _CHAR and kind not in _NUMBERS:
        raise Malformed("a cell holds neither text nor numbers", kind)
    if 0 in dims:
        return "" if kind == _CHAR else np.empty(dims)
    stored, raw, _ = _element(inner, at, order)
    if kind == _CHAR and stored in _TEXTS:
        return raw.decode(_TEXTS[stored], "replace")
    if stored not in _DTYPES or len(raw) % np.dtype(_DTYPES[stored]).itemsize:
        raise Malformed("a cell holds numbers of an unknown form", stored)
    numbers = np.frombuffer(raw, order + _DTYPES[stored])
    if numbers.size != dims[0] * dims[1]:
        raise Malformed(f"a cell of {dims} holds {numbers.size} values", dims)
    if kind == _CHAR:
        return "".join(chr(n) if n < 0xD800 else "\ufffd" for n in numbers.tolist())
    return numbers.reshape(dims, order="F")
