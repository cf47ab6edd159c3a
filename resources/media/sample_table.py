"""Sample table of an MP4 or QuickTime track: sizes, durations and composition offsets, in numpy.

An index read by ffmpeg holds decoding stamps only; what turns them into presentation stamps lies in
the `ctts` box (ISO/IEC 14496-12, 8.6.1). Reading it spares reading the pictures.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import numpy as np

# A header that holds an hour's samples is a few MB, and a file has a few boxes: more is broken.
_MAX_BYTES, _MAX_BOXES = 1 << 28, 10_000


@dataclass(frozen=True, slots=True)
class SampleTable:
    """Samples of one track in stored order, all arrays of one length.

    Attributes:
        sizes: Bytes, uint32.
        steps: Decoding stamp of the next sample minus this one's, int32, media time scale.
        offsets: Presentation stamp minus decoding stamp, int32; negative ones occur.
    """

    sizes: np.ndarray
    steps: np.ndarray
    offsets: np.ndarray


def read_sample_table(file: IO[bytes], track: int, count: int) -> SampleTable | None:
    """Table of the track with this number; the file's position is kept.

    Args:
        file: Seekable binary file object.
        track: `track_ID` of the track header.
        count: Samples it must have.

    Returns:
        The table; null where the file has none that says it all: no MP4, a header that is missing,
        compressed or broken, fragments, several sample descriptions, another count of samples.
    """
    place = file.tell()
    try:
        header = _movie_header(file)
        return None if header is None else _table(header, track, count)
    except (struct.error, ValueError):
        return None  # a broken box: whoever asked reads the packets themselves
    finally:
        file.seek(place)


def _movie_header(file: IO[bytes]) -> memoryview | None:
    """Content of the only `moov` box; null if there is none, or there are fragments."""
    end = file.seek(0, os.SEEK_END)
    at, found = 0, None
    for _ in range(_MAX_BOXES):
        if at + 8 > end:
            return None if found is None else memoryview(found)
        file.seek(at)
        head = file.read(16)
        size, kind = struct.unpack_from(">I4s", head)
        start = 8
        if size == 1:
            (size,), start = struct.unpack_from(">Q", head, 8), 16
        size = size or end - at
        if kind == b"moof" or size < start or (kind == b"moov" and found is not None):
            return None
        if kind == b"moov":
            if size > _MAX_BYTES:
                return None
            file.seek(at + start)
            found = file.read(size - start)
            if len(found) != size - start:
                return None
        at += size
    return None


def _boxes(data: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    """Boxes inside one, kind and content.

    Raises:
        ValueError: A box longer than what holds it.
    """
    at = 0
    while at + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        if size < 8 or at + size > len(data):
            # QuickTime ends lists with four zero bytes; nothing that is read here follows them.
            if size == 0:
                return
            raise ValueError(f"box {kind!r} of {size} bytes at {at} of {len(data)}")
        yield kind, data[at + 8 : at + size]
        at += size


def _only(data: memoryview, *path: bytes) -> memoryview:
    """Content of the only box at a path.

    Raises:
        ValueError: None, or several.
    """
    for kind in path:
        (data,) = (inside for name, inside in _boxes(data) if name == kind)
    return data


def _table(header: memoryview, track: int, count: int) -> SampleTable | None:
    kinds = [kind for kind, _ in _boxes(header)]
    if b"mvex" in kinds or b"cmov" in kinds:
        return None
    tracks = [
        inside for kind, inside in _boxes(header) if kind == b"trak" and _number(inside) == track
    ]
    if len(tracks) != 1:
        return None
    boxes = dict(_boxes(_only(tracks[0], b"mdia", b"minf", b"stbl")))
    if b"stsz" not in boxes or b"stts" not in boxes or b"stsd" not in boxes:
        return None
    if struct.unpack_from(">I", boxes[b"stsd"], 4) != (1,):
        return None
    each, told = struct.unpack_from(">II", boxes[b"stsz"], 4)
    if told != count:
        return None
    if each:
        sizes = np.full(count, each, dtype=np.uint32)
    else:
        sizes = np.frombuffer(boxes[b"stsz"], ">u4", count, 12).astype(np.uint32)
    steps = _runs(boxes[b"stts"], count)
    offsets = _runs(boxes[b"ctts"], count) if b"ctts" in boxes else np.zeros(count, dtype=np.int32)
    if steps is None or offsets is None:
        return None
    return SampleTable(sizes, steps, offsets)


def _number(track: memoryview) -> int:
    header = _only(track, b"tkhd")
    return struct.unpack_from(">I", header, 20 if header[0] == 1 else 12)[0]


def _runs(box: memoryview, count: int) -> np.ndarray | None:
    """Values of a box of runs (how many, value), one per sample; null if the runs miss the count."""
    (rows,) = struct.unpack_from(">I", box, 4)
    runs = np.frombuffer(box, np.dtype([("n", ">u4"), ("value", ">i4")]), rows, 8)
    if int(runs["n"].sum(dtype=np.int64)) != count:
        return None
    return np.repeat(runs["value"].astype(np.int32), runs["n"])
