"""The k highest scores of each row, and which of equal scores make it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from expectations.schemas.metrics import Mode, UndefinedMetric, check_mode


def top_classes(scores: np.ndarray, k: int, mode: Mode = "paper") -> np.ndarray:
    """Which classes are among the k highest of their row.

    Of equal scores `paper` takes the lower class. `parity` takes those `torch.topk` takes on a CPU: its
    order among equals is unspecified, and is that of the selection its C++ library makes, repeated
    here; it needs fewer than 64 k classes, and NaN is highest.

    Args:
        scores: float [n, c].
        k: How many, at most c.
        mode: Reading.

    Returns:
        bool [n, c], k true in each row; in `paper` fewer where scores are NaN, which is not a score.

    Raises:
        UndefinedMetric: In `parity`: k is above c.
    """
    parity = check_mode(mode)
    classes = scores.shape[1]
    if k > classes and parity:
        raise UndefinedMetric(
            f"top {k} of {classes} classes", "RuntimeError: selected index k out of range"
        )
    unscored = np.isnan(scores)
    ordered = np.where(unscored, np.inf if parity else -np.inf, scores)
    chosen = np.zeros(scores.shape, dtype=bool)
    # What has no score comes after what has the lowest.
    last = unscored & (not parity)
    best = np.lexsort((-ordered, last), axis=1)[:, :k]
    np.put_along_axis(chosen, best, True, axis=1)
    if not parity:
        return chosen & ~unscored
    if 0 < k < classes:
        least = np.where(chosen, ordered, np.inf).min(axis=1)
        most = np.where(chosen, -np.inf, ordered).max(axis=1)
        for row in np.flatnonzero(least == most).tolist():
            chosen[row] = False
            chosen[row, _select(scores[row].tolist(), k)] = True
    return chosen


def _select(scores: list[float], k: int) -> list[int]:
    """The k classes a quickselect with median of three leaves in front, highest first."""
    queue = list(range(len(scores)))

    def before(one: int, other: int) -> bool:
        a, b = scores[one], scores[other]
        return (a != a and b == b) or a > b

    first, last, nth = 0, len(queue), k - 1
    depth = 2 * (len(queue).bit_length() - 1)
    while last - first > 3:
        if not depth:
            # So bad a sequence of pivots needs scores made for it; equals are then taken in order.
            queue[first:last] = sorted(queue[first:last], key=lambda at: -scores[at])
            return queue[:k]
        depth -= 1
        cut = _partition(queue, first, last, before)
        first, last = (cut, last) if cut <= nth else (first, cut)
    _insertion_sort(queue, first, last, before)
    return queue[:k]


def _partition(queue: list[int], first: int, last: int, before: Callable[[int, int], bool]) -> int:
    a, b, c = first + 1, first + (last - first) // 2, last - 1
    if before(queue[a], queue[b]):
        middle = b if before(queue[b], queue[c]) else c if before(queue[a], queue[c]) else a
    else:
        middle = a if before(queue[a], queue[c]) else c if before(queue[b], queue[c]) else b
    queue[first], queue[middle] = queue[middle], queue[first]
    pivot, low, high = queue[first], first + 1, last
    while True:
        while before(queue[low], pivot):
            low += 1
        high -= 1
        while before(pivot, queue[high]):
            high -= 1
        if low >= high:
            return low
        queue[low], queue[high] = queue[high], queue[low]
        low += 1


def _insertion_sort(
    queue: list[int], first: int, last: int, before: Callable[[int, int], bool]
) -> None:
    for at in range(first + 1, last):
        moved, place = queue[at], at
        if before(moved, queue[first]):
            queue[first + 1 : at + 1] = queue[first:at]
            queue[first] = moved
            continue
        while before(moved, queue[place - 1]):
            queue[place] = queue[place - 1]
            place -= 1
        queue[place] = moved
