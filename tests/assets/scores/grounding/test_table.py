"""Rows and scores of grounding, with values worked out by hand."""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import pytest

from assets.scores.grounding.matching import Facts
from assets.scores.grounding.table import grounding_scores, groundings
from expectations.contracts import check
from expectations.schemas import TABLES

FACTS = Facts(((1.0, 2.0), (6.0, 7.0)), ("cup", "pan"), ())
GOOD = 'Answer: A\n1. At 1.5 s the wearer takes the "cup".\n2. At 6.5 s the "pan" is wiped.'
HALF = 'Answer: B\n1. At 1.5 s the wearer takes the "cup".\n2. At 12.0 s the "lid" is closed.'
NONE = "Answer: A\n1. I am quite sure of it."


def reply(i: int, text: str, **changes: Any) -> dict[str, Any]:
    return {
        "benchmark": "b",
        "run": "r",
        "question_id": f"q{i}",
        "question_hash": "h",
        "sample": 0,
        "subtask": f"s{i % 2}",
        "recording_id": f"rec{i}",
        "call_key": f"c{i}",
        "attempt": 1,
        "source": "flat",
        "reply": text,
        "finish_reason": "stop",
    } | changes


def rows(*replies: dict[str, Any]) -> pl.DataFrame:
    found = groundings(replies, {one["question_id"]: FACTS for one in replies})
    assert not check(TABLES["groundings"], found).refused
    return found


def scores(*replies: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    found = grounding_scores(rows(*replies))
    assert not check(TABLES["grounding_scores"], found).refused
    return {(row["slice"], row["metric"]): row for row in found.iter_rows(named=True)}


def test_a_reply_that_cites_its_evidence() -> None:
    row = rows(reply(0, GOOD)).row(0, named=True)
    assert row["status"] == "cited"
    assert [row[f"times_{part}"] for part in ("cited", "supported", "known", "found")] == [
        2,
        2,
        2,
        2,
    ]
    assert [row[f"objects_{part}"] for part in ("cited", "supported", "known", "found")] == [
        2,
        2,
        2,
        2,
    ]
    assert row["boxes_cited"] == row["boxes_known"] == 0


def test_what_the_evidence_says_nothing_of_is_in_no_precision() -> None:
    boxed = 'Answer: A\n1. At 1.5 s the "cup" is at [0.1, 0.1, 0.2, 0.2].'
    row = rows(reply(0, boxed)).row(0, named=True)
    assert (row["boxes_cited"], row["boxes_supported"]) == (1, None)
    found = scores(reply(0, boxed))
    assert found["micro", "box_precision"]["value"] is None
    assert found["micro", "box_precision"]["n"] == 0
    assert found["micro", "object_precision"]["value"] == 1.0


def test_the_letter_of_an_option_is_no_thing() -> None:
    plain = "Answer: A\n1. At 1.5 s the wearer takes the cup."
    row = rows(reply(0, plain)).row(0, named=True)
    assert (row["objects_cited"], row["objects_supported"]) == (1, 1)


def test_why_nothing_was_read() -> None:
    found = rows(
        reply(0, NONE),
        reply(1, "I'm sorry, I cannot help with that."),
        reply(2, ""),
        reply(3, "1. The camera wearer takes the", finish_reason="length"),
        *(reply(4 + i, letter) for i, letter in enumerate("ABCD")),
    )
    assert dict(found.select("question_id", "status").iter_rows()) == {
        "q0": "nothing",
        "q1": "refused",
        "q2": "empty",
        "q3": "truncated",
        **{f"q{4 + i}": "nothing" for i in range(4)},
    }


def test_precision_is_over_what_is_cited_and_recall_over_what_is_known() -> None:
    found = scores(reply(0, GOOD), reply(2, HALF), reply(4, NONE), reply(6, ""))
    precision, recall = (found["micro", f"time_{part}"] for part in ("precision", "recall"))
    # NONE cites nothing: it finds nothing, and is in no precision. The empty reply is in neither.
    assert (precision["value"], precision["n"], precision["n_unread"]) == (
        pytest.approx(0.75),
        2,
        1,
    )
    assert (recall["value"], recall["n"], recall["n_unread"]) == (pytest.approx(0.5), 3, 1)
    assert found["micro", "object_precision"]["value"] == pytest.approx(0.75)
    assert found["micro", "box_recall"]["value"] is None
    assert found["micro", "box_recall"]["n"] == 0


def test_macro_weighs_subtasks_alike_and_has_no_value_where_one_has_none() -> None:
    found = scores(reply(0, GOOD), reply(2, GOOD), reply(4, HALF), reply(1, HALF))
    assert found["s0", "time_precision"]["value"] == pytest.approx((1 + 1 + 0.5) / 3)
    assert found["macro", "time_precision"]["value"] == pytest.approx(((1 + 1 + 0.5) / 3 + 0.5) / 2)
    assert scores(reply(0, GOOD), reply(1, NONE))["macro", "time_precision"]["value"] is None


def test_of_several_replies_to_a_question_their_mean_counts() -> None:
    found = scores(reply(0, GOOD), reply(0, HALF, sample=1, call_key="c"), reply(2, HALF))
    assert found["micro", "time_recall"]["value"] == pytest.approx((0.75 + 0.5) / 2)
    assert found["micro", "time_recall"]["n"] == 2


def test_scores_do_not_depend_on_the_order_of_replies() -> None:
    replies = [reply(i, (GOOD, HALF, NONE)[i % 3], recording_id=f"rec{i % 4}") for i in range(20)]
    shuffled = replies.copy()
    random.Random(1).shuffle(shuffled)
    assert scores(*replies) == scores(*shuffled)
