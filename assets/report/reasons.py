"""What the page says of reasoning: the evidence that replies cite, and right letters whose reasons are weak."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

import polars as pl

from assets.scores.judged.reasoning import weak_if_right
from expectations.schemas.grounding import CITED_KINDS

METRICS = tuple(f"{kind}_{part}" for kind in CITED_KINDS for part in ("precision", "recall"))
"""Metrics of cited evidence in shown order."""
SHOWN = 12
"""Right letters with weak reasons that are listed, each with its question in the browser."""


@dataclass(frozen=True, slots=True)
class CitedScore:
    """A share of cited evidence with its interval; a row of `grounding_scores`."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    n_unread: int


@dataclass(frozen=True, slots=True)
class CitedRow:
    """Cited evidence of one run in one slice.

    Attributes:
        run: Run.
        slice: Subtask, `micro` or `macro`.
        metrics: Scores in the order of `METRICS`.
    """

    run: str
    slice: str
    metrics: Mapping[str, CitedScore]


@dataclass(frozen=True, slots=True)
class WeakReason:
    """A right letter whose reasoning a judge marks at most 2.

    Attributes:
        reason: The judge's reason; None where a rule decided.
    """

    question_id: str
    subtask: str
    run: str
    judge: str
    mark: float
    reason: str | None


def cited_rows(scores: pl.DataFrame, slices: Iterable[str]) -> tuple[CitedRow, ...]:
    """Cited evidence by run and slice, of the runs that cite any that can be checked.

    Args:
        scores: Rows of `grounding_scores` of one benchmark.
        slices: Slices in shown order.
    """
    columns = ("value", "low", "high", "n", "n_unread")
    cites_none = silent_runs(scores)
    by_run = scores.sort("run").partition_by("run", as_dict=True, maintain_order=True)
    rows = []
    for (run,), part in by_run.items():
        if run in cites_none:
            continue
        for name in slices:
            found = {
                row["metric"]: CitedScore(**{column: row[column] for column in columns})
                for row in part.filter(slice=name).iter_rows(named=True)
            }
            if found:
                rows.append(CitedRow(str(run), name, {metric: found[metric] for metric in METRICS}))
    return tuple(rows)


def silent_runs(scores: pl.DataFrame) -> tuple[str, ...]:
    """Runs of which no reply cites anything that can be checked, ascending.

    Args:
        scores: Rows of `grounding_scores` of one benchmark.
    """
    citing = scores.filter(pl.col("metric").str.ends_with("precision") & (pl.col("n") > 0))["run"]
    return tuple(sorted(set(scores["run"]) - set(citing)))


def shown_reasons(found: Iterable[WeakReason]) -> frozenset[str]:
    """Questions of the right letters with weak reasons that are listed."""
    return frozenset(one.question_id for one in islice(found, SHOWN))


def weak_reasons(judgements: pl.DataFrame, answers: pl.DataFrame) -> tuple[WeakReason, ...]:
    """Right letters with weak reasons, the lowest marks first.

    Args:
        judgements: Columns question_id, question_hash, subtask, run, sample, judge, kind, mark and reason of
            `judgements`.
        answers: Columns question_id, question_hash, run, sample and right of `answers`.
    """
    keys = ["run", "question_id", "question_hash", "sample"]
    letters = answers.select(*keys[:-1], pl.col("sample").fill_null(0), "right")
    weak = (
        judgements.filter(pl.col("kind") == "reasoning")
        .join(letters, on=keys)
        .filter(weak_if_right(pl.col("right"), pl.col("mark")) == 1)
        .sort("mark", "subtask", "question_id", "run", "judge", "sample")
    )
    columns = WeakReason.__dataclass_fields__.keys()
    return tuple(WeakReason(**row) for row in weak.select(columns).iter_rows(named=True))
