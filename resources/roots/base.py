"""Raw files under a source's root: listing, identity, reading. Nothing outside the root is reached."""

from __future__ import annotations

import builtins
import errno
import io
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Protocol

from blake3 import blake3

from expectations.contracts import Refusal
from resources.errors import ExpectedError

WHOLE_BYTES = 64 << 20
SAMPLE_BYTES = 1 << 20
SAMPLES = 16
SAMPLED = "sampled:"
"""What an identity begins with that not every byte decided."""
VERIFIED = "verified:"
"""What the identity of a large medium begins with that changed where no sample is taken."""
_TICK_NS = 20_000_000
_COARSE_TICK_NS = 2_000_000_000
_MOST_BOXES = 10_000
_FIRST_BOXES = (b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"styp", b"pnot")


class RootError(ExpectedError, RuntimeError):
    """A root that cannot be listed or read: broken machinery, so the run stops."""


class UnreadableFile(RootError):
    """One file that may not be read, while its root is in order.

    Attributes:
        refusal: What `quarantine` records.
    """

    def __init__(
        self,
        path: str,
        why: str,
        message: str = "the file may not be read",
        remedy: str = "give the run's user the right to read it",
    ) -> None:
        super().__init__(f"{path}: {why}")
        self.refusal = refused_file(path, "unreadable_file", why, message, remedy)


class FileChangedError(RootError):
    """A file that is not the one that was listed.

    Attributes:
        path: Path under the root.
    """

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self.path = path


@dataclass(frozen=True, slots=True)
class UnreadMembers:
    """Members of an archive that no part of the layout reads.

    Attributes:
        count: How many there are.
        media: How many of them look like media.
        first: Names of the first few, those that look like media before others.
    """

    count: int = 0
    media: int = 0
    first: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RawFile:
    """A file as listed.

    Attributes:
        path: Path under the root, forward slashes.
        bytes: Size.
        stamp: Modification time or ETag; equal size and stamp allow hashing to be skipped.
        archive: Archive the file lies in, None for a file of its own.
        unread: What an archive holds that no part of the layout reads; None for other files.
    """

    path: str
    bytes: int
    stamp: str
    archive: str | None = None
    unread: UnreadMembers | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """What lies under a root.

    Attributes:
        files: Regular files, ascending by path; hidden ones are left out.
        refused: What is not a file that can be read: links that lead out, in circles or to nothing,
            devices and pipes, names that are not text.
        folders: Folders, ascending.
    """

    files: tuple[RawFile, ...]
    refused: tuple[Refusal, ...] = ()
    folders: tuple[str, ...] = ()


Claims = Callable[[str], bool]


class Root(Protocol):
    """A place that holds one dataset's layout."""

    url: str
    is_local: bool
    """Whether seeking in a file is cheap."""

    def list(self) -> Listing:
        """All files. Raises RootError where the root cannot be listed or holds no file."""
        ...

    def list_one(self, path: str) -> builtins.list[RawFile]:
        """One file as listed (raises like `read`)."""
        ...

    def has(self, path: str) -> bool:
        """Whether there is such a file (raises like `read`)."""
        ...

    def read(self, path: str) -> bytes:
        """Content of a file.

        Raises:
            UnreadableFile: This file may not be read.
            RootError: It is gone, lies outside, or reading failed.
        """
        ...

    def open(self, path: str) -> BinaryIO:
        """A seekable reader of a file, cheap to seek in (raises like `read`)."""
        ...

    def glance(self, path: str) -> BinaryIO:
        """A seekable reader for a look at some of a file: nothing is copied (raises like `read`)."""
        ...

    def content(self, file: RawFile, *, whole: bool = False) -> str:
        """Content identity of a file (see `content_of`; raises like `read`)."""
        ...


class LocalRoot:
    """A folder of this machine."""

    is_local = True

    def __init__(self, url: str) -> None:
        self.url = url
        self._base = Path(url)
        self._real = Path(os.path.realpath(url))

    def list(self) -> Listing:
        """All files (see `Root.list`)."""
        if not self._base.is_dir():
            raise RootError(
                f"root {self.url} is not a folder: mount it, or correct the source's `root`; "
                "nothing was deleted"
            )
        files: list[RawFile] = []
        folders: list[str] = []
        refused: list[Refusal] = []
        for path, entry in self._walk(str(self._base), "", (str(self._real),), folders, refused):
            fault = self._fault_of(path, entry)
            if fault is not None:
                refused.append(fault)
                continue
            said = entry.stat()
            files.append(RawFile(path, said.st_size, str(said.st_mtime_ns)))
        _settle(files)
        if not files:
            raise RootError(
                f"root {self.url} holds no file: mount it, or correct the source's `root`; "
                "nothing was deleted"
            )
        return Listing(
            tuple(sorted(files, key=lambda f: f.path)),
            tuple(sorted(refused, key=lambda r: (r["file"], r["rule"]))),
            tuple(sorted(folders)),
        )

    def list_one(self, path: str) -> builtins.list[RawFile]:
        """One file as listed (raises like `read`)."""
        with self._reading(path):
            said = self._locate(path).stat()
        return [RawFile(path, said.st_size, str(said.st_mtime_ns))]

    def has(self, path: str) -> bool:
        """Whether there is such a file."""
        with self._reading(path):
            return self._locate(path).is_file()

    def read(self, path: str) -> bytes:
        """Content of a file (see `Root.read`)."""
        with self._reading(path):
            return self._locate(path).read_bytes()

    def open(self, path: str) -> BinaryIO:
        """A seekable reader of a file (see `Root.read`)."""
        with self._reading(path):
            return self._locate(path).open("rb")

    def glance(self, path: str) -> BinaryIO:
        """A seekable reader (see `Root.read`)."""
        return self.open(path)

    def content(self, file: RawFile, *, whole: bool = False) -> str:
        """Content identity of a file (see `Root.read`)."""
        with self._reading(file.path), self._locate(file.path).open("rb") as handle:
            return content_of(handle, file.bytes, whole=whole)

    @contextmanager
    def _reading(self, path: str) -> Iterator[None]:
        """Tells a file that may not be read from a root that does not work."""
        try:
            yield
        except PermissionError as error:
            raise UnreadableFile(path, error.strerror or "not permitted") from error
        except FileNotFoundError as error:
            raise RootError(
                f"root {self.url}: {path} vanished while it was read; run again"
            ) from error
        except OSError as error:
            raise RootError(f"root {self.url}: cannot read {path}: {error.strerror}") from error

    def _walk(
        self,
        folder: str,
        prefix: str,
        above: tuple[str, ...],
        folders: builtins.list[str],
        refused: builtins.list[Refusal],
    ) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Everything that is not a folder to go into.

        Args:
            folder: Where to look.
            prefix: Its path under the root, with a slash at its end where it is not the root.
            above: Real paths of the folders gone through, to see circles.
            folders: Filled with the folders gone into.
            refused: Filled with links that are not gone into.
        """
        try:
            entries = sorted(os.scandir(folder), key=lambda e: e.name)
        except OSError as error:
            raise RootError(f"root {self.url}: cannot list {folder}: {error.strerror}") from error
        for entry in entries:
            if entry.name.startswith("."):
                continue
            path = prefix + entry.name
            if not _is_folder(entry) or (entry.is_symlink() and not self._inside(entry.path)):
                yield path, entry
                continue
            real = os.path.realpath(entry.path)
            if real in above:
                refused.append(refused_file(path, "link_circle", real, *_CIRCLE))
                continue
            folders.append(path)
            yield from self._walk(entry.path, f"{path}/", (*above, real), folders, refused)

    def _fault_of(self, path: str, entry: os.DirEntry[str]) -> Refusal | None:
        """Why an entry is not a file to be read, if so."""
        try:
            path.encode()
        except UnicodeEncodeError:
            return refused_file(path, "name_not_utf8", path, *_NAME)
        if entry.is_symlink() and not self._inside(entry.path):
            return refused_file(path, "outside_root", os.path.realpath(entry.path), *_ESCAPE)
        try:
            mode = entry.stat().st_mode
        except PermissionError as error:
            return UnreadableFile(path, error.strerror or "not permitted").refusal
        except OSError as error:
            # Gone since it was listed, or a link to nothing or to itself.
            if error.errno in (errno.ENOENT, errno.ELOOP, errno.ENOTDIR):
                return refused_file(path, "dangling_link", path, *_DANGLING)
            raise RootError(f"root {self.url}: cannot look at {path}: {error.strerror}") from error
        if not stat.S_ISREG(mode):
            return refused_file(path, "not_a_file", stat.filemode(mode), *_SPECIAL)
        return None

    def _inside(self, path: str) -> bool:
        return Path(os.path.realpath(path)).is_relative_to(self._real)

    def _locate(self, path: str) -> Path:
        pure = PurePosixPath(path)
        if pure.is_absolute() or ".." in pure.parts or not self._inside(str(self._base / path)):
            raise RootError(f"path {path!r} leaves the root {self.url}")
        return self._base / path


def content_of(handle: BinaryIO, size: int, *, whole: bool = False) -> str:
    """Content identity of a file, the same wherever it lies.

    blake3 of all bytes up to 64 MB, or of all bytes whatever the size; else of the size, of samples
    (the first one begins and the last one ends with the file), and of an MP4's sample table, which
    moves with every frame's length.

    Args:
        handle: Seekable reader.
        size: Size in bytes.
        whole: Whether every byte is to be read.

    Returns:
        Hexadecimal hash; `SAMPLED` before it where not every byte was read.
    """
    if whole or size <= WHOLE_BYTES:
        hasher = blake3()
        while piece := handle.read(SAMPLE_BYTES):
            hasher.update(piece)
        return hasher.hexdigest(length=16)
    hasher = blake3(size.to_bytes(8, "little"))
    for sample in range(SAMPLES):
        # The last sample ends with the file, where MP4 keeps its index.
        handle.seek(sample * (size - SAMPLE_BYTES) // (SAMPLES - 1))
        hasher.update(handle.read(SAMPLE_BYTES))
    start, length = _sample_table(handle, size)
    handle.seek(start)
    while length and (piece := handle.read(min(length, SAMPLE_BYTES))):
        hasher.update(piece)
        length -= len(piece)
    return f"{SAMPLED}{hasher.hexdigest(length=16)}"


class WholeHash:
    """Content identity of bytes that are read piece by piece."""

    def __init__(self) -> None:
        self._hasher = blake3()

    def update(self, piece: bytes) -> None:
        """Take the next bytes."""
        self._hasher.update(piece)

    def is_content(self, identity: str) -> bool:
        """Whether the bytes taken are those of an identity that every byte decided."""
        return identity.removeprefix(VERIFIED) == self._hasher.hexdigest(length=16)


def has_content(data: bytes, identity: str) -> bool:
    """Whether bytes are those of a content identity (see `content_of`)."""
    if identity.startswith(SAMPLED):
        return content_of(io.BytesIO(data), len(data)) == identity
    said = WholeHash()
    said.update(data)
    return said.is_content(identity)


def _sample_table(handle: BinaryIO, size: int) -> tuple[int, int]:
    """Place and length of an MP4's `moov` box, at most 64 MB of it; no length in other files.

    Boxes follow one another: four bytes of length, four of name; a length of 1 stands in the eight
    bytes behind, 0 reaches to the end (ISO/IEC 14496-12, 4.2).
    """
    at = 0
    for _ in range(_MOST_BOXES):
        handle.seek(at)
        header = handle.read(16)
        if len(header) < 8 or (at == 0 and header[4:8] not in _FIRST_BOXES):
            break
        length = int.from_bytes(header[:4], "big")
        if length == 1:
            length = int.from_bytes(header[8:16], "big")
        elif length == 0:
            length = size - at
        if header[4:8] == b"moov":
            return at, min(length, WHOLE_BYTES, size - at)
        if length < 8:
            break
        at += length
    return 0, 0


def _settle(files: list[RawFile]) -> None:
    """Wait until no file can change any more and keep the time stamp it was listed with.

    A file system tells times in ticks. A file that is written again, at the same size, in the tick of
    its last change would be taken for the one that was hashed before.
    """
    now = time.time_ns()
    waits = [wait for file in files if 0 < (wait := _settled_at(file) - now) <= _COARSE_TICK_NS]
    if waits:
        time.sleep(max(waits) / 1e9)


def _settled_at(file: RawFile) -> int:
    changed = int(file.stamp)
    # Times that are whole seconds are those of a file system that knows no others (FAT: two seconds).
    return changed + (_TICK_NS if changed % 1_000_000_000 else _COARSE_TICK_NS)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


_ESCAPE = (
    "a link leads out of the source's root and is not followed",
    "copy the file under the root, or make its folder a source of its own",
)
_DANGLING = ("a link leads to nothing", "restore the linked file, or remove the link")
_CIRCLE = ("a link leads back to a folder it lies in and is not followed", "remove the link")
_SPECIAL = ("neither a file nor a folder", "remove the device or pipe")
_NAME = ("the file's name is not UTF-8, so that no table can hold it", "rename the file")


def refused_file(path: str, rule: str, value: str, message: str, remedy: str) -> Refusal:
    """Refusal of a file as a whole."""
    return Refusal(path, None, rule, value, message, remedy)
