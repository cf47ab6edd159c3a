"""Kept snapshots of tables: never older than the last commit, whoever made it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from deltalake import DeltaTable

from expectations.schemas import TABLES
from resources.store.tables import TableStore

TABLE = TABLES["splits"]


def rows(*recordings: str) -> pl.DataFrame:
    return TABLE.frame(
        [
            {"source": "s", "split_set": "all", "recording_id": uid, "split": "test"}
            for uid in recordings
        ]
    )


def recordings(store: TableStore) -> list[str]:
    return sorted(store.read(TABLE, "s")["recording_id"])


@pytest.fixture
def store(tmp_path: Path) -> TableStore:
    return TableStore(str(tmp_path / "tables"))


def replace(store: TableStore, *uids: str) -> None:
    frame = rows(*uids)
    store.replace(TABLE, "s", frame[TABLE.unit].unique().to_list() or ["all"], frame)


def test_a_table_is_opened_once_per_commit(store, monkeypatch) -> None:
    replace(store, "a")
    opened: list[str] = []
    first = DeltaTable.__init__

    def counted(self: DeltaTable, *args: object, **kwargs: object) -> None:
        opened.append(str(args[0]))
        first(self, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(DeltaTable, "__init__", counted)
    for _ in range(5):
        assert recordings(store) == ["a"]
        assert len(store.stamp(TABLE, "s")) == 1
        assert store.partitions(TABLE) == ["s"]
    assert len(opened) == 1
    replace(store, "a", "b")
    opened.clear()
    assert recordings(store) == recordings(store) == ["a", "b"]
    assert len(opened) == 1


def test_commits_of_another_process_are_seen(store) -> None:
    replace(store, "a")
    assert recordings(store) == ["a"]
    code = (
        "import sys; from tests.resources.store.test_snapshots import *;"
        "replace(TableStore(sys.argv[1]), 'a', 'c')"
    )
    subprocess.run([sys.executable, "-c", code, store.url], check=True)
    assert recordings(store) == ["a", "c"]


def test_a_table_deleted_and_written_anew_is_seen_at_the_same_commit_number(store) -> None:
    replace(store, "a")
    assert recordings(store) == ["a"]
    version = store.version(TABLE)
    shutil.rmtree(store.location(TABLE))
    assert store.version(TABLE) is None
    assert recordings(store) == []
    replace(store, "b")
    assert store.version(TABLE) == version
    assert recordings(store) == ["b"]


def test_a_checkpoint_changes_no_answer(store) -> None:
    for n in range(25):
        replace(store, f"r{n:02}")
        assert recordings(store) == [f"r{n:02}"]
    DeltaTable(store.location(TABLE)).create_checkpoint()
    assert recordings(store) == ["r24"]
