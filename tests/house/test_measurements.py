"""The page of measurements: `make bench` rewrites its table and nothing else."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest

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
