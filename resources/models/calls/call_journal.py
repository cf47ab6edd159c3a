"""A journal of model calls: rows that are safe at once and reach the table `calls` a little later.

A commit of a Delta table costs far more than a small file, and thousands of them make a table slow.
So every reply is written to a file of its own as it arrives, and many of them are then added to the
table in one commit. What a process that died leaves here the next one adds.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from resources.store.tables import StoreError, TableStore
from resources.store.whole_files import WholeFiles


class CallJournal:
    """Rows of one partition of `calls` that are not in the table yet.

    Files are written whole or not at all, under names that sort in the order of writing. Who writes
    or clears holds the lock of the partition.

    Args:
        store: Table store; the journal lies beside its tables.
        partition: Partition of `calls`.
    """

    def __init__(self, store: TableStore, partition: str) -> None:
        self._files = WholeFiles(store, f".journal/calls.{partition}", ".jsonl")
        self._writer = uuid.uuid4().hex
        self._count = 0

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write rows; when this returns they survive a kill (locally also a power cut)."""
        if not rows:
            return
        self._count += 1
        content = "".join(json.dumps(dict(row)) + "\n" for row in rows).encode()
        self._files.write(f"{self._writer}-{self._count:08d}", content, survives_power_cut=True)

    def names(self) -> list[str]:
        """Files there are."""
        return self._files.names()

    def rows(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """Rows of some files; one that was cleared meanwhile has none.

        Raises:
            StoreError: A file is damaged.
        """
        rows: list[dict[str, Any]] = []
        for name in names:
            try:
                content = self._files.read(name)
            except FileNotFoundError:
                continue
            try:
                rows += [json.loads(line) for line in content.decode("utf-8").splitlines()]
            except ValueError as cause:
                raise StoreError(
                    f"journal file {name} is damaged ({cause}): delete it, and its calls are asked"
                    " again"
                ) from cause
        return rows

    def sweep(self) -> None:
        """Delete what a process that died was writing: no call of it had come back as stored."""
        self._files.sweep()

    def clear(self, names: Sequence[str]) -> None:
        """Delete files whose rows are in the table."""
        self._files.delete(names)
