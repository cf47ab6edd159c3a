"""Tables whose declaration changed since they were written.

A column that is new is null in older rows, and one that is gone is left out: such tables are read and
written on, and their units are made anew because the declaration is part of what units are made from.
Where a column's type changed, old rows cannot stand beside new ones: the stage that writes the table
forgets what it made, in all its partitions, and makes it again. Replies are never thrown away: `calls`
is not of this kind.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from expectations.schemas import TABLES, Table
from resources.store.tables import TableStore

LEDGER = TABLES["ledger"]
QUARANTINE = TABLES["quarantine"]
KEPT = frozenset({"calls"})
"""Tables that nothing could make again."""


def renew_outdated(store: TableStore, stage: str, tables: Sequence[Table]) -> list[str]:
    """Make room for a stage's tables in their present form.

    Args:
        store: Table store.
        stage: Name of the stage in the ledger.
        tables: Tables it writes.

    Returns:
        Tables that were emptied.
    """
    if not any(map(store.outdated, (LEDGER, QUARANTINE, *tables))):
        return []
    with store.lock("schema"):
        if store.outdated(LEDGER) or store.outdated(QUARANTINE):
            # What was made of what, or refused, is known of no table any more.
            every = [t for t in TABLES.values() if t.name not in KEPT | {"ledger", "quarantine"}]
            return _empty(store, [*every, QUARANTINE], last=[LEDGER])
        old = [table for table in tables if store.outdated(table)]
        if not old:  # another process was faster
            return []
        _forget(store, stage)
        return _empty(store, [t for t in tables if t not in old], last=old)


def _forget(store: TableStore, stage: str) -> None:
    """Drop a stage's ledger first: without it nothing is read, whatever happens next."""
    for table in (LEDGER, QUARANTINE):
        for partition in store.partitions(table):
            if partition.startswith(f"{stage}."):
                units = store.read(table, partition, columns=[table.unit])[table.unit].unique()
                store.replace(table, partition, units, table.empty())


def _empty(store: TableStore, tables: Collection[Table], last: Collection[Table]) -> list[str]:
    """Empty tables; those by which the change is seen come last."""
    for table in (*tables, *last):
        if store.version(table) is not None:
            store.recreate(table)
    return sorted(t.name for t in (*tables, *last))
