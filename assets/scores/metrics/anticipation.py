"""Anticipation: class-mean top-5 recall of the verbs or nouns of the next action.

EgoBridge Sec. 4.2.2, after Furnari et al.: recall at 5 of each class, mean over classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assets.scores.metrics.multilabel import macro_map, scores_and_labels
from assets.scores.metrics.top import top_classes
from expectations.schemas.metrics import Mode, UndefinedMetric, check_mode

_EMPTY = (
    "ValueError: Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample "
    "is required."
)


@dataclass(frozen=True, slots=True)
class AnticipationScore:
    """Multi-label recall of the k highest classes, in percent.

    Attributes:
        macro_recall: Mean over classes: the task's metric.
        micro_recall: Over all labels.
        sample_recall: Mean over items.
        macro_precision: Mean over classes of the share of right among chosen.
        map_macro: Mean over classes of average precision.
        n: Items.
        n_classes: Classes in the mean of recall.
    """

    macro_recall: float | None
    micro_recall: float | None
    sample_recall: float | None
    macro_precision: float | None
    map_macro: float | None
    n: int
    n_classes: int

    def official(self) -> dict[str, float | None]:
        """Under the names of the released printouts."""
        return {
            "macro_recall_top5": self.macro_recall,
            "micro_recall_top5": self.micro_recall,
            "sample_recall_top5": self.sample_recall,
            "macro_prec_top5": self.macro_precision,
            "map_macro": self.map_macro,
        }


def score(
    scores: ArrayLike,
    labels: np.ndarray | Sequence[Any],
    mode: Mode = "paper",
    k: int = 5,
    top: ArrayLike | None = None,
) -> AnticipationScore:
    """Recall, precision and mean average precision.

    `parity`: a class without an item has recall 0 and stays in the mean, as has precision of a class
    never chosen; items without a label have recall 0. `paper`: means are over classes with an item,
    classes that were chosen, and items with a label. On equal scores see `top.top_classes`.

    Args:
        scores: float [n, c], higher is likelier.
        labels: Class ids per item (positions in the closed set), or bool [n, c].
        mode: Reading.
        k: Classes chosen per item.
        top: int [n, k], the classes chosen, where another program chose among equals.

    Raises:
        ValueError: Shapes do not fit.
        UndefinedMetric: In `parity`: no item, or k above c.
    """
    parity = check_mode(mode)
    table, right = scores_and_labels(scores, labels)
    if parity and not len(table):
        raise UndefinedMetric("no item to score", _EMPTY)
    if top is None:
        chosen = top_classes(table, k, mode)
    else:
        chosen = np.zeros(table.shape, dtype=bool)
        np.put_along_axis(chosen, np.asarray(top, dtype=np.int64), True, axis=1)
    hit = chosen & right
    per_class = _share(hit.sum(axis=0), right.sum(axis=0), parity)
    return AnticipationScore(
        _mean(per_class),
        _mean(_share(hit.sum(keepdims=True), right.sum(keepdims=True), parity)),
        _mean(_share(hit.sum(axis=1), right.sum(axis=1), parity)),
        _mean(_share(hit.sum(axis=0), chosen.sum(axis=0), parity)),
        macro_map(table, right, mode),
        len(table),
        len(per_class),
    )


def _share(part: np.ndarray, whole: np.ndarray, parity: bool) -> np.ndarray:
    """Shares where there is a whole; in `parity` 0 where there is none."""
    some = whole.ravel() > 0
    shares = np.divide(part.ravel(), whole.ravel(), out=np.zeros(whole.size), where=some)
    return shares if parity else shares[some]


def _mean(shares: np.ndarray) -> float | None:
    return float(shares.mean()) * 100 if len(shares) else None
