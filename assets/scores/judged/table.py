"""From judgements to the table of judged scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from assets.scores.judged.reasoning import weak_if_right
from assets.scores.table import MACRO, NO_GROUPS, Groups, mean_of_questions, slices
from expectations.schemas.judged_scores import JUDGED_SCORES
from expectations.schemas.judgements import TEST_CLASSES

_HIGHEST_MARK = 5.0
# The test whose answer is the reference rationale itself.
_REFERENCE = "reference"
# The metrics of a kind: value of a judged answer from 0 to 1 (null where it does not count), whether an
# answer would count if it were judged, and what the scale is stretched by.
_RIGHT_LETTER = pl.col("right").fill_null(value=False)
_ANSWERED = (pl.col("status") == "parsed").fill_null(value=False)
_METRICS: Mapping[str, Mapping[str, tuple[pl.Expr, pl.Expr, float]]] = {
    "open": {
        "judged_accuracy": ((pl.col("verdict") == "right").cast(pl.Float64), pl.lit(True), 1.0)
    },
    "reasoning": {
        "reasoning_score": (pl.col("mark") / _HIGHEST_MARK, _ANSWERED, _HIGHEST_MARK),
        "spurious_correct_rate": (
            weak_if_right(pl.col("right"), pl.col("mark")),
            _RIGHT_LETTER,
            1.0,
        ),
    },
}


def judged_scores(
    judgements: pl.DataFrame,
    answers: pl.DataFrame,
    tests: pl.DataFrame,
    groups: Groups = NO_GROUPS,
) -> pl.DataFrame:
    """Scores of a run by each of its judges, on every subtask and over all.

    Args:
        judgements: Rows of `judgements`.
        answers: Columns run, question_id, sample, status and right of `answers`: whether a letter was read, and
            whether it is right.
        tests: Rows of `judge_tests` of the benchmark.
        groups: Subtasks of each group.

    Returns:
        Rows of `judged_scores`. Unjudged answers are in no value; they are counted.
    """
    letters = answers.select("run", "question_id", pl.col("sample").fill_null(0), "status", "right")
    rows = judgements.join(
        letters, on=["run", "question_id", "sample"], how="left", maintain_order="left"
    )
    by_judge = rows.partition_by("benchmark", "run", "judge", "kind", as_dict=True)
    made = (
        row
        for (benchmark, run, judge, kind), part in sorted(by_judge.items())
        for row in _of_judge(
            {
                "benchmark": benchmark,
                "run": run,
                "judge": judge,
                "model": part["model"].max(),
                "mode": part["mode"].max(),
                **error_rates(tests.filter(judge=judge, kind=kind)),
            },
            str(kind),
            part,
            groups,
        )
    )
    return JUDGED_SCORES.frame(made).sort(JUDGED_SCORES.key)


def _of_judge(
    common: dict[str, Any], kind: str, part: pl.DataFrame, groups: Groups
) -> Iterator[dict[str, Any]]:
    subtasks, by_slice = set(part["subtask"]), slices(part, groups)
    for metric, (value, counts, scale) in _METRICS[kind].items():
        for name, rows in by_slice.items():
            counted = rows.filter(counts).with_columns(value=value)
            weighed_alike = subtasks if name == MACRO else None
            yield {
                **common,
                "slice": name,
                "metric": metric,
                **_row(counted, scale, weighed_alike),
            }


def _row(rows: pl.DataFrame, scale: float, subtasks: set[str] | None) -> dict[str, Any]:
    judged = rows.filter((pl.col("verdict") != "unjudged") & pl.col("value").is_not_null())
    mean = mean_of_questions(judged, subtasks)
    ends = {name: mean[name] for name in ("value", "low", "high")}
    return {
        **mean,
        "n_unjudged": rows.height - judged.height,
        "n_by_rule": judged["call_key"].null_count(),
        **{name: None if end is None else end * scale for name, end in ends.items()},
    }


def error_rates(tests: pl.DataFrame) -> dict[str, Any]:
    """How a judge did on answers whose verdict is known: error rate and number per class.

    A rationale with a fault must have a lower mark than the reference rationale of its question; where the judge
    marked only one of the two, they are not compared, and the test counts as unjudged.

    Args:
        tests: Rows of `judge_tests` of one judge and kind.
    """
    references = tests.filter(test=_REFERENCE).select("question_id", reference_mark="mark")
    compared = tests.join(references, on="question_id", how="left", maintain_order="left")
    perturbed = pl.col("test_class") == "perturbed"
    is_error = (
        pl.when(perturbed)
        .then(pl.col("mark") >= pl.col("reference_mark"))
        .when(pl.col("verdict") != "unjudged")
        .then(pl.col("verdict") != pl.col("expected"))
    )
    judged = compared.with_columns(is_error=is_error).filter(pl.col("is_error").is_not_null())
    rates: dict[str, Any] = {"n_tests_unjudged": tests.height - judged.height}
    for name in TEST_CLASSES:
        part = judged.filter(test_class=name)
        rates[f"n_tests_{name}"] = part.height
        rates[f"error_rate_{name}"] = part["is_error"].mean() if part.height else None
    return rates
