"""Sets of tasks as files: in the official files' form, so that the official code can read them."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

from assets.pairs.sets.stage import STAGE
from assets.pairs.sets.task_set import Made, TaskSet, task_sets
from expectations.schemas import TABLES
from resources.config import Settings
from resources.ledger import read_complete


class NoSet(ValueError):
    """A source holds no such set."""


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
    if source not in settings.sources:
        raise NoSet(f"no source {source!r}; known: {sorted(settings.sources)}")
    known = read_complete(settings.store, STAGE.name, source)
    if name not in known:
        raise NoSet(
            f"{source} has no set {name!r}; it has: {sorted(known) or 'none, run it first'}"
        )
    made = Made(*(settings.store.read(t, source, [name]) for t in reversed(STAGE.tables)))
    if made.items.is_empty():
        raise NoSet(
            f"{name} of {source} is empty: see `set_classes` for what was left out, and why"
        )
    task = task_sets()[name.partition("/")[0]]
    root = folder.resolve()
    written = []
    for place, text in sorted(_files(settings, source, task, made).items()):
        path = (root / place).resolve()
        if not path.is_relative_to(root):
            raise ValueError(f"{place!r} would lie outside {root}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))
        written.append(path)
    return written


def _files(settings: Settings, source: str, task: TaskSet, made: Made) -> dict[str, str]:
    if task.form is None:
        return {"items.jsonl": _lines(made.items), "classes.jsonl": _lines(made.classes)}
    tables = {
        name: settings.store.read(TABLES[name], source, columns=columns)
        for name, columns in task.form.reads.items()
    }
    return dict(task.form.files(made, tables))


def _lines(rows: pl.DataFrame) -> str:
    return "".join(
        f"{json.dumps(row, ensure_ascii=False)}\n"
        for row in rows.sort(
            *(c for c in ("list", "split", "position") if c in rows.columns)
        ).iter_rows(named=True)
    )
