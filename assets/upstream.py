"""What a stage reads of the stages before it, as their ledgers tell: units, and hashes of columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from expectations.schemas import TABLES
from expectations.schemas.core import Reads
from resources.store.incremental import Stage
from resources.store.ledger import Entry, read_complete
from resources.store.tables import TableStore


def ledgers(stages: Iterable[Stage]) -> dict[str, str]:
    """Name of the ledger that tells of each table."""
    return {table.name: stage.name for stage in stages for table in stage.tables}


class Upstream:
    """Ledgers of the stages before, of one source; each is read once.

    Args:
        store: Table store.
        source: Source.
        ledgers: Ledger by table (see `ledgers`).
    """

    def __init__(self, store: TableStore, source: str, ledgers: Mapping[str, str]) -> None:
        self.store = store
        self.source = source
        self._ledgers = ledgers
        self._entries: dict[str, dict[str, Entry]] = {}
        self._told: dict[tuple[str, tuple[str, ...] | None], list[str]] = {}

    def entries(self, table: str) -> dict[str, Entry]:
        """Ledger entries of the stage that writes a table.

        Raises:
            IncompleteUpstream: That stage was interrupted.
        """
        stage = self._ledgers[table]
        if stage not in self._entries:
            self._entries[stage] = read_complete(self.store, stage, self.source)
        return self._entries[stage]

    def holding(self, table: str) -> dict[str, Entry]:
        """Of these, the units that hold rows of the table."""
        return {
            unit: entry
            for unit, entry in self.entries(table).items()
            if entry.tables.get(table, (0,))[0]
        }

    def whole(self, reads: Reads) -> list[str]:
        """What all rows of these tables are, unit by unit and column by column."""
        said = (self._whole(name, columns) for name, columns in sorted(reads.items()))
        return [one for found in said for one in found]

    def _whole(self, name: str, columns: tuple[str, ...] | None) -> list[str]:
        if (name, columns) not in self._told:
            self._told[name, columns] = [
                f"{unit}={entry.inputs(name, columns or TABLES[name].content_columns)}"
                for unit, entry in sorted(self.holding(name).items())
            ]
        return self._told[name, columns]
