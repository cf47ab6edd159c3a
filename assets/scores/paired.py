"""Paired tests between runs that answered the same questions, corrected for their number.

Two runs are compared on the questions that both replied to: the difference of a question is what one scores
on it less what the other does. Questions of one recording are not independent, so the test flips the sign of
whole recordings: were both runs alike, which of them answered a recording would not matter. Up to
`MOST_EXACT` recordings all flips are tried; beyond, `FLIPS` of them, drawn by a seed from the questions
(Ernst 2004, "Permutation methods: a basis for exact inference"). The p values of one table are corrected
together by Holm's method (Holm 1979).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
import polars as pl

from assets.scores.intervals import cluster_variance
from assets.scores.table import MACRO, MICRO
from expectations.schemas.identity import stable_hash

MOST_EXACT = 12
FLIPS = 9_999
# Sums that differ by rounding alone are equal.
_ROUNDING = 1e-12
TESTS = pl.Schema(
    {
        "first": pl.String(),
        "second": pl.String(),
        "slice": pl.String(),
        "n": pl.Int64(),
        "n_clusters": pl.Int64(),
        "difference": pl.Float64(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "p": pl.Float64(),
        "p_holm": pl.Float64(),
    }
)
"""Columns of `paired_tests`."""


def comparable_runs(about: Iterable[tuple[str, str, str]]) -> list[tuple[str, str]]:
    """Pairs of runs that differ in their model or in their protocol, and not in both.

    Args:
        about: Name, model and protocol of each run.

    Returns:
        Pairs of names, in the order given.
    """
    return [
        (one[0], other[0])
        for one, other in combinations(about, 2)
        if (one[1] == other[1]) != (one[2] == other[2])
    ]


def paired_tests(answers: pl.DataFrame, pairs: Sequence[tuple[str, str]]) -> pl.DataFrame:
    """Differences between runs, with intervals and corrected p values.

    Args:
        answers: Rows of `answers` of one benchmark.
        pairs: Names of the runs compared.

    Returns:
        Columns of `TESTS`: for each pair the subtasks both answered, `micro` and `macro`. `difference`
        is the accuracy of the second run less that of the first; `low` and `high` are its 95 % interval
        with a cluster-robust variance and Student's t. `p` and both ends are null where all questions
        come from one recording, which cannot show how much recordings differ.
    """
    scored = _scored(answers)
    rows = []
    for first, second in pairs:
        both = scored.filter(run=first).join(
            scored.filter(run=second).select("question_id", other="right"), on="question_id"
        )
        if both.is_empty():
            continue
        both = both.sort("subtask", "question_id").with_columns(d=pl.col("other") - pl.col("right"))
        slices = {
            str(name): part
            for (name,), part in both.partition_by(
                "subtask", as_dict=True, maintain_order=True
            ).items()
        }
        whole = {} if len(slices) == 1 else {MICRO: both, MACRO: both}
        for name, part in {**slices, **whole}.items():
            found = _tested(part, by_subtask=name == MACRO)
            rows.append({"first": first, "second": second, "slice": name, **found})
    tests = pl.DataFrame(rows, schema={k: v for k, v in TESTS.items() if k != "p_holm"})
    return tests.with_columns(pl.Series("p_holm", holm(tests["p"].to_list()), dtype=pl.Float64))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """P values corrected by Holm's step-down method; those that are None are in no family."""
    known = sorted((p, at) for at, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    least = 0.0
    for rank, (p, at) in enumerate(known):
        least = max(least, min(1.0, (len(known) - rank) * p))
        corrected[at] = least
    return corrected


def flip_test(sums: np.ndarray, seed: str) -> float:
    """Two-sided p value of a sum whose terms have a random sign under the null hypothesis.

    Args:
        sums: float [clusters], sum of the weighted differences of each cluster.
        seed: What random flips follow from, beyond `MOST_EXACT` clusters.
    """
    reached = abs(float(sums.sum())) - _ROUNDING
    if len(sums) <= MOST_EXACT:
        # Each flip and its opposite reach the same.
        numbers = np.arange(2 ** (len(sums) - 1))
        signs = 1 - 2 * ((numbers[:, None] >> np.arange(len(sums))) & 1)
        return float((np.abs(signs @ sums) >= reached).mean())
    random = np.random.default_rng(int(stable_hash("flips", seed)[:16], 16))
    signs = 1 - 2 * random.integers(0, 2, (FLIPS, len(sums)), dtype=np.int8)
    return float((1 + (np.abs(signs @ sums) >= reached).sum()) / (1 + FLIPS))


def _scored(answers: pl.DataFrame) -> pl.DataFrame:
    """Mean score of each run on each question that it replied to, as scores count them."""
    replied = answers.filter((pl.col("status") != "error") & pl.col("right").is_not_null())
    return replied.group_by("run", "subtask", "question_id").agg(
        pl.col("right").mean(), pl.col("recording_id").first()
    )


def _tested(part: pl.DataFrame, *, by_subtask: bool) -> dict[str, float | int | None]:
    """Difference on one slice; every subtask weighs the same, or every question."""
    from scipy.special import stdtrit  # takes a tenth of a second to import

    subtasks = part["subtask"].n_unique()
    of_subtask = part.select(
        mean=pl.col("d").mean().over("subtask" if by_subtask else pl.lit(0)),
        n=pl.len().over("subtask" if by_subtask else pl.lit(0)),
    )
    weights = 1 / (of_subtask["n"].to_numpy() * (subtasks if by_subtask else 1))
    weighted = weights * part["d"].to_numpy()
    difference = float(weighted.sum())
    clusters = part["recording_id"].to_numpy()
    names, index = np.unique(clusters, return_inverse=True)
    found = {"n": part.height, "n_clusters": len(names), "difference": difference}
    if len(names) < 2:
        return found | dict.fromkeys(("low", "high", "p"))
    influence = weights * (part["d"].to_numpy() - of_subtask["mean"].to_numpy())
    half = float(stdtrit(len(names) - 1, 0.975)) * math.sqrt(cluster_variance(influence, clusters))
    sums = np.bincount(index, weights=weighted, minlength=len(names))
    return found | {
        "low": max(-1.0, difference - half),
        "high": min(1.0, difference + half),
        "p": flip_test(sums, " ".join(part["question_id"])),
    }
