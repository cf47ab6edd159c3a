"""Zero-shot recognition: one verb, or one noun, of the centre frame of a clip (6.6).

A clip with several verbs is as many items, each of which asks for one; the same for nouns. The set of
classes to choose from is closed within view and split: what occurs there. A class is put to the model
in the 16 sentences of `zero_shot_prompts.txt` (Table 13), whose scores are averaged. Validation and
test splits alone are asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import polars as pl

from assets.task_sets.clips import CLASSED, KINDS, class_labels, classed_clips, placed
from assets.task_sets.task_set import Made, Mode, Tables, TaskSet
from expectations.schemas import TABLES

SPLITS = ("val", "test")


@cache
def prompts() -> tuple[str, ...]:
    """Sentences with `{}` for the class, in the order of the paper's table."""
    file = Path(__file__).with_name("zero_shot_prompts.txt")
    return tuple(line for line in file.read_text(encoding="utf-8").splitlines() if line)


def prompted(label: str) -> tuple[str, ...]:
    """The sentences for a class."""
    return tuple(prompt.replace("{}", label) for prompt in prompts())


def make(tables: Tables, mode: Mode) -> Made:
    """An item per clip, kind and class, and the classes of each view and split."""
    clips = classed_clips(tables, mode).filter(pl.col("split").is_in(SPLITS))
    centre = (pl.col("start_s") + pl.col("end_s")) / 2
    frames = [
        clips.filter(pl.col(name).list.len() > 0)
        .with_columns(class_id=pl.col(name))
        .explode("class_id", empty_as_null=False)
        .with_columns(
            pl.lit(kind).alias("kind"),
            pl.concat_list("class_id").alias(name),
            pl.lit(None, pl.List(pl.Int64())).alias(other),
            list=pl.col("view") + f"_{kind}",
            item_id=pl.format(f"{kind}:{{}}:{{}}", "class_id", "segment_id"),
            target_start_s=pl.col("start_s"),
            target_end_s=pl.col("end_s"),
            start_s=centre,
            end_s=centre,
        )
        for (kind, name), other in zip(KINDS.items(), ("nouns", "verbs"), strict=True)
    ]
    items = placed(pl.concat(frames, how="diagonal"))
    classes = _classes(items, tables["taxonomies"])
    return Made(
        TABLES["task_sets"].fit(items.drop("kind", "class_id")),
        TABLES["set_classes"].frame(classes),
    )


def _classes(items: pl.DataFrame, taxonomies: pl.DataFrame) -> Iterator[dict]:
    labels = class_labels(taxonomies)
    counted = items.group_by("view", "split", "kind", "class_id").len().sort(pl.all())
    position: dict[tuple[str, str], int] = {}
    for view, split, kind, class_id, n in counted.iter_rows():
        place = f"{view}/{split}"
        at = position.get((place, kind), 0)
        position[place, kind] = at + 1
        yield {
            "list": place,
            "kind": kind,
            "class_id": class_id,
            "label": labels.get((kind, class_id), str(class_id)),
            "position": at,
            "n": n,
            "kept": True,
        }


TASK_SET = TaskSet(
    name="zero_shot",
    reads=CLASSED,
    make=make,
    optional=frozenset({"labels"}),
    vocabularies=frozenset({"verb", "noun"}),
)
