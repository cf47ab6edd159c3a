"""Which questions of a benchmark people look at: so many of each subtask, chosen by content."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import polars as pl

from expectations.schemas.identity import stable_hash


def sample_per_subtask(
    questions: pl.DataFrame, count: int, purpose: str, whole: Collection[str] = ()
) -> pl.DataFrame:
    """So many questions of each subtask, as if drawn at random.

    Each question has its own number from `purpose` and its id, and those with the lowest are drawn. The
    same questions are drawn again after others were added elsewhere, and another purpose draws others.

    Args:
        questions: Rows of `questions`.
        count: Questions per subtask; a subtask with fewer gives all it has.
        purpose: What the sample is for.
        whole: Kinds of answers (`answer_kind`) of whose questions all are drawn.

    Returns:
        The rows drawn, by subtask and then in the order in which they were drawn.
    """
    drawn = pl.col("_rank") < count
    return _drawn(questions, purpose, drawn | pl.col("answer_kind").is_in([*whole]))


def sample_per_group(
    questions: pl.DataFrame, count: int, purpose: str, groups: Mapping[str, Collection[str]]
) -> pl.DataFrame:
    """So many questions of each group of subtasks, spread evenly over its subtasks.

    Args:
        questions: Rows of `questions`.
        count: Questions per group; where a subtask has too few, the others of its group give more.
        purpose: What the sample is for (see `sample_per_subtask`).
        groups: Subtasks of each group; a subtask of none is a group of its own.

    Returns:
        The rows drawn, as `sample_per_subtask` orders them.
    """
    group = {subtask: name for name, subtasks in groups.items() for subtask in subtasks}
    names = pl.Series([group.get(subtask, subtask) for subtask in questions["subtask"]])
    turn = pl.struct("_rank", "subtask").rank("ordinal").over("_group")
    return _drawn(questions.with_columns(_group=names), purpose, turn <= count)


def _drawn(questions: pl.DataFrame, purpose: str, keep: pl.Expr) -> pl.DataFrame:
    """Rows to keep, by subtask and number; `_rank` is a row's place in its subtask."""
    turns = [stable_hash("sample", purpose, key) for key in questions["question_id"]]
    numbered = questions.with_columns(pl.Series("_turn", turns, dtype=pl.String))
    ordered = numbered.sort("subtask", "_turn")
    ranked = ordered.with_columns(_rank=pl.int_range(pl.len()).over("subtask"))
    columns = [name for name in questions.columns if name != "_group"]
    return ranked.filter(keep).select(columns)
