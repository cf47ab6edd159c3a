"""Accuracy of a run on questions about daily life and on a benchmark's domains, subtask by subtask.

The questions differ, so nothing is paired: the two means are independent, each with a variance clustered by
recording, and the interval of their difference is Welch's on these.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from assets.scores.intervals import cluster_variance
from assets.scores.table import mean_of_questions
from expectations.schemas.domain_gap import ALIGNED, ALL, DOMAIN_GAPS, EVERY_DOMAIN

LEVEL = 0.95


def domain_gaps(
    daily: pl.DataFrame,
    answers: pl.DataFrame,
    sorted_into: Mapping[str, str],
    domains: Mapping[str, str],
    subtasks: Sequence[str],
) -> pl.DataFrame:
    """Rows of `domain_gaps` of one run.

    Args:
        daily: Rows of `answers` of the questions about daily life: benchmark, run, question_id, sample,
            recording_id and right.
        answers: The same of the benchmark, with their subtask.
        sorted_into: Subtask of each question about daily life, by its id.
        domains: Domain of each question of the benchmark, by its id.
        subtasks: Subtasks that both ask.

    Returns:
        A row for each subtask, for all of these together and for all questions, each against every domain
        and against all domains together.
    """
    known = _values(daily).with_columns(
        subtask=pl.col("question_id").replace_strict(
            dict(sorted_into), default=None, return_dtype=pl.String()
        )
    )
    values = _values(answers).with_columns(
        domain=pl.col("question_id").replace_strict(
            dict(domains), default=None, return_dtype=pl.String()
        )
    )
    if known.is_empty() or values.is_empty():
        return DOMAIN_GAPS.empty()
    about = {
        "benchmark": answers["benchmark"][0],
        "run": answers["run"][0],
        "compared": daily["benchmark"][0],
    }
    rows = (about | row for row in _rows(known, values, subtasks))
    return DOMAIN_GAPS.frame(rows).sort(DOMAIN_GAPS.key)


def _values(answers: pl.DataFrame) -> pl.DataFrame:
    """Answers whose right one is known; calls that failed have none."""
    return answers.filter(pl.col("right").is_not_null()).with_columns(
        value=pl.col("right").cast(pl.Float64), sample=pl.col("sample").fill_null(0)
    )


def _rows(
    daily: pl.DataFrame, asked: pl.DataFrame, subtasks: Sequence[str]
) -> Iterator[dict[str, Any]]:
    shared = pl.col("subtask").is_in(list(subtasks))
    parts = {name: (daily.filter(subtask=name), asked.filter(subtask=name)) for name in subtasks}
    parts |= {ALIGNED: (daily.filter(shared), asked.filter(shared)), ALL: (daily, asked)}
    domains = sorted(set(asked["domain"].drop_nulls()))
    for name, (mine, theirs) in parts.items():
        for domain in (EVERY_DOMAIN, *domains):
            of_domain = theirs if domain == EVERY_DOMAIN else theirs.filter(domain=domain)
            if mine.is_empty() and of_domain.is_empty():
                continue
            yield {"slice": name, "domain": domain, **_gap(mine, of_domain)}


def _gap(daily: pl.DataFrame, asked: pl.DataFrame) -> dict[str, Any]:
    here, there = _mean(daily), _mean(asked)
    row = {f"daily_{name}": value for name, value in here.items()} | there
    if here["value"] is None or there["value"] is None:
        return row | dict.fromkeys(("difference", "difference_low", "difference_high"))
    difference = there["value"] - here["value"]
    low, high = difference_interval(difference, [_spread(daily), _spread(asked)])
    return row | {"difference": difference, "difference_low": low, "difference_high": high}


def _mean(rows: pl.DataFrame) -> dict[str, Any]:
    # Weighed alike whatever the subtask: one value of all rows.
    return mean_of_questions(rows.with_columns(subtask=pl.lit("")))


def _spread(rows: pl.DataFrame) -> tuple[float, int] | None:
    """Variance of the mean over questions and number of recordings; None for fewer than two of these."""
    questions = (
        rows.group_by("question_id")
        .agg(pl.col("value").mean(), pl.col("recording_id").first())
        .sort("question_id")
    )
    clusters = questions["recording_id"].to_numpy()
    if len(np.unique(clusters)) < 2:
        return None
    values = questions["value"].to_numpy()
    return cluster_variance((values - values.mean()) / len(values), clusters), len(
        np.unique(clusters)
    )


def difference_interval(
    difference: float, spreads: Iterable[tuple[float, int] | None]
) -> tuple[float | None, float | None]:
    """95 % interval of a difference of independent means, by Welch.

    Args:
        difference: The difference.
        spreads: Variance and number of clusters of each mean; None where it has no variance.

    Returns:
        Low and high within [-1, 1]; None for both where a mean has no variance, or no answer differs from
        another, so that nothing tells how far a difference may be off.
    """
    from scipy.special import stdtrit

    known = [spread for spread in spreads if spread is not None]
    total = sum(variance for variance, _ in known)
    if len(known) < 2 or total <= 0:
        return None, None
    freedom = total**2 / sum(variance**2 / (count - 1) for variance, count in known)
    reach = float(stdtrit(freedom, 0.5 + LEVEL / 2)) * math.sqrt(total)
    return max(-1.0, difference - reach), min(1.0, difference + reach)
