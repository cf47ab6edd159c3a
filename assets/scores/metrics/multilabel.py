"""Several right classes per item: labels as a table, and average precision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assets.scores.metrics.outcomes import Mode, check_mode


def many_hot(labels: np.ndarray | Sequence[Any], classes: int) -> np.ndarray:
    """Table, bool [n, classes], of lists of class ids, or of a table of zeros and ones as it is.

    Raises:
        ValueError: A class outside the closed set.
    """
    if isinstance(labels, np.ndarray) and labels.ndim == 2:
        if labels.shape[1] != classes:
            raise ValueError(f"labels of {labels.shape[1]} classes, scores of {classes}")
        return labels.astype(bool)
    out = np.zeros((len(labels), classes), dtype=bool)
    for row, ids in enumerate(labels):
        for found in ids:
            if not 0 <= found < classes:
                raise ValueError(f"item {row}: class {found} is not one of {classes}")
            out[row, found] = True
    return out


def score_table(scores: ArrayLike) -> np.ndarray:
    """Scores as float [n, c].

    Raises:
        ValueError: Not a table of numbers.
    """
    table = np.asarray(scores)
    if table.ndim == 1 and not len(table):
        return np.zeros((0, 0))
    if table.ndim != 2 or table.dtype.kind not in "fiu":
        raise ValueError(
            f"scores of shape {table.shape} and type {table.dtype}: a row per item and a column per "
            "class are wanted"
        )
    return table if table.dtype.kind == "f" else table.astype(np.float64)


def average_precisions(scores: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Average precision of each class: precision at each threshold, weighed by the recall it adds.

    Equal scores share a threshold.

    Args:
        scores: float [n, c].
        right: bool [n, c].

    Returns:
        float [c]; NaN for a class no item has.
    """
    out = np.full(scores.shape[1], np.nan)
    for column in np.flatnonzero(right.any(axis=0)).tolist():
        order = np.argsort(scores[:, column], kind="stable")[::-1]
        ranked, hits = scores[order, column], right[order, column]
        last = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1)
        found = np.cumsum(hits)[last]
        added = np.diff(found, prepend=0) / found[-1]
        out[column] = float(np.sum(added * found / (last + 1)))
    return out


def macro_map(
    scores: ArrayLike, labels: np.ndarray | Sequence[Any], mode: Mode = "paper"
) -> float | None:
    """Mean over classes of average precision, in percent.

    EgoBridge Sec. 6.7 (fine-tuned recognition). Classes without an item are left out in both readings.

    Args:
        scores: float [n, c].
        labels: Class ids per item, or bool [n, c].
        mode: `parity` gives NaN where no class has an item, `paper` None.
    """
    parity = check_mode(mode)
    table = score_table(scores)
    found = average_precisions(table, many_hot(labels, table.shape[1]))
    found = found[~np.isnan(found)]
    if not len(found):
        return float("nan") if parity else None
    return float(found.mean()) * 100
