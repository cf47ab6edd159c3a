"""How a module of questions declares itself: one `BUILDER` beside its code.

To add a subtask, add a module to a benchmark's folder, here or in a plug-in; nothing else is edited.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Literal

import polars as pl

import assets.questions
from expectations.schemas.core import Reads
from expectations.schemas.readings import PAPER, paper_recipe
from resources.plugins import PluginError, benchmark_packages

Tables = Mapping[str, pl.DataFrame]
UnitKind = Literal["pool", "take", "recording", "question_set", "source", "scenario"]


@dataclass(frozen=True, slots=True)
class Need:
    """Something a source must hold before a recipe can ask anything about it.

    Attributes:
        reads: Tables and columns to look at; every column is named.
        missing: Why nothing can be asked, in a few words; None if what is needed is there.
        rows: How many rows of each table are enough to tell; None for all rows of the source.
    """

    reads: Mapping[str, tuple[str, ...]]
    missing: Callable[[Tables], str | None]
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class Builder:
    """Maker of the questions of one or several subtasks of a benchmark.

    Attributes:
        benchmark: Benchmark the questions belong to.
        subtasks: Subtasks it makes; several recipes may make one subtask.
        recipe: Recipe and its version; part of every `question_id`.
        unit: What one call of `make` gets whole: a pool of pairs with its recordings, the
            recordings of a take, one recording, a released set of questions with the recordings it
            shows, all recordings of a source, or those of a scenario.
        reads: Tables `make` takes, with the columns it uses; None stands for all. Questions are
            made again when one of these changes, and no other.
        make: Pure function from frames of these tables, by name, to rows of `questions`; its code
            version covers the code it reaches and the templates that code names.
        needs: What a source must hold, the most basic first: the first that is missing is the
            reason `parallax status` gives for a source without questions.
        limits: What each question must meet beyond that, in words: the reason where nothing else
            is missing.
        make_as_paper: The same by what the paper says alone; None where both are one or the paper
            leaves nothing that can be decided.
        rules: Rules by which it refuses candidates, in order (see `kit.funnel`); empty where it counts
            none.
        extension: Whether it asks what the benchmark's paper does not; such a recipe is built only where
            `[benchmarks.<name>] extensions` lists it.
        one_frame: Whether one frame of each clip answers its questions by design; the gate `single_frame`
            then judges none of them.
    """

    benchmark: str
    subtasks: tuple[str, ...]
    recipe: str
    unit: UnitKind
    reads: Reads
    make: Callable[[Tables], pl.DataFrame]
    needs: tuple[Need, ...] = ()
    limits: str = ""
    make_as_paper: Callable[[Tables], pl.DataFrame] | None = None
    rules: tuple[str, ...] = ()
    extension: bool = False
    one_frame: bool = False

    def under(self, reading: str) -> Builder:
        """The builder of a reading (`expectations.schemas.readings`).

        The paper's reading has a recipe of its own, so that its questions have ids of their own.
        """
        if reading != PAPER or self.make_as_paper is None:
            return self
        return replace(
            self,
            recipe=paper_recipe(self.recipe),
            make=self.make_as_paper,
            limits="those the paper states, see docs/deviations.md",
        )


def builders(plugins: tuple[str, ...] = (), home: Path | None = None) -> dict[str, Builder]:
    """Builders of all modules of all benchmark folders, by module name.

    Args:
        plugins: Plug-ins (see `resources.plugins`) whose benchmarks count too.
        home: Folder that relative paths of plug-ins start from; the working folder if None.

    Raises:
        PluginError: Two builders of a benchmark declare the same subtask and recipe.
    """
    known: dict[str, Builder] = {}
    owner: dict[tuple[str, str, str], str] = {}
    for package in (*_own_packages(), *benchmark_packages(plugins, home)):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            builder = getattr(importlib.import_module(module.name), "BUILDER", None)
            if not isinstance(builder, Builder):
                continue
            for subtask in builder.subtasks:
                key = (builder.benchmark, subtask, builder.recipe)
                before = owner.setdefault(key, module.name)
                if before != module.name:
                    raise PluginError(
                        f"{builder.benchmark}/{subtask} with recipe {builder.recipe} is declared by"
                        f" {before} and by {module.name}; rename one"
                    )
            known[module.name] = builder
    return known


def _own_packages() -> Iterator[ModuleType]:
    prefix = f"{assets.questions.__name__}."
    for package in pkgutil.iter_modules(assets.questions.__path__, prefix):
        if package.ispkg:
            yield importlib.import_module(package.name)
