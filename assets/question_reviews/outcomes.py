"""How decisions on the questions of a benchmark stand, by subtask, reviewer and round."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from assets.reviews.rounds import review_agreement
from assets.reviews.states import Judged, review_changes
from assets.sources.reviews.standing import item_hash, standing
from expectations.schemas import TABLES
from expectations.schemas.reviews import QUESTION

ITEM_COLUMNS = (
    "question_id",
    "question_hash",
    "answer",
    "answer_text",
    "pool",
    "subtask",
    "recording_id",
)
"""Columns of `questions` that tell what is judged, and where it belongs."""
_WHY = {
    "stale": "the question or its answer has changed since it was judged: judge it again",
    "gone": "the benchmark no longer has this question",
    "conflict": "reviewers of this round disagree: decide in a later round",
}


def question_version(question_hash: str, answer: str | None, answer_text: str | None) -> str:
    """Hash of what a reviewer judges of a question: all that a model sees of it, and its answer."""
    return item_hash(QUESTION, question_hash, answer, answer_text)


def question_items(questions: pl.DataFrame) -> pl.DataFrame:
    """What there is to judge: `ITEM_COLUMNS` with `item_id` and `item_hash`.

    Args:
        questions: `ITEM_COLUMNS` of `questions` of one source.
    """
    hashes = [
        question_version(*row)
        for row in questions.select("question_hash", "answer", "answer_text").iter_rows()
    ]
    return questions.select(ITEM_COLUMNS).with_columns(
        pl.col("question_id").alias("item_id"), pl.Series("item_hash", hashes, dtype=pl.String)
    )


def question_outcomes(
    benchmark: str, source: str, reviews: pl.DataFrame, questions: pl.DataFrame
) -> dict[str, pl.DataFrame]:
    """Rows of the three tables about decisions on a benchmark's questions from one source.

    Args:
        benchmark: Benchmark.
        source: Source of the questions.
        reviews: Rows of `reviews` on questions of this source and benchmark.
        questions: `ITEM_COLUMNS` of `questions` of this source and benchmark.

    Returns:
        `question_reviews`, `question_review_rounds` and `question_review_agreement`, each in key order.
    """
    items = question_items(questions)
    rounds, agreement = [], []
    for subtask, said in _by_subtask(reviews, items):
        judged = Judged(source, QUESTION, said, items, unusable={})
        named = {"benchmark": pl.lit(benchmark), "subtask": pl.lit(subtask)}
        changes = review_changes(judged).rename({"items": "questions"})
        rounds.append(_rows("question_review_rounds", changes.with_columns(**named)))
        agreed = review_agreement(judged).with_columns(**named)
        agreement.append(_rows("question_review_agreement", agreed))
    return {
        "question_reviews": _outcomes(benchmark, source, reviews, items),
        "question_review_rounds": _rows("question_review_rounds", *rounds),
        "question_review_agreement": _rows("question_review_agreement", *agreement),
    }


def _outcomes(
    benchmark: str, source: str, reviews: pl.DataFrame, items: pl.DataFrame
) -> pl.DataFrame:
    known = {row["item_id"]: row for row in items.iter_rows(named=True)}
    rows = []
    for row in standing(reviews, items).iter_rows(named=True):
        now = known.get(row["item_id"], {})
        rows.append(
            {
                "benchmark": benchmark,
                "source": source,
                "pool": now.get("pool"),
                "subtask": now.get("subtask", ""),
                "question_id": row["item_id"],
                "question_hash": now.get("question_hash"),
                "item_hash": row["item_hash"],
                "message": _WHY.get(row["state"]),
                **{
                    name: row[name]
                    for name in ("state", "verdict", "reason", "reviewer", "round", "decided_at")
                },
            }
        )
    return _rows("question_reviews", TABLES["question_reviews"].frame(rows))


def _by_subtask(reviews: pl.DataFrame, items: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Decisions by subtask of the question; those on questions that are gone under an empty name."""
    subtasks = dict(items.select("item_id", "subtask").iter_rows())
    at = [subtasks.get(item, "") for item in reviews["item_id"]]
    named = reviews.with_columns(pl.Series("_subtask", at, dtype=pl.String))
    for (subtask,), part in sorted(named.partition_by("_subtask", as_dict=True).items()):
        yield str(subtask), part.drop("_subtask")


def _rows(name: str, *found: pl.DataFrame) -> pl.DataFrame:
    table = TABLES[name]
    fitting = [rows.select(table.schema.names()) for rows in found]
    return pl.concat([table.empty(), *fitting]).sort(table.key)
