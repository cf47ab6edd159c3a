"""Replies to questions without options, with what a careful person reads, and whether that is the released answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assets.extract.words import (
    kind_of,
    plain_words,
    read_time_reply,
    read_without_options,
    read_words,
)
from assets.predictions.judging.cases import open_case


def rows_of(name: str) -> list[dict[str, Any]]:
    text = (Path(__file__).parent / name).read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


ROWS = rows_of("answers_in_words.jsonl")


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_answers_in_words(row: dict[str, Any]) -> None:
    reply, reference, cut = row["reply"], row["reference"], row.get("cut", False)
    words = read_words(reply, reference, truncated=cut)
    status, value = row["reading"]["status"], row["reading"]["value"]
    assert {"parsed": "answered"}.get(words.status, words.status) == status, row["why"]
    if value is None:
        assert words.value is None
    else:
        assert words.value is not None
        assert plain_words(words.value.answer) == plain_words(value)

    read, right = read_without_options(reply, reference, truncated=cut)
    assert (read.letter, read.status, right) == (None, words.status, row["right"])
    # A judge is shown the same reading.
    question = {"text": "?", "answer_text": reference, "detailed_answer": None}
    given = open_case(question, reply, truncated=cut).given
    assert given == ("" if words.value is None else words.value.answer)


def test_each_reading_is_explained_and_no_refusal_is_an_answer() -> None:
    assert len(ROWS) >= 60 and len(TIMES) >= 60
    assert len({row["id"] for row in ROWS + TIMES}) == len(ROWS + TIMES)
    for row in ROWS + TIMES:
        assert row["why"]
        assert (row["reading"]["value"] is None) == (row["reading"]["status"] != "answered")
        assert not row["right"] or row["reading"]["value"] is not None


TIMES = rows_of("answers_with_times.jsonl")


def column(value: float | int | str | None, name: str) -> dict[str, float | int | str]:
    return {} if value is None else {name: value}


@pytest.mark.parametrize("row", TIMES, ids=[row["id"] for row in TIMES])
def test_answers_with_times(row: dict[str, Any]) -> None:
    given = row["reply"], row["reference"], row["question"]
    cut = row.get("cut", False)
    assert kind_of(row["reference"], row["question"]) == "time"
    read, moment = read_time_reply(*given, truncated=cut)
    value = None
    if moment is not None:
        value = {
            **column(moment.first.seconds, "seconds"),
            **column(moment.last and moment.last.seconds, "end"),
            **column(moment.first.frame, "frame"),
            "unit": moment.first.unit,
        }
    status = {"parsed": "answered"}.get(read.status, read.status)
    assert (status, value) == (row["reading"]["status"], row["reading"]["value"]), row["why"]
    known, right = read_without_options(*given, truncated=cut)
    assert (known, right) == (read, row["right"])


@pytest.mark.parametrize(
    ("answer", "question", "kind"),
    [
        ("13 s", "When is it?", "time"),
        ("1:05", "When is it?", "time"),
        ("Frame 325.", "When is it?", "time"),
        ("around 5.7 seconds", "When is it?", "time"),
        ("30 seconds", "How long does it take?", "words"),
        ("2 minutes", "How many minutes pass?", "words"),
        ("13", "When is it?", "words"),
        ("2 cups", "What is taken?", "words"),
        ("the second drawer", "Which is opened?", "words"),
        ("10 s and 13 s", "When is it?", "words"),
        ("after 13 s of cutting", "When is it?", "words"),
        (None, "When is it?", "words"),
    ],
)
def test_the_form_of_the_released_answer_makes_it_a_time(
    answer: str | None, question: str, kind: str
) -> None:
    assert kind_of(answer, question) == kind


def test_what_is_no_time_is_not_read_as_one() -> None:
    with pytest.raises(ValueError, match="'a knife' is not a time"):
        read_time_reply("13 s", "a knife")


# Refusals in Russian and Indonesian in words that no rule knows.
READ_AS_WORDS = {"x-255", "x-341"}


def test_no_refusal_of_a_letter_is_an_answer_in_words() -> None:
    names = sorted(path.name for path in (Path(__file__).parent / "replies").glob("*.jsonl"))
    refused = [
        row
        for name in names
        for row in rows_of(f"replies/{name}")
        if row["kind"].startswith("letter") and row["reading"]["status"] == "refused"
    ]
    assert len(refused) > 400
    read = {row["id"] for row in refused if read_words(row["reply"]).value is not None}
    assert read <= READ_AS_WORDS
