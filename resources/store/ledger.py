"""The ledger: what each unit of work was made from and what it holds, one row per unit.

Rows move in two steps. Before data are touched the unit is marked `writing`; after all its tables
are committed it becomes `ok`. A process that dies in between leaves `writing` behind: such a unit is
never read and is made anew, also where its inputs have gone back to what they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from expectations.schemas import TABLES, Table
from expectations.schemas.identity import digest, digest_map
from resources.errors import ExpectedError
from resources.store.tables import OutdatedTable, TableStore

LEDGER = TABLES["ledger"]


class IncompleteUpstream(ExpectedError, RuntimeError):
    """An earlier stage was interrupted and holds units that may not be read."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One unit of a stage.

    Attributes:
        unit: Its name inside the partition.
        input_hash: Hash of what it was computed from.
        status: `ok` or `writing`.
        content_hash: Hash of its content, refusals included.
        n_refused: Rows it has in quarantine.
        tables: Table name to (rows, column hashes).
        code: Hash of the code and contracts that computed it; empty where that was not recorded.
    """

    unit: str
    input_hash: str
    status: str
    content_hash: str
    n_refused: int
    tables: Mapping[str, tuple[int, Mapping[str, str]]]
    code: str = ""

    @property
    def n_rows(self) -> int:
        """Rows in all tables."""
        return sum(rows for rows, _ in self.tables.values())

    def inputs(self, table: str, columns: Sequence[str]) -> str:
        """Hash of the columns a later stage reads; a table without rows has one too."""
        rows, hashes = self.tables.get(table, (0, {}))
        return digest([table, str(rows), *(f"{c}={hashes.get(c, '')}" for c in columns)])


def scope(stage: str, partition: str) -> str:
    """Name of a stage's share of the ledger, also of its lock and its quarantine rows."""
    return f"{stage}.{partition}"


def read_ledger(store: TableStore, stage: str, partition: str) -> dict[str, Entry]:
    """All entries of a stage and partition, by unit."""
    share = scope(stage, partition)
    try:
        # The stamp first: rows committed after it are read, and read again next time.
        stamp = store.stamp(LEDGER, share)
        if not stamp:
            return {}
        held = _HELD.get((store.url, share))
        if held is None or held[0] != stamp:
            rows = store.read(LEDGER, share).sort("unit")
            held = stamp, {row["unit"]: _entry(row) for row in rows.iter_rows(named=True)}
            _HELD[store.url, share] = held
    except OutdatedTable:
        return {}  # what another version wrote down is not known to this one
    return dict(held[1])


_HELD: dict[tuple[str, str], tuple[tuple[str, ...], dict[str, Entry]]] = {}
"""Entries last read by this process, by store and share, with the stamp they had."""


def read_complete(store: TableStore, stage: str, partition: str) -> dict[str, Entry]:
    """Entries of an earlier stage, to be read from; a process that is writing it is waited for.

    Raises:
        IncompleteUpstream: Some unit was left half-written.
    """
    entries = read_ledger(store, stage, partition)
    if _half(entries):
        # Writers hold this lock: once it is had, what is still half-written was left by a dead one.
        with store.lock(scope(stage, partition)):
            entries = read_ledger(store, stage, partition)
    half = _half(entries)
    if half:
        raise IncompleteUpstream(
            f"stage {stage} of {partition} was interrupted at {len(half)} units "
            f"(first: {half[0]}): run it again, for all its units, before the stages behind it"
        )
    return entries


def _half(entries: Mapping[str, Entry]) -> list[str]:
    return [e.unit for e in entries.values() if e.status != "ok"]


def write_entries(
    store: TableStore,
    stage: str,
    partition: str,
    entries: Iterable[Entry],
    gone: Iterable[str] = (),
) -> None:
    """Replace entries in one commit, and drop those of units that are gone."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    rows = [
        {
            "stage": stage,
            "partition": partition,
            "unit": e.unit,
            "input_hash": e.input_hash,
            "code": e.code or None,
            "status": e.status,
            "content_hash": e.content_hash,
            "n_rows": e.n_rows,
            "n_refused": e.n_refused,
            "tables": [
                {
                    "table": name,
                    "rows": count,
                    "columns": [{"column": c, "hash": h} for c, h in hashes.items()],
                }
                for name, (count, hashes) in sorted(e.tables.items())
            ],
            "finished_at": now,
        }
        for e in entries
    ]
    units = [row["unit"] for row in rows]
    if units or gone:
        store.replace(LEDGER, scope(stage, partition), [*units, *gone], LEDGER.frame(rows))


def table_digest(entries: Mapping[str, Entry], table: str) -> str:
    """Digest of a table's committed content in one partition: its Dagster data version."""
    return digest_map(
        {
            unit: entry.inputs(table, sorted(entry.tables.get(table, (0, {}))[1]))
            for unit, entry in entries.items()
            if entry.status == "ok" and entry.tables.get(table, (0, {}))[0]
        }
    )


def schema_fingerprint(tables: Iterable[Table]) -> str:
    """Hash of what the tables' contracts check; wording does not count."""
    said = []
    for table in tables:
        said.append(f"{table.name} {table.key} {table.unit}")
        said.extend(
            f"{c.name} {c.dtype} {c.nullable} {c.volatile} {c.one_of} {c.low} {c.high} {c.refers_to}"
            for c in table.columns
        )
        said.extend(f"{r.name} {r.keep.meta.serialize(format='json')}" for r in table.rules)
    return digest(said)


def _entry(row: dict) -> Entry:
    tables = {
        t["table"]: (t["rows"], {c["column"]: c["hash"] for c in t["columns"]})
        for t in row["tables"]
    }
    return Entry(
        unit=row["unit"],
        # The ledger of an earlier version has no such column: its units are computed again.
        input_hash=row["input_hash"] or "",
        status=row["status"],
        content_hash=row["content_hash"],
        n_refused=row["n_refused"],
        tables=tables,
        code=row["code"] or "",
    )
