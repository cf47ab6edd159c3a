"""Probabilities of a count equal those of a library that shares no code with ours."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from expectations.set_checks.tails import at_least, binomial_probabilities


@pytest.mark.parametrize("n", [1, 5, 60, 4000])
@pytest.mark.parametrize("chance", [0.05, 0.25, 0.5, 1.0])
def test_probabilities_equal_those_of_scipy(n, chance):
    expected = stats.binom.pmf(np.arange(n + 1), n, chance)
    assert binomial_probabilities(n, chance) == pytest.approx(expected, abs=1e-12)
    for hits in (0, 1, n // 3, n):
        p = stats.binomtest(hits, n, chance, alternative="greater").pvalue
        assert at_least(hits, n, chance) == pytest.approx(p, rel=1e-9, abs=1e-300)
