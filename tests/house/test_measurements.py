"""The page of measurements: `make bench` rewrites its table and nothing else."""

from __future__ import annotations

import importlib.util
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bench.real_counts import Excerpt, asked, place
from tests.house.test_documents import REPOSITORY

ROW = "| something | 2 times | >= 1 times | `python -m bench.gaze` |"


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    """`python -m bench`, without running it."""
    spec = importlib.util.spec_from_file_location("bench_main", REPOSITORY / "bench/__main__.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_only_what_was_measured_changes(
    writer: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Versions of libraries that only `make bench` installs.
    monkeypatch.setattr(writer, "machine", lambda: "this machine")
    old = writer.PAGE.read_text(encoding="utf-8")
    assert writer.PAGE == REPOSITORY / "docs/benchmarks.md"
    new = writer.with_table(old, {"gaze": [ROW]})
    assert writer.table_of(new, "gaze") == [ROW]
    for script in set(writer.SCRIPTS) - {"gaze"}:
        assert writer.table_of(new, script) == writer.table_of(old, script) != []
    assert new.partition(writer.BEGIN)[0] == old.partition(writer.BEGIN)[0] != ""
    assert new.partition(writer.END)[2] == old.partition(writer.END)[2]
    assert writer.with_table(new, {"gaze": writer.table_of(old, "gaze")}).count(writer.HEAD) == 1


def test_a_page_without_a_place_for_the_table_is_refused(writer: ModuleType) -> None:
    with pytest.raises(ValueError, match=r"put them where the table belongs"):
        writer.with_table("# Measurements", {})


def test_released_files_are_put_where_the_release_has_them(tmp_path: Path) -> None:
    home = tmp_path / "data/it/begin"
    (home / "lists").mkdir(parents=True)
    (home / "lists/some.EXCERPT10.csv").write_text("cut")
    (home / "lists/long.csv").write_text("long")
    with zipfile.ZipFile(home / "lists/more.zip", "w") as archive:
        archive.writestr("in/it.csv", "packed")
    excerpt = Excerpt("it", (), "begin", "one", ("lists/more.zip",), ("lists/long.csv",))
    place(excerpt, tmp_path / "data", tmp_path / "root")
    found = {
        path.relative_to(tmp_path / "root").as_posix(): path.read_bytes()
        for path in (tmp_path / "root").rglob("*.csv")
    }
    assert found == {"one/lists/some.csv": b"cut", "one/lists/in/it.csv": b"packed"}


def _row(subtask: str, recipe: str, built: int, paper: int | None) -> dict[str, Any]:
    return {
        "benchmark": "some", "subtask": subtask, "recipe": recipe, "candidates": 9, "built": built,
        "published": built, "paper": paper, "why": "",
    }  # fmt: skip


def test_a_subtask_is_counted_by_the_recipe_of_its_dataset() -> None:
    rows = [
        _row("order", "order_lemma@1", 0, 4),
        _row("order", "order_egome@1", 0, 4),
        _row("place", "place@1", 2, None),
        _row("place", "place_egome@1", 0, None),
        _row("absent", "absent@1", 0, None),
    ]
    counted = [row["recipe"] for row in asked(rows, "egome")]
    assert counted == ["order_egome@1", "place@1"]
