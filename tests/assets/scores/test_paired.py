"""Paired tests between runs: by hand, against scipy, and where nothing differs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assets.scores.paired import MOST_EXACT, comparable_runs, flip_test, holm, paired_tests
from expectations.schemas import TABLES


def answers(*runs: tuple[str, Sequence[tuple[str, str, bool | None]]], **more: Any) -> pl.DataFrame:
    """Answers by run: subtask, recording and whether the answer is right."""
    return TABLES["answers"].frame(
        {
            "benchmark": "b",
            "run": run,
            "question_id": f"q{n}",
            "subtask": subtask,
            "recording_id": recording,
            "status": "parsed",
            "right": right,
            **more,
        }
        for run, said in runs
        for n, (subtask, recording, right) in enumerate(said)
    )


def both(first: str, second: str, places: str, subtasks: str = "") -> pl.DataFrame:
    """Two runs whose right answers are `1`; one letter names a question's recording."""
    names = subtasks or "s" * len(places)
    runs = {
        name: [(s, p, x == "1") for s, p, x in zip(names, places, said, strict=True)]
        for name, said in (("one", first), ("two", second))
    }
    return answers(*runs.items())


def test_three_recordings_by_hand() -> None:
    # Differences by recording: a +2, b +1, c -1; of the eight flips six reach a sum of 2 either way.
    found = paired_tests(both("0010001", "1111000", "aaabbcc"), [("one", "two")])
    (row,) = found.to_dicts()
    assert (row["slice"], row["n"], row["n_clusters"]) == ("s", 7, 3)
    sums = np.array([2.0, 1.0, -1.0])
    assert row["difference"] == pytest.approx(sums.sum() / 7)
    every = [abs(sum(s * v for s, v in zip(signs, sums, strict=True)))
             for signs in np.ndindex(2, 2, 2) for signs in [[1 - 2 * x for x in signs]]]  # fmt: skip
    assert row["p"] == pytest.approx(sum(v >= 2 for v in every) / 8) == pytest.approx(6 / 8)
    assert row["p_holm"] == row["p"]


def test_p_values_are_those_of_scipy() -> None:
    random = np.random.default_rng(5)
    for count in (2, 5, MOST_EXACT, 30):
        sums = random.normal(0.4, 1.0, count)
        theirs = stats.permutation_test(
            (sums,), np.sum, permutation_type="samples", n_resamples=20_000, rng=random
        )
        tolerance = 1e-9 if count <= MOST_EXACT else 0.015
        assert flip_test(sums, "seed") == pytest.approx(theirs.pvalue, abs=tolerance)
    assert flip_test(sums, "seed") == flip_test(sums, "seed")


def test_the_interval_is_that_of_a_t_test_where_each_recording_asks_once() -> None:
    first, second = "010010110100", "111011010111"
    (row,) = paired_tests(both(first, second, "abcdefghijkl"), [("one", "two")]).to_dicts()
    differences = [int(b) - int(a) for a, b in zip(first, second, strict=True)]
    interval = stats.ttest_1samp(differences, 0.0).confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high))


def test_questions_of_one_recording_are_one_observation() -> None:
    apart = paired_tests(both("0" * 8, "1" * 8, "abcdefgh"), [("one", "two")])["p"][0]
    together = paired_tests(both("0" * 8, "1" * 8, "aaaabbbb"), [("one", "two")])["p"][0]
    assert apart == pytest.approx(2 / 2**8)
    assert together == pytest.approx(2 / 2**2)
    (alone,) = paired_tests(both("0" * 4, "1" * 4, "aaaa"), [("one", "two")]).to_dicts()
    assert (alone["difference"], alone["p"], alone["low"], alone["p_holm"]) == (
        1.0,
        None,
        None,
        None,
    )


def test_macro_weighs_subtasks_and_equal_runs_do_not_differ() -> None:
    found = paired_tests(both("000000", "110000", "abcdef", "xxyyyy"), [("one", "two")])
    by = {row["slice"]: row for row in found.to_dicts()}
    assert by["macro"]["difference"] == pytest.approx((1.0 + 0.0) / 2)
    assert by["micro"]["difference"] == pytest.approx(2 / 6)
    assert (by["y"]["difference"], by["y"]["p"]) == (0.0, 1.0)


def test_only_questions_that_both_replied_to_count() -> None:
    failed = answers(("one", [("s", "a", True)]))
    lost = answers(("two", [("s", "a", None)]), status="error")
    assert paired_tests(pl.concat([failed, lost]), [("one", "two")]).is_empty()


def test_corrected_values_by_hand() -> None:
    assert holm([0.01, 0.04, None, 0.03]) == pytest.approx([0.03, 0.06, None, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    p = np.random.default_rng(2).uniform(0, 0.3, 12)
    order = np.argsort(p)
    expected = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(12, 0, -1)))
    assert np.array(holm(list(p)))[order] == pytest.approx(expected)


def test_runs_that_differ_in_one_thing_are_compared() -> None:
    runs = [("a", "m1", "direct"), ("b", "m1", "cot"), ("c", "m2", "direct"), ("d", "m2", "cot")]
    assert comparable_runs(runs) == [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]
