"""Differences between runs on the page."""

from __future__ import annotations

import polars as pl

from assets.report.comparisons import compare_runs
from assets.report.render import render_page
from assets.scores.table import score
from tests.assets.report.report_sample import model, questions, replies


def two_models() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Replies of two models under one protocol; the questions come from several recordings."""
    calls, answers = replies(questions())
    second = pl.when(pl.col("run") == "good").then(pl.lit("better@1")).otherwise("model")
    spread = pl.format("r{}", pl.col("question_id").str.slice(-1))
    return calls.with_columns(model=second), answers.with_columns(recording_id=spread)


def test_runs_that_differ_in_one_thing_are_compared_on_the_page() -> None:
    calls, answers = two_models()
    page = model(calls=calls, answers=answers, scores=score(answers), baselines={})
    text = render_page(page)
    assert 'id="differences"' in text and 'href="#differences"' in text
    assert [row.slice for row in page.comparisons][:2] == ["macro", "micro"]
    (row,) = [row for row in page.comparisons if row.slice == "micro"]
    assert abs(row.difference) == 1.0 and row.n == questions().height
    assert "better@1" in row.differs_in
    # Of four recordings the least p value is 2 / 2^4, which no correction makes clear.
    assert row.p == 2 / 2**4 and not row.is_clear
    assert "<strong>+100.0" not in text and "+100.0" in text.replace("-100.0", "+100.0")


def test_baselines_and_runs_that_differ_in_two_things_are_not_compared() -> None:
    assert model().comparisons == ()
    assert 'id="differences"' not in render_page(model())
    _, answers = two_models()
    assert compare_runs(answers, [("good", "a", "x"), ("lost", "b", "y")]) == ()
