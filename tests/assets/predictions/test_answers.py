"""Which call becomes the answer."""

from __future__ import annotations

from typing import Any, get_args

import polars as pl
import pytest

from assets.extract.letters import Reading
from assets.extract.times import Unit
from assets.predictions import answers as reading
from assets.predictions.answers import UnreadReply, extract_answers
from assets.scores.table import score
from expectations.schemas import TABLES
from expectations.schemas.predictions import TIME_UNITS


def questions(answer: str = "B", question_hash: str = "new") -> pl.DataFrame:
    row = {
        "benchmark": "b",
        "source": "s",
        "pool": "p",
        "subtask": "k3",
        "recipe": "r/1",
        "question_id": "q",
        "question_hash": question_hash,
        "split": "val",
        "recording_id": "rec",
        "text": "?",
        "options": [
            {"letter": x, "text": None, "segment_id": x, "is_answer": x == answer} for x in "ABC"
        ],
        "media": [],
        "answer": answer,
        "chance": 1 / 3,
        "media_present": True,
        "evidence": [],
        "licence": "l",
    }
    return TABLES["questions"].frame([row])


def call(reply: str | None, attempt: int = 0, **changes: Any) -> dict[str, Any]:
    row = {
        "benchmark": "b",
        "run": "r",
        "call_key": "k",
        "attempt": attempt,
        "question_id": "q",
        "question_hash": "new",
        "protocol": "direct/1",
        "model": "m",
        "prompt": "?",
        "media_recipe": "{}",
        "bytes_hash": None,
        "reply": reply,
        "option_scores": None,
        "status": "error" if reply is None else "ok",
        "error": "TimeoutError: 30 s" if reply is None else None,
        "asked_at": f"2026-01-0{attempt + 1}T00:00:00Z",
        "seconds": 0.1,
    }
    return row | changes


def read(*calls: dict[str, Any]) -> list[dict[str, Any]]:
    answers = extract_answers(questions(), TABLES["calls"].frame(calls))
    assert answers.schema == TABLES["answers"].schema
    return answers.to_dicts()


@pytest.mark.parametrize(
    ("calls", "letter", "status", "right", "attempt"),
    [
        ([call("Answer: B")], "B", "parsed", True, 0),
        ([call("Answer: A")], "A", "parsed", False, 0),
        ([call("Answer: A"), call("Answer: B", 1)], "B", "parsed", True, 1),
        # A failed refresh does not take back a reply that is there.
        ([call("Answer: B"), call(None, 1)], "B", "parsed", True, 0),
        ([call(None), call("B", 1), call(None, 2)], "B", "parsed", True, 1),
        ([call(None)], None, "error", False, 0),
        ([call(None), call(None, 1)], None, "error", False, 1),
        ([call("")], None, "empty", False, 0),
        ([call("B or C")], None, "ambiguous", False, 0),
        ([call("I cannot determine")], None, "refused", False, 0),
        # Another letter set: D is not one of this question's letters.
        ([call("D")], None, "ambiguous", False, 0),
        # A reply to an older wording is not a reply to this question.
        ([call("A"), call("B", 1, question_hash="old")], "A", "parsed", False, 0),
        # Another recipe of the same question, asked later under its own key.
        (
            [call("A", attempt=0), call("B", attempt=0, call_key="j", asked_at="2026-02-01")],
            "B",
            "parsed",
            True,
            0,
        ),
    ],
)
def test_which_reply_counts(
    calls: list[dict], letter: str | None, status: str, right: bool, attempt: int
) -> None:
    for order in (calls, calls[::-1]):
        (row,) = read(*order)
        assert (row["letter"], row["status"], row["right"]) == (letter, status, right)
        assert row["attempt"] == attempt


def test_only_old_replies_is_no_answer() -> None:
    assert read(call("B", question_hash="old")) == []


def test_runs_are_kept_apart() -> None:
    rows = read(call("B"), call("A", run="other"))
    assert [(row["run"], row["right"]) for row in rows] == [("other", False), ("r", True)]


def test_answer_outside_the_options_is_broken_machinery() -> None:
    with pytest.raises(ValueError, match="'Z' is not one of"):
        extract_answers(questions(answer="Z"), TABLES["calls"].frame([call("B")]))


@pytest.mark.parametrize(
    ("reply", "finish_reason", "letter", "status"),
    [
        ("Let me think. Option B shows the pot, so B", "length", None, "truncated"),
        ("Let me think. Option B shows the pot, so B", "stop", "B", "parsed"),
        ("Let me think. Option B shows the pot, so B", None, "B", "parsed"),
        ("B. The hand holds", "length", "B", "parsed"),
        ("", "length", None, "truncated"),
        ("", "stop", None, "empty"),
    ],
)
def test_a_reply_that_was_cut_off_is_read_as_one(
    reply: str, finish_reason: str | None, letter: str | None, status: str
) -> None:
    calls = TABLES["calls"].frame([call(reply, finish_reason=finish_reason)])
    answer = extract_answers(questions(), calls).row(0, named=True)
    assert (answer["letter"], answer["status"]) == (letter, status)


PAIRS = [f"Video{i}-Video{j}" for i in range(1, 5) for j in range(i + 1, 6)]


@pytest.mark.parametrize(
    ("reply", "letter", "status"),
    [
        ("Video2-Video5", "G", "parsed"),
        ("Video5-Video2", "G", "parsed"),
        ("The fifth and the second video are identical.", "G", "parsed"),
        ("Video1-Video3 differ. The duplicates are Video4-Video5.", "J", "parsed"),
        # Prompts that list the pairs have letters beside them.
        ("The answer is C.", "C", "parsed"),
        ("(G) Video2-Video5", "G", "parsed"),
        ("Video2-Video9", None, "ambiguous"),
        ("Video3-Video3", None, "ambiguous"),
        ("Either Video1-Video2 or Video3-Video4.", None, "ambiguous"),
        ("They all look alike to me.", None, "ambiguous"),
        ("", None, "empty"),
    ],
)
def test_a_reply_that_names_two_videos_is_read_as_the_option_of_that_pair(
    reply: str, letter: str | None, status: str
) -> None:
    options = [
        {"letter": x, "text": text, "segment_id": None, "is_answer": x == "G"}
        for x, text in zip("ABCDEFGHIJ", PAIRS, strict=True)
    ]
    asked = TABLES["questions"].frame(
        [{**questions(answer="G").row(0, named=True), "options": options, "chance": 0.1}]
    )
    calls = TABLES["calls"].frame([call(reply)])
    (answer,) = extract_answers(asked, calls).to_dicts()
    assert (answer["letter"], answer["status"], answer["right"]) == (letter, status, letter == "G")


def test_every_reply_that_a_run_asks_for_is_an_answer() -> None:
    calls = [
        call("A", call_key="k0"),
        call("B", call_key="k1"),
        call(None, call_key="k2"),
        call("B", 1, call_key="k2"),
    ]
    numbered = TABLES["calls"].frame(calls).with_columns(sample=pl.Series([0, 1, 2, 2]))
    found = extract_answers(questions(), numbered)
    assert found.select("sample", "call_key", "attempt", "letter", "right").rows() == [
        (0, "k0", 0, "A", False),
        (1, "k1", 0, "B", True),
        (2, "k2", 1, "B", True),
    ]


def worded(answer: str | None, text: str = "When is the knife taken?") -> pl.DataFrame:
    """A question without options."""
    row = questions().row(0, named=True) | {"text": text, "options": [], "chance": 0.0}
    return TABLES["questions"].frame([row | {"answer": None, "answer_text": answer}])


TIMES = ("time_s", "time_end_s", "time_frame", "time_end_frame", "time_unit")


@pytest.mark.parametrize(
    ("answer", "reply", "right", "match", "time"),
    [
        ("13 s", "13 s", True, "equal", (13.0, None, None, None, "s")),
        ("13 s", "13 S.", True, "normalised", (13.0, None, None, None, "s")),
        ("13 s", "at 0:13", True, "unit", (13.0, None, None, None, "clock")),
        ("13 s", "frame 325", False, "none_without_synsets", (None, None, 325, None, "frame")),
        ("6.0-9.0 s", "0:06-0:09", True, "unit", (6.0, 9.0, None, None, "clock")),
        ("13 s", "I cannot tell.", False, "none_without_synsets", (None,) * 5),
        ("a knife", "13 s", False, "none_without_synsets", (None,) * 5),
        (None, "13 s", None, None, (None,) * 5),
    ],
)
def test_a_time_is_right_by_what_it_amounts_to_and_kept_as_it_was_told(
    answer: str | None, reply: str, right: bool | None, match: str | None, time: tuple[Any, ...]
) -> None:
    calls = TABLES["calls"].frame([call(f"<think>10 s?</think>{reply}")])
    found = extract_answers(worded(answer), calls)
    assert found.select("right", "match").row(0) == (right, match)
    assert found.select(TIMES).row(0) == time


def test_how_long_something_takes_is_an_amount_and_no_point_in_time() -> None:
    asked = worded("2 minutes", "How long does it take?")
    found = extract_answers(asked, TABLES["calls"].frame([call("120 s")]))
    assert found.select("right", "match", "time_s").row(0) == (False, "unit", None)


def test_an_answer_behind_a_thought_is_right_and_a_refusal_is_none() -> None:
    for reply, status, right in (
        ("<think>A spoon?</think>knife", "parsed", True),
        ("I'm sorry, I cannot answer.", "refused", False),
    ):
        found = extract_answers(worded("knife"), TABLES["calls"].frame([call(reply)]))
        assert found.select("status", "right").row(0) == (status, right)


def test_units_of_times_are_those_of_the_reader() -> None:
    assert get_args(Unit) == TIME_UNITS


def fails_on(reply: str, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Have the reader of letters fail on one reply."""
    read_option = reading.read_option

    def failing(text: str | None, *rest: Any, **named: Any) -> Reading:
        if text == reply:
            raise error
        return read_option(text, *rest, **named)

    monkeypatch.setattr(reading, "read_option", failing)


def test_a_reader_that_fails_on_one_reply_loses_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fails_on("C!", monkeypatch, ValueError("no such hour"))
    calls = TABLES["calls"].frame([call("B", run="one"), call("C!", run="two"), call("A", run="x")])
    unread: list[UnreadReply] = []
    found = extract_answers(questions(), calls, unread=unread.append)
    assert found.select("run", "letter", "status", "rule", "right").rows() == [
        ("one", "B", "parsed", found["rule"][0], True),
        ("two", None, "error", "reader_error", False),
        ("x", "A", "parsed", found["rule"][2], False),
    ]
    (row,) = score(found.filter(run="two")).filter(slice="micro").to_dicts()
    assert (row["value"], row["n"], row["n_unparsed"], row["n_errors"]) == (None, 0, 0, 1)

    (one,) = unread
    refusal = one.refusal
    assert (refusal.rule, refusal.value, refusal.row) == (
        "reader_error",
        "C!",
        "call_key=k attempt=0",
    )
    assert "question q of run two" in refusal.message
    assert "ValueError: no such hour (test_answers.py, line " in refusal.message
    assert "report it" in refusal.remedy

    assert not caplog.records
    extract_answers(questions(), calls)
    (record,) = caplog.records
    assert "b.two: the reply to question q of run two cannot be read" in record.getMessage()


def test_a_machine_without_memory_is_no_fault_of_a_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    fails_on("C!", monkeypatch, MemoryError())
    with pytest.raises(MemoryError):
        extract_answers(questions(), TABLES["calls"].frame([call("C!")]))
