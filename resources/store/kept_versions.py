"""Code versions that earlier processes computed, kept beside the compiled modules.

Computing a version reads and parses the modules that a function reaches, which costs more than the rest
of a run in which nothing changed. As Python does with compiled modules, versions are used again while no
file that they could depend on was touched: the project's own files by size, times and inode, and the
installed libraries by name and version.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

_LOADED_NS = time.time_ns()
# A file that was touched later may differ from what this process loaded; imports take seconds.
_SETTLED_NS = 60 * 10**9


class KeptVersions:
    """Versions by the names of the functions, in a file that holds those of one state of the code.

    Args:
        file: The file.
        folders: Folders of the project's packages.
    """

    def __init__(self, file: Path, folders: Sequence[Path]) -> None:
        self._file = file
        self._folders = folders
        self._state = _state(folders)
        self._versions = self._read()
        self._added: dict[str, str] = {}

    def get(self, name: str) -> str | None:
        """Version kept under a name; None if none is, or the code changed since."""
        return self._versions.get(name)

    def add(self, name: str, version: str) -> None:
        """Keep a version for later processes."""
        if self._state is None or sys.dont_write_bytecode:
            return
        if not self._added:
            # Unlike those of `atexit`, it is also called where a process of a pool ends.
            Finalize(None, self.write, exitpriority=0)
        self._versions[name] = self._added[name] = version

    def write(self) -> None:
        """Write what was added, unless the code changed meanwhile or the folder is closed to us."""
        if not self._added or self._state != _state(self._folders):
            return
        versions = {**self._read(), **self._added}
        fresh = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        try:
            self._file.parent.mkdir(exist_ok=True)
            fresh.write_text(json.dumps({"state": self._state, "versions": versions}))
            fresh.replace(self._file)
        except OSError:
            return  # as compiled modules: without them it is slower, and no different
        self._added = {}

    def _read(self) -> dict[str, str]:
        if self._state is None:
            return {}
        try:
            kept = json.loads(self._file.read_text())
        except (OSError, ValueError):
            return {}
        return dict(kept["versions"]) if _is_of(kept, self._state) else {}


def _is_of(kept: Any, state: str) -> bool:
    return isinstance(kept, dict) and kept.get("state") == state and "versions" in kept


@cache
def kept_versions(folders: tuple[Path, ...]) -> KeptVersions:
    """Versions kept for the code that this process loaded."""
    compiled = Path(importlib.util.cache_from_source(__file__))
    return KeptVersions(compiled.with_name("code_versions.json"), folders)


def _state(folders: Sequence[Path]) -> str | None:
    """What tells one state of the code from another; None while it may not be what was loaded."""
    try:
        files = sorted(_files(folders))
    except OSError:
        return None  # a link that leads nowhere, or a file that came or went meanwhile
    if any(max(times) > _LOADED_NS - _SETTLED_NS for _, _, *times, _ in files):
        return None
    return hashlib.sha256(repr((sys.version, files, _libraries())).encode()).hexdigest()


def _files(folders: Sequence[Path | str]) -> Iterator[tuple[str, int, int, int, int]]:
    """Path, bytes, times of change of content and of entry (ns) and inode of all files."""
    for folder in folders:
        with os.scandir(folder) as entries:
            inside = [entry for entry in entries if entry.name != "__pycache__"]
        for entry in inside:
            if entry.is_dir():
                yield from _files([entry.path])
            else:
                stat = entry.stat()
                yield entry.path, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino


def _libraries() -> list[str]:
    """Installed distributions, by the names of their folders."""
    names: set[str] = set()
    for folder in sys.path:
        if os.path.isdir(folder):
            names.update(
                name for name in os.listdir(folder) if name.endswith((".dist-info", ".egg-info"))
            )
    return sorted(names)
