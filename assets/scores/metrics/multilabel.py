"""Several right classes per item: scores and labels as tables, and average precision."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from expectations.schemas.metrics import Mode, check_mode


def many_hot(labels: Any, classes: int) -> np.ndarray:
    """Table, bool [n, classes], of lists of class ids, or of a table of zeros and ones as it is.

    A table is a two-dimensional array (numpy, torch, whatever numpy reads), or nested lists that hold
    bool or float, or whose rows are all as long as the closed set and hold 0 and 1 alone. (Lists that
    could be both are read as a table, but `[[0], ...]` for one class; `many_hot_of_ids` is of ids
    alone.)

    Args:
        labels: Class ids per item, or the table.
        classes: Size of the closed set.

    Raises:
        ValueError: A class outside the closed set; a table of another width or with other numbers;
            one flat list.
    """
    if hasattr(labels, "__array__"):
        given = np.asarray(labels)
        if given.ndim != 1:
            return _checked(given, classes)
        labels = list(given)
    rows = [_row(row) for row in labels]
    kinds = {type(found) for row in rows for found in row}
    if any(issubclass(kind, (bool, np.bool_, float, np.floating)) for kind in kinds):
        widths = {len(row) for row in rows} - {classes}
        if widths:
            raise ValueError(f"labels of {min(widths)} classes, scores of {classes}")
        return _checked(np.array(rows), classes)
    as_wide = bool(rows) and all(len(row) == classes for row in rows)
    if as_wide and (classes > 1 or [1] in rows) and {x for row in rows for x in row} <= {0, 1}:
        return np.array(rows).astype(bool)
    return many_hot_of_ids(rows, classes)


def many_hot_of_ids(labels: Sequence[Iterable[int]], classes: int) -> np.ndarray:
    """Table, bool [n, classes], of lists of class ids.

    Raises:
        ValueError: A class outside the closed set.
    """
    out = np.zeros((len(labels), classes), dtype=bool)
    for row, ids in enumerate(labels):
        for found in ids:
            if not 0 <= found < classes:
                raise ValueError(f"item {row}: class {found} is not one of {classes}")
            out[row, found] = True
    return out


def _checked(table: np.ndarray, classes: int) -> np.ndarray:
    if table.ndim != 2:
        raise ValueError(f"labels of shape {table.shape}: a row per item, a column per class")
    if table.shape[1] != classes:
        raise ValueError(f"labels of {table.shape[1]} classes, scores of {classes}")
    right = table.astype(bool)
    if not (table == right).all():
        raise ValueError("a table of labels holds 0 and 1 alone; class ids are lists, one per item")
    return right


def _row(row: Any) -> list[Any]:
    # Sets and tuples of ids are lists as well; a single number of an array is not.
    found = np.asarray(row).tolist() if hasattr(row, "__array__") else row
    if isinstance(found, (str, bytes)) or not isinstance(found, Iterable):
        raise ValueError(  # noqa: TRY004 - as other labels that do not fit
            f"labels are one flat list (with {row!r}): a list of class ids per item is wanted, or a "
            "table of zeros and ones with a row per item"
        )
    return list(found)


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


def scores_and_labels(scores: ArrayLike, labels: Any) -> tuple[np.ndarray, np.ndarray]:
    """Scores, float [n, c], and right classes, bool [n, c], as `score_table` and `many_hot` read them.

    Raises:
        ValueError: As those, or not as many items on both sides.
    """
    table = score_table(scores)
    right = many_hot(labels, table.shape[1])
    if len(right) != len(table):
        raise ValueError(f"{len(table)} items have scores, {len(right)} have labels")
    return table, right


def average_precisions(scores: np.ndarray, right: np.ndarray, mode: Mode = "paper") -> np.ndarray:
    """Average precision of each class: precision at each threshold, weighed by the recall it adds.

    Equal scores share a threshold; in `parity` equal infinities do not, since the released code looks
    for neighbours without a difference, and theirs is not a number.

    Args:
        scores: float [n, c].
        right: bool [n, c].
        mode: Reading.

    Returns:
        float [c]; NaN for a class no item has.
    """
    parity = check_mode(mode)
    out = np.full(scores.shape[1], np.nan)
    for column in np.flatnonzero(right.any(axis=0)).tolist():
        order = np.argsort(scores[:, column], kind="stable")[::-1]
        ranked, hits = scores[order, column], right[order, column]
        apart = ranked[1:] != ranked[:-1]
        if parity:
            apart |= np.isinf(ranked[1:])
        last = np.append(np.flatnonzero(apart), len(ranked) - 1)
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

    Raises:
        ValueError: Shapes do not fit.
    """
    parity = check_mode(mode)
    table, right = scores_and_labels(scores, labels)
    if not parity:
        # Without scores, none is above another.
        table = np.where(np.isnan(table), -np.inf, table)
    found = average_precisions(table, right, mode)
    found = found[~np.isnan(found)]
    if not len(found):
        return float("nan") if parity else None
    return float(found.mean()) * 100
