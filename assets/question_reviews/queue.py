"""A sample of a benchmark's questions for people to judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from assets.question_reviews.outcomes import question_version
from assets.sources.reviews.forms import QUESTION_QUEUE
from expectations.schemas.reviews import QUESTION


def undecided(questions: pl.DataFrame, reviews: pl.DataFrame) -> pl.DataFrame:
    """Questions without a decision that counts.

    Args:
        questions: Rows of `questions`.
        reviews: Rows of `question_reviews` of the benchmark.
    """
    standing = reviews.filter(pl.col("state") == "standing")
    return questions.join(standing, on=["question_id", "question_hash"], how="anti")


def question_queue(
    questions: pl.DataFrame,
    reviews: pl.DataFrame,
    frames: Mapping[str, Sequence[str]],
) -> pl.DataFrame:
    """Queue of questions, in the order given.

    Args:
        questions: Rows of `questions`.
        reviews: Rows of `question_reviews`, whose state is the reason why a question is shown again.
        frames: Addresses of the pictures shown, by question id; without any, clips are named by
            their times alone.

    Returns:
        Columns of `QUESTION_QUEUE`.
    """
    states = dict(reviews.select("question_id", "state").iter_rows())
    rows = []
    for row in questions.iter_rows(named=True):
        key = row["question_id"]
        rows.append(
            {
                "source": row["source"],
                "item_kind": QUESTION,
                "benchmark": row["benchmark"],
                "item_id": key,
                "item_hash": question_version(
                    row["question_hash"], row["answer"], row["answer_text"]
                ),
                "subtask": row["subtask"],
                "why": states.get(key, "sample"),
                "text": "\n".join([row["text"], *_options(row)]),
                "answer": row["answer"] or row["answer_text"],
                "explanation": row["detailed_answer"],
                "clips": "; ".join(_clip(medium) for medium in row["media"]),
                "frames": list(frames.get(key, ())),
            }
        )
    return pl.DataFrame(rows, schema=QUESTION_QUEUE)


def _options(row: Mapping[str, Any]) -> list[str]:
    return [f"{option['letter']}. {option['text']}" for option in row["options"]]


def _clip(medium: Mapping[str, Any]) -> str:
    times = f"{medium['start_s']:.2f} to {medium['end_s']:.2f} s"
    marks = sorted({f"{m['colour']} {m['label']}".strip() for m in medium["overlays"] or ()})
    marked = f" (marked: {', '.join(marks)})" if marks else ""
    return f"{medium['role']}: {medium['recording_id']} {times}{marked}"
