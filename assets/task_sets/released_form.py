"""Sets in the official files' form: pure functions from rows to text.

As in the release, lines are joined by newlines and none ends a file but tables of anticipation and lists
of skill; files of frames and exocentric split lists, written on another system, join theirs by carriage
return and newline. Lists that were released are written again as they stand.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

import polars as pl

CSV_HEADER = ("video_id", "annotation_id", "start_sec", "end_sec", "verb", "noun", "scenario")


def number(value: float) -> str:
    """Seconds as the released lists print them: whole ones without a fraction."""
    return str(int(value)) if value == int(value) else repr(value)


def frame_file(runs: Iterable[Mapping[str, int]]) -> str:
    """Labels of a recording's frames, one a line."""
    return "\r\n".join(str(run["class_id"]) for run in runs for _ in range(run["n"]))


def bundle(recordings: Iterable[str], view: str = "ego") -> str:
    """A split list of a view."""
    return ("\r\n" if view == "exo" else "\n").join(f"{uid}.txt" for uid in recordings)


def released_files(rows: pl.DataFrame, task: str) -> dict[str, str]:
    """Released lists of a task as they stand, by path below the folder of the task.

    Args:
        rows: Rows of `released_rows`.
        task: The task.
    """
    mine = rows.filter((pl.col("task") == task) & pl.col("text").is_not_null())
    parts = mine.sort("source_file", "position").partition_by(
        "source_file", as_dict=True, maintain_order=True
    )
    files = {}
    for (name,), part in parts.items():
        path = PurePosixPath(str(name))
        lines = part["text"].to_list()
        if path.suffix == ".csv":
            lines = [",".join(CSV_HEADER), *lines]
        end = "\n" if path.suffix == ".csv" or task == "skill" else ""
        files["/".join(path.parts[-2:])] = "\n".join(lines) + end
    return files


def planning_list(items: Iterable[Mapping], positions: Mapping[int, int]) -> str:
    """`recording|seen until|[next classes]`, one a line.

    Args:
        items: Rows of `task_sets` of one list and split, by position.
        positions: Index of each class, from 0.
    """
    return "\n".join(
        f"{i['recording_id']}|{number(i['end_s'])}|{[positions[c] for c in i['classes']]}"
        for i in items
    )


def anticipation_csv(
    items: Iterable[Mapping], keys: Mapping[str, str], scenes: Mapping[str, str | None]
) -> str:
    """The table of anticipation; classes as the taxonomies count.

    Args:
        items: Rows of `task_sets` of one list and split, by position.
        keys: The source's own key of each segment.
        scenes: Scene of each recording.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_HEADER)
    for i in items:
        writer.writerow(
            (
                *(i["recording_id"], keys[i["segment_id"]], *_times(i)),
                *(str(i["verbs"]), str(i["nouns"]), scenes[i["recording_id"]] or ""),
            )
        )
    return out.getvalue()


def anticipation_list(
    items: Iterable[Mapping],
    kind: str,
    positions: Mapping[int, int],
    *,
    is_released: bool = False,
) -> str:
    """`recording|start|end|[indices in the closed set]` of one kind; items without one are left out.

    Args:
        items: Rows of `task_sets` of one list and split, by position.
        kind: `verbs` or `nouns`.
        positions: Index of each class in the closed set.
        is_released: Whether the times are those of a released table.
    """
    return "\n".join(
        "|".join((i["recording_id"], *_times(i, is_released), str([positions[c] for c in i[kind]])))
        for i in items
        if i[kind]
    )


def class_list(classes: Sequence[int]) -> str:
    """Class numbers, one a line, in the order of their indices."""
    return "\n".join(str(class_id) for class_id in classes)


def _times(item: Mapping, is_released: bool = False) -> tuple[str, str]:
    times = (item["target_start_s"], item["target_end_s"])
    if item["mode"] == "parity" and not is_released:
        times = tuple(before_rewriting(t) for t in times)
    return repr(times[0]), repr(times[1])


def before_rewriting(value_s: float) -> float:
    """A time of the association lists as the table of anticipation has it.

    The association lists were read and written once more than that table, by a reader that is wrong
    in the last digit where there are sixteen or more. Of the numbers that it reads as this one, the
    one nearest to a tenth of a second is taken, for annotators worked in tenths: of 6,230 released
    times 6,214 come out, the others differ in the last digit.
    """
    if value_s == round(value_s, 1):
        return value_s
    near = [value_s]
    for end in (-math.inf, math.inf):
        at = value_s
        for _ in range(3):
            at = math.nextafter(at, end)
            near.append(at)
    found = [v for v in near if v >= 0 and "e" not in repr(v) and _reread(repr(v)) == value_s]
    return min(found, key=lambda v: (abs(v - round(v, 1)), abs(v - value_s)), default=value_s)


def _reread(text: str) -> float:
    """A decimal number as a reader takes it that rounds after each digit and each scaling."""
    whole, _, fraction = text.partition(".")
    value = 0.0
    for digit in whole + fraction:
        value = value * 10.0 + int(digit)
    left, scale = len(fraction), 10.0
    while left:
        if left & 1:
            value /= scale
        left >>= 1
        scale *= scale
    return value
