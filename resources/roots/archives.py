"""Archives as they lie: their members found without unpacking, and read where they stand.

Nothing is written under a source's root. A member whose path leaves the archive, a link, a device,
an encrypted member or one that would unpack to far more than it can hold is refused; the members
around it are read. A gzipped tar cannot be sought: it is unpacked once into a plain tar among the
local copies (`resources.roots.cache`). So are large packed members of a zip.
"""

from __future__ import annotations

import bz2
import io
import json
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass
from pathlib import PurePosixPath
from typing import BinaryIO

from expectations.contracts import Refusal
from resources.roots.base import refused_file
from resources.roots.cache import open_copy

ENDINGS = (".tar.gz", ".tgz", ".tar", ".zip")
IN_MEMORY_BYTES = 8 << 20
MOST_MEMBERS = 5_000_000
# Deflate packs at most about 1,000 to 1; what is measured or annotated stays far below this.
BOMB_RATIO = 200
BOMB_BYTES = 1 << 30
_CHUNK = 1 << 20
_STORED, _DEFLATED, _BZIP2 = 0, 8, 12
_KNOWN = 2
"""Version of the kept list of members."""

Opener = Callable[[], BinaryIO]


class DamagedArchiveError(Exception):
    """An archive that cannot be read, or not to its end."""


@dataclass(frozen=True, slots=True)
class Member:
    """A plain file inside an archive.

    Attributes:
        path: Path in the archive.
        bytes: Size unpacked.
        offset: Where its bytes (tar) or its local header (zip) start.
        packed: Bytes it takes in a zip; None in a tar.
        method: How a zip packed it.
        crc: Check sum a zip states.
    """

    path: str
    bytes: int
    offset: int
    packed: int | None = None
    method: int = _STORED
    crc: int = 0


@dataclass(frozen=True, slots=True)
class Index:
    """What an archive holds.

    Attributes:
        members: Plain files, ascending by path; hidden ones are left out.
        refused: Members that are not files, and what ended the archive early, as refusals.
    """

    members: tuple[Member, ...]
    refused: tuple[Refusal, ...]


def ending_of(path: str) -> str | None:
    """The ending that makes a path an archive's, None if none does."""
    low = path.lower()
    return next((end for end in ENDINGS if low.endswith(end) and len(low) > len(end)), None)


class Archive:
    """One archive, known by its place and stamp."""

    def __init__(self, name: str, key: str, size: int, opener: Opener, *, local: bool) -> None:
        """An archive.

        Args:
            name: Path by which refusals name it.
            key: What tells this state of this archive from all others.
            size: Size of the archive.
            opener: Gives a new seekable reader of it.
            local: Whether seeking in it is cheap.
        """
        self.name = name
        self._key = f"archive|{key}"
        self._size = size
        self._opener = opener
        self._local = local
        self._ending = ending_of(name) or ""

    def index(self) -> Index:
        """Its members, from the kept list where the archive is as it was.

        What ends the archive early is one of its refusals.
        """

        def list_members(out: BinaryIO) -> None:
            members, refused = self._list()
            said = {
                "members": [astuple(m) for m in members],
                "refused": [dict(one) for one in refused],
            }
            out.write(json.dumps(said).encode())

        with open_copy(f"{self._key}|members {_KNOWN}", list_members) as handle:
            said = json.loads(handle.read())
        return Index(
            tuple(Member(*values) for values in said["members"]),
            tuple(Refusal(**one) for one in said["refused"]),
        )

    def open(self, member: Member) -> BinaryIO:
        """A seekable reader of a member's content.

        Raises:
            DamagedArchiveError: It does not unpack to what the archive says.
        """
        if self._ending != ".zip" or member.method == _STORED:
            if self._local or self._is_gzipped or member.bytes <= IN_MEMORY_BYTES:
                return self._slice(member)
        elif member.bytes <= IN_MEMORY_BYTES:
            return io.BytesIO(b"".join(self.chunks(member)))

        def unpack(out: BinaryIO) -> None:
            out.writelines(self.chunks(member))

        return open_copy(f"{self._key}|{member.offset}|{member.path}", unpack)

    def chunks(self, member: Member) -> Iterator[bytes]:
        """A member's content, piece by piece, checked at its end (raises like `open`)."""
        left, crc = member.bytes, 0
        pieces = self._pieces(member)
        try:
            for piece in pieces:
                left -= len(piece)
                if left < 0:
                    raise DamagedArchiveError("it unpacks to more than the archive says")
                crc = zlib.crc32(piece, crc) if member.packed is not None else crc
                yield piece
            if left:
                raise DamagedArchiveError(f"{left} bytes are missing")
            if member.packed is not None and crc != member.crc:
                raise DamagedArchiveError("its check sum is wrong")
        except (DamagedArchiveError, zlib.error, OSError, EOFError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # the place, not the archive
            raise DamagedArchiveError(f"damaged in the archive: {error}") from error

    def _pieces(self, member: Member) -> Iterator[bytes]:
        if self._ending == ".zip" and member.method != _STORED:
            with self._opener() as handle:
                yield from _unpacked(handle, member)
            return
        with self._slice(member) as handle:
            while piece := handle.read(_CHUNK):
                yield piece

    def _slice(self, member: Member) -> BinaryIO:
        handle = self._plain() if self._ending != ".zip" else self._opener()
        at = member.offset if member.packed is None else _data_of(handle, member)
        return io.BufferedReader(_Slice(handle, at, member.bytes), 1 << 16)

    @property
    def _is_gzipped(self) -> bool:
        return self._ending in (".tar.gz", ".tgz")

    def _plain(self) -> BinaryIO:
        """The tar itself, unpacked among the copies where it was gzipped."""
        if not self._is_gzipped:
            return self._opener()

        def unpack(out: BinaryIO) -> None:
            # Cut off or damaged: what is before the damage is kept, the list of members tells.
            self._gunzip(out)

        return open_copy(f"{self._key}|tar", unpack)

    def _gunzip(self, out: BinaryIO) -> str | None:
        """Unpack a gzipped tar as far as it goes; what ended it early."""
        bound = max(BOMB_BYTES, BOMB_RATIO * self._size)
        unpacker, done = zlib.decompressobj(31), 0
        with self._opener() as handle:
            try:
                while piece := handle.read(_CHUNK):
                    while piece:
                        made = unpacker.decompress(piece, _CHUNK)
                        done += len(made)
                        if done > bound:
                            out.seek(0)
                            out.truncate()
                            return f"the archive unpacks to over {bound} bytes"
                        out.write(made)
                        piece = unpacker.unconsumed_tail
                        if unpacker.eof:
                            piece, unpacker = unpacker.unused_data, zlib.decompressobj(31)
                            if not piece.strip(b"\0"):
                                piece = b""
            except zlib.error as error:
                return f"the archive is damaged: {error}"
        # A new member of the stream that was begun and got no byte is no fault.
        return None

    def _list(self) -> tuple[list[Member], list[Refusal]]:
        refused: list[Refusal] = []
        by_path: dict[str, Member] = {}
        try:
            for name, member in self._zip() if self._ending == ".zip" else self._tar():
                if isinstance(member, str):
                    refused.append(refused_file(f"{self.name}!{name}", member, name, *_WHY[member]))
                    continue
                if len(by_path) >= MOST_MEMBERS:
                    raise DamagedArchiveError(f"it holds over {MOST_MEMBERS} members")
                # As unpacking it would: what comes later replaces what was there.
                if member.path in by_path:
                    refused.append(
                        refused_file(
                            f"{self.name}!{name}", "member_twice", name, *_WHY["member_twice"]
                        )
                    )
                by_path[member.path] = member
        except DamagedArchiveError as error:
            refused.append(
                refused_file(
                    self.name,
                    "damaged_archive",
                    str(error),
                    "the archive cannot be read, or not to its end; members before that are read",
                    _AGAIN,
                )
            )
        return sorted(by_path.values(), key=lambda m: m.path), refused

    def _tar(self) -> Iterator[tuple[str, Member | str]]:
        with self._plain() as handle:
            size = handle.seek(0, os.SEEK_END)
            handle.seek(0)
            if size == 0:
                raise DamagedArchiveError(
                    "it is empty, damaged at its start, or unpacks to far more than it holds"
                )
            try:
                with tarfile.open(fileobj=handle, mode="r:") as archive:
                    while (one := archive.next()) is not None:
                        archive.members.clear()  # type: ignore[attr-defined]
                        if one.isreg() and one.offset_data + one.size > size:
                            raise DamagedArchiveError(f"cut off in {one.name}")
                        if not one.isdir():
                            yield from _looked_at(
                                one.name,
                                Member(one.name, one.size, one.offset_data),
                                plain=one.isreg() and not one.issparse(),
                            )
                    end = archive.offset
            except (tarfile.TarError, EOFError, ValueError, OverflowError) as error:
                raise DamagedArchiveError(f"no readable tar: {error}") from error
            # `tarfile` takes a damaged header for the end.
            handle.seek(end)
            if any(handle.read(tarfile.BLOCKSIZE)):
                raise DamagedArchiveError(f"damaged at byte {end}")
            if self._is_gzipped and end + tarfile.BLOCKSIZE > size:
                raise DamagedArchiveError(f"cut off at byte {size} of the unpacked archive")

    def _zip(self) -> Iterator[tuple[str, Member | str]]:
        with self._opener() as handle:
            try:
                with zipfile.ZipFile(handle) as archive:
                    infos = archive.infolist()
            except (zipfile.BadZipFile, EOFError, ValueError, struct.error) as error:
                raise DamagedArchiveError(f"no readable zip: {error}") from error
            except NotImplementedError as error:
                raise DamagedArchiveError(f"a zip of a kind that is not read: {error}") from error
        end = -1
        for one in sorted(infos, key=lambda i: i.header_offset):
            name = one.filename
            if one.create_system == 0:
                name = name.replace("\\", "/")
            if name.endswith("/"):
                continue
            mode = one.external_attr >> 16
            fault = None
            if one.header_offset < end:
                fault = "members_overlap"
            elif one.flag_bits & 0x1:
                fault = "encrypted_member"
            elif one.compress_type not in (_STORED, _DEFLATED, _BZIP2):
                fault = "packed_otherwise"
            elif one.file_size > max(BOMB_BYTES, BOMB_RATIO * one.compress_size):
                fault = "unpacks_too_far"
            elif one.compress_type == _STORED and one.file_size != one.compress_size:
                fault = "size_differs"
            end = max(end, one.header_offset + one.compress_size)
            member = Member(
                name,
                one.file_size,
                one.header_offset,
                one.compress_size,
                one.compress_type,
                one.CRC,
            )
            plain = one.create_system == 0 or not stat.S_IFMT(mode) or stat.S_ISREG(mode)
            for told, found in _looked_at(name, member, plain=plain):
                yield told, fault if fault and isinstance(found, Member) else found


def _looked_at(name: str, member: Member, *, plain: bool) -> Iterator[tuple[str, Member | str]]:
    """A member by its clean path, or why it is not a file; hidden ones give nothing."""
    pure = PurePosixPath(name)
    if pure.is_absolute() or ".." in pure.parts or (len(name) > 1 and name[1] == ":"):
        yield name, "outside_archive"
        return
    if not pure.parts or any(p.startswith(".") or p == "__MACOSX" for p in pure.parts):
        return
    try:
        name.encode()
    except UnicodeEncodeError:
        yield name, "name_not_utf8"
        return
    if not plain:
        yield name, "not_a_file"
        return
    values = astuple(member)
    yield name, Member(pure.as_posix(), *values[1:])


def _data_of(handle: BinaryIO, member: Member) -> int:
    """Where a zip member's bytes start: behind a header of its own, of varying length."""
    handle.seek(member.offset)
    header = handle.read(30)
    if len(header) < 30 or header[:4] != b"PK\3\4":
        handle.close()
        raise DamagedArchiveError("its header in the zip is damaged")
    name, extra = struct.unpack("<HH", header[26:30])
    return member.offset + 30 + name + extra


def _unpacked(handle: BinaryIO, member: Member) -> Iterator[bytes]:
    handle.seek(_data_of(handle, member))
    left = member.packed or 0
    if member.method == _BZIP2:
        bunzip = bz2.BZ2Decompressor()
        while not bunzip.eof:
            piece = b""
            if bunzip.needs_input:
                piece = handle.read(min(_CHUNK, left))
                left -= len(piece)
                if not piece:
                    raise DamagedArchiveError("cut off")
            yield bunzip.decompress(piece, _CHUNK)
        return
    inflate = zlib.decompressobj(-15)
    while left and not inflate.eof:
        piece = handle.read(min(_CHUNK, left))
        if not piece:
            raise DamagedArchiveError("cut off")
        left -= len(piece)
        while piece:
            made = inflate.decompress(piece, _CHUNK)
            if made:
                yield made
            piece = inflate.unconsumed_tail
    while made := inflate.decompress(inflate.unconsumed_tail, _CHUNK):
        yield made
    if rest := inflate.flush():
        yield rest


class _Slice(io.RawIOBase):
    """A stretch of a seekable reader, as a reader of its own."""

    def __init__(self, handle: BinaryIO, start: int, size: int) -> None:
        super().__init__()
        self._handle = handle
        self._start = start
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer) -> int:
        view = memoryview(buffer).cast("B")
        wanted = max(0, min(len(view), self._size - self._at))
        if not wanted:
            return 0
        self._handle.seek(self._start + self._at)
        data = self._handle.read(wanted)
        view[: len(data)] = data
        self._at += len(data)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._handle.close()
        super().close()


_AGAIN = "fetch the archive again"
_REPACK = "pack the archive again without it"
_WHY = {
    "outside_archive": ("the member's path leaves the archive and is not followed", _REPACK),
    "not_a_file": ("a link or a device in an archive is not followed", _REPACK),
    "name_not_utf8": ("the member's name is not UTF-8, so that no table can hold it", _REPACK),
    "member_twice": ("the archive holds this member twice; the later one is read", _REPACK),
    "members_overlap": ("the member lies over another one, as in archives made to do harm", _AGAIN),
    "encrypted_member": ("the member is encrypted", "unpack the archive with its password"),
    "packed_otherwise": ("the member is packed in a way that is not read", "unpack the archive"),
    "size_differs": ("the member is not packed, and yet of two sizes", _AGAIN),
    "unpacks_too_far": (
        f"the member claims to unpack to over {BOMB_RATIO} times its size",
        "unpack the archive by hand if its size is right",
    ),
}
