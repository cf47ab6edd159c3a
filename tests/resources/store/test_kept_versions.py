"""Versions are used again while no file they depend on was touched, and never after."""

from __future__ import annotations

import os
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from resources.store import code_version as computing
from resources.store import kept_versions as keeping
from resources.store.kept_versions import KeptVersions


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of code that was written long before this process began."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(keeping, "_LOADED_NS", time.time_ns() + 10**13)
    folder = tmp_path / "code"
    (folder / "inner").mkdir(parents=True)
    (folder / "stage.py").write_text("LIMIT = 1\n")
    (folder / "inner" / "words.csv").write_text("a\n")
    return folder


def keep(project: Path) -> None:
    versions = opened(project)
    versions.add("stage:compute", "v1")
    versions.write()


def opened(project: Path) -> KeptVersions:
    return KeptVersions(project.parent / "kept" / "versions.json", [project])


def test_a_later_process_finds_what_was_kept(project):
    keep(project)
    assert opened(project).get("stage:compute") == "v1"
    assert opened(project).get("stage:other") is None


def test_processes_add_to_what_others_kept(project):
    first, second = opened(project), opened(project)
    first.add("a", "1")
    second.add("b", "2")
    first.write()
    second.write()
    assert (opened(project).get("a"), opened(project).get("b")) == ("1", "2")


def edit_in_place(project: Path) -> None:
    """Same size, and the time of change put back: only the time of the entry tells."""
    path = project / "stage.py"
    before = path.stat()
    time.sleep(0.02)
    path.write_text("LIMIT = 2\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


EDITS = {
    "edited in place": edit_in_place,
    "data edited": lambda project: (project / "inner" / "words.csv").write_text("b\n"),
    "a new file": lambda project: (project / "inner" / "more.csv").write_text(""),
    "a file less": lambda project: (project / "inner" / "words.csv").unlink(),
    "renamed": lambda project: (project / "stage.py").rename(project / "steps.py"),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_nothing_is_kept_over_an_edit(project, edit):
    keep(project)
    edit(project)
    assert opened(project).get("stage:compute") is None


def test_nothing_is_kept_beside_a_link_that_leads_nowhere(project):
    (project / ".#stage.py").symlink_to("somebody@host.1:2")
    keep(project)
    assert opened(project).get("stage:compute") is None


def test_another_version_of_a_library_counts(project, tmp_path, monkeypatch):
    keep(project)
    (tmp_path / "site" / "polars-99.0.0.dist-info").mkdir(parents=True)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert opened(project).get("stage:compute") is None


def test_nothing_is_kept_of_code_that_was_edited_while_versions_were_computed(project):
    versions = opened(project)
    versions.add("stage:compute", "of the old code")
    edit_in_place(project)
    versions.write()
    assert opened(project).get("stage:compute") is None


def test_code_touched_since_it_was_loaded_is_read_anew(project, monkeypatch):
    keep(project)
    monkeypatch.setattr(keeping, "_LOADED_NS", time.time_ns())
    assert opened(project).get("stage:compute") is None
    keep(project)
    monkeypatch.setattr(keeping, "_LOADED_NS", time.time_ns() + 10**13)
    (project.parent / "kept" / "versions.json").unlink()
    monkeypatch.setattr(keeping, "_LOADED_NS", time.time_ns())
    keep(project)
    assert not (project.parent / "kept" / "versions.json").exists()


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"state": "another"}', "\0"])
def test_a_damaged_file_is_nothing(project, damage):
    keep(project)
    (project.parent / "kept" / "versions.json").write_text(damage)
    assert opened(project).get("stage:compute") is None
    keep(project)
    assert opened(project).get("stage:compute") == "v1"


def test_nothing_is_written_where_python_writes_no_bytecode(project, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    keep(project)
    assert not (project.parent / "kept").exists()


def test_only_versions_of_the_project_alone_are_kept(monkeypatch):
    from resources.store.files import cut
    from tests.resources.store.test_kept_versions import keep as of_somebody_else

    assert computing.compute_version(cut)[1]
    monkeypatch.setattr(computing, "PROJECT", (*computing.PROJECT, "tests"))
    assert not computing.compute_version(of_somebody_else)[1]


def test_functions_with_other_bound_values_have_names_of_their_own():
    from resources.store.files import cut, drifted

    functions = (
        cut,
        drifted,
        partial(cut, 1),
        partial(cut, 2),
        partial(cut, rows=2),
        partial(cut, drifted),
    )
    names = {computing._name(function) for function in functions}
    assert len(names) == len(functions)
