"""Small files beside the tables of a store, each written whole or not at all.

For what does not belong in a table: many small writes, or values that can be computed again.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from resources.store.tables import TableStore

_UNFINISHED = ".part"


class WholeFiles:
    """The files of one kind in one folder of a store, local or S3.

    Args:
        store: Table store.
        folder: Folder below the store.
        suffix: How the names of these files end, with the dot.
    """

    def __init__(self, store: TableStore, folder: str, suffix: str) -> None:
        self._store = store
        self._folder = f"{store.url.rstrip('/')}/{folder}"
        self._suffix = suffix

    def names(self) -> list[str]:
        """Names of the files at any depth, with their folder, sorted."""
        if self._store.is_local:
            return sorted(str(path) for path in Path(self._folder).rglob(f"*{self._suffix}"))
        try:
            found = self._store.filesystem().find(self._folder)
        except FileNotFoundError:
            return []
        return sorted(name for name in found if name.endswith(self._suffix))

    def read(self, name: str) -> bytes:
        """Content of a file.

        Raises:
            FileNotFoundError: Another process deleted it.
        """
        if self._store.is_local:
            return Path(name).read_bytes()
        return self._store.filesystem().cat_file(name)

    def write(self, stem: str, content: bytes, *, survives_power_cut: bool = False) -> None:
        """Write a file; when this returns, it is whole and survives a kill.

        Args:
            stem: Name without suffix; nobody else may be writing the same one.
            content: Its bytes.
            survives_power_cut: Wait until the local disk holds it.
        """
        name = f"{self._folder}/{stem}{self._suffix}"
        if not self._store.is_local:
            self._store.filesystem().pipe_file(name, content)
            return
        folder = Path(self._folder)
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = Path(name + _UNFINISHED)
        with unfinished.open("wb") as file:
            file.write(content)
            if survives_power_cut:
                file.flush()
                os.fsync(file.fileno())
        unfinished.replace(name)
        if survives_power_cut:
            _sync_folder(folder)

    def delete(self, names: Sequence[str]) -> None:
        """Delete files; those that are gone already are no error."""
        if not names:
            return
        if self._store.is_local:
            for name in names:
                Path(name).unlink(missing_ok=True)
            return
        self._store.filesystem().rm(list(names))

    def sweep(self) -> None:
        """Delete what a process that died was writing. Nobody may be writing now."""
        if self._store.is_local:
            for unfinished in Path(self._folder).rglob(f"*{_UNFINISHED}"):
                unfinished.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
