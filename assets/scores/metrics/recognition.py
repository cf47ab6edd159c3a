"""Recognition: top-k accuracy of zero-shot models with its upper bound, and macro mAP.

EgoBridge Sec. 6.6 (Tab. 12) and 6.7 (Tab. 14). No evaluator of these was released: both readings are
one, but for what an empty set gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assets.scores.metrics.multilabel import macro_map, scores_and_labels
from assets.scores.metrics.top import top_classes
from expectations.schemas.metrics import Mode, check_mode

__all__ = ["TopAccuracy", "macro_map", "top_accuracy"]


@dataclass(frozen=True, slots=True)
class TopAccuracy:
    """Accuracy over (item, label) pairs, in percent.

    Attributes:
        accuracy: Per k; None (paper) or NaN (parity) without a label.
        oracle: Per k: the most any model can reach, as k classes cannot hold more than k labels.
        n: Pairs: items with several labels count once per label.
        n_items: Items with a label.
    """

    accuracy: dict[int, float | None]
    oracle: dict[int, float | None]
    n: int
    n_items: int


def top_accuracy(
    scores: ArrayLike,
    labels: np.ndarray | Sequence[Any],
    mode: Mode = "paper",
    ks: Sequence[int] = (1, 5),
) -> TopAccuracy:
    """Top-k accuracy with an item repeated for each of its labels, as the paper tests.

    Args:
        scores: float [n, c].
        labels: Class ids per item, or bool [n, c].
        mode: Reading, of equal scores too (`top.top_classes`).
        ks: How many of the highest classes are looked at.

    Raises:
        ValueError: Shapes do not fit.
    """
    empty = float("nan") if check_mode(mode) else None
    table, right = scores_and_labels(scores, labels)
    per_item = right.sum(axis=1)
    pairs = int(per_item.sum())
    accuracy: dict[int, float | None] = {}
    oracle: dict[int, float | None] = {}
    for k in ks:
        hits = int((top_classes(table, k, mode) & right).sum())
        accuracy[k] = 100 * hits / pairs if pairs else empty
        oracle[k] = 100 * int(np.minimum(per_item, k).sum()) / pairs if pairs else empty
    return TopAccuracy(accuracy, oracle, pairs, int((per_item > 0).sum()))
