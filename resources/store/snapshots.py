"""The state of a Delta table at its last commit, read once per commit and process.

Opening a table replays its log. A run in which nothing changed asks for the same state about a thousand
times, so the state is kept, and one look at the log's folder tells whether somebody committed since.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from deltalake import DeltaTable

from expectations.schemas import Table
from resources.store.files import DataFile

PARTITION = "partition_key"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A table at one commit.

    Attributes:
        version: Number of the commit.
        types: Stored type by column.
        files: Files by partition, in order of their units.
    """

    version: int
    types: Mapping[str, Any]
    files: Mapping[str, tuple[DataFile, ...]]

    def files_in(self, partition: str | None) -> list[DataFile]:
        """Files of one partition, or of all, in order of their units."""
        if partition is not None:
            return list(self.files.get(partition, ()))
        every = [file for files in self.files.values() for file in files]
        return sorted(every, key=lambda file: (file.first_unit, file.last_unit, file.path))


def take_snapshot(delta: DeltaTable, table: Table) -> Snapshot:
    """The state of an opened table."""
    return Snapshot(delta.version(), stored_types(delta), _files(delta, table))


def stored_types(delta: DeltaTable) -> dict[str, Any]:
    """Stored type of an opened table's columns, by name."""
    return {column.name: column.type for column in delta.schema().fields}


def _files(delta: DeltaTable, table: Table) -> dict[str, tuple[DataFile, ...]]:
    actions = pl.DataFrame(delta.get_add_actions(flatten=True))
    if actions.is_empty():
        return {}
    first, last = f"min.{table.unit}", f"max.{table.unit}"
    rows = actions.select(
        f"partition.{PARTITION}", "path", "size_bytes", "num_records", first, last
    ).sort(first, last, "path")
    files: dict[str, list[DataFile]] = {}
    for partition, *file in rows.iter_rows():
        files.setdefault(partition, []).append(DataFile(*file))
    return {partition: tuple(of_partition) for partition, of_partition in files.items()}


class SnapshotCache:
    """Snapshots of tables in local folders, each good until the next commit.

    A commit is one new file in the log, named by its number. A snapshot holds as long as there is no
    next one and its own commit is the same file: a folder that was deleted and written anew has another.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], tuple[Snapshot, tuple[int, ...]]] = {}

    def get(self, location: str, table: Table) -> Snapshot | None:
        """The kept snapshot of a table, or None where there is none or somebody committed since."""
        kept = self._kept.get((location, table.unit))
        if kept is None or _commit_identity(location, kept[0].version) != kept[1]:
            return None
        return kept[0]

    def put(self, location: str, table: Table, snapshot: Snapshot) -> None:
        """Keep a snapshot, unless its commit is not the last one any more."""
        identity = _commit_identity(location, snapshot.version)
        if identity is not None:
            self._kept[location, table.unit] = snapshot, identity


def _commit_identity(location: str, version: int) -> tuple[int, ...] | None:
    """What tells the file of a commit from any other; None if it is not the last commit."""
    log = Path(location, "_delta_log")
    if (log / f"{version + 1:020}.json").exists():
        return None
    try:
        commit = (log / f"{version:020}.json").stat()
    except FileNotFoundError:
        return None
    return commit.st_dev, commit.st_ino, commit.st_mtime_ns, commit.st_size
