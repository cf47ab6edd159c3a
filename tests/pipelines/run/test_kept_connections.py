"""Connections to Dagster's databases that are kept: others read along, and nothing is lost."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from pipelines.run.dagster_home import open_instance
from pipelines.run.kept_connections import keep_connections

KEY = dg.AssetKey("table")
REPOSITORY = Path(__file__).parents[3]


@dg.job
def nothing() -> None: ...


def store(instance: dg.DagsterInstance, version: str) -> str:
    """Store a new run with an event in its own log, and an event in the log of all runs."""
    run = instance.create_run_for_job(nothing)
    instance.report_engine_event("of this run", run)
    instance.report_runless_asset_event(
        dg.AssetMaterialization(KEY, tags={"dagster/data_version": version})
    )
    return run.run_id


def stored(home: Path) -> tuple[str, set[str], list[str]]:
    """Version of the asset, runs, and messages of their logs, as a process without our code reads them."""
    with dg.DagsterInstance.from_config(str(home)) as instance:
        (event,) = instance.get_latest_materialization_events([KEY]).values()
        assert event is not None and event.asset_materialization is not None
        version = (event.asset_materialization.tags or {})["dagster/data_version"]
        runs = {run.run_id for run in instance.get_runs()}
        messages = [entry.message for run_id in runs for entry in instance.all_logs(run_id)]
    return version, runs, messages


def test_others_read_along_and_the_end_leaves_whole_databases(tmp_path: Path) -> None:
    with open_instance(tmp_path) as instance:
        runs = {store(instance, "1"), store(instance, "2")}
        assert stored(tmp_path) == ("2", runs, ["of this run"] * 2)
        # Back to the log of a run that was left for another.
        first = instance.get_run_by_id(min(runs))
        assert first is not None
        instance.report_engine_event("of the first again", first)
        expected = ["of this run", "of the first again"]
        assert [entry.message for entry in instance.all_logs(first.run_id)] == expected
    assert not [path for path in tmp_path.rglob("*") if path.name.endswith(("-wal", "-shm"))]
    version, found, messages = stored(tmp_path)
    assert (version, found, sorted(messages)) == (
        "2",
        runs,
        ["of the first again", *["of this run"] * 2],
    )


def test_a_database_is_opened_once_however_many_events_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: Counter[str] = Counter()
    connect = sqlite3.dbapi2.connect

    def counted(database: str, *rest: Any, **more: Any) -> Any:
        opened[Path(database).name] += 1
        return connect(database, *rest, **more)

    with open_instance(tmp_path) as instance:
        store(instance, "0")
        monkeypatch.setattr(sqlite3.dbapi2, "connect", counted)
        run_id = store(instance, "1")
        run = instance.get_run_by_id(run_id)
        assert run is not None
        # Events without a run have a log of their own: now that of the run is opened again.
        instance.report_engine_event("first", run)
        before = dict(opened)
        for _ in range(5):
            instance.report_engine_event("one more", run)
            instance.add_run_tags(run_id, {"some": "tag"})
        assert before[f"{run_id}.db"] > 0
        assert opened == before


def contents(path: Path) -> tuple[set[tuple[str, str]], list[tuple[str]], str]:
    """Statements that created a database, its schema version, and how it keeps its log."""
    with closing(sqlite3.connect(path)) as db:
        statements = set(db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
        versions = db.execute("SELECT version_num FROM alembic_version").fetchall()
        ((mode,),) = db.execute("PRAGMA journal_mode").fetchall()
    return statements, versions, mode


def test_logs_of_runs_are_as_dagster_creates_them(tmp_path: Path) -> None:
    ours, its = tmp_path / "ours", tmp_path / "its"
    its.mkdir()
    with open_instance(ours) as instance:
        runs = [store(instance, "1"), store(instance, "2")]
    with dg.DagsterInstance.from_config(str(its)) as instance:
        expected = contents(its / "history" / "runs" / f"{store(instance, '1')}.db")
    assert len(expected[0]) > 5 and len(expected[1]) == 1 and expected[2] == "wal"
    for run_id in runs:
        assert contents(ours / "history" / "runs" / f"{run_id}.db") == expected
    (empty,) = (ours / "history").glob("*empty*")
    with closing(sqlite3.connect(empty)) as db:
        assert db.execute("SELECT count(*) FROM event_logs").fetchone() == (0,)
    assert sorted(path.name for path in (ours / "history").iterdir()) == sorted(
        [empty.name, "runs", "runs.db"]
    )


def test_what_was_stored_is_kept_when_the_process_is_killed(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path\n"
        "from pipelines.run.dagster_home import open_instance\n"
        "from tests.pipelines.run.test_kept_connections import store\n"
        "with open_instance(Path(sys.argv[1])) as instance:\n"
        "    print(store(instance, '1'), flush=True)\n"
        "    os.kill(os.getpid(), 9)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL
    assert stored(tmp_path) == ("1", {ended.stdout.strip()}, ["of this run"])


def test_storages_of_another_kind_are_left_as_they_are() -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        keep_connections(instance)
        store(instance, "1")
        assert instance.get_latest_materialization_events([KEY])[KEY] is not None
