"""The table store: Delta tables under one URL, local or S3, laid out so that change stays small.

A table is partitioned by the coarse partition it is scheduled in (a source, a benchmark, a run) and
its rows lie sorted by their unit of work in files of a few megabytes. Replacing a unit reads and
writes only the files that hold it, in one commit.
"""

from __future__ import annotations

import json
import math
import os
import re
import time
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import stamina
from deltalake import CommitProperties, DeltaTable, Schema
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError
from deltalake.transaction import AddAction, RemoveAction

from expectations.schemas import Table
from resources.errors import ExpectedError
from resources.outages import outage
from resources.store.files import DataFile, cut, drifted, holds_any, small_neighbour
from resources.store.locks import LEASE_S, Lock, lock_for, s3_client
from resources.store.snapshots import (
    PARTITION,
    Snapshot,
    SnapshotCache,
    stored_types,
    take_snapshot,
)
from resources.texts import joined_lines

RETRY_S = 300.0
# Opening a table reads its commits back to a checkpoint; the ledger has some for every stage of a run.
_LOG = {"delta.checkpointInterval": "10"}
_SAFE_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class StoreError(ExpectedError, RuntimeError):
    """The store cannot be read or written: broken machinery, not bad data."""


class OutdatedTable(StoreError):
    """A table was written when a column of it had another type."""


@dataclass(frozen=True)
class TableStore:
    """All tables of one installation.

    Attributes:
        url: Folder or `s3://bucket/prefix`.
        storage_options: Options for object stores (endpoint, keys); never logged.
        lease_s: Seconds after which a lock of a dead process is taken over (object stores).
    """

    url: str
    storage_options: dict[str, str] = field(default_factory=dict, repr=False)
    lease_s: float = LEASE_S

    def location(self, table: Table) -> str:
        """URL of a table."""
        return f"{self.url.rstrip('/')}/{table.name}"

    @property
    def is_local(self) -> bool:
        """Whether the store is a folder of this machine."""
        return "://" not in self.url

    def lock(self, name: str) -> Lock:
        """A lock that one process holds at a time, freed when its holder dies."""
        return lock_for(self.url, name, self.storage_options, self.lease_s)

    # -- reading ---------------------------------------------------------------------------------

    def read(
        self,
        table: Table,
        partition: str | None = None,
        units: Iterable[str] | None = None,
        columns: Sequence[str] | None = None,
    ) -> pl.DataFrame:
        """Rows of a table, in its schema; see `scan`."""
        return self.scan(table, partition, units, columns).collect()

    def scan(
        self,
        table: Table,
        partition: str | None = None,
        units: Iterable[str] | None = None,
        columns: Sequence[str] | None = None,
    ) -> pl.LazyFrame:
        """Rows of a table, lazily; a table that was never written is empty.

        Args:
            table: Which table.
            partition: One partition, or all.
            units: Only rows of these units; only their files are opened.
            columns: Only these columns, in this order.
        """
        wanted = None if units is None else sorted(set(units))
        names = list(columns) if columns is not None else list(table.schema)
        snapshot = self._snapshot(table)
        files = [] if snapshot is None else snapshot.files_in(partition)
        if wanted is not None:
            files = [f for f in files if holds_any(f, wanted)]
        if not files:
            return table.empty().lazy().select(names)
        frame = self._scan_files(table, files)
        if wanted is not None:
            frame = frame.filter(pl.col(table.unit).is_in(wanted))
        return frame.select(names)

    def _scan_files(self, table: Table, files: Iterable[DataFile]) -> pl.LazyFrame:
        """Rows of some files, in the declared columns: ones a file has not yet are null."""
        base = self.location(table)
        return pl.scan_parquet(
            [f"{base}/{f.path}" for f in files],
            storage_options=self.storage_options or None,
            hive_partitioning=False,
            missing_columns="insert",
            extra_columns="ignore",
            schema=table.schema,
        )

    def stamp(self, table: Table, partition: str) -> tuple[str, ...]:
        """What tells a partition's rows from what they were: the files that hold them.

        A file is never written twice, so that equal stamps are of equal rows.
        """
        snapshot = self._snapshot(table)
        return () if snapshot is None else tuple(f.path for f in snapshot.files_in(partition))

    def files(self, table: Table) -> list[DataFile]:
        """Files that hold a table's rows at its last commit, paths below its location, by unit.

        Raises:
            OutdatedTable: A column was written with another type.
        """
        snapshot = self._snapshot(table)
        return [] if snapshot is None else snapshot.files_in(None)

    def n_rows(self, table: Table, partition: str | None = None) -> int:
        """Number of rows of a table, as its log states it."""
        snapshot = self._snapshot(table)
        return 0 if snapshot is None else sum(f.rows for f in snapshot.files_in(partition))

    def partitions(self, table: Table) -> list[str]:
        """Partitions that hold rows, ascending."""
        snapshot = self._last_commit(table)
        return [] if snapshot is None else sorted(snapshot.files)

    def version(self, table: Table) -> int | None:
        """Number of the last commit; None for a table that was never written."""
        snapshot = self._last_commit(table)
        return None if snapshot is None else snapshot.version

    # -- writing ---------------------------------------------------------------------------------

    def replace(
        self, table: Table, partition: str, units: Iterable[str], rows: pl.DataFrame
    ) -> None:
        """Replace all rows of some units, in one commit.

        Args:
            table: Which table; created when first written.
            partition: Partition the units live in.
            units: Units whose rows go; units without new rows are thereby deleted.
            rows: New rows, in the table's schema, all of these units.

        Raises:
            StoreError: Rows of another shape or of other units, or a partition name that is not a file name.
        """
        rows = _shaped(table, rows)
        gone = sorted(set(units))
        strangers = set(rows[table.unit].unique()) - set(gone)
        if strangers:
            raise StoreError(f"{table.name}: rows of units that are not replaced: {strangers}")
        for attempt in _retries():
            with attempt:
                self._replace_once(table, _safe(partition), gone, rows)

    def append(self, table: Table, partition: str, rows: pl.DataFrame) -> None:
        """Add rows in one commit, touching no other."""
        if rows.is_empty():
            return
        rows = _shaped(table, rows)
        for attempt in _retries():
            with attempt:
                delta = self._open_or_create(table)
                adds = self._write(table, _safe(partition), rows)
                self._commit(delta, adds, [], blind=True)

    def _replace_once(
        self, table: Table, partition: str, gone: list[str], rows: pl.DataFrame
    ) -> None:
        delta = self._open_or_create(table)
        files = self._files(delta, table, partition)
        touched = [f for f in files if holds_any(f, gone)]
        if not touched and rows.is_empty():
            return
        if not touched:
            touched = small_neighbour(files, gone[0])
        kept = self._keep(table, touched, gone)
        merged = pl.concat([kept, rows])
        merged = merged.sort([table.unit, *table.key], nulls_last=True, maintain_order=True)
        adds = self._write(table, partition, merged)
        self._commit(delta, adds, [self._remove(f, partition) for f in touched])

    def _keep(self, table: Table, files: list[DataFile], gone: Collection[str]) -> pl.DataFrame:
        """Rows of other units in files that are rewritten."""
        replaced = set(gone)
        mixed = [f for f in files if not (f.is_one_unit and f.first_unit in replaced)]
        if not mixed:
            return table.empty()
        rows = self._scan_files(table, mixed)
        return rows.filter(~pl.col(table.unit).is_in(list(gone))).collect()

    def _write(self, table: Table, partition: str, rows: pl.DataFrame) -> list[AddAction]:
        folder = f"{PARTITION}={partition}"
        base = self.location(table)
        if self.is_local:
            Path(base, folder).mkdir(parents=True, exist_ok=True)
        adds = []
        commit = uuid.uuid4().hex
        for number, part in enumerate(cut(table, rows)):
            # The number first: the files of one unit are read in the order they were cut.
            name = f"{folder}/{number:06d}-{commit}.parquet"
            part.write_parquet(
                f"{base}/{name}",
                compression="zstd",
                compression_level=1,
                storage_options=self.storage_options or None,
            )
            adds.append(self._add(table, name, partition, part))
        return adds

    def _add(self, table: Table, name: str, partition: str, part: pl.DataFrame) -> AddAction:
        stats = {
            "numRecords": part.height,
            "minValues": {table.unit: part[table.unit].min()},
            "maxValues": {table.unit: part[table.unit].max()},
            "nullCount": {table.unit: 0},
        }
        size = self._size(f"{self.location(table)}/{name}")
        now_ms = time.time_ns() // 1_000_000
        return AddAction(name, size, {PARTITION: partition}, now_ms, True, json.dumps(stats))

    def _size(self, path: str) -> int:
        if self.is_local:
            return os.path.getsize(path)
        return self.filesystem().size(path)

    def filesystem(self) -> Any:
        """File system of the store (s3fs for S3)."""
        return s3_client(self.storage_options)

    @staticmethod
    def _remove(file: DataFile, partition: str) -> RemoveAction:
        now_ms = time.time_ns() // 1_000_000
        return RemoveAction(file.path, True, now_ms, file.size, {PARTITION: partition})

    @staticmethod
    def _commit(
        delta: DeltaTable,
        adds: list[AddAction],
        removes: list[RemoveAction],
        *,
        blind: bool = False,
    ) -> None:
        """Commit in one step.

        Args:
            delta: The table as it was read.
            adds: Files to add.
            removes: Files to remove.
            blind: Whether the commit stands whatever others committed since `delta` was read; else
                it fails then, and its caller decides anew.
        """
        if not adds and not removes:
            return
        delta.create_write_transaction(
            [*adds, *removes],
            "append",
            delta.schema(),
            partition_by=[PARTITION],
            commit_properties=CommitProperties(max_commit_retries=15 if blind else 0),
        )

    # -- tables and files ------------------------------------------------------------------------

    def _last_commit(self, table: Table) -> Snapshot | None:
        """The table at its last commit; None for one that was never written."""
        location = self.location(table)
        snapshot = _SNAPSHOTS.get(location, table) if self.is_local else None
        if snapshot is None:
            delta = self._open(table)
            if delta is None:
                return None
            snapshot = take_snapshot(delta, table)
            if self.is_local:
                _SNAPSHOTS.put(location, table, snapshot)
        return snapshot

    def _snapshot(self, table: Table) -> Snapshot | None:
        """The table at its last commit, in the declared columns.

        Raises:
            OutdatedTable: A column was written with another type.
        """
        snapshot = self._last_commit(table)
        if snapshot is not None:
            _require_current(snapshot.types, table)
        return snapshot

    def _open(self, table: Table) -> DeltaTable | None:
        location = self.location(table)
        if self.is_local and not os.path.isdir(f"{location}/_delta_log"):
            return None
        try:
            return DeltaTable(location, storage_options=self.storage_options or None)
        except TableNotFoundError:
            return None
        except DeltaError as error:
            if outage(error) is not None:
                raise
            reason = joined_lines(str(error).partition("\n")[0], 200)
            raise StoreError(
                f"the log of table {table.name} at {location} cannot be read ({reason}): restore the "
                "table's folder from a copy"
            ) from error

    def _open_or_create(self, table: Table) -> DeltaTable:
        delta = self._open(table)
        if delta is None:
            # Processes that write a new table at once would else lose the race for its first commit.
            with self.lock(f"create.{table.name}"):
                delta = self._open(table)
                if delta is None:
                    return DeltaTable.create(
                        self.location(table),
                        schema=_stored_schema(table),
                        mode="ignore",
                        partition_by=[PARTITION],
                        description=f"one row per {table.row}",
                        configuration=_LOG,
                        storage_options=self.storage_options or None,
                    )
        _require_current(stored_types(delta), table)
        return self._with_all_columns(delta, table)

    def outdated(self, table: Table) -> str:
        """What a table's columns were when it was written, where they are no longer; else empty."""
        snapshot = self._last_commit(table)
        return "" if snapshot is None else _differences(snapshot.types, table)

    def recreate(self, table: Table) -> None:
        """Empty a table and give it its declared columns, in one commit."""
        DeltaTable.create(
            self.location(table),
            schema=_stored_schema(table),
            mode="overwrite",
            partition_by=[PARTITION],
            description=f"one row per {table.row}",
            configuration=_LOG,
            storage_options=self.storage_options or None,
        )

    @staticmethod
    def _with_all_columns(delta: DeltaTable, table: Table) -> DeltaTable:
        """The table with columns that were declared since it was created."""
        held = {f.name for f in delta.schema().fields}
        if not set(table.schema) <= held:
            declared = Schema.from_arrow(_stored_schema(table))
            delta.alter.add_columns([f for f in declared.fields if f.name not in held])
            delta.update_incremental()
        return delta

    @staticmethod
    def _files(delta: DeltaTable, table: Table, partition: str | None) -> list[DataFile]:
        return take_snapshot(delta, table).files_in(partition)

    def compact(self, table: Table, partition: str) -> tuple[int, int]:
        """Rewrite files of a partition that are small or out of unit order.

        Returns:
            Number of files before and after.
        """
        for attempt in _retries():
            with attempt:
                return self._compact_once(table, partition)
        raise AssertionError("retries end with a result or raise")

    def _compact_once(self, table: Table, partition: str) -> tuple[int, int]:
        delta = self._open(table)
        files = [] if delta is None else self._files(delta, table, partition)
        groups = drifted(files)
        if delta is None or not groups:
            return len(files), len(files)
        adds: list[AddAction] = []
        for group in groups:
            rows = self._scan_files(table, group).collect()
            rows = rows.sort([table.unit, *table.key], nulls_last=True, maintain_order=True)
            adds += self._write(table, partition, rows)
        gone = [self._remove(f, partition) for group in groups for f in group]
        self._commit(delta, adds, gone)
        return len(files), len(files) - len(gone) + len(adds)

    def vacuum(self, table: Table, keep_hours: float) -> int:
        """Delete files that no state of the last hours needs, orphans of killed writers included.

        Returns:
            Number of deleted files.
        """
        delta = self._open(table)
        if delta is None:
            return 0
        return len(
            delta.vacuum(
                retention_hours=math.ceil(keep_hours),
                enforce_retention_duration=False,
                dry_run=False,
                full=True,
            )
        )


_SNAPSHOTS = SnapshotCache()


def _require_current(stored: Mapping[str, Any], table: Table) -> None:
    differences = _differences(stored, table)
    if differences:
        raise OutdatedTable(
            f"table {table.name} was written by another version: {differences}; the stage that writes "
            "it makes it anew (`parallax run`)"
        )


def _differences(stored: Mapping[str, Any], table: Table) -> str:
    """Columns whose stored type is not the declared one, in words."""
    declared = _declared_types(table)
    return "; ".join(
        f"{name} was {stored[name]}, is {declared[name]}"
        for name in sorted(stored.keys() & declared.keys())
        if stored[name] != declared[name]
    )


def _declared_types(table: Table) -> dict[str, Any]:
    kept = _DECLARED.get(id(table))
    if kept is None or kept[0] is not table:
        types = {f.name: f.type for f in Schema.from_arrow(_stored_schema(table)).fields}
        kept = _DECLARED[id(table)] = (table, types)
    return kept[1]


_DECLARED: dict[int, tuple[Table, dict[str, Any]]] = {}


def _safe(partition: str) -> str:
    if not _SAFE_KEY.fullmatch(partition):
        raise StoreError(f"partition {partition!r} has characters a path may not have")
    return partition


def _shaped(table: Table, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows in stored column order; a file of another type would make the table unreadable."""
    if dict(rows.schema) != dict(table.schema):
        raise StoreError(f"{table.name}: rows have {rows.schema}, the table has {table.schema}")
    return rows.select(list(table.schema))


def _retries() -> Iterator[Any]:
    """Attempts at a commit: a lost race is run again, from a fresh reading of the table."""
    return iter(
        stamina.retry_context(
            on=CommitFailedError,
            attempts=None,
            timeout=RETRY_S,
            wait_initial=0.02,
            wait_max=1.0,
            wait_jitter=0.2,
        )
    )


def _stored_schema(table: Table) -> pa.Schema:
    return pl.DataFrame(schema={**table.schema, PARTITION: pl.String}).to_arrow().schema
