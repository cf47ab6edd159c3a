"""Suites: each expectation holds on plausible data and breaks on the fault it is there for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from expectations.schemas import TABLES
from expectations.suites import SUITES, Expectation, Outcome, Suite, SuiteError, View, run_suite
from tests.expectations.suites.suite_worlds import frames_world, labels_world, questions_world

REPOSITORY = Path(__file__).parents[3]


def outcomes(table: str, world: dict[str, pl.DataFrame], **limits: int) -> dict[str, Outcome]:
    suite = SUITES[table]
    given = {n: world[n].lazy().select(columns) for n, columns in suite.reads.items()}
    return {o.expectation: o for o in run_suite(suite, given, **limits)}


WORLDS = {"frames": frames_world, "labels": labels_world, "questions": questions_world}
odd = pl.int_range(pl.len()) % 2 == 1
FAULTS = [
    ("frames", {"residual_ms": pl.when(odd).then(30.0).otherwise(1.0)}, "tick_has_a_near_frame"),
    ("frames", {"gaze_residual_ms": pl.lit(33.0)}, "gaze_is_near_its_tick"),
    ("frames", {"gaze_x": pl.lit(640.0)}, "gaze_x_in_picture"),
    ("frames", {"gaze_y": pl.lit(-0.4)}, "gaze_y_in_picture"),
    ("frames", {"recordings": 5}, "recordings_have_ticks"),
    ("frames", {"t_s": pl.col("t_s") / 2}, "ticks_cover_the_recording"),
    ("frames", {"source_frame": pl.col("tick") // 4}, "frames_are_not_repeated_too_often"),
    ("frames", {"gaze_valid": pl.lit(1)}, "gaze_validity_per_recording"),
    ("frames", {"gaze_valid": pl.lit(3)}, "gaze_validity"),
    ("frames", {"gaze_samples": pl.lit(120), "gaze_valid": pl.lit(120)}, "gaze_samples_per_tick"),
    ("labels", {"body_part": pl.lit("unspecified_hand")}, "hands_are_told"),
    ("labels", {"kind": pl.lit("noun")}, "verbs_and_nouns_balance"),
    ("labels", {"kind": pl.lit("noun")}, "segments_have_a_verb"),
    ("labels", {"kind": pl.lit("verb")}, "segments_have_a_noun"),
    ("labels", {"span_end": pl.col("span_start") + 1}, "matches_are_words"),
    ("labels", {"only": lambda rows: rows.head(6)}, "labels_per_segment"),
    ("labels", {"only": lambda rows: rows.head(0)}, "vocabulary_is_used"),
    ("questions", {"n": 0}, "there_are_questions"),
    ("questions", {"answer": pl.lit("Z")}, "answer_is_a_letter"),
    ("questions", {"options": pl.col("options").list.head(1)}, "options_per_question"),
    ("questions", {"chance": pl.lit(0.2)}, "chance_fits_the_options"),
    ("questions", {"text": pl.lit("Where?")}, "text_length"),
    ("questions", {"media": pl.col("media").list.head(0)}, "has_media"),
    ("questions", {"evidence": pl.col("evidence").list.head(0)}, "has_evidence"),
    ("questions", {"n": 9}, "questions_per_subtask"),
    (
        "questions",
        {"options": pl.when(odd).then(pl.col("options").list.head(3)).otherwise("options")},
        "one_number_of_options",
    ),
    ("questions", {"answer": pl.lit("A")}, "letters_are_spread"),
    ("questions", {"media_present": pl.lit(False)}, "media_are_here"),
    ("questions", {"recording_id": pl.lit("r0")}, "several_recordings"),
]


@pytest.mark.parametrize("table", WORLDS)
@pytest.mark.parametrize("max_rows", [1_000_000, 0])
def test_plausible_data_keeps_every_expectation(table: str, max_rows: int) -> None:
    found = outcomes(table, WORLDS[table](), max_rows=max_rows)
    declared = [e.name for view in SUITES[table].views for e in view.expectations]
    assert list(found) == declared
    assert [o for o in found.values() if not o.success] == []
    assert all(o.n for o in found.values())


@pytest.mark.parametrize(
    ("table", "change", "broken"),
    FAULTS,
    # Every process must name a case alike: an expression's text holds its address.
    ids=lambda x: x if isinstance(x, str) else "-".join(x),
)
def test_every_fault_is_named(table: str, change: dict[str, Any], broken: str) -> None:
    found = outcomes(table, WORLDS[table](**change))
    assert not found[broken].success
    assert found[broken].reason


def test_faults_cover_all_expectations() -> None:
    declared = {e.name for suite in SUITES.values() for v in suite.views for e in v.expectations}
    assert declared - {broken for *_, broken in FAULTS} == {"median_ticks"}


def test_counted_and_judged_row_by_row_say_the_same() -> None:
    world = frames_world(residual_ms=pl.when(odd).then(30.0).otherwise(1.0), recordings=5)
    small, large = outcomes("frames", world), outcomes("frames", world, max_rows=0)
    assert small == large
    broken = small["tick_has_a_near_frame"]
    # Odd ticks of four recordings; half of 400.
    assert (broken.n, broken.n_unexpected, broken.observed) == (400, 200, "50.0% of 400 keep it")
    assert broken.failing[:2] == ("r0 cfr25 1", "r0 cfr25 3")
    assert len(broken.failing) == 10


@pytest.mark.parametrize("max_rows", [1_000_000, 0])
def test_without_rows_there_is_nothing_to_judge(max_rows: int) -> None:
    empty = {name: TABLES[name].empty() for name in SUITES["labels"].reads}
    assert {o.observed for o in outcomes("labels", empty, max_rows=max_rows).values()} == {
        "nothing to judge"
    }


def test_a_fault_of_the_check_is_no_fault_of_the_data() -> None:
    view = View(
        "texts",
        "text",
        ("t",),
        lambda tables: tables["x"],
        (Expectation("mean_of_text", "mean", "t", "cannot be", low=0.0, high=1.0),),
    )
    suite = Suite("x", {"x": ("t",)}, (view,), ("texts", "t"))
    with pytest.raises(SuiteError, match="mean_of_text"):
        run_suite(suite, {"x": pl.LazyFrame({"t": ["a", "b"]})})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kind": "between", "column": "x"}, "states no limit"),
        ({"kind": "rows", "column": "x", "low": 1}, "has no column"),
        ({"kind": "mean", "column": "", "low": 1}, "has no column"),
        ({"kind": "between", "column": "x", "low": 1, "mostly": 0}, "not in"),
    ],
)
def test_an_expectation_must_make_sense(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Expectation("e", reason="r", **given)


def test_nothing_is_written_sent_or_imported_before_a_suite_runs(tmp_path: Path) -> None:
    """A fresh process: the library is imported only by a run, which leaves no file and no socket."""
    code = """
import socket, sys
import polars as pl
import expectations.suites as suites
assert "great_expectations" not in sys.modules and "pandas" not in sys.modules
def refuse(*args, **kwargs): raise AssertionError(f"asked the network: {args}")
socket.socket.connect = refuse
socket.getaddrinfo = refuse
from expectations.schemas import TABLES
tables = {n: TABLES[n].empty().lazy() for n in suites.QUESTIONS.reads}
assert [o.expectation for o in suites.run_suite(suites.QUESTIONS, tables) if not o.success] == [
    "there_are_questions"]
assert "great_expectations" in sys.modules
"""
    env = {**os.environ, "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    env["PYTHONPATH"] = str(REPOSITORY)
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.rglob("*")) == []
