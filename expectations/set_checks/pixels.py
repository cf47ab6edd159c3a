"""Whether pictures give answers away by what they look like: accuracy of an engine that compares just that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from expectations.set_checks.outcomes import LEAST_QUESTIONS, Outcome

ENGINE = "pixel_statistics"
"""Engine whose runs are judged."""
LEAST_CLUSTERS = 2


def pixel_shortcut(score: Mapping[str, Any]) -> Outcome:
    """Whether an engine that compares colours and gradients beats chance by more than its interval.

    Args:
        score: Value, low, chance, n and n_clusters of a row of `scores` of such an engine, of one subtask.

    Returns:
        `refuse` where the lower end of the 95 % interval lies above chance; `unknown` where the questions or
        the recordings are too few to say.
    """
    value, low, chance, n = (score[name] for name in ("value", "low", "chance", "n"))
    if value is None or low is None or n < LEAST_QUESTIONS or score["n_clusters"] < LEAST_CLUSTERS:
        words = (
            f"{n} questions of {score['n_clusters']} recordings; {LEAST_QUESTIONS} questions of"
            f" {LEAST_CLUSTERS} recordings are needed"
        )
        return Outcome("unknown", value, chance, words)
    words = (
        f"the option that looks most like the query is right in {value:.0%} of {n} questions (at least"
        f" {low:.0%}, chance {chance:.0%})"
    )
    return Outcome("refuse" if low > chance else "pass", value, chance, words)
