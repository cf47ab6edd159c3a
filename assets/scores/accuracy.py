"""Accuracy: share of right answers, per subtask and over subtasks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assets.scores.intervals import clustered_interval


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval.

    Attributes:
        value: Estimate in [0, 1].
        low: Lower end of the 95 % interval; None with fewer than two clusters.
        high: Upper end.
    """

    value: float
    low: float | None
    high: float | None


def accuracy(right: np.ndarray, strata: np.ndarray, clusters: np.ndarray) -> Estimate:
    """Mean over strata of the share of right answers.

    With one stratum this is the plain share (micro); with the subtasks as strata it is the macro
    mean, as EgoExoBench and EgoCross print it. Unparsed replies are wrong and stay in the
    denominator; questions whose call failed have no reply and are not handed in.

    Args:
        right: bool or float [n], n >= 1: whether the answer is right, or the share of the replies
            to the question that are.
        strata: [n], stratum of each answer; all strata weigh the same.
        clusters: [n], recording of each answer; a recording in several strata is one cluster.
    """
    _, stratum, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    means = np.bincount(stratum, weights=right.astype(np.float64)) / sizes
    value = float(means.mean())
    influence = (right - means[stratum]) / sizes[stratum] / len(sizes)
    ends = clustered_interval(value, influence, clusters)
    low, high = ends if ends is not None else (None, None)
    return Estimate(value, low, high)
