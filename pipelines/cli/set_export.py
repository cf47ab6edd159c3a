"""Sets of tasks as files: in the official files' form, so that the official code can read them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from assets.task_sets.released_form import released_files
from assets.task_sets.released_truth import TEXTS
from assets.task_sets.task_set import Made, TaskSet, task_sets
from expectations.schemas import TABLES
from pipelines.cli.stored_sets import NoSet, read_set, truth_notes
from pipelines.cli.written_files import write_files
from resources.config import Settings
from resources.errors import unknown_name

SKILL = "skill/parity"
"""Lists of skill, which are not a set of a task and are written as they were released."""


def export_set(settings: Settings, source: str, name: str, folder: Path) -> list[Path]:
    """Write a set.

    Args:
        settings: Configuration.
        source: Source the set was made of.
        name: `task/mode`, or `skill/parity` for the released lists of skill.
        folder: Folder to write into; files of an earlier export are replaced.

    Returns:
        Files written, ascending.

    Raises:
        NoSet: The source or the set is not there, or the set is empty.
        ValueError: A file would lie outside the folder.
    """
    if name == SKILL:
        return write_files(folder, _skill_lists(settings, source))
    stored = read_set(settings, source, name)
    if stored.items.is_empty():
        raise NoSet(
            f"{name} of {source} is empty: see `set_classes` for what was left out, and why"
        )
    task = task_sets()[name.partition("/")[0]]
    return write_files(folder, _files(settings, source, task, stored))


def export_notes(settings: Settings, source: str, name: str) -> list[str]:
    """What of an exported set was released: its targets, and files that repeat a list as it stands.

    Args:
        settings: Configuration.
        source: Source the set was made of.
        name: As for `export_set`.
    """
    task, _, mode = name.partition("/")
    if mode != "parity":
        return []
    stored = Made.of(()) if name == SKILL else read_set(settings, source, name)
    released = released_files(_released(settings, source), task)
    return [
        *(f"truth: {line}" for line in truth_notes(settings, source, name, stored)),
        *(f"as released: {path}" for path in sorted(released)),
    ]


def _files(settings: Settings, source: str, task: TaskSet, stored: Made) -> dict[str, str]:
    if task.form is None:
        return {
            "items.jsonl": _json_lines(stored.items),
            "classes.jsonl": _json_lines(stored.classes),
        }
    tables = {
        name: settings.store.read(TABLES[name], source, columns=columns)
        for name, columns in task.form.reads.items()
    }
    return dict(task.form.files(stored, tables))


def _skill_lists(settings: Settings, source: str) -> Mapping[str, str]:
    if source not in settings.sources:
        raise unknown_name("source", source, settings.sources)
    lists = released_files(_released(settings, source), "skill")
    if not lists:
        raise NoSet(
            f"{SKILL} of {source} is empty: skill lists cannot be made from annotations; put"
            " skill_benchmark/annotations/skill_{train,val}.txt of the release under the source's root,"
            " and run the source"
        )
    return lists


def _released(settings: Settings, source: str) -> pl.DataFrame:
    return settings.store.read(TABLES["released_rows"], source, columns=TEXTS)


def _json_lines(rows: pl.DataFrame) -> str:
    order = [column for column in ("list", "split", "position") if column in rows.columns]
    return "".join(
        f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows.sort(order).iter_rows(named=True)
    )
