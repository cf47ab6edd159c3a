"""Accuracy, clustered intervals and the table of scores."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from assets.scores.accuracy import accuracy
from assets.scores.intervals import cluster_variance, clustered_interval
from assets.scores.stage import domains_of
from assets.scores.table import score
from expectations.schemas import TABLES
from resources.config import load_settings

# Fifteen answers of five recordings; the variances are those of statsmodels 0.14 (OLS on the
# intercept, and on two stratum dummies with contrast 1/2, 1/2; cov_type="cluster", G / (G - 1)).
RIGHT = np.array([1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 1], dtype=bool)
RECORDING = np.array([0] * 4 + [1] * 3 + [2] * 2 + [3] * 5 + [4])
STRATUM = np.array([0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0])
VARIANCE_MICRO = 0.02765432
VARIANCE_MACRO = 0.023221894136720364
VALUE_MICRO = 8 / 15
VALUE_MACRO = 0.544642857142857


def test_variance_is_the_sandwich_of_statsmodels() -> None:
    micro = (RIGHT - RIGHT.mean()) / len(RIGHT)
    assert cluster_variance(micro, RECORDING) == pytest.approx(VARIANCE_MICRO, rel=1e-6)


def test_macro_counts_a_recording_in_two_subtasks_once() -> None:
    means = np.array([RIGHT[s == STRATUM].mean() for s in (0, 1)])
    sizes = np.array([(s == STRATUM).sum() for s in (0, 1)])
    influence = (RIGHT - means[STRATUM]) / sizes[STRATUM] / 2
    assert cluster_variance(influence, RECORDING) == pytest.approx(VARIANCE_MACRO, rel=1e-6)
    assert accuracy(RIGHT, STRATUM, RECORDING).value == pytest.approx(VALUE_MACRO)


@pytest.mark.parametrize(
    ("strata", "value", "variance"),
    [
        (np.zeros(15, int), VALUE_MICRO, VARIANCE_MICRO),
        (STRATUM, VALUE_MACRO, VARIANCE_MACRO),
    ],
)
def test_interval_solves_the_score_equation(
    strata: np.ndarray, value: float, variance: float
) -> None:
    """Wilson: the ends p are where |value - p| is t times sqrt(p (1 - p) / effective n)."""
    found = accuracy(RIGHT, strata, RECORDING)
    assert found.value == pytest.approx(value)
    assert found.low is not None
    assert found.high is not None
    effective = min(15.0, value * (1 - value) / variance)
    t_4 = 2.7764451051977987  # 97.5 % quantile of Student's t, 4 degrees of freedom (tables)
    for end in (found.low, found.high):
        reach = t_4 * math.sqrt(end * (1 - end) / effective)
        assert abs(value - end) == pytest.approx(reach, rel=1e-6)
    assert found.low < value < found.high


def test_many_single_question_recordings_give_wilsons_interval() -> None:
    right = np.array([True] * 1500 + [False] * 500)
    found = accuracy(right, np.zeros(2000), np.arange(2000))
    wilson = binomtest(1500, 2000).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((wilson.low, wilson.high), abs=3e-5)


def test_clusters_that_agree_inside_widen_the_interval() -> None:
    right = np.repeat([True, False, True, True, False, True, False, True, True, False], 20)
    apart = accuracy(right, np.zeros(200), np.arange(200))
    together = accuracy(right, np.zeros(200), np.repeat(np.arange(10), 20))
    assert apart.low is not None
    assert apart.high is not None
    assert together.low is not None
    assert together.high is not None
    assert (together.high - together.low) > 3 * (apart.high - apart.low)
    # Ten recordings that are all right or all wrong are ten observations (times 9 / 10).
    wilson = binomtest(6, 10).proportion_ci(method="wilson")
    assert together.low < wilson.low < wilson.high < together.high


@pytest.mark.parametrize("value", [True, False])
def test_all_alike_keeps_a_width(value: bool) -> None:
    found = accuracy(np.full(30, value), np.zeros(30), np.repeat(np.arange(6), 5))
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.low > 0.3
    assert (found.high if value else found.low) == pytest.approx(float(value))


def test_one_recording_has_no_interval() -> None:
    found = accuracy(np.array([True, False, True]), np.zeros(3), np.zeros(3))
    assert (found.value, found.low, found.high) == (pytest.approx(2 / 3), None, None)
    assert clustered_interval(0.5, np.array([]), np.array([])) is None


def test_two_recordings_say_little() -> None:
    found = accuracy(np.array([True] * 9 + [False] * 9), np.zeros(18), np.repeat([0, 1], 9))
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.02
    assert found.high > 0.98


@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=60
    )
)
def test_interval_lies_in_the_unit_and_around_the_value(rows: list[tuple[bool, int, int]]) -> None:
    right, clusters, strata = (np.array(column) for column in zip(*rows, strict=True))
    found = accuracy(right, strata, clusters)
    if len(set(clusters.tolist())) < 2:
        assert found.low is None
        return
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value + 1e-12
    assert found.value - 1e-12 <= found.high <= 1


# --- the table ------------------------------------------------------------------------------------


def answers(rows: list[tuple[str, str, str, bool, str]]) -> pl.DataFrame:
    return TABLES["answers"].frame(_answer(i, *row) for i, row in enumerate(rows))


def _answer(
    i: int, run: str, subtask: str, recording: str, right: bool, status: str
) -> dict[str, Any]:
    return {
        "benchmark": "b",
        "run": run,
        "question_id": f"q{i:03}",
        "question_hash": f"h{i}",
        "call_key": f"k{i}",
        "attempt": 0,
        "subtask": subtask,
        "recording_id": recording,
        "letter": "A" if status == "parsed" else None,
        "status": status,
        "rule": "letter_alone",
        "right": right,
        "chance": 0.2 if subtask == "k5" else 0.05,
    }


ROWS = [
    ("r", "k5", "a", True, "parsed"),
    ("r", "k5", "b", True, "parsed"),
    ("r", "k5", "b", False, "refused"),
    ("r", "k5", "c", False, "error"),
    ("r", "k20", "a", False, "parsed"),
    ("r", "k20", "a", False, "ambiguous"),
    ("s", "k5", "a", True, "parsed"),
    ("t", "k5", "a", True, "parsed"),
    ("t", "k20", "a", False, "error"),
    ("t", "k20", "b", False, "error"),
    *[("u", "k5", recording, False, "error") for recording in "abc"],
]


def cells() -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["run"], row["slice"]): row for row in score(answers(ROWS)).to_dicts()}


@pytest.mark.parametrize(
    ("run", "slice_", "value", "n", "n_unparsed", "n_errors", "n_clusters", "chance"),
    [
        # Unparsed replies stay in the denominator; a failed call is not an answer.
        ("r", "k5", 2 / 3, 3, 1, 1, 2, 0.2),
        ("r", "k20", 0.0, 2, 1, 0, 1, 0.05),
        # 2 of 5 questions; the mean of 2 of 3 and 0 of 2.
        ("r", "micro", 2 / 5, 5, 2, 1, 2, (3 * 0.2 + 2 * 0.05) / 5),
        ("r", "macro", 1 / 3, 5, 2, 1, 2, 0.125),
        ("s", "micro", 1.0, 1, 0, 0, 1, 0.2),
        # Every call of a subtask failed: neither it nor the mean over subtasks has a value.
        ("t", "k20", None, 0, 0, 2, 0, None),
        ("t", "k5", 1.0, 1, 0, 0, 1, 0.2),
        ("t", "micro", 1.0, 1, 0, 2, 1, 0.2),
        ("t", "macro", None, 1, 0, 2, 1, None),
        ("u", "micro", None, 0, 0, 3, 0, None),
    ],
)
def test_slices(
    run: str,
    slice_: str,
    value: float | None,
    n: int,
    n_unparsed: int,
    n_errors: int,
    n_clusters: int,
    chance: float | None,
) -> None:
    row = cells()[run, slice_]
    assert row["value"] == (None if value is None else pytest.approx(value))
    counts = (row["n"], row["n_unparsed"], row["n_errors"], row["n_clusters"])
    assert counts == (n, n_unparsed, n_errors, n_clusters)
    assert row["chance"] == (None if chance is None else pytest.approx(chance))
    assert (row["low"] is None) == (n_clusters < 2)


def test_effective_chance_is_averaged_as_chance_is() -> None:
    """Two of three questions replied to of `k5` have a recipe with a shortcut; `k20` is too small."""
    chances = pl.DataFrame(
        {
            "question_id": [f"q{i:03}" for i in range(7)],
            "effective_chance": [0.3, 0.3, 0.2, 0.2, None, None, None],
        }
    )
    found = {(r["run"], r["slice"]): r for r in score(answers(ROWS), chances).to_dicts()}
    reached = {key: row["effective_chance"] for key, row in found.items()}
    k5 = (0.3 + 0.3 + 0.2) / 3
    assert reached["r", "k5"] == pytest.approx(k5)
    assert reached["r", "k20"] is reached["s", "k5"] is None
    # A set that is too small to say counts with the chance that its options state.
    assert reached["r", "micro"] == pytest.approx((0.3 + 0.3 + 0.2 + 0.05 + 0.05) / 5)
    assert reached["r", "macro"] == pytest.approx((k5 + 0.05) / 2)
    assert {row["effective_chance"] for row in cells().values()} == {None}


def test_one_right_and_nine_unparsed_is_ten_percent() -> None:
    rows = [("r", "k5", "a", True, "parsed")] + [("r", "k5", "b", False, "empty")] * 9
    assert score(answers(rows)).filter(slice="k5")["value"].to_list() == pytest.approx([0.1])


def test_of_several_replies_to_a_question_their_mean_counts() -> None:
    """Three questions of two recordings: 2 of 3 replies right, 0 of 2 (one call failed), 1 of 1."""
    asked = {"q1": "a", "q2": "b", "q3": "b", "q4": "a"}
    replies = [
        *[("q1", sample, right, "parsed") for sample, right in enumerate((True, True, False))],
        *[("q2", 0, False, "empty"), ("q2", 1, False, "error"), ("q2", 2, False, "parsed")],
        *[("q3", 0, True, "parsed"), ("q4", 0, False, "error"), ("q4", 1, False, "error")],
    ]
    rows = [
        _answer(i, "r", "k5", asked[name], right, status) | {"question_id": name, "sample": sample}
        for i, (name, sample, right, status) in enumerate(replies)
    ]
    frame = TABLES["answers"].frame(rows)
    (row,) = score(frame).filter(slice="k5").to_dicts()
    means = accuracy(np.array([2 / 3, 0, 1]), np.zeros(3, int), np.array(["a", "b", "b"]))
    assert (row["value"], row["low"], row["high"]) == (means.value, means.low, means.high)
    assert row["value"] == pytest.approx(5 / 9)
    counts = (row["n"], row["n_unparsed"], row["n_errors"], row["n_clusters"], row["samples"])
    assert counts == (3, 1, 1, 2, 3)
    assert score(frame).equals(score(frame.reverse()))


def test_the_same_reply_again_narrows_no_interval() -> None:
    once = answers(ROWS)
    thrice = pl.concat([once.with_columns(sample=pl.lit(s, pl.Int64())) for s in range(3)])
    columns = ["run", "slice", "value", "low", "high", "n", "n_errors", "chance"]
    assert score(thrice).select(columns).equals(score(once).select(columns))


def test_row_order_changes_nothing() -> None:
    frame = answers(ROWS)
    assert score(frame).equals(score(frame.reverse()))


def test_no_answers_no_scores() -> None:
    assert score(answers([])).equals(TABLES["scores"].empty())


def test_unparsed_that_counts_as_right_is_broken() -> None:
    with pytest.raises(ValueError, match="only parsed answers can be"):
        score(answers([("r", "k5", "a", True, "refused")]))


def test_reserved_subtask_name_is_refused() -> None:
    with pytest.raises(ValueError, match="'macro' is a reserved slice"):
        score(answers([("r", "macro", "a", True, "parsed")]))


def test_a_group_weighs_its_questions_alike_and_needs_two_of_its_subtasks() -> None:
    rows = [("r", "k5", "a", True, "parsed")] * 3 + [("r", "k20", "b", False, "parsed")]
    rows += [("r", "other", "c", True, "parsed")]
    groups = {"both": ["k5", "k20", "not asked"], "one": ["other", "not asked"]}
    found = score(answers(rows), groups=groups)
    assert set(found["slice"]) == {"k5", "k20", "other", "both", "micro", "macro"}
    (both,) = found.filter(slice="both").to_dicts()
    assert (both["value"], both["n"], both["n_clusters"]) == (pytest.approx(0.75), 4, 2)
    assert both["subtasks"] == ["k20", "k5"]
    assert found.filter(slice="other")["subtasks"].to_list() == [["other"]]
    # Groups change nothing else.
    assert found.filter(pl.col("slice") != "both").equals(score(answers(rows)))


def test_domains_weigh_alike_whatever_their_size() -> None:
    """Three of four right in one domain and none of one in the other: 60 % of questions, 37.5 % of domains."""
    rows = [("r", "k5", "a", right, "parsed") for right in (True, True, True, False)]
    rows += [("r", "k20", "b", False, "parsed")]
    rows += [("r", "k20", "c", True, "parsed")]
    asked = answers(rows)
    *known, _ = asked["question_id"].to_list()
    domains = dict(zip(known, ["wards"] * 4 + ["works"], strict=True))
    groups = {"counting": ["k20", "not asked"], "naming": ["k5"]}
    found = score(asked, groups=groups, domains=domains)
    values = dict(found.select("slice", "value").iter_rows())
    assert values["wards"] == values["wards_naming"] == pytest.approx(0.75)
    assert values["works"] == values["works_counting"] == pytest.approx(0.0)
    assert values["macro_domains"] == pytest.approx(0.375)
    assert "wards_counting" not in values
    (mean,) = found.filter(slice="macro_domains").to_dicts()
    assert (mean["n"], mean["subtasks"]) == (5, ["k20", "k5"])
    # A question without a domain counts elsewhere, and domains change nothing else.
    plain = score(asked, groups=groups)
    assert found.join(plain, on="slice", how="semi").equals(plain)
    assert set(values) - set(plain["slice"]) == {
        *("wards", "wards_naming", "works", "works_counting", "macro_domains"),
    }


def test_a_question_is_in_the_domain_of_its_sources_layout(tmp_path: Path) -> None:
    layouts = {"wards": "cholectrack20", "open": "egosurgery", "pets": "egopet", "home": "lemma"}
    sources = "".join(
        f'[sources.{name}]\nlayout = "{layout}"\nroot = "."\n' for name, layout in layouts.items()
    )
    text = f'store = "t"\n{sources}[benchmarks.egocross]\nsources = {[*layouts]}\n'
    (tmp_path / "parallax.toml").write_text(text, encoding="utf-8")
    settings = load_settings(tmp_path / "parallax.toml")
    rows = TABLES["questions"].frame(
        {"benchmark": "egocross", "source": name, "pool": "p", "question_id": f"of {name}"}
        for name in layouts
    )
    settings.store.replace(TABLES["questions"], "egocross", ["p"], rows)
    assert domains_of(settings, "egocross") == {
        "of wards": "surgery",
        "of open": "surgery",
        "of pets": "animals",
    }


def test_one_domain_alone_has_no_mean() -> None:
    asked = answers([("r", "k5", "a", True, "parsed")])
    domains = dict.fromkeys(asked["question_id"], "wards")
    assert score(asked, domains=domains).equals(score(asked))


def test_a_domain_whose_calls_all_failed_leaves_the_mean_open() -> None:
    asked = answers([("r", "k5", "a", True, "parsed"), ("r", "k5", "b", False, "error")])
    domains = dict(zip(asked["question_id"], ("wards", "works"), strict=True))
    values = dict(score(asked, domains=domains).select("slice", "value").iter_rows())
    assert values["macro_domains"] is None and values["wards"] == 1.0


def test_a_subtask_named_like_a_group_is_refused() -> None:
    with pytest.raises(ValueError, match="'k5' is a reserved slice"):
        score(answers([("r", "k5", "a", True, "parsed")]), groups={"k5": ["x", "y"]})
