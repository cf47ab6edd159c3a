"""From calls to answers: the latest usable reply to each question as it is now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from assets.extract.letters import Reading
from assets.extract.words import (
    kind_of,
    matched_by,
    read_chain_reply,
    read_option,
    read_without_options,
    valid_chains,
)
from assets.predictions.chain_outcomes import ChainOutcome, chain_outcome
from assets.words.matching import NO_SYNONYMS, Synonyms
from expectations.schemas.predictions import ANSWERS

_OF_QUESTION = ("source", "subtask", "recording_id", "options", "answer", "answer_text", "chance")


def extract_answers(
    questions: pl.DataFrame, calls: pl.DataFrame, synonyms: Mapping[str, Synonyms] | None = None
) -> pl.DataFrame:
    """One answer per question and run that asked it, or per reply where a run asks for several.

    Of the calls on the question's *current* hash the latest with status `ok` is read (by time of
    asking, then attempt); without one the latest error stands: it is shown, and no score counts it
    as an answer. A question a run never asked has no answer there; a call on an older wording or another video
    (another hash) is not an answer to this question.

    Args:
        questions: Rows of `questions`.
        calls: Rows of `calls`, of any runs; a column `sample` numbers the replies to a question, and
            without it there is one.
        synonyms: What knows synonyms, by source of the questions; for None, words match by their stems.

    Returns:
        Rows of `answers`, sorted by key. Where a question's answer is withheld, nobody can say whether a
        letter is right.

    Raises:
        ValueError: A question's answer is not one of its letters: the question stage is wrong.
    """
    keys = ["benchmark", "question_id", "question_hash"]
    if "sample" not in calls.columns:
        calls = calls.with_columns(sample=pl.lit(0, dtype=pl.Int64()))
    columns = (
        "sample",
        "run",
        "call_key",
        "attempt",
        "reply",
        "status",
        "finish_reason",
        "asked_at",
    )
    asked = calls.select(*keys, *columns, "reply_cut_bytes").join(
        questions.select(*keys, *_OF_QUESTION),
        on=keys,
        how="inner",
    )
    latest = (
        asked.with_columns(_ok=pl.col("status") == "ok")
        .sort("_ok", "asked_at", "attempt", "call_key")
        .group_by("benchmark", "run", "question_id", "sample", maintain_order=True)
        .last()
        .sort("benchmark", "run", "question_id", "sample")
    )
    known = synonyms or {}
    return ANSWERS.frame(
        _answer(row, known.get(row["source"], NO_SYNONYMS)) for row in latest.iter_rows(named=True)
    )


def _answer(row: dict[str, Any], synonyms: Synonyms) -> dict[str, Any]:
    letters = [option["letter"] for option in row["options"]]
    if row["answer"] is not None and row["answer"] not in letters:
        raise ValueError(
            f"question {row['question_id']}: answer {row['answer']!r} is not one of {letters}"
        )
    # A question without options has its answer in words, or in a form of its own.
    known = row["answer"] if letters else row["answer_text"]
    read, right = _read(row, letters)
    chain = None if letters else _chain(row)
    return {
        "benchmark": row["benchmark"],
        "run": row["run"],
        "question_id": row["question_id"],
        "question_hash": row["question_hash"],
        "call_key": row["call_key"],
        "attempt": row["attempt"],
        "subtask": row["subtask"],
        "recording_id": row["recording_id"],
        "letter": read.letter,
        "status": read.status,
        "rule": read.rule,
        "right": None if known is None else right and read.status == "parsed",
        "chance": row["chance"],
        "sample": row["sample"],
        "match": None if letters else _match(row, read, synonyms),
        **({} if chain is None else _of_chain(chain)),
    }


def _chain(row: dict[str, Any]) -> ChainOutcome | None:
    """What became of a chain; null where nothing was replied, or the answer is not a chain."""
    answer = row["answer_text"]
    if row["status"] != "ok" or kind_of(answer) != "chain":
        return None
    _, chain = read_chain_reply(row["reply"] or "", truncated=_is_cut(row))
    return chain_outcome(chain, valid_chains(answer))


def _of_chain(found: ChainOutcome) -> dict[str, Any]:
    return {
        "chain_outcome": found.outcome,
        "chain": found.chain,
        "moves": found.moves,
        "right_directions": found.right,
        "near_directions": found.near,
    }


def _match(row: dict[str, Any], read: Reading, synonyms: Synonyms) -> str | None:
    """How a reply in words matches the answer; null where nothing is compared by words."""
    answer = row["answer_text"]
    if answer is None or row["status"] != "ok" or kind_of(answer) != "words":
        return None
    step = matched_by(row["reply"] or "", answer, synonyms) if read.status == "parsed" else None
    if step is not None:
        return step
    return "none" if synonyms.thesaurus is not None else "none_without_synsets"


def _read(row: dict[str, Any], letters: list[str]) -> tuple[Reading, bool]:
    """What can be read of a call's reply, and whether it is the released answer."""
    if row["status"] != "ok":
        return Reading(None, "error", "call_error"), False
    cut = _is_cut(row)
    if not letters:
        return read_without_options(row["reply"] or "", row["answer_text"], truncated=cut)
    texts = [option["text"] for option in row["options"]]
    read = read_option(row["reply"], letters, texts, truncated=cut)
    return read, read.letter == row["answer"]


def _is_cut(row: dict[str, Any]) -> bool:
    return row["finish_reason"] == "length" or row["reply_cut_bytes"] is not None
