"""Accuracy on daily life and on each domain: means, intervals and what is left out, by hand."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import polars as pl
import pytest
from scipy.stats import ttest_ind_from_stats

from assets.scores.domain_gap.gaps import difference_interval, domain_gaps
from expectations.schemas import TABLES

SUBTASKS = ("next_action", "interaction_identification")


def answers(benchmark: str, rows: Iterable[tuple[str, str, str, bool | None]]) -> pl.DataFrame:
    """Answers of questions, each with subtask, recording and whether it is right."""
    columns = ("benchmark", "run", "question_id", "sample", "subtask", "recording_id", "right")
    schema = {name: TABLES["answers"].schema[name] for name in columns}
    return pl.DataFrame(
        [
            (benchmark, "r", uid, None, subtask, recording, right)
            for uid, subtask, recording, right in rows
        ],
        schema=schema,
        orient="row",
    )


DAILY = answers(
    "egoschema",
    [
        ("d1", "egoschema", "v1", True),
        ("d2", "egoschema", "v2", True),
        ("d3", "egoschema", "v3", False),
        ("d4", "egoschema", "v4", True),
        # Its call failed, or its answer is withheld.
        ("d5", "egoschema", "v5", None),
    ],
)
PLACED = {
    **dict.fromkeys(("d1", "d2", "d3"), "next_action"),
    "d4": "inference_prediction",
    "d5": "next_action",
}
ASKED = answers(
    "egocross",
    [
        ("c1", "next_action", "r1", True),
        ("c2", "next_action", "r1", False),
        ("c3", "next_action", "r2", False),
        ("c4", "interaction_identification", "r3", True),
        ("c5", "object_counting", "r3", False),
    ],
)
DOMAINS = {"c1": "surgery", "c2": "surgery", "c3": "industry", "c4": "animals", "c5": "animals"}


@pytest.fixture(scope="module")
def rows() -> dict[tuple[str, str], dict[str, Any]]:
    found = domain_gaps(DAILY, ASKED, PLACED, DOMAINS, SUBTASKS)
    assert set(found["compared"]) == {"egoschema"}
    return {(row["slice"], row["domain"]): row for row in found.iter_rows(named=True)}


def test_means_are_over_questions_of_the_same_kind(
    rows: dict[tuple[str, str], dict[str, Any]],
) -> None:
    both = rows["next_action", "all"]
    assert (both["daily_value"], both["daily_n"]) == (pytest.approx(2 / 3), 3)
    assert (both["value"], both["n"], both["n_clusters"]) == (pytest.approx(1 / 3), 3, 2)
    assert both["difference"] == pytest.approx(-1 / 3)
    surgery = rows["next_action", "surgery"]
    assert (surgery["value"], surgery["n"], surgery["daily_n"]) == (0.5, 2, 3)
    # One recording tells nothing of how recordings differ.
    assert (surgery["low"], surgery["difference_low"]) == (None, None)
    aligned = rows["aligned", "all"]
    assert (aligned["daily_n"], aligned["n"], aligned["value"]) == (3, 4, 0.5)
    everything = rows["all", "all"]
    assert (everything["daily_n"], everything["n"]) == (4, 5)
    assert (everything["daily_value"], everything["value"]) == (0.75, 0.4)


def test_a_side_without_questions_has_no_value(rows: dict[tuple[str, str], dict[str, Any]]) -> None:
    row = rows["interaction_identification", "all"]
    assert (row["daily_value"], row["daily_n"], row["difference"]) == (None, 0, None)
    assert (row["value"], row["n"]) == (1.0, 1)
    assert rows["next_action", "animals"]["value"] is None
    assert ("interaction_identification", "surgery") not in rows


def test_without_replies_on_one_side_there_are_no_rows() -> None:
    assert domain_gaps(DAILY.clear(), ASKED, PLACED, DOMAINS, SUBTASKS).is_empty()
    assert domain_gaps(DAILY, ASKED.clear(), PLACED, DOMAINS, SUBTASKS).is_empty()


def test_of_questions_with_a_recording_each_the_interval_is_welchs() -> None:
    # Where every recording has one question, the clustered variance is that of a mean.
    daily = [True] * 7 + [False] * 3
    asked = [True] * 4 + [False] * 8
    found = domain_gaps(
        answers("e", [(f"d{n}", "e", f"v{n}", right) for n, right in enumerate(daily)]),
        answers("c", [(f"c{n}", "next_action", f"r{n}", right) for n, right in enumerate(asked)]),
        {f"d{n}": "next_action" for n in range(10)},
        {},
        SUBTASKS,
    ).filter(slice="next_action", domain="all")
    means = (4 / 12, 7 / 10)
    deviations = [
        math.sqrt(p * (1 - p) * n / (n - 1)) for p, n in zip(means, (12, 10), strict=True)
    ]
    test = ttest_ind_from_stats(
        means[0], deviations[0], 12, means[1], deviations[1], 10, equal_var=False
    )
    t = abs(test.statistic)
    (row,) = found.to_dicts()
    assert row["difference"] == pytest.approx(means[0] - means[1])
    half = (row["difference_high"] - row["difference_low"]) / 2
    error = abs(row["difference"]) / t
    # 95 % of Student's t with Welch's degrees of freedom.
    v = [d**2 / n for d, n in zip(deviations, (12, 10), strict=True)]
    freedom = sum(v) ** 2 / (v[0] ** 2 / 11 + v[1] ** 2 / 9)
    from scipy.stats import t as student

    assert half == pytest.approx(student.ppf(0.975, freedom) * error)


def test_an_interval_stays_within_what_is_possible() -> None:
    assert difference_interval(-0.9, [(0.2, 3), (0.2, 3)]) == (-1.0, pytest.approx(0.7, abs=0.9))
    assert difference_interval(0.5, [(0.0, 3), (0.0, 4)]) == (None, None)
    assert difference_interval(0.5, [None, (0.1, 4)]) == (None, None)
