"""Planning: edit distance of the next actions, best of several sampled sequences.

EgoBridge Sec. 4.2.2: ED@K with K = 8, as Ego4D's long-term anticipation defines it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assets.scores.metrics.edit_distance import prefix_distances
from expectations.schemas.metrics import Mode, UndefinedMetric, check_mode


@dataclass(frozen=True, slots=True)
class PlanningScore:
    """Distances as shares of the length, in [0, 1]; lower is better.

    Attributes:
        ed: ED@1, ED@2, ... ED@Z: mean over items of the least distance over samples.
        aued: Area under them over the length, by trapezoids; None or NaN with fewer than two.
        n: Items scored.
        n_unknown: Items left out, because an action of theirs is not known (label below 0).
    """

    ed: tuple[float | None, ...]
    aued: float | None
    n: int
    n_unknown: int

    def official(self) -> dict[str, float | None]:
        """Under the names of the official code, which count from 0: ED@8 is `action_ED_7`."""
        named = {f"action_ED_{z}": value for z, value in enumerate(self.ed)}
        return {"action_AUED": self.aued, **named}

    @property
    def testing_score(self) -> float | None:
        """1 - AUED: what the released scripts print and select models by. Higher is better."""
        return None if self.aued is None else 1 - self.aued


def score(
    samples: ArrayLike,
    labels: ArrayLike,
    mode: Mode = "paper",
    transpositions: bool | None = None,
) -> PlanningScore:
    """ED@1 to ED@Z and the area under them.

    The least distance is taken for each length apart, as in Ego4D.

    `parity`: plain Levenshtein; items whose labels are -1 (no observation left) count. `paper`:
    Damerau-Levenshtein, as Ego4D words it (an exchange of two neighbours is one edit); items with a
    label below 0 are left out.

    Args:
        samples: int [n, k, z], k sampled sequences of z actions per item (the paper: 5 of 8).
        labels: int [n, z], true next actions.
        mode: Reading.
        transpositions: Whether an exchange is one edit; None: the reading's own.

    Raises:
        ValueError: Shapes do not fit.
        UndefinedMetric: In `parity`: items without a sample, or sequences without an action.
    """
    parity = check_mode(mode)
    guess, truth = _array(samples, 3), _array(labels, 2)
    if len(guess) != len(truth):
        raise ValueError(f"{len(guess)} items are sampled, {len(truth)} have labels")
    n, k, z = guess.shape
    if parity and n and not k and (z or truth.shape[1]):
        raise UndefinedMetric("no sample per item", "ValueError: min() arg is an empty sequence")
    if parity and not z:
        raise UndefinedMetric(
            "sequences of no action", "ValueError: need at least one array to concatenate"
        )
    known = np.full(n, parity) | ((truth >= 0).all(axis=1) & (k > 0))
    if not known.all():
        guess, truth = guess[known], truth[known]
    if parity and min(guess.min(initial=0), truth.min(initial=0)) < -1:
        # The released code tells actions apart by their hash, which -1 and -2 share.
        guess, truth = (np.where(actions == -1, -2, actions) for actions in (guess, truth))
    exchanged = (not parity) if transpositions is None else transpositions
    ed: tuple[float | None, ...] = (float("nan") if parity else None,) * z
    if len(guess):
        # Sample by sample: numpy is ten times slower along so short an axis.
        least = reduce(np.minimum, np.moveaxis(prefix_distances(guess, truth, exchanged), 2, 0))
        ed = tuple((least / np.arange(1, z + 1)[:, None]).mean(axis=1).tolist())
    return PlanningScore(ed, _area(ed, parity), len(guess), n - len(guess))


def _area(ed: tuple[float | None, ...], parity: bool) -> float | None:
    values = [value for value in ed if value is not None]
    if len(values) < 2:
        return float("nan") if parity else None
    return float(np.trapezoid(values)) / (len(values) - 1)


def _array(given: Any, dimensions: int) -> np.ndarray:
    array = np.asarray(given)
    if array.size == 0:
        shape = array.shape + (0,) * (dimensions - array.ndim)
        return np.zeros(shape[:dimensions], dtype=np.int64)
    if array.ndim != dimensions or array.dtype.kind not in "iu":
        raise ValueError(
            f"array of shape {array.shape} and type {array.dtype}: {dimensions} dimensions of "
            "integers are wanted"
        )
    return array
