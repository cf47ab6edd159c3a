"""Probabilities of a binomial count, by `scipy.special`: `scipy.stats` takes a second to import."""

from __future__ import annotations

import numpy as np


def binomial_probabilities(n: int, chance: float) -> np.ndarray:
    """Probability of each number of hits out of n, float64 [n + 1]."""
    from scipy.special import gammaln, xlog1py, xlogy

    hits = np.arange(n + 1)
    ways = gammaln(n + 1) - gammaln(hits + 1) - gammaln(n - hits + 1)
    return np.exp(ways + xlogy(hits, chance) + xlog1py(n - hits, -chance))


def at_least(hits: int, n: int, chance: float) -> float:
    """Probability of at least so many hits out of n."""
    from scipy.special import betainc

    return 1.0 if hits <= 0 else float(betainc(hits, n - hits + 1, chance))
