"""Sets of tasks of a source: one unit per task and mode, made from all its recordings."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from assets.frames.stage import STAGE as FRAMES
from assets.labels.stage import STAGE as LABELS
from assets.pairs.stage import STAGE as PAIRS
from assets.pairs.stage import VECTORS
from assets.sources.stage import STAGES as SOURCE_STAGES
from assets.task_sets.task_set import RELEASED_BY, Made, Mode, TaskSet, set_name, task_sets
from assets.translations.in_use import in_use, with_translations, with_used
from assets.translations.stage import STAGE as TRANSLATIONS
from assets.unit_stage import UnitStage
from assets.upstream import Upstream, ledgers
from expectations.schemas import TABLES
from expectations.schemas.core import Reads
from expectations.schemas.identity import digest
from resources.config import Settings
from resources.store.code_version import code_version
from resources.store.incremental import Output, Stage

STAGE = Stage("task_sets", (TABLES["set_classes"], TABLES["task_sets"]))
LEDGERS = ledgers((*SOURCE_STAGES.values(), FRAMES, TRANSLATIONS, LABELS, PAIRS, VECTORS))


def wanted(settings: Settings, source: str) -> dict[str, str]:
    """Sets that a source can feed, and what they are made from."""
    before = Upstream(settings.store, source, LEDGERS)
    views = _views(before)
    units = {}
    for task in task_sets().values():
        if not _feeds(before, task, views):
            continue
        code = code_version(task.make, with_used)
        for mode in task.modes:
            if mode == "parity" and settings.sources[source].layout != RELEASED_BY:
                continue
            given = before.whole(_reads(task, mode))
            units[set_name(task.name, mode)] = digest([mode, code, *given])
    return units


def _reads(task: TaskSet, mode: Mode) -> Reads:
    """What a set is made from: `parity` from the narrations as they were released."""
    return with_translations(task.reads) if mode == "paper" else task.reads


def _feeds(before: Upstream, task: TaskSet, views: frozenset[str]) -> bool:
    if task.vocabularies and not task.vocabularies <= before.holding("taxonomies").keys():
        return False
    if not all(before.holding(name) for name in task.reads if name not in task.optional):
        return False
    return task.views <= views


def _views(before: Upstream) -> frozenset[str]:
    """Views of the source's recordings."""
    found = before.store.read(TABLES["recordings"], before.source, columns=("view",))
    return frozenset(found["view"].unique())


def _compute(settings: Settings, source: str, todo: list[str]) -> Iterator[Output]:
    known = task_sets()
    frames: dict[tuple[str, tuple[str, ...] | None], pl.DataFrame] = {}
    for unit in todo:
        name, _, said = unit.partition("/")
        task = known[name]
        mode: Mode = "parity" if said == "parity" else "paper"
        tables = {}
        for table, columns in _reads(task, mode).items():
            if (table, columns) not in frames:
                key = TABLES[table].key
                wide = None if columns is None else sorted({*columns, *key})
                rows = settings.store.read(TABLES[table], source, columns=wide).sort(key)
                frames[table, columns] = rows if columns is None else rows.select(columns)
            tables[table] = frames[table, columns]
        made = task.make(in_use(tables), mode)
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
