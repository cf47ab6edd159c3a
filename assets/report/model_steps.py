"""What the page shows of questions that a language model was asked to write."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, slots=True)
class WritingOutcome:
    """Questions of one subtask with which the same became of the model's reply.

    Attributes:
        subtask: Subtask.
        step: What the model was asked for.
        model: Who was asked.
        status: `used`, `refused`, `error` or `not_asked`.
        rule: Rule that refused the replies; empty for none.
        n: Number of questions asked about.
    """

    subtask: str
    step: str
    model: str
    status: str
    rule: str
    n: int


def writing_outcomes(steps: pl.DataFrame) -> tuple[WritingOutcome, ...]:
    """Counts of what became of a model's replies, used ones first.

    Args:
        steps: Rows of `question_steps` of one benchmark.
    """
    by = ["subtask", "step", "model", "status", "rule"]
    counts = (
        steps.with_columns(pl.col("rule").fill_null(""))
        .group_by(by)
        .len()
        .sort("subtask", "step", "model", pl.col("status") != "used", "status", "rule")
    )
    return tuple(WritingOutcome(*row) for row in counts.select(*by, "len").iter_rows())
