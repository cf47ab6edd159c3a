"""Raw files under a source's root: listing, identity, reading. Nothing outside the root is reached."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Protocol

from blake3 import blake3

WHOLE_BYTES = 64 << 20
SAMPLE_BYTES = 1 << 20
SAMPLES = 16


class RootError(RuntimeError):
    """A root that cannot be listed or read: broken machinery, so the run stops."""


class UnreadableFile(RootError):
    """One file that may not be read, while its root is in order.

    Attributes:
        refusal: What `quarantine` is told.
    """

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path}: {why}")
        self.refusal = _refusal(
            path,
            "unreadable_file",
            why,
            "the file may not be read",
            "give the run's user the right to read it",
        )


@dataclass(frozen=True, slots=True)
class RawFile:
    """A file as listed.

    Attributes:
        path: Path under the root, forward slashes.
        bytes: Size.
        stamp: Modification time or ETag; equal size and stamp allow hashing to be skipped.
    """

    path: str
    bytes: int
    stamp: str


@dataclass(frozen=True, slots=True)
class Listing:
    """What lies under a root.

    Attributes:
        files: Regular files, ascending by path; hidden ones are left out.
        refused: What is no file that can be read: links that lead out, in circles or to nothing,
            devices and pipes, names that are no text.
        folders: Folders, ascending.
    """

    files: tuple[RawFile, ...]
    refused: tuple[dict, ...] = ()
    folders: tuple[str, ...] = ()


class Root(Protocol):
    """A place that holds one dataset's layout."""

    url: str

    def list(self) -> Listing:
        """All files. Raises RootError where the root cannot be listed or holds no file."""
        ...

    def read(self, path: str) -> bytes:
        """Content of a file.

        Raises:
            UnreadableFile: This file may not be read.
            RootError: It is gone, lies outside, or reading failed.
        """
        ...

    def open(self, path: str) -> BinaryIO:
        """A seekable reader of a file (raises like `read`)."""
        ...

    def content(self, file: RawFile) -> str:
        """Content identity of a file (see `content_of`; raises like `read`)."""
        ...


def open_root(url: str) -> Root:
    """The root at a URL.

    Raises:
        RootError: The kind of place is not supported.
    """
    if "://" in url:
        raise RootError(f"root {url!r}: only folders of this machine can be read so far")
    return LocalRoot(url)


class LocalRoot:
    """A folder of this machine."""

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
        refused: list[dict] = []
        for path, entry in self._walk(self._base, (str(self._real),), folders, refused):
            fault = self._fault_of(path, entry)
            if fault is not None:
                refused.append(fault)
                continue
            said = entry.stat()
            files.append(RawFile(path, said.st_size, str(said.st_mtime_ns)))
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

    def read(self, path: str) -> bytes:
        """Content of a file (see `Root.read`)."""
        with self._reading(path):
            return self._locate(path).read_bytes()

    def open(self, path: str) -> BinaryIO:
        """A seekable reader of a file (see `Root.read`)."""
        with self._reading(path):
            return self._locate(path).open("rb")

    def content(self, file: RawFile) -> str:
        """Content identity of a file (see `Root.read`)."""
        with self._reading(file.path), self._locate(file.path).open("rb") as handle:
            return content_of(handle, file.bytes)

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
        self, folder: Path, above: tuple[str, ...], folders: list[str], refused: list[dict]
    ) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Everything that is not a folder to go into.

        Args:
            folder: Where to look.
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
            path = Path(entry.path).relative_to(self._base).as_posix()
            if not _is_folder(entry) or (entry.is_symlink() and not self._inside(entry.path)):
                yield path, entry
                continue
            real = os.path.realpath(entry.path)
            if real in above:
                refused.append(_refusal(path, "link_circle", real, *_CIRCLE))
                continue
            folders.append(path)
            yield from self._walk(Path(entry.path), (*above, real), folders, refused)

    def _fault_of(self, path: str, entry: os.DirEntry[str]) -> dict | None:
        """Why an entry is no file to be read, if so."""
        try:
            path.encode()
        except UnicodeEncodeError:
            return _refusal(path, "name_not_utf8", path, *_NAME)
        if entry.is_symlink() and not self._inside(entry.path):
            return _refusal(path, "outside_root", os.path.realpath(entry.path), *_ESCAPE)
        try:
            mode = entry.stat().st_mode
        except PermissionError as error:
            return UnreadableFile(path, error.strerror or "not permitted").refusal
        except OSError as error:
            # Gone since it was listed, or a link to nothing or to itself.
            if error.errno in (errno.ENOENT, errno.ELOOP, errno.ENOTDIR):
                return _refusal(path, "dangling_link", path, *_DANGLING)
            raise RootError(f"root {self.url}: cannot look at {path}: {error.strerror}") from error
        if not stat.S_ISREG(mode):
            return _refusal(path, "not_a_file", stat.filemode(mode), *_SPECIAL)
        return None

    def _inside(self, path: str) -> bool:
        return Path(os.path.realpath(path)).is_relative_to(self._real)

    def _locate(self, path: str) -> Path:
        pure = PurePosixPath(path)
        if pure.is_absolute() or ".." in pure.parts or not self._inside(str(self._base / path)):
            raise RootError(f"path {path!r} leaves the root {self.url}")
        return self._base / path


def content_of(handle: BinaryIO, size: int) -> str:
    """Content identity: blake3 of all bytes up to 64 MB, beyond that of size, ends and samples.

    Args:
        handle: Seekable reader.
        size: Size in bytes.

    Returns:
        Hexadecimal hash; `sampled:` before it where not every byte was read.
    """
    if size <= WHOLE_BYTES:
        return blake3(handle.read()).hexdigest(length=16)
    hasher = blake3(size.to_bytes(8, "little"))
    for sample in range(SAMPLES):
        # The last sample ends with the file, where MP4 keeps its index.
        handle.seek(sample * (size - SAMPLE_BYTES) // (SAMPLES - 1))
        hasher.update(handle.read(SAMPLE_BYTES))
    return f"sampled:{hasher.hexdigest(length=16)}"


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


def _refusal(path: str, rule: str, value: str, message: str, remedy: str) -> dict:
    return {
        "file": path.encode("utf-8", "backslashreplace").decode(),
        "row": None,
        "rule": rule,
        "value": value.encode("utf-8", "backslashreplace").decode(),
        "message": message,
        "remedy": remedy,
    }
