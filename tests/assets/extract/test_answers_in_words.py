"""Replies to questions without options, with what a careful person reads, and whether that is the released answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assets.extract.words import plain_words, read_without_options, read_words
from assets.predictions.judging.cases import open_case

ROWS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "answers_in_words.jsonl").read_text("utf-8").splitlines()
]


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
    assert len({row["id"] for row in ROWS}) == len(ROWS) >= 60
    for row in ROWS:
        assert row["why"]
        assert (row["reading"]["value"] is None) == (row["reading"]["status"] != "answered")
        assert not row["right"] or row["reading"]["value"] is not None
