"""Metrics of predictions for a task's set, per list and split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from assets.pairs.sets.task_set import by_list, positions
from assets.scores.metrics import anticipation, planning, recognition, segmentation
from assets.scores.metrics.captions.scoring import Meteor
from assets.scores.metrics.captions.scoring import score as score_captions
from assets.scores.metrics.outcomes import Mode
from assets.scores.metrics.prediction_files import KINDS

SCHEMA = {
    "list": pl.String,
    "split": pl.String,
    "kind": pl.String,
    "metric": pl.String,
    "value": pl.Float64,
    "n": pl.Int64,
    "n_missing": pl.Int64,
}
_Found = Iterator[tuple[str | None, dict[str, float | None], int]]


def score_set(
    task: str,
    items: pl.DataFrame,
    classes: pl.DataFrame,
    predictions: Mapping[str, Any],
    mode: Mode = "paper",
    meteor: Meteor | None = None,
) -> pl.DataFrame:
    """Scores of each list and split.

    What was not predicted counts as wrong in `paper`. In `parity` a list with such items is left
    out, with its counts and without values: the official code has no word for them.

    Args:
        task: Task of the set.
        items: Rows of `task_sets` of one set.
        classes: Rows of `set_classes` of that set.
        predictions: As `prediction_files.read_predictions` gives them.
        mode: Reading of the metrics.
        meteor: What computes METEOR; None leaves it out.

    Returns:
        list, split, kind, metric, value, n (items scored), n_missing.
    """
    rows: list[dict[str, Any]] = []
    for (name, split), given in by_list(items).items():
        part = list(given)
        missing = sum(_predicted(task, item, predictions) is None for item in part)
        place = {"list": name, "split": split, "n_missing": missing}
        if missing and mode == "parity":
            rows.append(place | {"metric": "not scored", "n": 0})
            continue
        # Some sets are closed view by view, or split by split.
        views = {item["view"] for item in part} | {name}
        lists = [*views, *(f"{view}/{split}" for view in views)]
        mine = classes.filter(pl.col("list").is_null() | pl.col("list").is_in(lists))
        for kind, values, n in _scores(task, part, mine, predictions, mode, meteor):
            rows += [
                place | {"kind": kind, "metric": metric, "value": value, "n": n}
                for metric, value in values.items()
            ]
    return pl.DataFrame(rows, schema=SCHEMA)


def _scores(
    task: str,
    items: list[dict],
    classes: pl.DataFrame,
    predictions: Mapping[str, Any],
    mode: Mode,
    meteor: Meteor | None,
) -> _Found:
    if task == "segmentation":
        yield _segmentation(items, predictions, mode)
    elif task == "planning":
        yield _planning(items, positions(classes, "coarse"), predictions, mode)
    elif task == "captioning":
        captions = [predictions.get(item["item_id"], "") for item in items]
        found = score_captions(captions, [[item["text"]] for item in items], mode, meteor)
        yield None, found.values, found.n
    else:
        yield from _classes(task, items, classes, predictions, mode)


def _predicted(task: str, item: dict, predictions: Mapping[str, Any]) -> Any:
    """Prediction of an item; one of its clip serves all items of a clip that asks several times."""
    if task == "segmentation":
        return predictions.get(item["recording_id"])
    found = predictions.get(item["item_id"])
    return predictions.get(item["segment_id"]) if found is None and task == "zero_shot" else found


def _joined(items: list[dict], column: str) -> list[dict]:
    """One item per clip with all labels: the metric repeats it for each, and its bound knows them."""
    by_clip: dict[str, dict] = {}
    for item in items:
        first = by_clip.setdefault(item["segment_id"] or item["item_id"], item | {column: []})
        first[column] = sorted({*first[column], *item[column]})
    return list(by_clip.values())


def _segmentation(
    items: list[dict], predictions: Mapping[str, Any], mode: Mode
) -> tuple[None, dict[str, float | None], int]:
    pairs = []
    for item in items:
        truth = [(run["class_id"], run["n"]) for run in item["runs"]]
        # The released files have no last newline, and lose their last frame where they are read.
        pairs.append(
            (predictions.get(item["recording_id"], ()), segmentation.truth_of_file(truth, mode))
        )
    found = segmentation.score(pairs, mode)
    f1 = {f"F1@{100 * overlap:.0f}": value for overlap, value in found.f1.items()}
    values = {"Acc": found.accuracy, "Edit": found.edit, **f1, "F1@Avg": found.f1_avg}
    return None, values | {"Avg": found.average}, found.n_videos


def _planning(
    items: list[dict], known: Mapping[int, int], predictions: Mapping[str, Any], mode: Mode
) -> tuple[None, dict[str, float | None], int]:
    labels = [[known[class_id] for class_id in item["classes"]] for item in items]
    steps = len(labels[0]) if labels else 0
    given = [predictions.get(item["item_id"], []) for item in items]
    most = max((len(samples) for samples in given), default=0)
    table = np.full((len(items), max(most, 1), steps), -2)
    for at, samples in enumerate(given):
        if samples and len(samples[0]) != steps:
            raise ValueError(
                f"{items[at]['item_id']}: plans of {len(samples[0])} steps, {steps} are asked for"
            )
        if samples:
            # Fewer samples than others have: the last again, which changes no least distance.
            table[at] = [*samples, *[samples[-1]] * (most - len(samples))]
    found = planning.score(table, np.array(labels).reshape(len(items), steps), mode)
    values = {f"ED@{z}": value for z, value in enumerate(found.ed, start=1)}
    return None, values | {"AUED": found.aued}, found.n


def _classes(
    task: str, items: list[dict], classes: pl.DataFrame, predictions: Mapping[str, Any], mode: Mode
) -> _Found:
    for kind in KINDS:
        known = positions(classes, kind)
        mine = [item for item in items if item[f"{kind}s"]]
        if task == "zero_shot":
            mine = _joined(mine, f"{kind}s")
        if not known or not mine:
            continue
        scores = np.full((len(mine), len(known)), np.nan)
        for at, item in enumerate(mine):
            row = (_predicted(task, item, predictions) or {}).get(kind)
            if row is not None and len(row) != len(known):
                raise ValueError(
                    f"{item['item_id']}: {len(row)} {kind} scores, {len(known)} classes"
                )
            if row is not None:
                scores[at] = row
        labels = [[known[c] for c in item[f"{kind}s"] if c in known] for item in mine]
        if task == "anticipation":
            yield kind, anticipation.score(scores, labels, mode).official(), len(mine)
        elif task == "recognition":
            # An unpredicted item ranks below all that were predicted.
            ranked = np.where(np.isnan(scores), -np.inf, scores)
            yield kind, {"mAP": recognition.macro_map(ranked, labels, mode)}, len(mine)
        else:
            found = recognition.top_accuracy(scores, labels, mode)
            values = {f"top-{k}": value for k, value in found.accuracy.items()}
            bounds = {f"oracle-{k}": value for k, value in found.oracle.items()}
            yield kind, values | bounds, found.n
