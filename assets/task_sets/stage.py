"""Sets of tasks of a source: one unit per task and mode, made from all its recordings."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from assets.stage import Batch, Inputs, Stage, Unit, merge_reads
from assets.task_sets.task_set import RELEASED_BY, Made, Mode, TaskSet, set_name, task_sets
from assets.translations.in_use import in_use, with_translations, with_used
from expectations.schemas.core import Reads
from resources.store.incremental import Output


def _units(inputs: Inputs) -> Iterator[Unit]:
    """Sets that a source has the tables, vocabularies and views for."""
    views = frozenset(inputs.read("recordings", ("view",))["view"].unique())
    is_released = inputs.settings.sources[inputs.partition].layout == RELEASED_BY
    for task in task_sets().values():
        for mode in task.modes:
            if mode == "parity" and not is_released:
                continue
            if _has_what_it_needs(inputs, task, mode, views):
                yield Unit(
                    set_name(task.name, mode),
                    keys=_keys(inputs, task, mode),
                    parameters=(mode,),
                    reads=_reads(task, mode),
                    code=(task.make, with_used),
                )


def _reads(task: TaskSet, mode: Mode) -> Reads:
    """What a set is made from: `parity` from narrations and files as they were released."""
    if mode == "paper":
        return with_translations(task.reads)
    return merge_reads(task.reads, task.released)


def _keys(inputs: Inputs, task: TaskSet, mode: Mode) -> dict[str, list[str]]:
    """Published and released lists of other tasks do not count: a set follows the files of its own."""
    families = task.families if mode == "parity" else ()
    prefixes = {
        "splits": tuple(f"{family}_" for family in families),
        "released_rows": tuple(f"{name}/" for name in (task.name, *task.orders)),
    }
    return {
        table: [name for name in sorted(inputs.units_with_rows(table)) if name.startswith(begins)]
        for table, begins in prefixes.items()
        if table in _reads(task, mode)
    }


def _is_released(inputs: Inputs, task: TaskSet) -> bool:
    """Whether released files state targets of a task."""
    if "released_frames" in task.released and inputs.units_with_rows("released_frames"):
        return True
    lists = inputs.units_with_rows("released_rows") if "released_rows" in task.released else ()
    return any(name.startswith(f"{task.name}/") for name in lists)


def _has_what_it_needs(inputs: Inputs, task: TaskSet, mode: Mode, views: frozenset[str]) -> bool:
    if task.vocabularies and not task.vocabularies <= set(inputs.units_with_rows("taxonomies")):
        return False
    optional = task.optional
    if mode == "parity" and _is_released(inputs, task):
        optional |= {"segments"}
    if not all(inputs.units_with_rows(name) for name in task.reads if name not in optional):
        return False
    return task.views <= views


def _make(batch: Batch) -> Iterator[Output]:
    for unit in batch.units:
        name, _, mode = unit.name.partition("/")
        task = task_sets()[name]
        rows = task.make(in_use(batch.of(unit)), "parity" if mode == "parity" else "paper")
        yield Output([unit.name], named(rows, batch.source, unit.name))


def named(made: Made, source: str, unit: str) -> dict[str, pl.DataFrame]:
    """Rows of a set with its name."""
    task, _, mode = unit.partition("/")
    head = {"source": source, "set": unit, "task": task, "mode": mode}
    literals = {name: pl.lit(value) for name, value in head.items()}
    return {
        "task_sets": made.items.with_columns(**literals),
        "set_classes": made.classes.with_columns(**literals),
        "released_truth": made.truth.with_columns(**literals),
    }


STAGE = Stage(
    name="task_sets",
    group="task_sets",
    summary="Sets of tasks that ask no question: what is shown, and what is asked for.",
    partition="source",
    tables=("released_truth", "set_classes", "task_sets"),
    derived_from={
        "released_truth": ("released_frames", "released_rows", "segments"),
        "set_classes": ("segments", "labels", "taxonomies", "splits"),
        "task_sets": (
            "set_classes",
            "recordings",
            "segments",
            "labels",
            "translations",
            "pairs",
            "released_frames",
            "released_rows",
        ),
    },
    reads=merge_reads(
        {"recordings": ("view",)},
        *(with_translations(task.reads) for task in task_sets().values()),
        *(task.released for task in task_sets().values()),
    ),
    units=_units,
    make=_make,
    lineage={
        "task_sets": {
            "start_s": [("segments", "start_s")],
            "end_s": [("segments", "start_s"), ("segments", "end_s")],
            "target_start_s": [("segments", "start_s")],
            "target_end_s": [("segments", "end_s")],
            "split": [("recordings", "split"), ("splits", "split")],
            "verbs": [
                ("labels", "class_id"),
                ("segments", "released_verbs"),
                ("released_rows", "verbs"),
            ],
            "nouns": [
                ("labels", "class_id"),
                ("segments", "released_nouns"),
                ("released_rows", "nouns"),
            ],
            "classes": [("segments", "class_id"), ("released_rows", "classes")],
            "runs": [
                ("segments", "class_id"),
                ("segments", "start_s"),
                ("segments", "end_s"),
                ("recordings", "declared_frames"),
                ("released_frames", "runs"),
            ],
            "text": [("segments", "narration"), ("translations", "text")],
            "references": [
                ("pairs", "positive_segment_id"),
                ("segments", "narration"),
                ("translations", "text"),
            ],
        },
        "set_classes": {
            "class_id": [("taxonomies", "class_id")],
            "label": [("taxonomies", "label")],
            "n": [("labels", "class_id"), ("segments", "class_id")],
        },
        "released_truth": {
            "n": [("released_frames", "runs"), ("released_rows", "position")],
            "n_annotated": [("segments", "start_s"), ("segments", "end_s")],
            "n_differing": [
                ("released_frames", "runs"),
                ("released_rows", "classes"),
                ("released_rows", "verbs"),
                ("released_rows", "nouns"),
                ("segments", "class_id"),
                ("segments", "released_verbs"),
                ("segments", "released_nouns"),
            ],
        },
    },
)
