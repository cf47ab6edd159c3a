"""From replies and other readers to the tables `parity_answers` and `parity_scores`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.scores.parity.readers import OtherReading
from assets.scores.table import MACRO, MICRO
from expectations.schemas.parity import PARITY_ANSWERS, PARITY_SCORES

OF_ANSWER = (
    "question_id",
    "question_hash",
    "sample",
    "call_key",
    "attempt",
    "subtask",
    "recording_id",
)
_OF_CHAIN = {"chain_steps": "right", "chain_directions": "directions", "chain_directions_relaxed": "directions_relaxed"}  # fmt: skip
_MISSING = ("not_asked", "error")
# Of a letter that was read, or not, it is known whether both agree.
_IS_CHAIN = pl.col("agrees").is_null() & ~pl.col("outcome").is_in(_MISSING)


@dataclass(frozen=True, slots=True)
class Reader:
    """Another reader of a run's replies.

    Attributes:
        name: Name.
        kind: `published` or `model`.
        version: Commit of the code, or model and revision.
        read: What it makes of a row of replies (see `replies_of`), and the call in which a model read it;
            None for what it does not read.
    """

    name: str
    kind: str
    version: str
    read: Callable[[Mapping[str, Any]], tuple[OtherReading, str | None] | None]


def replies_of(answers: pl.DataFrame, calls: pl.DataFrame, questions: pl.DataFrame) -> pl.DataFrame:
    """Replies that answers were read from, each with its question.

    Args:
        answers: Rows of `answers` of one run.
        calls: Columns call_key, attempt and reply of its `calls`.
        questions: Columns question_id, question_hash, text, options, answer and answer_text.

    Returns:
        A row per answer whose call did not fail, sorted by question id and sample.
    """
    return (
        answers.filter(pl.col("status") != "error")
        .join(calls.select("call_key", "attempt", "reply"), on=["call_key", "attempt"])
        .join(questions, on=["question_id", "question_hash"])
        .sort("question_id", "sample")
    )


def parity_answers(replies: pl.DataFrame, readers: Iterable[Reader]) -> pl.DataFrame:
    """What each reader makes of each reply, beside ours.

    Args:
        replies: Replies with their answers and questions.
        readers: Readers.

    Returns:
        Rows of `parity_answers`, sorted by key.
    """
    readers = tuple(readers)
    rows = (
        _answer(reply, reader, *found)
        for reply in replies.iter_rows(named=True)
        for reader in readers
        if (found := reader.read(reply)) is not None
    )
    return PARITY_ANSWERS.frame(rows).sort(PARITY_ANSWERS.key)


def _answer(
    reply: Mapping[str, Any], reader: Reader, reading: OtherReading, call_key: str | None
) -> dict[str, Any]:
    ours = reply["letter"] if reply["status"] == "parsed" else None
    read = reading.outcome in ("read", "unread", "ends_evaluation") and bool(reply["options"])
    return {
        "benchmark": reply["benchmark"],
        "run": reply["run"],
        "reader": reader.name,
        "kind": reader.kind,
        "version": reader.version,
        **{name: reply[name] for name in OF_ANSWER},
        "reader_call_key": call_key,
        "outcome": reading.outcome,
        "theirs": reading.theirs,
        "ours": ours,
        "our_status": reply["status"],
        "agrees": reading.letter == ours if read else None,
        "right": reading.right,
        "our_right": reply["right"],
        "directions": reading.directions,
        "directions_relaxed": reading.directions_relaxed,
    }


def parity_scores(answers: pl.DataFrame) -> pl.DataFrame:
    """Scores by each reader's rules, and what they differ by from ours.

    A reply that a reader leaves out is in no denominator of it, as in the published evaluation; one that it
    cannot read is wrong. Where a reader is a language model, replies that it has not read are left out too,
    of our value as well.

    Args:
        answers: Rows of `parity_answers`.

    Returns:
        Rows of `parity_scores`, sorted by key.
    """
    rows = (
        key | row
        for key, part in _slices(answers)
        for row in (_accuracy(part, key["slice"]), *_of_chains(part, key["slice"]))
        if row is not None
    )
    return PARITY_SCORES.frame(rows).sort(PARITY_SCORES.key)


def _slices(answers: pl.DataFrame) -> Iterator[tuple[dict[str, Any], pl.DataFrame]]:
    """Rows of each reader on each subtask, and on all of them twice."""
    names = ["benchmark", "run", "reader", "kind"]
    for values, whole in answers.group_by(names, maintain_order=True):
        key = dict(zip(names, values, strict=True))
        for (subtask,), part in whole.group_by("subtask", maintain_order=True):
            yield key | {"slice": subtask}, part
        for name in (MICRO, MACRO):
            yield key | {"slice": name}, whole


def _accuracy(part: pl.DataFrame, name: str) -> dict[str, Any] | None:
    of_options = part.filter(~_IS_CHAIN)
    if of_options.is_empty():
        return None
    counted = of_options.filter(pl.col("right").is_not_null())
    value, n = _mean(counted, "right", of_options, name)
    ours, _ = _mean(counted, "our_right", of_options, name)
    return {
        "metric": "accuracy",
        "value": value,
        "n": n,
        **_counts(of_options),
        "ours": ours,
        "effect": None if value is None or ours is None else value - ours,
    }


def _of_chains(part: pl.DataFrame, name: str) -> Iterator[dict[str, Any]]:
    chains = part.filter(_IS_CHAIN)
    if chains.is_empty():
        return
    for metric, column in _OF_CHAIN.items():
        value, n = _mean(chains.filter(pl.col(column).is_not_null()), column, chains, name)
        yield {"metric": metric, "value": value, "n": n, **_counts(chains)}


def _mean(
    counted: pl.DataFrame, column: str, every: pl.DataFrame, name: str
) -> tuple[float | None, int]:
    """Mean over questions, or over subtasks for `macro`, and the number of questions."""
    of_question = (
        counted.group_by("subtask", "question_id")
        .agg(pl.col(column).cast(pl.Float64).mean())
        # Row order must not reach a float sum.
        .sort("subtask", "question_id")
    )
    absent = set(every["subtask"]) - set(of_question["subtask"]) if name == MACRO else set()
    if of_question.is_empty() or absent:
        return None, of_question.height
    values = of_question
    if name == MACRO:
        values = of_question.group_by("subtask", maintain_order=True).agg(pl.col(column).mean())
    return float(values[column].to_numpy().mean()), of_question.height


def _counts(part: pl.DataFrame) -> dict[str, int]:
    outcome = part["outcome"]
    differ = part.filter(~pl.col("agrees"))
    return {
        "n_unread": int((outcome == "unread").sum()),
        "n_left_out": int((outcome == "left_out").sum()),
        "n_ends_evaluation": int((outcome == "ends_evaluation").sum()),
        "n_missing": int(outcome.is_in(_MISSING).sum()),
        "n_differ": differ.height,
        "n_gained": differ.filter(pl.col("right") & ~pl.col("our_right")).height,
        "n_lost": differ.filter(~pl.col("right") & pl.col("our_right")).height,
    }
