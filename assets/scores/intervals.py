"""95 % intervals of a proportion whose observations come in clusters.

Questions of one recording share its kitchen, its performer and its light: they are not independent.
The variance is the cluster-robust (sandwich) one with the factor G / (G - 1); the interval is
Wilson's with the effective sample size and Student's t on G - 1 degrees of freedom (the modified
Wilson interval of Dean and Pagano 2015, after Korn and Graubard 1998). It lies inside [0, 1] by
construction and keeps a width where every answer is right.
"""

from __future__ import annotations

import math

import numpy as np


def cluster_variance(influence: np.ndarray, clusters: np.ndarray) -> float:
    """Cluster-robust variance of an estimate.

    Args:
        influence: float [n], weight times residual of each observation; sums to 0.
        clusters: [n], cluster of each observation; at least two different ones.

    Raises:
        ValueError: Fewer than two clusters.
    """
    _, index = np.unique(clusters, return_inverse=True)
    count = int(index.max()) + 1 if len(index) else 0
    if count < 2:
        raise ValueError(f"{count} cluster: between-cluster variance needs two")
    sums = np.bincount(index, weights=influence, minlength=count)
    return float(count / (count - 1) * (sums**2).sum())


def clustered_interval(
    value: float, influence: np.ndarray, clusters: np.ndarray, level: float = 0.95
) -> tuple[float, float] | None:
    """Interval of a proportion.

    The effective sample size is `value * (1 - value) / variance`, at most the number of
    observations: a design effect below 1 is luck with few clusters. Where all answers are alike
    the residuals say nothing about dependence; then every cluster counts as one observation.

    Args:
        value: Estimate, in [0, 1].
        influence: float [n], see `cluster_variance`.
        clusters: [n].
        level: Coverage.

    Returns:
        Low and high, or None with fewer than two clusters: one recording cannot show how much
        recordings differ. With a handful of clusters the interval is wide, as it should be.
    """
    from scipy.special import stdtrit  # takes a tenth of a second to import

    count = len(np.unique(clusters))
    if count < 2:
        return None
    spread = value * (1 - value)
    if spread <= 0:
        effective = float(count)
    else:
        variance = cluster_variance(influence, clusters)
        effective = min(float(len(influence)), spread / variance if variance > 0 else math.inf)
    reach = float(stdtrit(count - 1, 0.5 + level / 2)) ** 2 / effective
    centre = (value + reach / 2) / (1 + reach)
    half = math.sqrt(reach * spread + reach**2 / 4) / (1 + reach)
    return max(0.0, centre - half), min(1.0, centre + half)
