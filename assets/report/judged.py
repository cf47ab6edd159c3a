"""What the page shows of judges: their scores, their own errors beside these, and how far two agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from expectations.schemas import TABLES
from expectations.schemas.judgements import TEST_CLASSES

_METRICS = {
    "judged_accuracy": "judged accuracy, %",
    "reasoning_score": "reasoning score R, of 5",
    "spurious_correct_rate": "spurious correct rate SCR, %",
}
_FULL = {"reasoning_score": 5.0}
_ERRORS = {
    "right": "right answers called wrong",
    "wrong": "wrong answers called right",
    "adversarial": "attempts to turn it that succeed",
    "perturbed": "faulty rationales marked as high as the reference",
}


@dataclass(frozen=True, slots=True)
class JudgedScore:
    """Cell of the table of judged scores (a row of `judged_scores`).

    Attributes:
        full: Highest value of the metric.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    n_unjudged: int
    n_by_rule: int
    n_clusters: int
    full: float = 1.0

    def shown(self, value: float) -> str:
        """A value as people read it: in percent, or with two decimals on a scale of marks."""
        return f"{100 * value:.1f}" if self.full == 1.0 else f"{value:.2f}"


@dataclass(frozen=True, slots=True)
class JudgeError:
    """How a judge did on one class of answers whose verdict is known.

    Attributes:
        about: Class, in words.
        rate: Share of errors; None where none was judged.
        n: Answers judged.
    """

    about: str
    rate: float | None
    n: int


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """Row of the table of judged scores.

    Attributes:
        run: Run whose answers are judged.
        judge: Judge.
        model: Its model and revision.
        mode: How it judges open answers.
        metric: Metric, in words.
        scores: Cell per slice.
        errors: The judge's own errors, by class.
        n_tests_unjudged: Test answers it gave no verdict on.
    """

    run: str
    judge: str
    model: str
    mode: str
    metric: str
    scores: Mapping[str, JudgedScore]
    errors: tuple[JudgeError, ...]
    n_tests_unjudged: int

    @property
    def is_tested(self) -> bool:
        """Whether anything is known of the judge's errors."""
        return any(error.n for error in self.errors)


@dataclass(frozen=True, slots=True)
class Judging:
    """Everything the page says of judges.

    Attributes:
        rows: Judged scores.
        agreements: Rows of `judge_agreements`.
    """

    rows: tuple[JudgedRow, ...] = ()
    agreements: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """What a judge decided of one answer of a question (a row of `judgements`)."""

    run: str
    sample: int
    judge: str
    kind: str
    verdict: str
    mark: float | None
    reason: str | None
    rule: str
    reply: str | None


def judged_answers(judgements: pl.DataFrame, longest: int) -> tuple[JudgedAnswer, ...]:
    """Verdicts on the answers to one question, run by run.

    Args:
        judgements: Rows of `judgements` of the question.
        longest: Characters of a reply and a reason that are shown.
    """
    columns = JudgedAnswer.__dataclass_fields__.keys()
    rows = judgements.sort("run", "sample", "judge", "kind").select(columns)
    rows = rows.with_columns(pl.col("reply", "reason").str.head(longest))
    return tuple(JudgedAnswer(**row) for row in rows.iter_rows(named=True))


def judging(scores: pl.DataFrame, agreements: pl.DataFrame) -> Judging:
    """What the page says of judges.

    Args:
        scores: Rows of `judged_scores` of one benchmark.
        agreements: Rows of its `judge_agreements`.
    """
    keys = ["run", "judge", "metric"]
    rows = [
        _row(part.row(0, named=True), part)
        for _, part in sorted(scores.partition_by(keys, as_dict=True).items())
    ]
    by_key = agreements.sort(TABLES["judge_agreements"].key)
    return Judging(tuple(rows), tuple(by_key.to_dicts()))


def _row(first: Mapping[str, Any], part: pl.DataFrame) -> JudgedRow:
    metric = first["metric"]
    columns = ("value", "low", "high", "n", "n_unjudged", "n_by_rule", "n_clusters")
    return JudgedRow(
        run=first["run"],
        judge=first["judge"],
        model=first["model"],
        mode=first["mode"],
        metric=_METRICS[metric],
        scores={
            row["slice"]: JudgedScore(
                **{name: row[name] for name in columns}, full=_FULL.get(metric, 1.0)
            )
            for row in part.iter_rows(named=True)
        },
        errors=tuple(
            JudgeError(_ERRORS[name], first[f"error_rate_{name}"], first[f"n_tests_{name}"])
            for name in TEST_CLASSES
        ),
        n_tests_unjudged=first["n_tests_unjudged"],
    )
