"""Edit distance between two sequences of labels, and between many short ones at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rapidfuzz.distance import Levenshtein


def levenshtein(one: Sequence[int], other: Sequence[int]) -> int:
    """Fewest insertions, deletions and substitutions that turn one sequence into the other.

    Args:
        one: Codes of labels, from 0: the library tells them apart by their hash, which -1 and -2 share.
        other: The same.
    """
    return Levenshtein.distance(one, other)


def prefix_distances(
    predicted: np.ndarray, labels: np.ndarray, transpositions: bool = False
) -> np.ndarray:
    """Edit distance of all pairs of prefixes of one length, for a batch of sequences.

    One table per pair holds all its prefixes: its diagonal is what is asked for. A diagonal across it
    needs only the two before, so that its cells are filled together, for the whole batch.

    Args:
        predicted: int [n, k, z], k sequences of z labels per item.
        labels: int [n, y], the true sequence; a prefix beyond y is the whole of it.
        transpositions: Count the exchange of two neighbours as one edit (optimal string alignment).

    Returns:
        int [z, n, k]: distance of the first 1, 2, ... z labels.
    """
    n, k, z = predicted.shape
    y = labels.shape[1]
    small = _least_type(predicted, labels)
    truth = labels.T.astype(small, order="C")[:, :, None]
    # Backwards, since along such a diagonal one sequence runs up and the other down.
    guess = np.moveaxis(predicted, 2, 0)[::-1].astype(small, order="C")
    # Row i of diagonal d: the distance of i true and d - i predicted labels.
    table = np.empty((y + z + 1, y + 1, n, k), dtype=np.int8 if y + z < 127 else np.int32)
    out = np.empty((z, n, k), dtype=table.dtype)
    unequal = before = np.zeros((0, n, k), dtype=bool)
    for d in range(y + z + 1):
        if d <= z:
            table[d, 0] = d
        if d <= y:
            table[d, d] = d
        low, high = max(1, d - z), min(y, d - 1)
        if low <= high:
            unequal = truth[low - 1 : high] != guess[z - d + low : z - d + high + 1]
            cells = table[d, low : high + 1]
            np.minimum(table[d - 1, low - 1 : high], table[d - 1, low : high + 1], out=cells)
            cells += 1
            np.minimum(cells, table[d - 2, low - 1 : high] + unequal.view(np.int8), out=cells)
        first, last = max(2, d - z), min(y, d - 2)
        if transpositions and first <= last:
            at = first - max(1, d - 1 - z)
            size = last - first + 1
            swapped = ~(before[at : at + size] | before[at - 1 : at - 1 + size])
            cells = table[d, first : last + 1]
            np.minimum(cells, table[d - 4, first - 2 : last - 1] + 1, out=cells, where=swapped)
        before = unequal
        if d > 2 * y and d - y <= z:
            out[d - y - 1] = table[d, y]
        elif d and d % 2 == 0 and d <= 2 * min(y, z):
            out[d // 2 - 1] = table[d, d // 2]
    return out


def _least_type(*arrays: np.ndarray) -> np.dtype:
    """Smallest signed type that holds all values: a batch is bound by memory."""
    ends = [int(end) for array in arrays if array.size for end in (array.min(), array.max())]
    most = max((abs(end) for end in ends), default=0)
    return np.dtype(
        next(kind for kind in (np.int8, np.int32, np.int64) if most <= np.iinfo(kind).max)
    )
