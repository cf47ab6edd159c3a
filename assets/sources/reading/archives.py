"""Archives: their plain members, whatever else somebody put in."""

from __future__ import annotations

import io
import re
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath

from assets.sources.reading.values import Malformed

UNPACKED_BYTES = 256 << 20
"""No archive is unpacked beyond this."""
_GZIP = b"\x1f\x8b"
_BLOCK = tarfile.BLOCKSIZE
_CHUNK = 1 << 20


def tar_members(data: bytes, pattern: str) -> Iterator[tuple[str, bytes | Malformed]]:
    """Regular files of a tar archive, plain or gzipped, whose path matches, ascending by path.

    Nothing is written to disk, no link is followed. Of an archive that is cut off or damaged, the
    members before the damage are given, and then `Malformed` under the path ``""``.

    Yields:
        Path in the archive and content; Malformed where a member may not or cannot be read.
    """
    raw, fault = _unpacked(data)
    members, broken = _members(raw)
    fault = fault or broken
    seen: set[str] = set()
    for member in sorted(members, key=lambda m: (m.name, m.offset)):
        pure = PurePosixPath(member.name)
        name = pure.as_posix()
        if member.isdir() or pure.name.startswith("._"):  # what macOS adds beside every file
            continue
        if pure.is_absolute() or ".." in pure.parts:
            yield member.name, Malformed("member's path leaves the archive", member.name)
        elif not member.isreg() or member.issparse():
            yield member.name, Malformed("member is a link or a device, no plain file", member.name)
        elif re.fullmatch(pattern, name):
            if name in seen:
                yield name, Malformed("member occurs twice; the first is read", name)
                continue
            seen.add(name)
            yield name, raw[member.offset_data : member.offset_data + member.size]
    if fault:
        yield "", fault


def _unpacked(data: bytes) -> tuple[bytes, Malformed | None]:
    """The tar inside, as far as it can be unpacked, and what ended it early."""
    if not data:
        return b"", Malformed("the archive is empty")
    if not data.startswith(_GZIP):
        return data, None
    out = io.BytesIO()
    rest = data
    while rest.startswith(_GZIP):
        unpacker = zlib.decompressobj(wbits=31)
        try:
            for at in range(0, len(rest), 1 << 16):
                piece = rest[at : at + (1 << 16)]
                while not unpacker.eof:
                    made = unpacker.decompress(piece, _CHUNK)
                    out.write(made)
                    if out.tell() > UNPACKED_BYTES:
                        return b"", Malformed(f"archive unpacks to over {UNPACKED_BYTES} bytes")
                    piece = unpacker.unconsumed_tail
                    if not piece and len(made) < _CHUNK:
                        break
                if unpacker.eof:
                    rest = unpacker.unused_data + rest[at + (1 << 16) :]
                    break
            else:
                return out.getvalue(), Malformed("archive is cut off")
        except zlib.error as error:
            return out.getvalue(), Malformed(f"archive is damaged: {error}")
    return out.getvalue(), None


def _members(raw: bytes) -> tuple[list[tarfile.TarInfo], Malformed | None]:
    """Members that are whole, and whether the archive goes wrong behind them.

    `tarfile` takes a damaged header for the end, so where it stopped is looked at here.
    """
    members: list[tarfile.TarInfo] = []
    try:
        with tarfile.open(fileobj=io.BytesIO(raw), mode="r:") as archive:
            while (member := archive.next()) is not None:
                if member.isreg() and member.offset_data + member.size > len(raw):
                    return members, Malformed("archive is cut off", member.name)
                members.append(member)
            end = archive.offset
    except (tarfile.TarError, EOFError, OSError, ValueError, OverflowError) as error:
        return members, Malformed(f"no readable tar archive: {error}")
    if end < len(raw) and any(raw[end : end + _BLOCK]):
        return members, Malformed(f"archive is damaged at byte {end}", end)
    return members, None
