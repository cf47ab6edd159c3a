"""Released files as the truth of `parity` sets, and how far the annotations agree with them.

Where a released file states the targets of a list, a `parity` set takes them from it, for the official
evaluators read these files. What the annotations would have given by the rules of the release is made
all the same, and the difference is kept in `released_truth`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from assets.task_sets.task_set import Tables

FRAMES = ("recording_id", "runs", "source_file")
ROWS = (
    "released_list",
    "task",
    "list",
    "split",
    "position",
    "recording_id",
    "source_key",
    "seen_until_s",
    "target_start_s",
    "target_end_s",
    "verbs",
    "nouns",
    "classes",
    "source_file",
)
TEXTS = ("task", "list", "split", "position", "text", "source_file")
"""Columns of `released_rows` that an export writes again."""
FOR_TRAINING = "cotrain"
"""How names of lists begin that mix both views; they are for training, and are written again only."""


@dataclass(frozen=True, slots=True)
class ReleasedList:
    """A list as it was released.

    Attributes:
        source_file: Its file.
        rows: Its rows, in the order of the file.
    """

    source_file: str
    rows: list[dict]


def released_lists(tables: Tables, task: str) -> dict[tuple[str, str], ReleasedList]:
    """Lists of a task that are evaluated on, by list and split.

    Args:
        tables: `released_rows`; nothing is found where the table is not read.
        task: Task of the lists.
    """
    rows = tables.get("released_rows")
    if rows is None:
        return {}
    mine = rows.filter(
        (pl.col("task") == task) & ~pl.col("list").str.starts_with(FOR_TRAINING)
    ).sort("source_file", "position")
    found: dict[tuple[str, str], ReleasedList] = {}
    for row in mine.iter_rows(named=True):
        key = row["list"], row["split"]
        found.setdefault(key, ReleasedList(row["source_file"], [])).rows.append(row)
    return found


def truth_row(
    place: tuple[str, str | None],
    recording_id: str,
    source_file: str,
    n: int,
    annotated: tuple[int, int] | None,
) -> dict:
    """A row of `released_truth`.

    Args:
        place: List and split.
        recording_id: Recording.
        source_file: File that states its targets.
        n: How many it states.
        annotated: How many the annotations give, and how many differ; None where there are none.
    """
    n_annotated, n_differing = annotated or (None, None)
    return {
        "list": place[0],
        "split": place[1],
        "recording_id": recording_id,
        "source_file": source_file,
        "n": n,
        "n_annotated": n_annotated,
        "n_differing": n_differing,
    }


def differing(stated: Iterable[Hashable], annotated: Iterable[Hashable]) -> int:
    """Items that only one side has; an item that was changed counts once."""
    left, right = Counter(stated), Counter(annotated)
    return max((left - right).total(), (right - left).total())


def describe_truth(
    truth: pl.DataFrame,
    items: pl.DataFrame,
    listed: Mapping[tuple[str, str], int] | None = None,
) -> list[str]:
    """A line per list and split that says what of its truth is released, and where annotations differ.

    Args:
        truth: Rows of `released_truth` of one set.
        items: Rows of `task_sets` of that set.
        listed: Recordings of each published list, where each of them ought to have targets.
    """
    lines = []
    shown: Mapping[tuple[object, ...], int] = {
        (name, split): n
        for name, split, n in items.group_by("list", "split")
        .agg(pl.col("recording_id").n_unique())
        .iter_rows()
    }
    for (name, split), part in sorted(
        truth.partition_by("list", "split", as_dict=True).items(), key=lambda one: str(one[0])
    ):
        stated = part.filter(pl.col("n") > 0).height
        with_targets = shown.get((name, split), stated)
        whole = max(with_targets, (listed or {}).get((str(name), str(split)), 0))
        line = (
            f"{name} {split or 'without a split'}: the targets of {stated} of {whole} recordings are"
            " read from released files"
        )
        if with_targets < whole:
            line += f"; {whole - with_targets} have no targets here and are left out"
        odd = part.filter(pl.col("n_differing") > 0).sort("recording_id")
        annotated = part.filter(pl.col("n_annotated").is_not_null())
        if odd.height:
            named = ", ".join(odd["recording_id"].head(3))
            more = f" and {odd.height - 3} more" if odd.height > 3 else ""
            line += (
                f"; {odd.height} of {annotated.height} annotated recordings differ"
                f" ({odd['n_differing'].sum()} of {annotated['n'].sum()} targets): {named}{more}"
            )
        elif annotated.height:
            line += f"; all {annotated.height} annotated recordings agree"
        else:
            line += "; no annotations are there to compare them with"
        lines.append(line)
    return lines
