"""Recordings and subtasks that a person chooses by name: whether there are any of these names."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from assets.options import Options
from assets.questions.kit.builder import builders
from expectations.schemas import TABLES
from pipelines.run.steps import Scope, chosen_benchmarks
from resources.config import Settings
from resources.errors import require_known


def require_subtasks(settings: Settings, scope: Scope, options: Options) -> None:
    """Refuse subtasks that no benchmark of a run has.

    A benchmark whose questions are read and not built has those that are stored; before they are read,
    any name may be one of them.

    Raises:
        UnknownName: A subtask is unknown.
    """
    if not options.subtasks:
        return
    benchmarks = chosen_benchmarks(settings, scope)
    known: set[str] = set()
    built: set[str] = set()
    for builder in builders(settings.plugins, settings.home).values():
        if builder.benchmark in benchmarks:
            built.add(builder.benchmark)
            known.update(builder.subtasks)
    stored = _stored(settings, "questions", "subtask", "benchmark", benchmarks)
    if any(name not in built and name not in stored for name in benchmarks):
        return
    require_known("subtask", options.subtasks, known.union(*stored.values()))


def require_recordings(settings: Settings, sources: Collection[str], options: Options) -> None:
    """Refuse recordings that none of some sources has, once these have been read.

    Raises:
        UnknownName: A recording is unknown.
    """
    if not options.recordings:
        return
    stored = _stored(settings, "recordings", "recording_id", "source", sources)
    require_known("recording", options.recordings, set().union(*stored.values()))


def _stored(
    settings: Settings, table: str, column: str, by: str, names: Collection[str]
) -> dict[str, set[str]]:
    """Values of a column that are stored, by source or benchmark; those with none are left out."""
    rows = settings.store.scan(TABLES[table], columns=(by, column))
    chosen = rows.filter(pl.col(by).is_in(list(names))).unique().collect()
    values: dict[str, set[str]] = {}
    for name, value in chosen.iter_rows():
        values.setdefault(name, set()).add(value)
    return values
