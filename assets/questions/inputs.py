"""Tables of a source as question stages read them: by unit, with the hash of what is read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property

import polars as pl

from assets.frames.stage import STAGE as FRAMES
from assets.labels.stage import STAGE as LABELS
from assets.pairs.stage import STAGE as PAIRS
from assets.pairs.stage import VECTORS, members
from assets.questions.kit.builder import UnitKind
from assets.scene_graphs.stage import STAGE as SCENE_GRAPHS
from assets.sources.stage import STAGES as SOURCE_STAGES
from assets.translations.in_use import in_use, with_translations, with_used
from assets.translations.stage import STAGE as TRANSLATIONS
from assets.upstream import Upstream, ledgers
from expectations.schemas import TABLES
from expectations.schemas.core import Reads
from resources.store.code_version import code_version
from resources.store.tables import TableStore

LEDGERS = ledgers(
    (*SOURCE_STAGES.values(), FRAMES, TRANSLATIONS, LABELS, PAIRS, VECTORS, SCENE_GRAPHS)
)
_AT_ONCE = 50


class Inputs(Upstream):
    """Earlier tables of one source, opened once per step; narrations are those in use."""

    def __init__(self, store: TableStore, source: str) -> None:
        super().__init__(store, source, LEDGERS)

    @cached_property
    def _recordings(self) -> pl.DataFrame:
        table = TABLES["recordings"]
        return self.store.read(table, self.source, columns=("recording_id", "take_id"))

    def units(self, kind: UnitKind) -> dict[str, list[str]]:
        """Units of a kind, each with its recordings, ascending."""
        if kind == "pool":
            known = self.entries("pairs")
            pools = members(self.store, self.source)
            return {pool: pools.get(pool, []) for pool in known}
        found: dict[str, list[str]] = defaultdict(list)
        for uid, take in self._recordings.sort("recording_id").iter_rows():
            found[take if kind == "take" else uid].append(uid)
        return found

    def hashes(self, reads: Reads, unit: str, uids: list[str]) -> list[str]:
        """What a unit's rows of these tables are, column by column."""
        said = [unit]
        for name, columns in sorted(with_translations(reads).items()):
            table, entries = TABLES[name], self.entries(name)
            for key in self._keys(name, unit, uids):
                if key in entries:
                    said += [key, entries[key].inputs(name, columns or table.content_columns)]
                    if name == "translations":
                        said.append(code_version(with_used))
        return said

    def read(
        self, reads: Reads, units: Mapping[str, list[str]]
    ) -> Iterator[tuple[str, dict[str, pl.DataFrame]]]:
        """Rows of these tables, unit by unit, whole rows in key order.

        Tables are read for some units at once: a read costs more than a small unit's rows.
        """
        names = list(units)
        for at in range(0, len(names), _AT_ONCE):
            some = names[at : at + _AT_ONCE]
            found = {
                name: self._by_key(
                    name, sorted({k for u in some for k in self._keys(name, u, units[u])})
                )
                for name in with_translations(reads)
            }
            for unit in some:
                tables = {
                    name: self._joined(name, rows, self._keys(name, unit, units[unit]))
                    for name, rows in found.items()
                }
                yield unit, in_use(tables)

    def _by_key(self, name: str, keys: list[str]) -> dict[str, pl.DataFrame]:
        table = TABLES[name]
        rows = self.store.read(table, self.source, keys)
        parts = rows.partition_by(table.unit, as_dict=True, maintain_order=True)
        return {str(key[0]): part for key, part in parts.items()}

    @staticmethod
    def _joined(name: str, rows: Mapping[str, pl.DataFrame], keys: list[str]) -> pl.DataFrame:
        table = TABLES[name]
        mine = [rows[key] for key in keys if key in rows]
        return pl.concat(mine).sort(table.key) if mine else table.empty()

    def _keys(self, name: str, unit: str, uids: list[str]) -> list[str]:
        """Units of a table that belong to a unit of questions."""
        by = TABLES[name].unit
        if by == "recording_id":
            return uids
        return [unit] if by == "pool" else sorted(self.entries(name))
