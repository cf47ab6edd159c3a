"""Which questions of a benchmark people look at: so many of each subtask, chosen by content."""

from __future__ import annotations

import polars as pl

from expectations.schemas.identity import stable_hash


def sample_per_subtask(questions: pl.DataFrame, count: int, purpose: str) -> pl.DataFrame:
    """So many questions of each subtask, as if drawn at random.

    Each question has its own number from `purpose` and its id, and those with the lowest are drawn. The
    same questions are drawn again after others were added elsewhere, and another purpose draws others.

    Args:
        questions: Rows of `questions`.
        count: Questions per subtask; a subtask with fewer gives all it has.
        purpose: What the sample is for.

    Returns:
        The rows drawn, by subtask and then in the order in which they were drawn.
    """
    turns = [stable_hash("sample", purpose, key) for key in questions["question_id"]]
    numbered = questions.with_columns(pl.Series("_turn", turns, dtype=pl.String))
    ordered = numbered.sort("subtask", "_turn")
    return (
        ordered.group_by("subtask", maintain_order=True)
        .head(count)
        .drop("_turn")
        .select(questions.columns)
    )
