"""Checks of whole sets of tasks: what no single item shows.

`paper` sets are held to what the paper promises. `parity` sets have the faults of the released ones:
there a finding warns.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

import polars as pl

from expectations.set_checks.outcomes import Outcome, none_allowed

FORECASTS = ("planning", "anticipation")
"""Tasks that ask for what comes after what is shown."""
CROSS_VIEW = ("anticipation",)
"""Tasks whose closed set is promised to be that of all views and splits."""
ASKED = {"verb": "verbs", "noun": "nouns", "coarse": "classes"}
ITEM_COLUMNS = (
    *("set", "task", "mode", "item_id", "view", "list", "split", "position", "recording_id"),
    *("end_s", "target_start_s", "verbs", "nouns", "classes", "references"),
)
SCHEMA = pl.Schema(
    {
        "set": pl.String(),
        "check": pl.String(),
        "verdict": pl.String(),
        "value": pl.Float64(),
        "limit": pl.Float64(),
        "n": pl.Int64(),
        "message": pl.String(),
    }
)


def check_task_sets(
    items: pl.DataFrame, classes: pl.DataFrame, truth: pl.DataFrame | None = None
) -> pl.DataFrame:
    """All checks of all sets.

    Args:
        items: Rows of `task_sets`.
        classes: Rows of `set_classes`.
        truth: Rows of `released_truth`; None where there is none.

    Returns:
        Columns set, check, verdict, value, limit, n, message, sorted.
    """
    by_set = items.partition_by("set", as_dict=True, maintain_order=True)
    rows = []
    for (name,), mine in sorted(by_set.items()):
        found = classes.filter(pl.col("set") == name)
        task, mode = mine.row(0, named=True)["task"], mine.row(0, named=True)["mode"]
        stated = None if truth is None else truth.filter(pl.col("set") == name)
        for check, out in _checks(task, mine, found, stated):
            soft = mode == "parity" and out.verdict == "refuse"
            rows.append(
                {
                    "set": name,
                    "check": check,
                    "verdict": "warn" if soft else out.verdict,
                    "value": out.value,
                    "limit": out.limit,
                    "n": mine.height,
                    "message": out.message,
                }
            )
    return pl.DataFrame(rows, schema=SCHEMA).sort("set", "check")


def _checks(
    task: str, items: pl.DataFrame, classes: pl.DataFrame, truth: pl.DataFrame | None
) -> Iterator[tuple[str, Outcome]]:
    yield "split_leakage", split_leakage(items)
    yield "positions", positions(items)
    kept = {
        kind: set(classes.filter((pl.col("kind") == kind) & pl.col("kept"))["class_id"])
        for kind in ASKED
        if not classes.filter(pl.col("kind") == kind).is_empty()
    }
    if kept:
        yield "closed_set", closed_set(items, kept)
    if task in CROSS_VIEW:
        yield "all_views_and_splits", everywhere(items, kept)
    if task in FORECASTS:
        yield "answer_shown", answer_shown(items)
    if truth is not None and not truth.is_empty():
        yield "released_truth", released_truth(truth)


def released_truth(truth: pl.DataFrame) -> Outcome:
    """Recordings whose released targets differ from what their annotations give.

    The set keeps the released ones: the official evaluators read them.
    """
    per_recording = truth.group_by("recording_id").agg(
        pl.col("n_differing").max(), pl.col("n").max(), pl.col("source_file").min()
    )
    odd = [
        f"{uid} in {n_differing} of {n} ({file})"
        for uid, n_differing, n, file in per_recording.filter(pl.col("n_differing") > 0)
        .sort("recording_id")
        .select("recording_id", "n_differing", "n", "source_file")
        .iter_rows()
    ]
    return none_allowed(odd, "recordings have released targets that their annotations do not give")


def split_leakage(items: pl.DataFrame) -> Outcome:
    """Recordings shown in two splits of one set, as item or as reference."""
    shown: dict[str, set[str]] = defaultdict(set)
    columns = ("recording_id", "split", "references")
    for uid, split, references in items.select(columns).iter_rows():
        if split is not None:
            for other in (uid, *(r["recording_id"] for r in references or ())):
                shown[other].add(split)
    odd = [f"{uid} is in {', '.join(sorted(s))}" for uid, s in sorted(shown.items()) if len(s) > 1]
    return none_allowed(odd, "recordings lie in two splits")


def positions(items: pl.DataFrame) -> Outcome:
    """Places in a list and split that are taken twice or left out."""
    parts = items.group_by("list", "split").agg(pl.col("position").sort()).sort("list", "split")
    odd = [
        f"{name} {split or 'without a split'} has places {min(found)} to {max(found)} for {len(found)}"
        for name, split, found in parts.iter_rows()
        if found != list(range(len(found)))
    ]
    return none_allowed(odd, "lists are numbered with gaps")


def closed_set(items: pl.DataFrame, kept: Mapping[str, set[int]]) -> Outcome:
    """Classes asked for that the closed set does not hold."""
    odd = [
        f"{kind} {class_id} of {found.total()} items"
        for kind, known in kept.items()
        for class_id, found in _asked(items, ASKED[kind])
        if class_id not in known
    ]
    return none_allowed(odd, "classes are asked for that are not in the closed set")


def everywhere(items: pl.DataFrame, kept: Mapping[str, set[int]]) -> Outcome:
    """Classes of the closed set that a view and split lacks."""
    cells = set(items.select("view", "split").unique().iter_rows())
    odd = []
    for kind, known in kept.items():
        held = {c: set(found) for c, found in _asked(items, ASKED[kind])}
        for class_id in sorted(known):
            absent = cells - held.get(class_id, set())
            if absent:
                where = ", ".join(f"{view} {split}" for view, split in sorted(absent, key=str))
                odd.append(f"{kind} {class_id} is absent from {where}")
    return none_allowed(odd, "classes are not in each view and split")


def answer_shown(items: pl.DataFrame) -> Outcome:
    """Items whose video reaches into what is asked for."""
    late = items.filter(pl.col("end_s") > pl.col("target_start_s"))
    odd = [
        f"{key} is shown until {end:.2f} s, asked from {start:.2f} s"
        for key, end, start in late.select("item_id", "end_s", "target_start_s").iter_rows()
    ]
    return none_allowed(odd, "items show what they ask for")


def _asked(items: pl.DataFrame, column: str) -> Iterator[tuple[int, Counter]]:
    """Classes of a column, ascending, with the views and splits they are asked for in."""
    found: dict[int, Counter] = defaultdict(Counter)
    for view, split, classes in items.select("view", "split", column).iter_rows():
        for class_id in classes or ():
            found[class_id][view, split] += 1
    yield from sorted(found.items())
