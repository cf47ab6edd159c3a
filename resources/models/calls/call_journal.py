"""A journal of model calls: rows that are safe at once and reach the table `calls` a little later.

A commit of a Delta table costs far more than a small file, and thousands of them make a table slow.
So every reply is written to a file of its own as it arrives, and many of them are then added to the
table in one commit. What a process that died leaves here the next one adds.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from resources.store.tables import StoreError, TableStore


class CallJournal:
    """Rows of one partition of `calls` that are not in the table yet.

    Files are written whole or not at all, under names that sort in the order of writing. Who writes
    or clears holds the lock of the partition.

    Args:
        store: Table store; the journal lies beside its tables.
        partition: Partition of `calls`.
    """

    def __init__(self, store: TableStore, partition: str) -> None:
        self._store = store
        self._folder = f"{store.url.rstrip('/')}/.journal/calls.{partition}"
        self._writer = uuid.uuid4().hex
        self._count = 0

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write rows; when this returns they survive a kill (locally also a power cut)."""
        if not rows:
            return
        self._count += 1
        name = f"{self._folder}/{self._writer}-{self._count:08d}.jsonl"
        data = "".join(json.dumps(dict(row)) + "\n" for row in rows).encode()
        if not self._store.is_local:
            self._store.filesystem().pipe_file(name, data)
            return
        folder = Path(self._folder)
        folder.mkdir(parents=True, exist_ok=True)
        part = Path(name + ".part")
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(name)
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def names(self) -> list[str]:
        """Files there are."""
        if self._store.is_local:
            return sorted(str(path) for path in Path(self._folder).glob("*.jsonl"))
        try:
            found = self._store.filesystem().find(self._folder)
        except FileNotFoundError:
            return []
        return sorted(name for name in found if name.endswith(".jsonl"))

    def rows(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """Rows of some files; one that was cleared meanwhile has none.

        Raises:
            StoreError: A file is damaged.
        """
        rows: list[dict[str, Any]] = []
        for name in names:
            try:
                data = self._read(name)
            except FileNotFoundError:
                continue
            try:
                rows += [json.loads(line) for line in data.decode("utf-8").splitlines()]
            except ValueError as cause:
                raise StoreError(
                    f"journal file {name} is damaged ({cause}): delete it, and its calls are asked"
                    " again"
                ) from cause
        return rows

    def sweep(self) -> None:
        """Delete what a process that died was writing: no call of it had come back as stored."""
        if self._store.is_local:
            for part in Path(self._folder).glob("*.part"):
                part.unlink(missing_ok=True)

    def clear(self, names: Sequence[str]) -> None:
        """Delete files whose rows are in the table."""
        if not names:
            return
        if self._store.is_local:
            for name in names:
                Path(name).unlink(missing_ok=True)
            return
        self._store.filesystem().rm(list(names))

    def _read(self, name: str) -> bytes:
        if self._store.is_local:
            return Path(name).read_bytes()
        return self._store.filesystem().cat_file(name)
