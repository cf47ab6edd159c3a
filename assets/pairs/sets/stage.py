"""Sets of tasks of a source: one unit per task and mode, made from all its recordings."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from assets.frames.stage import STAGE as FRAMES
from assets.labels.stage import STAGE as LABELS
from assets.pairs.sets.task_set import RELEASED_BY, Made, TaskSet, set_name, task_sets
from assets.pairs.stage import STAGE as PAIRS
from assets.pairs.stage import VECTORS
from assets.sources.stage import STAGES as SOURCE_STAGES
from assets.unit_stage import UnitStage
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.code_version import code_version
from resources.config import Settings
from resources.incremental import Output, Stage
from resources.ledger import Entry, read_complete

STAGE = Stage("task_sets", (TABLES["set_classes"], TABLES["task_sets"]))
LEDGERS: dict[str, str] = {
    table.name: stage.name
    for stage in (*SOURCE_STAGES.values(), FRAMES, LABELS, PAIRS, VECTORS)
    for table in stage.tables
}


class _Ledgers:
    """Entries of the stages before, read once per step."""

    def __init__(self, settings: Settings, source: str) -> None:
        self._settings = settings
        self._source = source
        self._entries: dict[str, dict[str, Entry]] = {}

    def of(self, table: str) -> dict[str, Entry]:
        """Units that hold rows of a table."""
        stage = LEDGERS[table]
        if stage not in self._entries:
            self._entries[stage] = read_complete(self._settings.store, stage, self._source)
        return {u: e for u, e in self._entries[stage].items() if e.tables.get(table, (0,))[0]}

    def views(self) -> frozenset[str]:
        """Views of the source's recordings."""
        table = TABLES["recordings"]
        found = self._settings.store.read(table, self._source, columns=("view",))
        return frozenset(found["view"].unique())


def wanted(settings: Settings, source: str) -> dict[str, str]:
    """Sets that a source can feed, and what they are made from."""
    ledgers = _Ledgers(settings, source)
    units = {}
    for task in task_sets().values():
        if not _feeds(ledgers, task):
            continue
        given = [code_version(task.make)]
        for name, columns in sorted(task.reads.items()):
            known = TABLES[name].content_columns if columns is None else columns
            given += [
                f"{unit}={entry.inputs(name, known)}"
                for unit, entry in sorted(ledgers.of(name).items())
            ]
        for mode in task.modes:
            if mode == "parity" and settings.sources[source].layout != RELEASED_BY:
                continue
            units[set_name(task.name, mode)] = digest([mode, *given])
    return units


def _feeds(ledgers: _Ledgers, task: TaskSet) -> bool:
    if task.vocabularies and not task.vocabularies <= ledgers.of("taxonomies").keys():
        return False
    if not all(ledgers.of(name) for name in task.reads if name not in task.optional):
        return False
    return not task.views or task.views <= ledgers.views()


def _compute(settings: Settings, source: str, todo: list[str]) -> Iterator[Output]:
    known = task_sets()
    frames: dict[tuple[str, tuple[str, ...] | None], pl.DataFrame] = {}
    for unit in todo:
        name, _, mode = unit.partition("/")
        task = known[name]
        tables = {}
        for table, columns in task.reads.items():
            if (table, columns) not in frames:
                key = TABLES[table].key
                wide = None if columns is None else sorted({*columns, *key})
                rows = settings.store.read(TABLES[table], source, columns=wide).sort(key)
                frames[table, columns] = rows if columns is None else rows.select(columns)
            tables[table] = frames[table, columns]
        made = task.make(tables, "parity" if mode == "parity" else "paper")
        yield Output([unit], named(made, source, unit))


def named(made: Made, source: str, unit: str) -> dict[str, pl.DataFrame]:
    """Rows of a set with its name."""
    task, _, mode = unit.partition("/")
    head = {"source": source, "set": unit, "task": task, "mode": mode}
    literals = {name: pl.lit(value) for name, value in head.items()}
    return {
        "task_sets": made.items.with_columns(**literals),
        "set_classes": made.classes.with_columns(**literals),
    }


_UNITS = UnitStage(STAGE, wanted, _compute)
bring_up = _UNITS.bring_up
is_fresh = _UNITS.is_fresh
