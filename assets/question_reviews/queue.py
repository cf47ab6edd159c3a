"""A sample of a benchmark's questions for people to judge."""

from __future__ import annotations

import json
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
    moves: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """Queue of questions, in the order given.

    Args:
        questions: Rows of `questions`.
        reviews: Rows of `question_reviews`, whose state is the reason why a question is shown again.
        frames: Addresses of the pictures shown, by question id; without any, clips are named by
            their times alone.
        moves: What the letter between two steps of a valid sequence means; a letter without a meaning
            stands for itself.

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
                "answer": row["answer"] or _sequences(row, moves or {}),
                "explanation": row["detailed_answer"],
                "clips": "; ".join(_clip(medium) for medium in row["media"]),
                "frames": list(frames.get(key, ())),
            }
        )
    return pl.DataFrame(rows, schema=QUESTION_QUEUE)


def _options(row: Mapping[str, Any]) -> list[str]:
    return [f"{option['letter']}. {option['text']}" for option in row["options"]]


def _sequences(row: Mapping[str, Any], moves: Mapping[str, str]) -> str | None:
    """Every valid sequence in words, one a line, so that each can be examined; an open answer as it is."""
    if row["answer_kind"] != "sequences":
        return row["answer_text"]
    texts = {one["number"]: one["text"] for one in row["candidates"]}
    lines = []
    for number, line in enumerate((row["answer_text"] or "").splitlines(), 1):
        steps, letters = json.loads(line)
        words = [texts[steps[0]]]
        for letter, step in zip(letters, steps[1:], strict=True):
            words.append(f"({moves.get(letter, letter)}) {texts[step]}")
        lines.append(f"{number}. {' - '.join(words)}")
    return "\n".join(lines)


def _clip(medium: Mapping[str, Any]) -> str:
    times = f"{medium['start_s']:.2f} to {medium['end_s']:.2f} s"
    marks = sorted({f"{m['colour']} {m['label']}".strip() for m in medium["overlays"] or ()})
    marked = f" (marked: {', '.join(marks)})" if marks else ""
    return f"{medium['role']}: {medium['recording_id']} {times}{marked}"
