"""Fine-tuned recognition: all verbs and nouns of a clip, closed within each view (6.7).

A class stays if each split of the view has it; a clip without a class that stays goes. `parity` takes
the classes the release states: only the exocentric training list does.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from assets.task_sets.clips import CLASSED, KINDS, class_labels, classed_clips, placed
from assets.task_sets.task_set import Made, Mode, Tables, TaskSet
from expectations.schemas import TABLES


def make(tables: Tables, mode: Mode) -> Made:
    """Items, and the classes of each view with those that are left out."""
    clips = classed_clips(tables, mode)
    clips = clips.filter((pl.col("verbs").list.len() > 0) | (pl.col("nouns").list.len() > 0))
    classes = list(_closed(clips, tables["taxonomies"]))
    kept: dict[tuple[str, str], list[int]] = {}
    for row in classes:
        if row["kept"]:
            kept.setdefault((row["list"], row["kind"]), []).append(row["class_id"])
    views = [
        clips.filter(pl.col("view") == view).with_columns(
            pl.col(name).list.set_intersection(kept.get((view, kind), [])).list.sort()
            for kind, name in KINDS.items()
        )
        for view in ("ego", "exo")
    ]
    items = pl.concat(views).filter(
        (pl.col("verbs").list.len() > 0) | (pl.col("nouns").list.len() > 0)
    )
    items = placed(items.with_columns(list=pl.col("view"), item_id=pl.col("segment_id")))
    return Made(TABLES["task_sets"].fit(items), TABLES["set_classes"].frame(classes))


def _closed(clips: pl.DataFrame, taxonomies: pl.DataFrame) -> Iterator[dict]:
    """Rows of `set_classes`: classes of each view, in order."""
    labels = class_labels(taxonomies)
    for view in clips["view"].unique().sort():
        mine = clips.filter(pl.col("view") == view)
        splits = sorted(mine["split"].unique())
        for kind, name in KINDS.items():
            counted = (
                mine.select("split", pl.col(name).alias("class_id"))
                .explode("class_id", empty_as_null=False)
                .group_by("class_id")
                .agg(n=pl.len(), splits=pl.col("split").unique().sort())
                .sort("class_id")
            )
            position = 0
            for class_id, n, found in counted.iter_rows():
                absent = [s for s in splits if s not in found]
                yield {
                    "list": view,
                    "kind": kind,
                    "class_id": class_id,
                    "label": labels.get((kind, class_id), str(class_id)),
                    "position": None if absent else position,
                    "n": n,
                    "kept": not absent,
                    "reason": f"absent from {', '.join(absent)}" if absent else None,
                }
                position += not absent


TASK_SET = TaskSet(
    name="recognition",
    reads=CLASSED,
    make=make,
    optional=frozenset({"labels"}),
    vocabularies=frozenset({"verb", "noun"}),
)
