"""Judged scores, R and SCR, and the agreement of two judges."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from assets.scores.judged.agreement import agreements, cohen_kappa, weighted_kappa
from assets.scores.judged.reasoning import summary
from assets.scores.judged.table import error_rates, judged_scores
from expectations.contracts import check
from expectations.schemas import TABLES


def test_reasoning_score_and_spurious_rate_of_every_recorded_case(shared: Path) -> None:
    lines = (shared / "oracles/egocot_scr/cases.jsonl").read_text().splitlines()
    n_unmarked = 0
    for case in map(json.loads, lines):
        right = [row["correct"] for row in case["rows"]]
        marks = [row["judge"] for row in case["rows"]]
        # The recorded cases count a right answer without a mark as not spurious.
        score, weak = summary(right, marks, "not_weak")
        out = case["out"]
        assert score == pytest.approx(out["R"]) if out["R"] is not None else score is None
        rate = None if weak is None else 100 * weak
        assert rate == pytest.approx(out["SCR"]) if out["SCR"] is not None else rate is None
        n_unmarked += None in marks
    assert len(lines) >= 160 and n_unmarked > 10


def test_what_is_not_judged_is_excluded_unless_asked_otherwise() -> None:
    right, marks = [True, True, True, False], [1.0, None, 4.0, None]
    assert summary(right, marks) == (2.5, 0.5)
    assert summary(right, marks, "not_weak") == (2.5, pytest.approx(1 / 3))
    assert summary([False], [0.0]) == (0.0, None)
    assert summary([True], [None]) == (None, None)


def judgement(
    i: int, verdict: str, mark: float | None = None, judge: str = "j", **changes: Any
) -> dict[str, Any]:
    return {
        "benchmark": "b",
        "run": "r",
        "question_id": f"q{i}",
        "question_hash": "h",
        "sample": 0,
        "judge": judge,
        "kind": "open",
        "mode": "paper",
        "model": "m@1",
        "subtask": f"s{i % 2}",
        "recording_id": f"rec{i}",
        "answer_call_key": f"c{i}",
        "verdict": verdict,
        "mark": mark,
        "rule": "judge",
        "call_key": "k",
    } | changes


def scored(
    judgements: Sequence[dict[str, Any]],
    right: dict[int, bool | None] | None = None,
    tests: Sequence[dict[str, Any]] = (),
) -> dict[tuple[str, str], dict[str, Any]]:
    answers = pl.DataFrame(
        [
            {
                "run": "r",
                "question_id": f"q{i}",
                "sample": sample,
                "status": "ambiguous" if is_right is None else "parsed",
                "right": bool(is_right),
            }
            for i, is_right in (right or {}).items()
            for sample in (0, 1)
        ],
        schema={
            "run": pl.String,
            "question_id": pl.String,
            "sample": pl.Int64,
            "status": pl.String,
            "right": pl.Boolean,
        },
    )
    made = judged_scores(
        TABLES["judgements"].frame(judgements), answers, TABLES["judge_tests"].frame(tests)
    )
    assert not check(TABLES["judged_scores"], made).refused
    return {(row["slice"], row["metric"]): row for row in made.iter_rows(named=True)}


def test_unjudged_answers_are_in_no_value_and_are_counted() -> None:
    found = scored(
        [
            judgement(0, "right"),
            judgement(1, "wrong"),
            judgement(2, "right", call_key=None, rule="exact"),
            judgement(4, "unjudged", rule="no_verdict"),
        ]
    )
    micro, macro = (found[name, "judged_accuracy"] for name in ("micro", "macro"))
    assert micro["value"] == pytest.approx(2 / 3)
    assert (micro["n"], micro["n_unjudged"], micro["n_by_rule"], micro["n_clusters"]) == (
        3,
        1,
        1,
        3,
    )
    assert micro["low"] < micro["value"] < micro["high"]
    assert macro["value"] == pytest.approx(0.5)
    assert found["s0", "judged_accuracy"]["value"] == 1.0


def test_macro_needs_every_subtask_to_be_judged() -> None:
    found = scored([judgement(0, "right"), judgement(1, "unjudged")])
    assert found["micro", "judged_accuracy"]["value"] == 1.0
    assert found["macro", "judged_accuracy"]["value"] is None
    assert found["s1", "judged_accuracy"]["value"] is None


def reasoning(i: int, mark: float | None, **changes: Any) -> dict[str, Any]:
    verdict = "unjudged" if mark is None else "right" if mark > 2 else "wrong"
    return judgement(i, verdict, mark, kind="reasoning", **changes)


def test_reasoning_counts_all_answers_and_the_spurious_rate_the_right_ones() -> None:
    marks = {0: 5.0, 1: 2.0, 2: 0.0, 3: 1.0, 4: None}
    right = {0: True, 1: True, 2: True, 3: False, 4: True}
    found = scored([reasoning(i, mark) for i, mark in marks.items()], right)
    score = found["micro", "reasoning_score"]
    assert score["value"] == pytest.approx(2.0)
    assert 0 <= score["low"] < 2.0 < score["high"] <= 5
    assert (score["n"], score["n_unjudged"]) == (4, 1)
    spurious = found["micro", "spurious_correct_rate"]
    assert spurious["value"] == pytest.approx(2 / 3)
    assert (spurious["n"], spurious["n_unjudged"]) == (3, 1)
    none_right = scored([reasoning(0, 5.0)], {0: False})
    assert none_right["micro", "spurious_correct_rate"]["value"] is None
    assert none_right["micro", "spurious_correct_rate"]["n"] == 0


def test_reasoning_without_a_readable_letter_is_no_answer() -> None:
    marks, right = {0: 5.0, 1: 3.0, 2: 0.0}, {0: True, 1: False, 2: None}
    found = scored([reasoning(i, mark) for i, mark in marks.items()], right)
    score = found["micro", "reasoning_score"]
    assert (score["value"], score["n"], score["n_unjudged"]) == (pytest.approx(4.0), 2, 0)
    assert found["micro", "spurious_correct_rate"]["n"] == 1


def test_of_several_replies_to_a_question_their_mean_counts() -> None:
    found = scored([judgement(0, "right"), judgement(0, "wrong", sample=1), judgement(2, "right")])
    assert found["micro", "judged_accuracy"]["value"] == pytest.approx(0.75)
    assert found["micro", "judged_accuracy"]["n"] == 2


def known(
    test_class: str, verdict: str, judge: str = "j", kind: str = "open", **changes: Any
) -> dict[str, Any]:
    expected = "right" if test_class == "right" else "wrong"
    return {
        "judge": judge,
        "kind": kind,
        "question_id": "q",
        "test": test_class,
        "mark": None,
        "test_class": test_class,
        "expected": expected,
        "verdict": verdict,
    } | changes


def test_error_rates_stand_beside_the_scores_of_their_judge_and_kind() -> None:
    tests = [
        known("right", "right"),
        known("right", "wrong"),
        known("wrong", "wrong"),
        known("adversarial", "right"),
        known("adversarial", "unjudged"),
        known("wrong", "right", judge="other"),
        known("wrong", "right", kind="reasoning"),
    ]
    row = scored([judgement(0, "right")], tests=tests)["micro", "judged_accuracy"]
    assert (row["error_rate_right"], row["n_tests_right"]) == (0.5, 2)
    assert (row["error_rate_wrong"], row["n_tests_wrong"]) == (0.0, 1)
    assert (row["error_rate_adversarial"], row["n_tests_adversarial"]) == (1.0, 1)
    assert row["n_tests_unjudged"] == 1
    untested = error_rates(TABLES["judge_tests"].empty())
    assert untested["error_rate_right"] is None and untested["n_tests_right"] == 0


def marked(test: str, mark: float | None, question_id: str = "q") -> dict[str, Any]:
    test_class = "right" if test == "reference" else "perturbed"
    verdict = "unjudged" if mark is None else "right" if mark > 2 else "wrong"
    return known(
        test_class, verdict, kind="reasoning", test=test, mark=mark, question_id=question_id
    )


def test_a_faulty_rationale_must_be_marked_lower_than_the_reference_of_its_question() -> None:
    tests = [
        marked("reference", 4.0),
        marked("later", 3.0),
        marked("other_hand", 4.0),
        marked("exchanged_times", 5.0),
        marked("other_option", None),
        # Another question's reference has a mark of its own, or none.
        marked("reference", 2.0, "q2"),
        marked("later", 3.0, "q2"),
        marked("reference", None, "q3"),
        marked("later", 0.0, "q3"),
    ]
    found = error_rates(TABLES["judge_tests"].frame(tests))
    assert (found["error_rate_perturbed"], found["n_tests_perturbed"]) == (3 / 4, 4)
    assert (found["error_rate_right"], found["n_tests_right"]) == (1 / 2, 2)
    assert found["n_tests_unjudged"] == 3


def test_scores_do_not_depend_on_the_order_of_rows() -> None:
    rows = [reasoning(i, float(i % 6)) for i in range(30)]
    right = {i: i % 3 > 0 for i in range(30)}
    shuffled = rows.copy()
    random.Random(1).shuffle(shuffled)
    assert scored(rows, right) == scored(shuffled, right)


# 2x2 table with 20, 5, 10, 15: agreement 0.7, by chance 0.5.
TEXTBOOK = [("right", "right", 20), ("right", "wrong", 5), ("wrong", "right", 10), ("wrong", "wrong", 15)]  # fmt: skip


def test_kappa_of_a_table_that_can_be_worked_out_by_hand() -> None:
    first = [a for a, _, n in TEXTBOOK for _ in range(n)]
    second = [b for _, b, n in TEXTBOOK for _ in range(n)]
    assert cohen_kappa(first, second) == pytest.approx(0.4)
    assert cohen_kappa(first, first) == pytest.approx(1.0)
    assert cohen_kappa([], []) is None
    assert cohen_kappa(["right"] * 3, ["right"] * 3) is None


def test_weighted_kappa_forgives_small_differences_and_not_large_ones() -> None:
    marks = np.array([0, 1, 2, 3, 4, 5])
    assert weighted_kappa(marks, marks) == pytest.approx(1.0)
    assert weighted_kappa(marks, 5 - marks) == pytest.approx(-1.0)
    near, far = np.array([1, 1, 2, 3, 4, 5]), np.array([5, 1, 2, 3, 4, 5])
    assert weighted_kappa(marks, near) == pytest.approx(1 - 1 / (sum_expected(marks, near)))
    assert weighted_kappa(marks, near) > 0.9 > 0.6 > weighted_kappa(marks, far)
    assert weighted_kappa(marks[:0], marks[:0]) is None
    assert weighted_kappa(np.array([3, 3]), np.array([3, 3])) is None


def sum_expected(first: np.ndarray, second: np.ndarray) -> float:
    """Squared difference that is expected where marks are paired at random, times the items."""
    return float(np.mean([(a - b) ** 2 for a in first for b in second]) * len(first))


def test_agreement_of_every_pair_of_judges() -> None:
    verdicts = {
        "a": ["right", "right", "wrong", "unjudged"],
        "b": ["right", "wrong", "wrong", "wrong"],
        "c": ["right", "right", "wrong", "unjudged"],
    }
    marks = {"right": 5.0, "wrong": 0.4, "unjudged": None}
    rows = [
        judgement(i, verdict, marks[verdict], judge)
        for judge, found in verdicts.items()
        for i, verdict in enumerate(found)
    ]
    made = agreements(TABLES["judgements"].frame(rows))
    assert not check(TABLES["judge_agreements"], made).refused
    pairs = {(row["first_judge"], row["second_judge"]): row for row in made.iter_rows(named=True)}
    assert set(pairs) == {("a", "b"), ("a", "c"), ("b", "c")}
    one = pairs["a", "b"]
    assert (one["n"], one["n_one_sided"], one["agreement"]) == (3, 1, pytest.approx(2 / 3))
    assert one["kappa"] == pytest.approx(0.4)
    assert (one["n_marks"], one["equal_marks"]) == (3, pytest.approx(2 / 3))
    assert pairs["a", "c"]["kappa"] == pytest.approx(1.0)
    assert (pairs["a", "c"]["n"], pairs["a", "c"]["n_one_sided"]) == (3, 0)
    assert agreements(TABLES["judgements"].frame(rows[:4])).is_empty()


def one_agreement(first: Sequence[float | None], second: Sequence[float | None]) -> dict[str, Any]:
    rows = [
        reasoning(i, mark, judge=name)
        for name, given in (("a", first), ("b", second))
        for i, mark in enumerate(given)
    ]
    made = agreements(TABLES["judgements"].frame(rows))
    assert not check(TABLES["judge_agreements"], made).refused
    return made.row(0, named=True)


def test_marks_within_one_are_those_that_differ_by_at_most_one() -> None:
    # Rounded, 0.6 and 2.4 would be one apart, and 1.5 and 2.4 equal.
    row = one_agreement([0.6, 1.5, 3.0], [2.4, 2.4, 4.0])
    assert (row["equal_marks"], row["marks_within_one"]) == (
        pytest.approx(1 / 3),
        pytest.approx(2 / 3),
    )


@pytest.mark.parametrize(
    ("first", "second", "n", "one_sided"),
    [
        ([None, None], [None, None], 0, 0),
        ([3.0, None], [None, 3.0], 0, 2),
        ([4.0, 4.0], [4.0, 4.0], 2, 0),
    ],
    ids=["nothing judged", "never both", "one mark alone"],
)
def test_where_agreement_is_undefined_there_is_none(
    first: list[float | None], second: list[float | None], n: int, one_sided: int
) -> None:
    row = one_agreement(first, second)
    assert (row["n"], row["n_one_sided"]) == (n, one_sided)
    assert row["kappa"] is row["weighted_kappa"] is row["weighted_kappa_low"] is None
    assert row["marks_within_one"] == (1.0 if n else None)


def test_what_a_rule_decides_without_the_judges_is_no_agreement_of_theirs() -> None:
    by_rule = {"call_key": None, "rule": "no_reasoning"}
    rows = [
        reasoning(i, mark, judge=name, **(by_rule if mark == 0.0 else {}))
        for name, given in (("a", (5.0, 1.0, 0.0, 0.0)), ("b", (2.0, 4.0, 0.0, 0.0)))
        for i, mark in enumerate(given)
    ]
    (row,) = agreements(TABLES["judgements"].frame(rows)).to_dicts()
    assert (row["n"], row["n_marks"], row["agreement"], row["marks_within_one"]) == (2, 2, 0.0, 0.0)


def test_kappa_has_an_interval_over_recordings_as_a_jackknife_gives_it() -> None:
    """The same jackknife by scikit-learn's kappas and scipy's t."""
    from scipy.stats import t
    from sklearn.metrics import cohen_kappa_score

    random_ = np.random.default_rng(5)
    marks = random_.integers(0, 6, 60)
    others = np.clip(marks + random_.integers(-1, 2, 60), 0, 5)
    recordings = np.array([f"rec{i % 7}" for i in range(60)])
    rows = [
        reasoning(i, float(mark), judge=name, recording_id=recordings[i])
        for name, given in (("a", marks), ("b", others))
        for i, mark in enumerate(given)
    ]
    (row,) = agreements(TABLES["judgements"].frame(rows)).to_dicts()

    def kappa(kept: np.ndarray) -> float:
        return cohen_kappa_score(
            marks[kept], others[kept], weights="quadratic", labels=list(range(6))
        )

    left = np.array([kappa(recordings != name) for name in sorted(set(recordings))])
    half = t.ppf(0.975, 6) * np.sqrt(6 / 7 * ((left - left.mean()) ** 2).sum())
    whole = kappa(np.ones(60, dtype=bool))
    assert row["weighted_kappa"] == pytest.approx(whole)
    assert row["weighted_kappa_low"] == pytest.approx(whole - half)
    assert row["weighted_kappa_high"] == pytest.approx(min(1.0, whole + half))
    assert row["kappa_low"] < row["kappa"] <= row["kappa_high"]


def test_kappa_of_one_recording_has_no_interval() -> None:
    rows = [
        reasoning(i, float(mark), judge=name, recording_id="one")
        for name in ("a", "b")
        for i, mark in enumerate((1, 4, 5, 2))
    ]
    (row,) = agreements(TABLES["judgements"].frame(rows)).to_dicts()
    assert row["weighted_kappa"] == pytest.approx(1.0)
    assert row["weighted_kappa_low"] is None and row["kappa_high"] is None
