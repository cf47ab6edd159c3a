"""Metrics of predictions for a task's set, per list and split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from assets.scores.metrics import anticipation, planning, recognition, segmentation
from assets.scores.metrics.captions.scoring import Meteor
from assets.scores.metrics.captions.scoring import score as score_captions
from assets.scores.metrics.multilabel import many_hot_of_ids
from assets.scores.prediction_files import KINDS, UnusablePredictions
from assets.task_sets.task_set import by_list, positions
from expectations.schemas.metrics import Mode, UndefinedMetric

SCHEMA = {
    "list": pl.String,
    "split": pl.String,
    "kind": pl.String,
    "metric": pl.String,
    "value": pl.Float64,
    "n": pl.Int64,
    "n_missing": pl.Int64,
    "reason": pl.String,
}
NOT_SCORED = "not scored"
AHEAD_S, CONTEXT_S = 1.0, 2.0
"""What the released loaders leave before a target (anticipation alone), and the context they take."""
_Found = tuple[dict[str, float | None], int]


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
    out, with its counts and without values: the official code has no word for them. Verbs and nouns
    are told apart in this. A list whose metric has no value, or whose texts are withheld, is left out
    likewise, and the others are scored.

    Args:
        task: Task of the set.
        items: Rows of `task_sets` of one set.
        classes: Rows of `set_classes` of that set.
        predictions: As `prediction_files.read_predictions` gives them.
        mode: Reading of the metrics.
        meteor: What computes METEOR; None leaves it out.

    Returns:
        list, split, kind, metric, value, n (items scored), n_missing, and why a list is not scored.

    Raises:
        ValueError: Predictions do not fit the set.
    """
    rows: list[dict[str, Any]] = []
    for (name, split), part in by_list(items).items():
        # Some sets are closed view by view, or split by split.
        views = {item["view"] for item in part} | {name}
        lists = [*views, *(f"{view}/{split}" for view in views)]
        closed = classes.filter(pl.col("list").is_null() | pl.col("list").is_in(lists))
        for kind, mine in _asked(task, part, closed):
            missing = [item for item in mine if _predicted(task, item, predictions, kind) is None]
            place = {"list": name, "split": split, "kind": kind}
            place["n_missing"] = sum(_weight(task, item, kind) for item in missing)
            reason = _unscorable(task, mine, missing, mode)
            values: dict[str, float | None] = {NOT_SCORED: None}
            n = 0
            if reason is None:
                try:
                    values, n = _values(task, kind, mine, closed, predictions, mode, meteor)
                except UndefinedMetric as error:
                    reason = str(error)
            place |= {"n": n, "reason": reason}
            rows += [place | {"metric": key, "value": value} for key, value in values.items()]
    return pl.DataFrame(rows, schema=SCHEMA)


def _asked(
    task: str, items: list[dict], classes: pl.DataFrame
) -> Iterator[tuple[str | None, list[dict]]]:
    """Items by the kind of class they ask for; all of them where a task knows no kinds."""
    if task in ("segmentation", "planning", "captioning"):
        yield None, items
        return
    for kind in KINDS:
        mine = [item for item in items if item[f"{kind}s"]]
        if task == "zero_shot":
            mine = _joined(mine, f"{kind}s")
        if mine and positions(classes, kind):
            yield kind, mine


def _unscorable(task: str, items: list[dict], missing: list[dict], mode: Mode) -> str | None:
    """Why a list has no scores, before any is computed."""
    if missing and mode == "parity":
        return f"{_named(task, missing)} without a prediction"
    withheld = [item for item in items if task == "captioning" and item["text"] is None]
    return f"{_named(task, withheld)} without a text, which is withheld" if withheld else None


def _named(task: str, items: list[dict]) -> str:
    key = "recording_id" if task == "segmentation" else "item_id"
    return f"{items[0][key]} and {len(items) - 1} more" if len(items) > 1 else items[0][key]


def _weight(task: str, item: dict, kind: str | None) -> int:
    """How often an item is counted: a joined clip once per label, as the metric does."""
    return len(item[f"{kind}s"]) if task == "zero_shot" else 1


def _values(
    task: str,
    kind: str | None,
    items: list[dict],
    classes: pl.DataFrame,
    predictions: Mapping[str, Any],
    mode: Mode,
    meteor: Meteor | None,
) -> _Found:
    if kind is not None:
        return _classes(task, kind, items, positions(classes, kind), predictions, mode)
    if task == "segmentation":
        return _segmentation(items, predictions, mode)
    if task == "planning":
        return _planning(items, positions(classes, "coarse"), predictions, mode)
    captions = [predictions.get(item["item_id"], "") for item in items]
    found = score_captions(captions, [[item["text"]] for item in items], mode, meteor)
    return found.values, found.n


def _predicted(
    task: str, item: dict, predictions: Mapping[str, Any], kind: str | None = None
) -> Any:
    """Prediction of an item; one of its clip serves all items of a clip that asks several times."""
    if task == "segmentation":
        return predictions.get(item["recording_id"])
    keys = [item["item_id"], *([item["segment_id"]] if task == "zero_shot" else [])]
    found = (predictions.get(key) for key in keys)
    held = (one if kind is None or one is None else one.get(kind) for one in found)
    return next((one for one in held if one is not None), None)


def _joined(items: list[dict], column: str) -> list[dict]:
    """One item per clip with all labels: the metric repeats it for each, and its bound knows them."""
    by_clip: dict[str, dict] = {}
    for item in items:
        first = by_clip.setdefault(item["segment_id"] or item["item_id"], item | {column: []})
        first[column] = sorted({*first[column], *item[column]})
    return list(by_clip.values())


def _segmentation(items: list[dict], predictions: Mapping[str, Any], mode: Mode) -> _Found:
    videos = []
    for item in items:
        truth = [(run["class_id"], run["n"]) for run in item["runs"]]
        # The released files have no last newline, and lose their last frame where they are read.
        true = segmentation.truth_of_file(truth, mode)
        try:
            videos.append(
                segmentation.count_video(predictions.get(item["recording_id"], ()), true, mode)
            )
        except UndefinedMetric as error:
            error.args = (f"{item['recording_id']}: {error}",)
            raise
    found = segmentation.score_videos(videos, mode)
    f1 = {f"F1@{100 * overlap:.0f}": value for overlap, value in found.f1.items()}
    values = {"Acc": found.accuracy, "Edit": found.edit, **f1, "F1@Avg": found.f1_avg}
    return values | {"Avg": found.average}, found.n_videos


def _planning(
    items: list[dict], known: Mapping[int, int], predictions: Mapping[str, Any], mode: Mode
) -> _Found:
    labels = [[known[class_id] for class_id in item["classes"]] for item in items]
    steps = len(labels[0]) if labels else 0
    if mode == "parity":
        # The released loader knows no step where less than its context was seen; the item counts.
        labels = [
            [-1] * steps if _before_start(item["end_s"], CONTEXT_S) else found
            for item, found in zip(items, labels, strict=True)
        ]
    given = [predictions.get(item["item_id"], []) for item in items]
    most = max((len(samples) for samples in given), default=0)
    table = np.full((len(items), max(most, 1), steps), -2)
    for at, samples in enumerate(given):
        if samples and len(samples[0]) != steps:
            raise UnusablePredictions(
                f"{items[at]['item_id']}: plans of {len(samples[0])} steps, {steps} are asked for"
            )
        if samples:
            # Fewer samples than others have: the last again, which changes no least distance.
            table[at] = [*samples, *[samples[-1]] * (most - len(samples))]
    found = planning.score(table, np.array(labels).reshape(len(items), steps), mode)
    values = {f"ED@{z}": value for z, value in enumerate(found.ed, start=1)}
    return values | {"AUED": found.aued}, found.n


def _classes(
    task: str,
    kind: str,
    items: list[dict],
    known: Mapping[int, int],
    predictions: Mapping[str, Any],
    mode: Mode,
) -> _Found:
    scores = np.full((len(items), len(known)), np.nan)
    for at, item in enumerate(items):
        row = _predicted(task, item, predictions, kind)
        if row is not None and len(row) != len(known):
            raise UnusablePredictions(
                f"{item['item_id']}: {len(row)} {kind} scores are predicted, the set has {len(known)} "
                "classes: predict one score of each class in the set's order"
            )
        if row is not None:
            scores[at] = row
    labels = [[known[c] for c in item[f"{kind}s"] if c in known] for item in items]
    if task == "anticipation":
        if mode == "parity":
            # The released loader gives no label where its context begins before the recording.
            labels = [
                [] if _before_start(item["target_start_s"], AHEAD_S, CONTEXT_S) else found
                for item, found in zip(items, labels, strict=True)
            ]
        right = many_hot_of_ids(labels, len(known))
        return anticipation.score(scores, right, mode).official(), len(items)
    right = many_hot_of_ids(labels, len(known))
    if task == "recognition":
        # An unpredicted item ranks below all that were predicted.
        ranked = np.where(np.isnan(scores), -np.inf, scores)
        return {"mAP": recognition.macro_map(ranked, right, mode)}, len(items)
    found = recognition.top_accuracy(scores, right, mode)
    values = {f"top-{k}": value for k, value in found.accuracy.items()}
    bounds = {f"oracle-{k}": value for k, value in found.oracle.items()}
    return values | bounds, found.n


def _before_start(time_s: float | None, *less_s: float) -> bool:
    if time_s is None:
        return False
    for less in less_s:
        time_s -= less
    return time_s < 0
