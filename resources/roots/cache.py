"""Local copies of what cannot be sought where it lies: packed members of archives, objects on S3.

A copy is named by where its original lies, how large it is and its stamp, so that a changed original
is copied anew. Copies may be deleted at any time. `PARALLAX_CACHE` names the folder, else they lie
under the user's cache folder; `PARALLAX_CACHE_GB` bounds it, and what was not used for longest goes
first.
"""

from __future__ import annotations

import contextlib
import errno
import os
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from blake3 import blake3

from resources.roots.base import RootError

LIMIT_GB = 50.0
_SUFFIX = ".copy"
PART = ".part"
"""End of the names of files that are being written."""


class CacheError(RootError):
    """Copies cannot be written: broken machinery."""


def cache_folder() -> Path:
    """Where copies lie."""
    named = os.environ.get("PARALLAX_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "parallax"


def open_copy(key: str, fill: Callable[[BinaryIO], None]) -> BinaryIO:
    """A seekable reader of a copy, which is made first where there is none.

    Args:
        key: What is copied, with all that tells one state of it from another.
        fill: Writes the content; what it raises leaves no copy behind.

    Raises:
        CacheError: The copy cannot be written.
    """
    path = _path_of(key)
    while True:
        try:
            handle = path.open("rb")
        except FileNotFoundError:
            _make(path, fill)
            continue
        # The time of use decides what goes first when there is too much.
        with contextlib.suppress(OSError):
            os.utime(path)
        return handle


def new_file(folder: Path) -> tuple[BinaryIO, str]:
    """Create a file of its own, to be written and then moved to its place.

    Unlike those of `tempfile` it has the permissions that the umask leaves to files: people may share a cache.

    Args:
        folder: Where it is created.

    Returns:
        The open file, and its path.
    """
    path = str(folder / f"{uuid.uuid4().hex}{PART}")
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    return os.fdopen(handle, "wb"), path


def trim(limit_bytes: int | None = None) -> int:
    """Delete copies beyond the bound, those not used for longest first.

    Returns:
        Bytes deleted.
    """
    if limit_bytes is None:
        limit_bytes = int(float(os.environ.get("PARALLAX_CACHE_GB") or LIMIT_GB) * 1e9)
    found = []
    for path in cache_folder().glob(f"*/*{_SUFFIX}"):
        with contextlib.suppress(FileNotFoundError):
            said = path.stat()
            found.append((said.st_mtime_ns, said.st_size, path))
    held, deleted = sum(size for _, size, _ in found), 0
    for _, size, path in sorted(found):
        if held - deleted <= limit_bytes:
            break
        # An open reader keeps its file; whoever comes later copies again.
        try:
            path.unlink(missing_ok=True)
        except PermissionError:
            # It is another user's, who deletes it in turn.
            continue
        deleted += size
    return deleted


def _path_of(key: str) -> Path:
    name = blake3(key.encode("utf-8", "surrogateescape")).hexdigest(length=16)
    return cache_folder() / name[:2] / f"{name}{_SUFFIX}"


def _make(path: Path, fill: Callable[[BinaryIO], None]) -> None:
    fresh = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        out, fresh = new_file(path.parent)
        with out:
            fill(out)
        os.replace(fresh, path)
        fresh = ""
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES):
            raise CacheError(
                f"no copy can be written to {path.parent}: {error.strerror}; "
                "set PARALLAX_CACHE to a folder with room"
            ) from error
        raise
    finally:
        if fresh:
            Path(fresh).unlink(missing_ok=True)
    trim()
