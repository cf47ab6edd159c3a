"""Sets of tasks as files: in the official files' form, so that the official code can read them."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

from assets.task_sets.task_set import Made, TaskSet, task_sets
from expectations.schemas import TABLES
from pipelines.cli.stored_sets import NoSet, read_set
from pipelines.cli.written_files import write_files
from resources.config import Settings


def export_set(settings: Settings, source: str, name: str, folder: Path) -> list[Path]:
    """Write a set.

    Args:
        settings: Configuration.
        source: Source the set was made of.
        name: `task/mode`.
        folder: Folder to write into; files of an earlier export are replaced.

    Returns:
        Files written, ascending.

    Raises:
        NoSet: The source or the set is not there, or the set is empty.
        ValueError: A file would lie outside the folder.
    """
    stored = read_set(settings, source, name)
    if stored.items.is_empty():
        raise NoSet(
            f"{name} of {source} is empty: see `set_classes` for what was left out, and why"
        )
    task = task_sets()[name.partition("/")[0]]
    return write_files(folder, _files(settings, source, task, stored))


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


def _json_lines(rows: pl.DataFrame) -> str:
    order = [column for column in ("list", "split", "position") if column in rows.columns]
    return "".join(
        f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows.sort(order).iter_rows(named=True)
    )
