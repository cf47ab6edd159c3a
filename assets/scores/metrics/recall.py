"""EPIC-KITCHENS' mean top-k recall: one right class per item.

Furnari et al. (RULSTM), the metric EgoBridge names for anticipation ([21] there).
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import ArrayLike

from assets.scores.metrics.multilabel import score_table
from assets.scores.metrics.top import top_classes
from expectations.schemas.metrics import Mode, UndefinedMetric, check_mode


def mean_topk_recall(
    scores: ArrayLike,
    labels: ArrayLike,
    k: int = 5,
    classes: Collection[int] | None = None,
    mode: Mode = "paper",
) -> float | None:
    """Mean over classes that occur of the share of their items with the class among the k highest.

    Args:
        scores: float [n, c].
        labels: int [n].
        k: Classes looked at.
        classes: Classes in the mean (many-shot, say); those that do not occur are left out. None: all.
        mode: Of equal scores `paper` takes the lower class. `parity` takes what an unstable
            `argsort`, reversed, puts first: the higher class up to 16 classes, and beyond that what
            numpy's sort gives on this processor.

    Returns:
        Share in [0, 1]; in `paper` None where no class occurs.

    Raises:
        ValueError: Shapes do not fit.
        UndefinedMetric: In `parity`: no class occurs.
    """
    parity = check_mode(mode)
    table, truth = score_table(scores), np.asarray(labels)
    if truth.shape != table.shape[:1]:
        raise ValueError(f"{len(table)} items have scores, labels have shape {truth.shape}")
    present = np.unique(truth)
    if classes is not None:
        present = np.intersect1d(np.array(sorted(classes), dtype=np.int64), present)
    if not len(present):
        if parity:
            raise UndefinedMetric("no class occurs", "ZeroDivisionError: division by zero")
        return None
    if parity:
        order = np.argsort(table, axis=1)[:, ::-1]
        hit = (order[:, :k] == truth[:, None]).any(axis=1)
    else:
        inside = (truth >= 0) & (truth < table.shape[1])
        hit = inside & top_classes(table, k)[np.arange(len(table)), np.where(inside, truth, 0)]
    return float(np.mean([hit[truth == one].mean() for one in present]))
