"""From calls to answers: the latest usable reply to each question as it is now."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import polars as pl

from assets.extract.letters import Reading
from assets.extract.words import (
    kind_of,
    matched_by,
    read_chain_reply,
    read_option,
    read_time_reply,
    read_without_options,
    valid_chains,
)
from assets.predictions.chain_outcomes import ChainOutcome, chain_outcome
from assets.words.matching import NO_SYNONYMS, Synonyms
from expectations.contracts import Refusal
from expectations.schemas.predictions import ANSWERS

READER_ERROR = "reader_error"
"""Rule of an answer whose reply no reader could read by a fault of this project."""

_OF_QUESTION = (
    "source",
    "subtask",
    "recording_id",
    "text",
    "options",
    "answer",
    "answer_text",
    "chance",
)
_REMEDY = (
    "report it with the reply: a reader must not fail, and the reply is read again with the next version;"
    " until then no score counts it"
)
_LOG = logging.getLogger("parallax")


@dataclass(frozen=True, slots=True)
class UnreadReply:
    """A reply that a reader failed on: a fault of this project, not of the model.

    Attributes:
        benchmark: Benchmark of the question.
        run: Run that asked.
        question_id: Question.
        call_key: Call.
        attempt: Its attempt.
        reply: Reply as it came.
        fault: What the reader raised, and where.
    """

    benchmark: str
    run: str
    question_id: str
    call_key: str
    attempt: int
    reply: str
    fault: str

    @property
    def refusal(self) -> Refusal:
        """Row of `quarantine`."""
        return Refusal(
            None,
            f"call_key={self.call_key} attempt={self.attempt}",
            READER_ERROR,
            self.reply,
            f"the reply to question {self.question_id} of run {self.run} cannot be read: {self.fault}",
            _REMEDY,
            ANSWERS.name,
        )


def log_unread(one: UnreadReply) -> None:
    """Log that a reply cannot be read, with the exception and what to do about it."""
    _LOG.error("%s.%s: %s; %s", one.benchmark, one.run, one.refusal.message, one.refusal.remedy)


def extract_answers(
    questions: pl.DataFrame,
    calls: pl.DataFrame,
    synonyms: Mapping[str, Synonyms] | None = None,
    unread: Callable[[UnreadReply], object] = log_unread,
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
        unread: Called with each reply that a reader fails on. Its answer has status `error`, as one to a failed
            call has, and the answers to all other replies are read.

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
        _answer(row, known.get(row["source"], NO_SYNONYMS), unread)
        for row in latest.iter_rows(named=True)
    )


def _answer(
    row: dict[str, Any], synonyms: Synonyms, unread: Callable[[UnreadReply], object]
) -> dict[str, Any]:
    letters = [option["letter"] for option in row["options"]]
    if row["answer"] is not None and row["answer"] not in letters:
        raise ValueError(
            f"question {row['question_id']}: answer {row['answer']!r} is not one of {letters}"
        )
    try:
        read = _what_was_read(row, letters, synonyms)
    except MemoryError:
        raise  # the machine's fault, and no matter of this reply
    except Exception as fault:  # noqa: BLE001 - a fault at one reply is its row
        unread(
            UnreadReply(
                row["benchmark"],
                row["run"],
                row["question_id"],
                row["call_key"],
                row["attempt"],
                row["reply"] or "",
                _in_words(fault),
            )
        )
        read = _outcome(Reading(None, "error", READER_ERROR), False, row, letters)
    return {
        "benchmark": row["benchmark"],
        "run": row["run"],
        "question_id": row["question_id"],
        "question_hash": row["question_hash"],
        "call_key": row["call_key"],
        "attempt": row["attempt"],
        "subtask": row["subtask"],
        "recording_id": row["recording_id"],
        "chance": row["chance"],
        "sample": row["sample"],
        **read,
    }


def _in_words(fault: Exception) -> str:
    """Type, text and place of an exception."""
    place = traceback.extract_tb(fault.__traceback__)[-1]
    return f"{type(fault).__name__}: {fault} ({PurePath(place.filename).name}, line {place.lineno})"


def _what_was_read(row: dict[str, Any], letters: list[str], synonyms: Synonyms) -> dict[str, Any]:
    """Columns of an answer that a reader fills."""
    read, right = _read(row, letters)
    found = _outcome(read, right, row, letters)
    if letters:
        return found
    chain = _chain(row)
    return {
        **found,
        "match": _match(row, found, synonyms),
        **({} if chain is None else _of_chain(chain)),
        **_of_time(row),
    }


def _outcome(read: Reading, right: bool, row: dict[str, Any], letters: list[str]) -> dict[str, Any]:
    # A question without options has its answer in words, or in a form of its own.
    known = row["answer"] if letters else row["answer_text"]
    return {
        "letter": read.letter,
        "status": read.status,
        "rule": read.rule,
        "right": None if known is None else right and read.status == "parsed",
    }


def _chain(row: dict[str, Any]) -> ChainOutcome | None:
    """What became of a chain; null where nothing was replied, or the answer is not a chain."""
    answer = row["answer_text"]
    if row["status"] != "ok" or kind_of(answer) != "chain":
        return None
    _, chain = read_chain_reply(row["reply"] or "", truncated=was_cut_off(row))
    return chain_outcome(chain, valid_chains(answer))


def _of_chain(found: ChainOutcome) -> dict[str, Any]:
    return {
        "chain_outcome": found.outcome,
        "chain": found.chain,
        "moves": found.moves,
        "right_directions": found.right,
        "near_directions": found.near,
    }


def _of_time(row: dict[str, Any]) -> dict[str, Any]:
    """The time that was replied, as it was told; nothing where the answer is not a time."""
    answer, question = row["answer_text"], row["text"]
    if row["status"] != "ok" or kind_of(answer, question) != "time":
        return {}
    _, moment = read_time_reply(row["reply"] or "", answer, question, truncated=was_cut_off(row))
    if moment is None:
        return {}
    last = moment.last
    return {
        "time_s": moment.first.seconds,
        "time_end_s": None if last is None else last.seconds,
        "time_frame": moment.first.frame,
        "time_end_frame": None if last is None else last.frame,
        "time_unit": moment.first.unit,
    }


def _match(row: dict[str, Any], found: Mapping[str, Any], synonyms: Synonyms) -> str | None:
    """How a reply in words, or a time, matches the answer; null where nothing is compared by words."""
    answer = row["answer_text"]
    if answer is None or row["status"] != "ok":
        return None
    kind = kind_of(answer, row["text"])
    if kind not in ("words", "time"):
        return None
    is_read = found["status"] == "parsed"
    step = matched_by(row["reply"] or "", answer, synonyms) if is_read else None
    if kind == "time":
        # A time that amounts to another one is not the answer, whatever its words are.
        step = (step or "unit") if found["right"] else None
    if step is not None:
        return step
    return "none" if synonyms.thesaurus is not None else "none_without_synsets"


def _read(row: dict[str, Any], letters: list[str]) -> tuple[Reading, bool]:
    """What can be read of a call's reply, and whether it is the released answer."""
    if row["status"] != "ok":
        return Reading(None, "error", "call_error"), False
    cut = was_cut_off(row)
    if not letters:
        return read_without_options(
            row["reply"] or "", row["answer_text"], row["text"], truncated=cut
        )
    texts = [option["text"] for option in row["options"]]
    read = read_option(row["reply"], letters, texts, truncated=cut)
    return read, read.letter == row["answer"]


def was_cut_off(row: Mapping[str, Any]) -> bool:
    """Whether a reply was cut off, by the limit of tokens or of what is stored.

    Args:
        row: Columns finish_reason and reply_cut_bytes of `calls`.
    """
    return row["finish_reason"] == "length" or row["reply_cut_bytes"] is not None
