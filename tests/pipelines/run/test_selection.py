"""Recordings and subtasks that a person names: those there are, and no others."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from assets.options import Options
from expectations.schemas import TABLES, Table
from pipelines.run.selection import require_recordings, require_subtasks
from pipelines.run.steps import Scope
from resources.config import BenchmarkConfig, Settings, SourceConfig
from resources.errors import UnknownName
from resources.store.tables import TableStore


def rows(table: Table, **columns: list[str]) -> pl.DataFrame:
    """Rows with some columns; the others are null."""
    height = len(next(iter(columns.values())))
    frame = table.empty().clear(height)
    return frame.with_columns(**{name: pl.Series(values) for name, values in columns.items()})


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    store = TableStore(str(tmp_path / "tables"))
    sources = {name: SourceConfig(name, "videos", name) for name in ("a", "b")}
    benchmarks = {
        "egoprox": BenchmarkConfig("egoprox", ("a",)),
        "released": BenchmarkConfig("released", ("b",)),
    }
    for name, ids in (("a", ["r1", "r2"]), ("b", ["r3"])):
        table = TABLES["recordings"]
        store.append(table, name, rows(table, source=[name] * len(ids), recording_id=ids))
    return Settings(tmp_path, store, tmp_path / "page.html", sources, benchmarks)


def test_recordings_of_the_sources_that_were_read_are_accepted(settings) -> None:
    require_recordings(settings, {"a", "b"}, Options())
    require_recordings(settings, {"a", "b"}, Options(recordings=("r1", "r3")))


@pytest.mark.parametrize(("sources", "name"), [({"a", "b"}, "r33"), ({"a"}, "r3")])
def test_a_recording_that_none_of_the_sources_has_is_refused(sources, name, settings) -> None:
    with pytest.raises(UnknownName, match=f"no recording '{name}'; known: r1, r2.*did you mean"):
        require_recordings(settings, sources, Options(recordings=("r1", name)))


def test_subtasks_that_a_benchmark_builds_are_accepted(settings) -> None:
    scope = Scope(benchmarks=("egoprox",))
    require_subtasks(settings, scope, Options(subtasks=("intention_relative",)))
    with pytest.raises(UnknownName, match="did you mean 'intention_relative'"):
        require_subtasks(settings, scope, Options(subtasks=("intention_relativ",)))


def test_subtasks_of_questions_that_are_read_are_known_once_they_are_stored(settings) -> None:
    scope = Scope(benchmarks=("released",))
    chosen = Options(subtasks=("cooking",))
    require_subtasks(settings, scope, chosen)
    table = TABLES["questions"]
    stored = rows(table, benchmark=["released"], subtask=["sports"], question_id=["q"], pool=["p"])
    settings.store.append(table, "released", stored)
    with pytest.raises(UnknownName, match="no subtask 'cooking'; known: sports"):
        require_subtasks(settings, scope, chosen)
