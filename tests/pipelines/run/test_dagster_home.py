"""Dagster's home: opened first by several processes at once, killed while created, and damaged."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipelines.cli import app

DATABASES = ("history/runs.db", "history/runs/index.db", "schedules/schedules.db")
KILLED = -9
# Attacks run many rounds; a test run takes its share of them.
ROUNDS = int(os.environ.get("PARALLAX_COLD_ROUNDS") or 3)


class Openers:
    """A process that has loaded everything and forks the processes that open a home."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[3],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        )

    def open(self, home: Path, processes: int = 1, die: str = "") -> list[int]:
        """Open a home in so many processes at the same moment; gives their exit codes."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([str(home), processes, die]) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        """End the loaded process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()


@pytest.fixture(scope="module")
def openers() -> Iterator[Openers]:
    made = Openers()
    yield made
    made.close()


def versions(home: Path) -> dict[str, list[str]]:
    """Schema versions in each database."""
    found = {}
    for name in DATABASES:
        with closing(sqlite3.connect(home / name)) as db:
            found[name] = [row[0] for row in db.execute("SELECT version_num FROM alembic_version")]
    return found


@pytest.fixture(scope="module")
def created(openers: Openers, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that one process created; not to be changed."""
    home = tmp_path_factory.mktemp("alone") / "home"
    assert openers.open(home) == [0]
    return home


def test_processes_that_come_first_together_leave_what_one_leaves(openers, created, tmp_path):
    expected = versions(created)
    assert all(len(found) == 1 for found in expected.values())
    for number in range(ROUNDS):
        home = tmp_path / f"home{number}"
        processes = 3 if number % 5 == 2 else 2
        assert openers.open(home, processes) == [0] * processes
        assert versions(home) == expected, number
        assert openers.open(home) == [0]
        shutil.rmtree(home)


@pytest.mark.parametrize("place", ["created", "history", "schedules"])
def test_a_home_whose_creation_was_killed_is_created_by_the_next(place, openers, created, tmp_path):
    home = tmp_path / "home"
    assert openers.open(home, die=place) == [KILLED]
    assert openers.open(home) == [0]
    assert versions(home) == versions(created)
    assert not (home / ".creating").exists()


def two_versions(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("INSERT INTO alembic_version VALUES ('5771160a95ad')")


def no_database(path: Path) -> None:
    path.write_bytes(b"not a database, by whatever wrote over it" * 200)


@pytest.mark.parametrize("command", ["run", "check", "dev"])
@pytest.mark.parametrize(
    ("name", "spoil", "told"),
    [
        (DATABASES[0], two_versions, "2 schema versions"),
        (DATABASES[1], no_database, "not a database"),
        (DATABASES[2], two_versions, "2 schema versions"),
    ],
)
def test_a_damaged_home_is_one_sentence_with_its_remedy(
    command, name, spoil, told, created, tmp_path, monkeypatch
):
    home = tmp_path / "home"
    shutil.copytree(created, home)
    spoil(home / name)
    monkeypatch.setenv("PARALLAX_DAGSTER_HOME", str(home))
    config = tmp_path / "parallax.toml"
    config.write_text('store = "tables"\npage = "page.html"\n')
    monkeypatch.setenv("PARALLAX_CONFIG", str(config))
    # `dev` must not come so far as to start the UI.
    monkeypatch.setattr("pipelines.run.dev_server.serve", lambda *_: 0)
    ended = CliRunner().invoke(app, [command])
    assert ended.exit_code == 1
    assert isinstance(ended.exception, SystemExit)
    assert ended.stderr.count("\n") == 1
    for said in (str(home / name), told, "run again", "replies are kept"):
        assert said in ended.stderr
    if command == "run" and spoil is two_versions:
        for folder in ("history", "schedules"):
            assert str(home / folder) in ended.stderr
            (home / folder).rename(home / f"{folder}.damaged")
        assert CliRunner().invoke(app, ["run"]).exit_code == 0


def test_a_home_that_cannot_be_written_is_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PARALLAX_DAGSTER_HOME", str(tmp_path / "file" / "home"))
    config = tmp_path / "parallax.toml"
    config.write_text('store = "tables"\npage = "page.html"\n')
    monkeypatch.setenv("PARALLAX_CONFIG", str(config))
    ended = CliRunner().invoke(app, ["run"])
    assert ended.exit_code == 1
    assert "cannot be written" in ended.stderr
    assert "PARALLAX_DAGSTER_HOME" in ended.stderr


def _open(home: Path, die: str, start: float) -> None:
    """Body of a forked process: open the home and use all three databases."""
    import time

    import dagster as dg

    import pipelines.run.dagster_home as dagster_home

    rename = Path.rename

    def dying(self: Path, target: Path) -> Path:
        if Path(target).name == die:
            os.kill(os.getpid(), 9)
        return rename(self, target)

    if die == "created":
        setattr(dg.DagsterInstance, "__exit__", lambda *_: os.kill(os.getpid(), 9))
    setattr(Path, "rename", dying)
    time.sleep(max(0.0, start - time.time()))
    with dagster_home.open_instance(home) as instance:
        instance.get_runs()
        instance.get_asset_keys()
        instance.all_instigator_state()


def _serve() -> None:
    """Open each home that is named on standard input; answer with exit codes."""
    import tempfile
    import time
    import traceback

    import pipelines.run.dagster_home as dagster_home

    # What opening loads is loaded once, so that the processes come side by side.
    with tempfile.TemporaryDirectory() as folder, dagster_home.open_instance(Path(folder)):
        pass
    for line in sys.stdin:
        home, processes, die = json.loads(line)
        start = time.time() + 0.05
        pids = []
        for _ in range(processes):
            pid = os.fork()
            if pid == 0:
                try:
                    _open(Path(home), die, start)
                except BaseException:
                    traceback.print_exc()
                    os._exit(1)
                os._exit(0)
            pids.append(pid)
        ended = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
        print(json.dumps(ended), flush=True)


if __name__ == "__main__":
    _serve()
