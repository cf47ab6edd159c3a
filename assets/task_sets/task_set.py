"""How a module of this folder declares the set of a task: one `TASK_SET` beside its code.

To add a task, add a module here and its name to `TASKS` in `expectations/schemas/task_sets.py`;
nothing else is edited. Two readings of a set are made: `paper` follows the text, `parity` the files
that were released.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import polars as pl

import assets.task_sets
from expectations.schemas import TABLES
from expectations.schemas.core import Reads

Mode = Literal["paper", "parity"]
Tables = Mapping[str, pl.DataFrame]
MODES: tuple[Mode, ...] = ("paper", "parity")
RELEASED_BY = "egoexolearn"
"""Layout whose released sets `parity` reproduces."""


@dataclass(frozen=True, slots=True)
class Made:
    """A set.

    Attributes:
        items: Rows of `task_sets`; `source`, `set`, `task` and `mode` may be left null.
        classes: Rows of `set_classes`, likewise; empty where the task has no closed set.
        truth: Rows of `released_truth`, likewise; empty where no released file states targets.
    """

    items: pl.DataFrame
    classes: pl.DataFrame
    truth: pl.DataFrame = field(default_factory=TABLES["released_truth"].empty)

    @classmethod
    def of(
        cls, items: Iterable[dict], classes: Iterable[dict] = (), truth: Iterable[dict] = ()
    ) -> Made:
        """From rows as dicts; absent columns become null."""
        rows = {"task_sets": items, "set_classes": classes, "released_truth": truth}
        return cls(*(TABLES[name].frame(found) for name, found in rows.items()))


@dataclass(frozen=True, slots=True)
class Form:
    """The official files' form of a set.

    Attributes:
        reads: Tables `files` takes beside the set, with the columns it uses.
        files: Pure function from the set and these tables to text by path, folders included.
    """

    reads: Mapping[str, tuple[str, ...]]
    files: Callable[[Made, Tables], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class TaskSet:
    """Maker of the set of a task.

    Attributes:
        name: Task, one of `TASKS`.
        reads: Tables `make` takes, with the columns it uses; None stands for all. A set is made
            again when one of these changes, and no other. Tables of the stages sources, frames,
            labels and pairs. Narrations are the ones in use; in `parity` the ones that were given.
        make: Pure function from frames of these tables, by name, and a mode, to the set. Frames hold
            only the columns named, in the order of the table's key.
        optional: Tables of `reads` a source may lack; a source without rows in one of the others
            gets no set, at no cost.
        vocabularies: Taxonomies a source needs to get the set.
        views: Views its recordings need to have.
        modes: Modes it is made in; `parity` only of sources in the layout that was released.
        form: Official files' form, if there is one; else a set is written as JSON lines.
        released: Released files that `parity` alone takes its targets from: tables with the columns
            it uses, as in `reads`. Any of them may be empty; where one is not, `parity` is made
            without the annotations that `reads` otherwise asks for.
        orders: Further tasks whose released lists decide the order of the items.
        families: Families of published lists (`splits`) that `parity` goes by; `paper` goes by none.
    """

    name: str
    reads: Reads
    make: Callable[[Tables, Mode], Made]
    optional: frozenset[str] = frozenset()
    vocabularies: frozenset[str] = frozenset()
    views: frozenset[str] = frozenset()
    modes: tuple[Mode, ...] = MODES
    form: Form | None = None
    released: Reads = field(default_factory=dict)
    orders: tuple[str, ...] = ()
    families: tuple[str, ...] = ()


def by_list(items: pl.DataFrame) -> dict[tuple[str, str], list[dict]]:
    """Items of each list and split that has a name, by position."""
    named = items.filter(pl.col("split").is_not_null()).sort("list", "split", "position")
    parts = named.partition_by("list", "split", as_dict=True, maintain_order=True)
    return {(str(key[0]), str(key[1])): part.to_dicts() for key, part in parts.items()}


def positions(classes: pl.DataFrame, kind: str) -> dict[int, int]:
    """Index of each class of the closed set, in order of the indices."""
    mine = classes.filter((pl.col("kind") == kind) & pl.col("kept")).sort("position")
    return dict(mine.select("class_id", "position").iter_rows())


def set_name(task: str, mode: str) -> str:
    """Name of a set: `task/mode`."""
    return f"{task}/{mode}"


def task_sets() -> dict[str, TaskSet]:
    """Sets of all modules of this folder, by task.

    Raises:
        ValueError: Two modules declare one task.
    """
    found: dict[str, TaskSet] = {}
    for info in pkgutil.iter_modules(assets.task_sets.__path__):
        if info.name in {"stage", "assets"}:
            continue
        module = importlib.import_module(f"{assets.task_sets.__name__}.{info.name}")
        declared = getattr(module, "TASK_SET", None)
        if isinstance(declared, TaskSet):
            if declared.name in found:
                raise ValueError(f"task {declared.name} is declared twice: rename one")
            found[declared.name] = declared
    return dict(sorted(found.items()))
