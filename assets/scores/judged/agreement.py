"""How far two judges agree: raw agreement, Cohen's kappa, and quadratic weighted kappa of marks.

Intervals leave out one recording at a time: answers about one recording are not independent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from assets.agreement import jackknife
from expectations.schemas.judged_scores import JUDGE_AGREEMENTS

_LEVELS = 6
"""Whole marks, 0 to 5."""
_EPSILON = 1e-9


def agreements(judgements: pl.DataFrame) -> pl.DataFrame:
    """Rows of `judge_agreements` of every pair of judges of a run.

    Args:
        judgements: Rows of `judgements`.
    """
    rows: list[dict[str, Any]] = []
    groups = judgements.sort("judge").partition_by(
        "benchmark", "run", "kind", as_dict=True, maintain_order=True
    )
    for (benchmark, run, kind), part in sorted(groups.items()):
        by_judge = part.partition_by("judge", as_dict=True, maintain_order=True)
        for (first,), (second,) in combinations(by_judge, 2):
            common = {"benchmark": benchmark, "run": run, "kind": kind}
            judges = {"first_judge": first, "second_judge": second}
            rows.append(common | judges | _agreement(by_judge[first,], by_judge[second,]))
    return JUDGE_AGREEMENTS.frame(rows).sort(JUDGE_AGREEMENTS.key)


def _agreement(first: pl.DataFrame, second: pl.DataFrame) -> dict[str, Any]:
    keys = ["question_id", "sample"]
    # What a rule decides without them tells nothing of judges.
    asked = (pl.col("verdict") == "unjudged") | pl.col("call_key").is_not_null()
    both = (
        first.filter(asked)
        .select(*keys, "recording_id", "verdict", "mark")
        .join(second.filter(asked).select(*keys, "verdict", "mark"), on=keys, suffix="_2")
        .sort(keys)
    )
    judged = both.filter((pl.col("verdict") != "unjudged") & (pl.col("verdict_2") != "unjudged"))
    one_sided = (both["verdict"] == "unjudged") != (both["verdict_2"] == "unjudged")
    marked = judged.filter(pl.col("mark").is_between(0, 5) & pl.col("mark_2").is_between(0, 5))
    given = [marked[name].to_numpy() for name in ("mark", "mark_2")]
    a, b = (np.floor(marks + 0.5).astype(int) for marks in given)
    verdicts = judged["verdict"].to_list(), judged["verdict_2"].to_list()
    labels = np.array(verdicts, dtype=object)
    kappa, weighted = cohen_kappa(*verdicts), weighted_kappa(a, b)
    low, high = _interval(
        kappa, judged["recording_id"], lambda kept: cohen_kappa(*labels[:, kept].tolist())
    )
    weighted_low, weighted_high = _interval(
        weighted, marked["recording_id"], lambda kept: weighted_kappa(a[kept], b[kept])
    )
    return {
        "n": judged.height,
        "n_one_sided": int(one_sided.sum()),
        "agreement": _mean(np.array([x == y for x, y in zip(*verdicts, strict=True)])),
        "kappa": kappa,
        "kappa_low": low,
        "kappa_high": high,
        "n_marks": len(a),
        "equal_marks": _mean(a == b),
        "marks_within_one": _mean(np.abs(given[0] - given[1]) <= 1 + _EPSILON),
        "weighted_kappa": weighted,
        "weighted_kappa_low": weighted_low,
        "weighted_kappa_high": weighted_high,
    }


def _interval(
    value: float | None, recordings: pl.Series, kappa: Callable[[np.ndarray], float | None]
) -> tuple[float | None, float | None]:
    """Ends of the interval of a kappa; null with fewer than two recordings, and where it is undefined without one.

    Args:
        value: Kappa of all answers.
        recordings: Recording of each answer, [n].
        kappa: Kappa of the answers that a mask keeps.
    """
    clusters = recordings.unique().sort().to_list()
    if value is None or len(clusters) < 2:
        return None, None
    left = [kappa((recordings != name).to_numpy()) for name in clusters]
    known = [one for one in left if one is not None]
    ends = jackknife(value, known) if len(known) == len(left) else None
    return ends or (None, None)


def cohen_kappa(first: Sequence[str], second: Sequence[str]) -> float | None:
    """Cohen's kappa of two raters' labels; None without items, or where chance agreement is certain."""
    if not first:
        return None
    labels = sorted({*first, *second})
    table = np.zeros((len(labels), len(labels)))
    for x, y in zip(first, second, strict=True):
        table[labels.index(x), labels.index(y)] += 1
    return _kappa(table, 1 - np.eye(len(labels)))


def weighted_kappa(first: np.ndarray, second: np.ndarray) -> float | None:
    """Kappa of two raters' whole marks from 0 to 5 with quadratic weights; None where undefined.

    Args:
        first: int [n].
        second: int [n].
    """
    if not len(first):
        return None
    table = np.zeros((_LEVELS, _LEVELS))
    np.add.at(table, (first, second), 1)
    marks = np.arange(_LEVELS)
    return _kappa(table, (marks[:, None] - marks[None, :]).astype(float) ** 2)


def _kappa(table: np.ndarray, weights: np.ndarray) -> float | None:
    """Kappa of a table of counts with weights of disagreement."""
    expected = np.outer(table.sum(1), table.sum(0)) / table.sum()
    by_chance = float((weights * expected).sum())
    if by_chance == 0:
        return None
    return 1 - float((weights * table).sum()) / by_chance


def _mean(values: np.ndarray) -> float | None:
    return float(values.mean()) if len(values) else None
