"""Which questions of a benchmark a run asks."""

from __future__ import annotations

import polars as pl

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

    A question whose pixels are not here is not asked where the protocol sends media: it is a
    matter of the source, shown there, and no failure of the model. Nor is a question without options
    where the protocol wants a choice, one with options where it wants words, or one of another subtask
    than the protocol is written for, or of a split that the run leaves out.

    Args:
        questions: Rows of `questions`.
        run: Run.
        protocol: Its protocol.
    """
    is_open = pl.col("options").list.len() == 0
    chosen = questions.filter(is_open if protocol.answer_by == "words" else ~is_open)
    for subtasks in (run.subtasks, protocol.subtasks):
        if subtasks:
            chosen = chosen.filter(pl.col("subtask").is_in(subtasks))
    if run.splits:
        chosen = chosen.filter(pl.col("split").is_in(run.splits))
    if protocol.sends_media:
        chosen = chosen.filter("media_present")
    if protocol.max_options is not None:
        chosen = chosen.filter(pl.col("options").list.len() <= protocol.max_options)
    return chosen


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
