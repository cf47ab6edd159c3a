"""How a module of questions declares itself: one `BUILDER` beside its code.

To add a subtask, add a module to a benchmark's folder; nothing else is edited.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

import assets.questions


@dataclass(frozen=True, slots=True)
class Builder:
    """Maker of the questions of one or several subtasks of a benchmark.

    Attributes:
        benchmark: Benchmark the questions belong to.
        subtasks: Subtasks it makes.
        recipe: Recipe and its version; part of every `question_id`.
        reads: Tables `make` takes, in order.
        make: Pure function from frames of these tables (one or several whole pools) to rows of
            `questions`.
        files: Files beside the module whose content shapes the questions.
    """

    benchmark: str
    subtasks: tuple[str, ...]
    recipe: str
    reads: tuple[str, ...]
    make: Callable[..., pl.DataFrame]
    files: tuple[str, ...] = ()


def builders() -> dict[str, Builder]:
    """Builders of all modules of all benchmark folders, by module name.

    Raises:
        ValueError: Two builders of a benchmark declare the same subtask.
    """
    found: dict[str, Builder] = {}
    owner: dict[tuple[str, str], str] = {}
    path, prefix = assets.questions.__path__, f"{assets.questions.__name__}."
    for benchmark in pkgutil.iter_modules(path, prefix):
        if not benchmark.ispkg:
            continue
        package = importlib.import_module(benchmark.name)
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            builder = getattr(importlib.import_module(module.name), "BUILDER", None)
            if not isinstance(builder, Builder):
                continue
            for subtask in builder.subtasks:
                before = owner.setdefault((builder.benchmark, subtask), module.name)
                if before != module.name:
                    raise ValueError(
                        f"subtask {builder.benchmark}/{subtask} is declared by {before} and by "
                        f"{module.name}; rename one"
                    )
            found[module.name] = builder
    return found
