"""What becomes of a reply with a chain of actions, and the metrics that follow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.extract.chains import Chain
from assets.predictions.answers import extract_answers
from assets.predictions.chain_outcomes import ChainOutcome, are_near, chain_outcome
from assets.report.chain_rows import chain_rows
from assets.scores.table import score
from expectations.contracts import check
from expectations.schemas import TABLES
from expectations.schemas.scores import CHAIN_METRICS

ONE = Chain((4, 7, 1), ("G", "A"))
# The same steps over other ways, and another order.
VALID = [ONE, Chain((4, 7, 1), ("E", "D")), Chain((7, 4, 1), ("C", "C"))]


def read(text: str) -> Chain:
    steps, edges = json.loads(text)
    return Chain(tuple(steps), tuple(edges))


@pytest.mark.parametrize(
    ("chain", "outcome", "right", "near"),
    [
        (None, "unparsed", None, None),
        ('[[4, 7], ["G"]]', "wrong_length", None, None),
        ('[[4, 7, 1, 2], ["G", "A", "A"]]', "wrong_length", None, None),
        ('[[4, 7, 2], ["G", "A"]]', "wrong_steps", None, None),
        ('[[1, 7, 4], ["G", "A"]]', "wrong_steps", None, None),
        ('[[4, 4, 1], ["G", "A"]]', "wrong_steps", None, None),
        ('[[4, 7, 1], ["G", "A"]]', "right_steps", 2, 2),
        # The second valid chain with these steps fits better than the first.
        ('[[4, 7, 1], ["E", "D"]]', "right_steps", 2, 2),
        ('[[4, 7, 1], ["E", "A"]]', "right_steps", 1, 1),
        ('[[4, 7, 1], ["A", "H"]]', "right_steps", 0, 2),
        ('[[7, 4, 1], ["F", "E"]]', "right_steps", 0, 2),
        ('[[7, 4, 1], ["D", "D"]]', "right_steps", 0, 0),
    ],
)
def test_outcome_of_a_chain(chain: str | None, outcome: str, right: int, near: int) -> None:
    found = chain_outcome(None if chain is None else read(chain), VALID)
    text = None if chain is None else chain
    assert found == ChainOutcome(outcome, text, 2, right, near)


def test_neighbours_are_those_of_the_paper_s_ring() -> None:
    ring = "CEAHDGBF"
    near = {(a, b) for a in ring for b in ring if are_near(a, b)}
    assert near == {(ring[i], ring[(i + k) % 8]) for i in range(8) for k in (-1, 0, 1)}


def answers_of(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Rows of `answers` of replies (None for a failed call), each with valid chains."""
    questions, calls = [], []
    for place, row in enumerate(rows):
        key = f"q{row.get('question', place):04d}"
        question = {
            "benchmark": "b",
            "source": "s",
            "pool": "p",
            "subtask": row.get("subtask", "chain_of_actions"),
            "recipe": "r@1",
            "question_id": key,
            "question_hash": key,
            "recording_id": f"rec{place % 3}",
            "text": "?",
            "options": [],
            "media": [],
            "chance": 1 / (720 * 64),
            "media_present": True,
            "answer_text": "\n".join(json.dumps(chain) for chain in row["valid"]),
            "rationale": [],
            "evidence": [],
            "licence": "l",
        }
        if question["question_id"] not in {q["question_id"] for q in questions}:
            questions.append(question)
        failed = row["reply"] is None
        calls.append(
            {
                "benchmark": "b",
                "run": "r",
                "call_key": f"k{place}",
                "attempt": 0,
                "question_id": key,
                "question_hash": key,
                "reply": row["reply"],
                "status": "error" if failed else "ok",
                "finish_reason": "stop",
                "asked_at": "2026-01-01T00:00:00Z",
                "sample": row.get("sample", 0),
            }
        )
    samples = [call.pop("sample") for call in calls]
    asked = TABLES["calls"].frame(calls).with_columns(sample=pl.Series(samples, dtype=pl.Int64))
    return extract_answers(TABLES["questions"].frame(questions), asked)


REPLIES = [
    {"reply": '[[4, 7, 1], ["G", "A"]]', "valid": VALID},
    {"reply": '[[7, 4, 1], ["F", "D"]]', "valid": VALID},
    {"reply": '[[4, 7, 2], ["G", "A"]]', "valid": VALID},
    {"reply": '[[4, 7], ["G"]]', "valid": VALID},
    {"reply": "I cannot tell.", "valid": VALID},
    {"reply": None, "valid": VALID},
]


def test_replies_become_outcomes_and_a_failed_call_has_none() -> None:
    columns = ("chain_outcome", "chain", "moves", "right_directions", "near_directions", "right")
    assert answers_of(REPLIES).select(columns).rows() == [
        ("right_steps", '[[4, 7, 1], ["G", "A"]]', 2, 2, 2, True),
        ("right_steps", '[[7, 4, 1], ["F", "D"]]', 2, 0, 1, False),
        ("wrong_steps", '[[4, 7, 2], ["G", "A"]]', 2, None, None, False),
        ("wrong_length", '[[4, 7], ["G"]]', 2, None, None, False),
        ("unparsed", None, 2, None, None, False),
        (None, None, None, None, None, False),
    ]


def test_directions_are_scored_over_replies_with_right_steps() -> None:
    scores = {
        row["metric"]: row for row in score(answers_of(REPLIES)).filter(slice="micro").to_dicts()
    }
    shown = ("value", "n", "n_unparsed", "n_errors", "n_withheld")
    assert {name: tuple(row[key] for key in shown) for name, row in scores.items()} == {
        "accuracy": (0.2, 5, 1, 1, 0),
        "chain_steps": (0.4, 5, 1, 1, 0),
        "chain_directions": (0.5, 2, 0, 1, 0),
        "chain_directions_relaxed": (0.75, 2, 0, 1, 0),
    }
    chances = {name: row["chance"] for name, row in scores.items()}
    assert chances["chain_steps"] == pytest.approx(1 / 720)
    assert (chances["chain_directions"], chances["chain_directions_relaxed"]) == (1 / 8, 3 / 8)


def test_without_right_steps_there_is_no_value_of_directions() -> None:
    other = {"reply": '[[4, 7, 2], ["G", "A"]]', "valid": VALID, "subtask": "other"}
    scores = score(answers_of([*REPLIES, other])).filter(metric="chain_directions")
    found = {row["slice"]: (row["value"], row["n"]) for row in scores.to_dicts()}
    # A mean over subtasks does not leave out the one without a value.
    assert found == {
        "chain_of_actions": (0.5, 2),
        "other": (None, 0),
        "micro": (0.5, 2),
        "macro": (None, 2),
    }
    # Rows without a value are rows of the table all the same.
    assert check(TABLES["scores"], score(answers_of([*REPLIES, other]))).refused == []
    assert "chain_steps" not in set(score(answers_of(REPLIES).drop_nulls("letter"))["metric"])


def test_of_several_replies_the_mean_counts() -> None:
    valid = {"valid": VALID, "question": 0}
    rows = [
        valid | {"reply": '[[4, 7, 1], ["G", "A"]]', "sample": 0},
        valid | {"reply": '[[4, 7, 1], ["G", "D"]]', "sample": 1},
        valid | {"reply": '[[4, 7, 2], ["G", "D"]]', "sample": 2},
    ]
    scores = score(answers_of(rows)).filter(slice="micro").select("metric", "value", "n").rows()
    # (G, D) has one direction in common with each of two valid chains.
    assert {name: (value, n) for name, value, n in scores} == {
        "accuracy": (pytest.approx(1 / 3), 1),
        "chain_steps": (pytest.approx(2 / 3), 1),
        "chain_directions": (pytest.approx(3 / 4), 1),
        "chain_directions_relaxed": (pytest.approx(3 / 4), 1),
    }


def test_metrics_are_those_of_the_paper_s_definition(shared: Path) -> None:
    """Cases worked out from Section 5.1, several valid answers counted by their best."""
    folder = shared / "oracles/egoprox_coa"
    lines = (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    # Another number of directions than the steps have moves between them is not a chain to us.
    cases = [c for c in cases if not c["parsed"] or len(c["parsed"][1]) == len(c["parsed"][0]) - 1]
    for case in cases:
        chain = case["parsed"] and Chain(*map(tuple, case["parsed"]))
        valid = [Chain(*map(tuple, one)) for one in case["gt_set"]]
        found = chain_outcome(chain, valid)
        assert (found.outcome == "right_steps") == bool(case["out"]["act"]), case
        if case["out"]["rel_s"] is not None:
            assert found.right == pytest.approx(found.moves * case["out"]["rel_s"]), case
            assert found.near == pytest.approx(found.moves * case["out"]["rel_l"]), case
    rows = [{"reply": case["response"], "valid": case["gt_set"]} for case in cases]
    scores = score(answers_of(rows)).filter(slice="micro")
    values = dict(scores.select("metric", "value").iter_rows())
    right = [case["out"] for case in cases if case["out"]["act"]]
    assert len(cases) > 150
    assert values["chain_steps"] == pytest.approx(len(right) / len(cases))
    for metric, name in (("chain_directions", "rel_s"), ("chain_directions_relaxed", "rel_l")):
        assert values[metric] == pytest.approx(sum(one[name] for one in right) / len(right))


def test_the_page_counts_outcomes_and_directions() -> None:
    answers = answers_of(REPLIES)
    (row,) = chain_rows(answers, score(answers))
    assert (row.run, row.subtask) == ("r", "chain_of_actions")
    assert row.outcomes == {"unparsed": 1, "wrong_length": 1, "wrong_steps": 1, "right_steps": 2}
    assert row.directions == ((0, 2, 1), (2, 2, 1))
    assert tuple(row.metrics) == CHAIN_METRICS
    assert row.metrics["chain_directions"].n == 2
