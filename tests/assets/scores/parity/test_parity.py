"""Scores by other readers' rules: those of published code equal what that code gave on recorded runs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.predictions.answers import extract_answers
from assets.scores.parity.readers import PUBLISHED, OtherReading, chains_of
from assets.scores.parity.table import Reader, parity_answers, parity_scores, replies_of
from expectations.schemas import TABLES

LETTERS = "ABCD"


def tables(rows: Iterable[Mapping[str, Any]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Questions and calls from rows of `reply`, and what of a question counts."""
    questions, calls = [], []
    for place, row in enumerate(rows):
        name = f"q{place:05d}"
        texts = row.get("options", ["one", "two", "three", "four"])
        questions.append(
            {
                "benchmark": "b",
                "source": "s",
                "pool": "p",
                "subtask": row.get("subtask", "task"),
                "recipe": "r/1",
                "question_id": name,
                "question_hash": f"h{name}",
                "recording_id": "rec",
                "text": row.get("question", "What?"),
                "options": [
                    {"letter": x, "text": t, "is_answer": x == row["answer"]}
                    for x, t in zip(LETTERS, texts, strict=False)
                ],
                "media": [],
                "answer": row["answer"],
                "chance": 0.25,
                "media_present": True,
                "answer_text": row.get("answer_text"),
                "rationale": [],
                "evidence": [],
                "licence": "",
            }
        )
        calls.append(
            {
                "benchmark": "b",
                "run": "r",
                "call_key": f"c{place}",
                "attempt": 0,
                "question_id": name,
                "question_hash": f"h{name}",
                "reply": row["reply"],
                "status": "error" if row["reply"] is None else "ok",
                "finish_reason": "stop",
                "asked_at": "2026-01-01T00:00:00Z",
            }
        )
    return TABLES["questions"].frame(questions), TABLES["calls"].frame(calls)


def read_by(reader: str, rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Rows of `parity_answers`."""
    questions, calls = tables(rows)
    replies = replies_of(extract_answers(questions, calls), calls, questions.select(
        "question_id", "question_hash", "text", "options", "answer", "answer_text"
    ))  # fmt: skip
    published = PUBLISHED[reader]

    def read(row: Mapping[str, Any]) -> tuple[OtherReading, None] | None:
        found = published.read(row["reply"], row)
        return None if found is None else (found, None)

    return parity_answers(replies, [Reader(reader, "published", published.version, read)])


def values(scores: pl.DataFrame, metric: str = "accuracy") -> dict[str, float]:
    return dict(scores.filter(metric=metric).select("slice", "value").iter_rows())


@pytest.fixture(scope="module")
def oracle(shared: Path) -> Any:
    return lambda name: (shared / "oracles" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["clean_1000", "clean_7330", "all_unparsable", "index_shuffled"])
def test_egoexobench_scores_are_those_of_the_released_evaluation(oracle: Any, name: str) -> None:
    (run,) = (r for r in json.loads(oracle("egoexobench/evaluate_runs.json")) if r["name"] == name)
    rows = [
        row | {"reply": row["prediction"], "subtask": row["subtask_type"], "options": LETTERS}
        for row in run["input"]
    ]
    answers = read_by("egoexobench", rows)
    found = values(parity_scores(answers))
    if name != "index_shuffled":
        assert answers["right"].cast(pl.Float64).to_list() == run["scores"]
        for subtask, (right, n, _) in run["rating"].items():
            assert found["micro" if subtask == "overall" else subtask] == pytest.approx(right / n)
    else:
        # Its scores of subtasks go to the wrong rows there, as the official index is a row label.
        right, n, _ = run["rating"]["overall"]
        assert found["micro"] == pytest.approx(right / n)


@pytest.mark.parametrize("name", ["index_starts_at_1", "subset_index_100_149_all_wrong"])
def test_rows_that_the_released_evaluation_adds_are_in_no_score(oracle: Any, name: str) -> None:
    """It writes scores by row label; rows without one are added, or left over, and count as right."""
    (run,) = (r for r in json.loads(oracle("egoexobench/evaluate_runs.json")) if r["name"] == name)
    rows = [r | {"reply": r["prediction"], "subtask": r["subtask_type"]} for r in run["input"]]
    found = values(parity_scores(read_by("egoexobench", rows)))
    right, n, _ = run["rating"]["overall"]
    added = n - len(rows)
    assert added > 0
    assert found["micro"] == pytest.approx((right - added) / len(rows))


@pytest.mark.parametrize("name", ["has_empty", "has_None_string", "has_NA_string", "formula"])
def test_replies_that_end_the_released_evaluation_are_counted_and_wrong(
    oracle: Any, name: str
) -> None:
    (run,) = (r for r in json.loads(oracle("egoexobench/evaluate_runs.json")) if r["name"] == name)
    rows = [r | {"reply": r["prediction"], "subtask": r["subtask_type"]} for r in run["input"]]
    answers = read_by("egoexobench", rows)
    (ending,) = (r for r in rows if r["reply"] in ("", "None", "N/A") or r["reply"][0] == "=")
    assert run["error"].endswith("has no attribute 'strip'")
    scores = parity_scores(answers).filter(slice="micro")
    assert scores["n_ends_evaluation"][0] == 1
    assert scores["n"][0] == len(rows)
    assert not answers["right"][rows.index(ending)]


@pytest.mark.parametrize("place", range(3))
def test_egocross_scores_are_those_of_the_released_evaluation(oracle: Any, place: int) -> None:
    run = json.loads(oracle("egocross/closedset_runs.json"))[place]
    rows = [
        {"reply": r["response"], "answer": r["gt"], "subtask": r["primary_category"]}
        for r in run["inputs"]
    ]
    answers = read_by("egocross", rows)
    assert answers["right"].to_list() == [r["success"] for r in run["inputs"]]
    scores = parity_scores(answers)
    assert values(scores)["micro"] == pytest.approx(run["summary"]["accuracy"])
    (whole,) = scores.filter(slice="micro").to_dicts()
    assert whole["n"] == run["summary"]["total"]
    assert whole["effect"] == pytest.approx(whole["value"] - whole["ours"])
    assert whole["effect"] == pytest.approx((whole["n_gained"] - whole["n_lost"]) / whole["n"])
    assert 0 < whole["n_lost"] <= whole["n_differ"]


def test_egoprox_chains_are_scored_as_released_and_unread_ones_leave_the_denominator(
    oracle: Any,
) -> None:
    def lines(name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in oracle(f"egoprox_released/{name}").splitlines()]

    cases = {case["id"]: case for case in lines("chains.jsonl")}
    runs = lines("runs.jsonl")
    for run in runs:
        rows = [
            {
                "reply": cases[key]["answer"],
                "answer": None,
                "options": (),
                "answer_text": "\n".join(
                    json.dumps([one["node"], one["edge"]]) for one in cases[key]["correct_answer"]
                ),
            }
            for key in run["ids"]
        ]
        answers = read_by("egoprox", rows)
        scores = parity_scores(answers)
        left_out = sum(cases[key]["parsed"] is None for key in run["ids"])
        steps = scores.filter(metric="chain_steps", slice="micro").to_dicts()[0]
        assert (steps["n"], steps["n_left_out"]) == (60 - left_out, left_out)
        for metric, name in (
            ("chain_steps", "act_acc"),
            ("chain_directions", "rel_acc_s"),
            ("chain_directions_relaxed", "rel_acc_l"),
        ):
            assert values(scores, metric)["micro"] == pytest.approx(run[name]), metric
        assert "accuracy" not in set(scores["metric"])


def test_each_released_chain_counts_as_the_released_evaluation_counts_it_alone(oracle: Any) -> None:
    lines = oracle("egoprox_released/chains.jsonl").splitlines()
    cases = [json.loads(line) for line in lines]
    rows = [
        {
            "reply": case["answer"],
            "answer": None,
            "options": (),
            "answer_text": "\n".join(
                json.dumps([one["node"], one["edge"]]) for one in case["correct_answer"]
            ),
        }
        for case in cases
    ]
    found = read_by("egoprox", rows).select("right", "directions", "directions_relaxed").rows()
    assert len(found) == 600
    for case, values_alone in zip(cases, found, strict=True):
        assert [float(one or 0) for one in values_alone] == case["metrics_alone"], case


def test_a_chain_is_written_with_its_directions() -> None:
    assert chains_of('[[8, 7, 3], ["F", "A"]]\n[[1,2],["B"]]') == [
        ((8, 7, 3), ("F", "A")),
        ((1, 2), ("B",)),
    ]
    assert chains_of("the pot") == []


REPLIES = [
    {"reply": "The correct answer is <A>", "answer": "A", "subtask": "one"},
    {"reply": "Answer: B", "answer": "B", "subtask": "one"},
    {"reply": "The correct answer is apple", "answer": "A", "subtask": "two"},
    {"reply": "no idea", "answer": "C", "subtask": "two"},
    {"reply": "The correct answer is <B>", "answer": None, "subtask": "two"},
    {"reply": None, "answer": "A", "subtask": "two"},
]


def test_replies_on_which_both_differ_and_what_it_does_to_the_score() -> None:
    answers = read_by("egoprox", REPLIES)
    assert answers.height == 5, "a call that failed has no reply to read"
    columns = ("outcome", "theirs", "ours", "agrees", "right", "our_right")
    assert answers.select(columns).rows() == [
        ("read", "A", "A", True, True, True),
        ("unread", None, "B", False, False, True),
        ("read", "A", None, False, True, False),
        ("unread", None, None, True, False, False),
        ("read", "B", "B", True, None, None),
    ]
    scores = {row["slice"]: row for row in parity_scores(answers).to_dicts()}
    assert {k: (v["value"], v["ours"], v["effect"], v["n"]) for k, v in scores.items()} == {
        "one": (0.5, 1.0, -0.5, 2),
        "two": (0.5, 0.0, 0.5, 2),
        "micro": (0.5, 0.5, 0.0, 4),
        "macro": (0.5, 0.5, 0.0, 4),
    }
    whole = scores["micro"]
    assert (whole["n_differ"], whole["n_gained"], whole["n_lost"], whole["n_unread"]) == (
        2,
        1,
        1,
        2,
    )


def test_several_replies_to_a_question_count_with_their_mean() -> None:
    questions, calls = tables(REPLIES[:2])
    second = calls.with_columns(call_key=pl.lit("again") + pl.col("call_key"), sample=pl.lit(1))
    both = pl.concat([calls.with_columns(sample=pl.lit(0)), second]).with_columns(
        reply=pl.when(pl.col("call_key") == "againc0").then(pl.lit("B")).otherwise("reply")
    )
    replies = replies_of(
        extract_answers(questions, both.with_columns(pl.col("sample").cast(pl.Int64))),
        both,
        questions.select(
            "question_id", "question_hash", "text", "options", "answer", "answer_text"
        ),
    )
    reader = Reader(
        "egoprox",
        "published",
        "v",
        lambda r: (PUBLISHED["egoprox"].read(r["reply"], r), None),  # type: ignore[arg-type,return-value]
    )
    scores = parity_scores(parity_answers(replies, [reader]))
    (whole,) = scores.filter(slice="micro").to_dicts()
    assert (whole["n"], whole["value"], whole["ours"]) == (2, 0.25, 0.75)


def test_what_a_model_has_not_read_is_in_no_score() -> None:
    questions, calls = tables(REPLIES[:2])
    replies = replies_of(extract_answers(questions, calls), calls, questions.select(
        "question_id", "question_hash", "text", "options", "answer", "answer_text"
    ))  # fmt: skip
    read = {"A": (OtherReading("read", "A", "A", True), "k"), "B": (OtherReading("error"), "k")}
    reader = Reader("qwen", "model", "qwen@1", lambda reply: read[reply["letter"]])
    answers = parity_answers(replies, [reader])
    assert answers["agrees"].to_list() == [True, None]
    (whole,) = parity_scores(answers).filter(slice="micro").to_dicts()
    assert (whole["n"], whole["n_missing"], whole["value"], whole["ours"]) == (1, 1, 1.0, 1.0)
