"""Association: top-1 accuracy of questions with options in the other view.

EgoBridge Sec. 4.1: ego to exo and exo to ego, 5 (easy) or 20 (hard) options.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assets.scores.metrics.multilabel import score_table
from expectations.schemas.metrics import Mode, UndefinedMetric, check_mode

DIRECTIONS = ("Ego->Exo", "Exo->Ego")
MEAN = "mean"
_NO_OPTION = "IndexError: argmax(): Expected reduction dim to be specified for input.numel() == 0."


def accuracy(
    scores: ArrayLike, labels: ArrayLike, types: ArrayLike, mode: Mode = "paper"
) -> dict[str, float | None]:
    """Share of questions whose highest option is the right one, in percent.

    `parity`: directions are named by the place of their type among those present, so that a set of
    type 2 alone is called Ego->Exo and a third type is left out; of equal scores the first option is
    taken, and NaN is highest. `paper`: type 1 is Ego->Exo (an ego query), 2 is Exo->Ego; a direction
    without questions is None; the right option has to be above every other.

    Args:
        scores: float [n, options], similarity of each option.
        labels: int [n], right option.
        types: int [n], direction.
        mode: Reading.

    Returns:
        Value per direction; in `paper` their mean too (the paper's averaged accuracy).

    Raises:
        ValueError: Shapes do not fit; in `paper` a type other than 1 and 2.
        UndefinedMetric: Questions without an option.
    """
    parity = check_mode(mode)
    truth, kinds = np.asarray(labels), np.asarray(types)
    table = score_table(scores)
    if not len(table) == len(truth) == len(kinds):
        raise ValueError(f"{len(table)} score rows, {len(truth)} labels, {len(kinds)} types")
    if len(table) and not table.shape[1]:
        raise UndefinedMetric(f"{len(table)} questions have no option", _NO_OPTION)
    if parity:
        right = np.argmax(table, axis=1) == truth if len(table) else np.zeros(0, dtype=bool)
        named = dict(zip(DIRECTIONS, np.unique(kinds).tolist(), strict=False))
        return {name: float(right[kinds == kind].mean()) * 100 for name, kind in named.items()}
    unknown = sorted(set(kinds.tolist()) - {1, 2})
    if unknown:
        raise ValueError(f"question type {unknown[0]}: 1 is {DIRECTIONS[0]}, 2 is {DIRECTIONS[1]}")
    right = _strictly_first(table, truth) if len(table) else np.zeros(0, dtype=bool)
    out: dict[str, float | None] = {}
    for kind, name in enumerate(DIRECTIONS, start=1):
        asked = kinds == kind
        out[name] = float(right[asked].mean()) * 100 if asked.any() else None
    known = [value for value in out.values() if value is not None]
    return out | {MEAN: sum(known) / len(known) if known else None}


def _strictly_first(table: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Whether the right option is above every other, bool [n]."""
    inside = (truth >= 0) & (truth < table.shape[1])
    mine = table[np.arange(len(table)), np.where(inside, truth, 0)][:, None]
    # False for a NaN on the right option's side; on another's it is not above.
    return inside & ((table >= mine).sum(axis=1) == 1) & ~np.isnan(mine[:, 0])
