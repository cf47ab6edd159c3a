"""Which questions of a benchmark a run asks."""

from __future__ import annotations

import polars as pl

from assets.protocols.asked import suitable
from resources.models.protocol import Protocol
from resources.models.runs import RunConfig


def select_questions(questions: pl.DataFrame, run: RunConfig, protocol: Protocol) -> pl.DataFrame:
    """Questions the run asks: what it can ask, within its limit.

    Args:
        questions: Rows of `questions`.
        run: Run.
        protocol: Its protocol.

    Returns:
        The rows, sorted by subtask and question id.
    """
    return limited(askable(questions, run, protocol), run)


def askable(questions: pl.DataFrame, run: RunConfig, protocol: Protocol) -> pl.DataFrame:
    """Questions the run could ask, whatever its limit.

    What its protocol can ask (`assets.protocols.asked.suitable`), without the subtasks and splits that the
    run leaves out.

    Args:
        questions: Rows of `questions`.
        run: Run.
        protocol: Its protocol.
    """
    chosen = suitable(questions, protocol)
    if run.subtasks:
        chosen = chosen.filter(pl.col("subtask").is_in(run.subtasks))
    return chosen.filter(pl.col("split").is_in(run.splits)) if run.splits else chosen


def limited(questions: pl.DataFrame, run: RunConfig) -> pl.DataFrame:
    """Questions within a run's limit, sorted by subtask and question id.

    Under a limit the subtasks take turns (first of each, second of each ...), in order of question hash,
    so that the same questions are asked again after others have been added elsewhere.
    """
    chosen = questions
    if run.limit is not None:
        turn = pl.col("question_hash").rank("ordinal").over("subtask").alias("_turn")
        chosen = (
            chosen.with_columns(turn)
            .sort("_turn", "subtask", "question_hash")
            .head(run.limit)
            .drop("_turn")
        )
    return chosen.sort("subtask", "question_id")
