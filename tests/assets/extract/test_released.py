"""The published extractors agree with what the published code did on recorded replies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assets.extract.released import egocross, egoexobench, egoprox


@pytest.fixture(scope="module")
def cases(shared: Path) -> Any:
    def read(name: str) -> list[dict[str, Any]]:
        lines = (shared / "oracles" / name).read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    return read


def test_egoexobench_letters_and_scores(cases):
    # Replies that are no text end the published evaluation.
    read = [case for case in cases("egoexobench/cases.jsonl") if "score" in case["out"]]
    assert len(read) > 1_000
    for case in read:
        assert egoexobench.first_capital(case["prediction"]) == case["out"]["regex_letter"], case
        letter = egoexobench.read_letter(case["prediction"], case["question"])
        assert (letter == case["answer"]) == bool(case["out"]["score"]), case


def test_egoexobench_second_rule(cases):
    read = cases("egoexobench/can_infer.jsonl")
    assert {case["out"] for case in read} >= {"A", "Z", False}
    for case in read:
        if isinstance(case["choices"], dict):
            found = egoexobench.matching_option(case["prediction"], case["choices"])
            assert found == (case["out"] or ""), case


def test_egocross_closed(cases):
    read = cases("egocross/closedset_cases.jsonl")
    assert sum(case["out"]["success"] for case in read) > 50
    for case in read:
        found = egocross.read_closed(case["response"], case["ground_truth"])
        assert found.right == case["out"]["success"], case
        # "NaN" is not equal to itself.
        assert repr(found.prediction) == repr(case["out"]["prediction"]), case
        assert repr(found.reason) == repr(case["out"]["reason"]), case


RUNAWAY = {
    "brackets": "[" * 100_000,
    "objects": '{"a":' * 100_000,
    "digits": '{"prediction": %s}' % ("1" * 6_000),
    "a number": "1" * 6_000,
}


@pytest.mark.parametrize("reply", RUNAWAY.values(), ids=RUNAWAY)
def test_a_runaway_reply_is_wrong_and_ends_no_reading(reply: str) -> None:
    found = egocross.read_closed(reply, "A")
    assert (found.prediction, found.right) == ("", False)


def test_egocross_open(cases):
    """Where the two released scripts differ, only one of them goes on: its mark is 0."""
    read = [
        case
        for case in cases("egocross/openset_cases.jsonl")
        if isinstance(case["prediction"], str) and isinstance(case["standard_answer"], str | int)
    ]
    assert len(read) > 200
    for case in read:
        out = case["out_gemini"]
        judge = None if case["judge_response"] == "__RAISE__" else case["judge_response"]
        found = egocross.read_open(case["prediction"], case["standard_answer"], judge)
        assert found.right is out.get("success"), case
        assert found.judged == bool(out["judge_called"]), case
        assert found.mark == out["returned"][0], case


def test_egoprox_letters(cases):
    for case in cases("egoprox_released/letters.jsonl"):
        assert egoprox.read_letter(case["reply"]) == case["letter"], case


def test_egoprox_chains(cases):
    read = cases("egoprox_released/chains.jsonl")
    assert 100 < sum(case["parsed"] is None for case in read) < len(read) - 100
    for case in read:
        chain = egoprox.read_chain(case["answer"], case["k"])
        assert (chain and [list(part) for part in chain]) == case["parsed"], case


@pytest.fixture(scope="module")
def chains(cases):
    return {
        case["id"]: (
            case["answer"],
            [(tuple(one["node"]), tuple(one["edge"])) for one in case["correct_answer"]],
            case["metrics_alone"],
        )
        for case in cases("egoprox_released/chains.jsonl")
    }


def test_egoprox_chains_alone(chains):
    for key, (reply, answers, expected) in chains.items():
        found = egoprox.score_chain(reply, answers)
        numbers = [0.0, 0.0, 0.0]
        if found is not None and found.right:
            numbers = [1.0, found.strict, found.relaxed]
        assert numbers == pytest.approx(expected), key


def test_egoexobench_ends_where_the_released_evaluation_ends(shared):
    runs = json.loads((shared / "oracles/egoexobench/evaluate_runs.json").read_text())
    ended = {run["name"]: run["error"] is not None for run in runs}
    assert sum(ended.values()) >= 4
    for run in runs:
        ends = any(egoexobench.ends_evaluation(row["prediction"]) for row in run["input"])
        assert ends == ended[run["name"]], run["name"]


# What the released code reads of replies that its recorded cases leave out.
EGOPROX_CHAINS = [
    ("[ [3, 1], [G]]", 2, ([3, 1], ["G"])),
    ("[\n[-3,\n1 ]\n, B", 2, ([3, 1], ["B"])),
    ('[[["a", 3, 1],"D"]', 2, ([3, 1], ["A"])),
    # Only texts among the directions count: null is not read as its E would be elsewhere.
    ('[[3, 1, 2], [null, true, "D", {"d": "A"}, ["B"], 5]]', 3, ([3, 1, 2], ["D"])),
    ("[[3, 1], null]", 2, ([3, 1], [])),
    # JSON of another length is read as text, where a fraction is two numbers.
    ('[[4.5, 7], ["A", "B"]]', 3, ([4, 5, 7], ["A", "B"])),
    ("[[NaN, 3, 1], [A]]", 2, ([3, 1], ["A"])),
    ('[[Infinity, 3, 1], ["B"]]', 2, ([3, 1], ["F"])),
    ("\u3000[[3, 1], []]\u3000", 2, ([3, 1], [])),
    ('{"[[3, 1],": 1, "b": 2}', 2, ([3, 1], ["B"])),
    ('"ab"', 2, None),
    ("[[], [A]] [[3, 1], [B]]", 2, ([3, 1], ["A"])),
    ("[[" + "9" * 5000 + ", 1], [A]]", 2, None),
    ("[" * 20_000, 2, None),
]


@pytest.mark.parametrize(("reply", "steps", "expected"), EGOPROX_CHAINS)
def test_egoprox_chains_beyond_the_recorded_cases(reply, steps: int, expected) -> None:
    found = egoprox.read_chain(reply, steps)
    assert (found and tuple(list(part) for part in found)) == expected
