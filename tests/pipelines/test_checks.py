"""Checks of stored tables, run by Dagster on tiny definitions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl
import pytest

from assets.dagster import SettingsResource
from assets.dagster.partitions import Partitions
from assets.questions.gating import STAGE as GATES
from assets.scores.stage import effective_chance_of
from expectations.checks.keys import asset_key
from expectations.checks.results import Quality
from expectations.schemas import TABLES
from expectations.suites import SUITES, SuiteError
from pipelines.checks import QUALITY, judge_all, quality_checks
from pipelines.run.suites import judge_changed_suites
from resources.config import Settings, load_settings
from resources.store.ledger import Entry, write_entries
from tests.expectations.suites.suite_worlds import frames_world, labels_world, questions_world

CONFIG = """
store = "tables"
[sources.house]
layout = "egoexolearn"
root = "raw"
sentence_match = "none"
[benchmarks.b]
sources = ["house", "absent"]
"""
KINDS = {"frames": "source", "labels": "source", "questions": "benchmark"}
KINDS |= {"question_gates": "benchmark"}
HOSTILE = "<img src=x onerror=alert(1)> | `x` [a](javascript:b)"


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    (tmp_path / "parallax.toml").write_text(CONFIG)
    monkeypatch.setenv("PARALLAX_CONFIG", str(tmp_path / "parallax.toml"))
    monkeypatch.delenv("PARALLAX_STORE", raising=False)
    return load_settings()


def tiny(settings: Settings, **options: Any) -> dg.Definitions:
    """One asset per table that has checks, and the checks."""
    partitions = Partitions.of(settings)

    def made(name: str, kind: str) -> dg.AssetsDefinition:
        @dg.asset(key=asset_key(name), partitions_def=partitions.of_kind(kind))
        def table() -> None: ...

        return table

    return dg.Definitions(
        assets=[made(name, kind) for name, kind in KINDS.items()],
        asset_checks=quality_checks(partitions, KINDS, **options),
        resources={"settings": SettingsResource()},
    )


def put(settings: Settings, partition: str, frames: Mapping[str, pl.DataFrame]) -> None:
    for name, frame in frames.items():
        table = TABLES[name]
        filled = frame.with_columns(pl.col(table.unit).fill_null("u"))
        settings.store.replace(table, partition, filled[table.unit].unique().to_list(), filled)


def note_ledger(settings: Settings) -> None:
    """Note that verdicts were made, as the stage does that makes them."""
    entry = Entry("q", "made", "ok", "content", 0, {"question_gates": (80, {"verdict": "hash"})})
    write_entries(settings.store, GATES.name, "b", [entry])


def questions(n: int = 40) -> pl.DataFrame:
    rows = questions_world(n)["questions"]
    return rows.with_columns(
        pl.lit("b").alias("benchmark"),
        pl.lit("house/r/u").alias("pool"),
        ("h" + pl.col("question_id")).alias("question_hash"),
        pl.when(pl.int_range(pl.len()) < 4)
        .then(pl.lit("few"))
        .otherwise("subtask")
        .alias("subtask"),
    )


def gates(asked: pl.DataFrame, refused: set[str], **change: Any) -> pl.DataFrame:
    return TABLES["question_gates"].frame(
        {
            "benchmark": "b",
            "source": "house",
            "pool": "house/r/u",
            "subtask": row["subtask"],
            "question_id": row["question_id"],
            "question_hash": row["question_hash"],
            "gate": gate,
            "protocol": "",
            "verdict": "refuse" if row["question_id"] in refused and gate == "leak" else "pass",
            "rule": "word",
            "message": "the answer stands in the text " + HOSTILE,
        }
        | change
        for row in asked.iter_rows(named=True)
        for gate in ("leak", "margin")
    )


def judged(settings: Settings, name: str) -> tuple[dg.AssetCheckEvaluation, dg.DagsterInstance]:
    """The one result of a check, as Dagster keeps it."""
    instance = dg.DagsterInstance.ephemeral()
    found = judge_all(instance, tiny(settings), [name], ["b"], lambda line: None)
    table, _, check = found[0].check.partition("/")
    key = dg.AssetCheckKey(asset_key(table), check)
    kept = instance.event_log_storage.get_asset_check_execution_history(key, limit=5)
    assert len(kept) == len(found) == 1
    event = kept[0].event
    assert event is not None and event.dagster_event is not None
    told = event.dagster_event.asset_check_evaluation_data
    assert told.partition == "b"
    return told, instance


def test_every_check_is_of_a_table_and_partitioned_like_it(settings: Settings) -> None:
    graph = tiny(settings).resolve_asset_graph()
    keys = {k.to_user_string() for k in graph.asset_check_keys}
    assert keys == {
        "frames/frames:suite",
        "labels/labels:suite",
        "questions/questions:suite",
        "questions/questions:set_checks",
        "questions/question_gates:gates",
    }
    for key in graph.asset_check_keys:
        checked = graph.get(key).partitions_def
        assert checked == graph.get(key.asset_key).partitions_def, key


def test_checks_of_tables_that_are_no_assets_are_left_out(settings: Settings) -> None:
    found = quality_checks(Partitions.of(settings), {"frames": "source"})
    assert [k.to_user_string() for c in found for k in c.check_keys] == ["frames/frames:suite"]


def test_a_run_takes_the_cheap_checks_along_and_not_the_dear_ones(settings: Settings) -> None:
    asked = questions()
    put(settings, "b", {"questions": asked, "question_gates": gates(asked, set())})
    job = tiny(settings, expensive=False).resolve_implicit_global_asset_job_def()
    result = job.execute_in_process(
        partition_key="b", asset_selection=[asset_key("questions"), asset_key("question_gates")]
    )
    assert result.success
    found = {(e.asset_key.path[-1], e.check_name) for e in result.get_asset_check_evaluations()}
    assert found == {("questions", "set_checks"), ("question_gates", "gates")}
    assert {q.name for q in QUALITY if q.expensive} == {"suite"}


@pytest.mark.parametrize(
    ("n_refused", "passed", "severity", "said"),
    [
        (0, True, "WARN", "0 of 40 questions are refused"),
        (1, False, "WARN", "1 of 40 questions are refused"),
        (4, False, "ERROR", "4 of 40 questions are refused; nothing is left of few"),
    ],
)
def test_gates_tell_what_they_refuse(
    settings: Settings, n_refused: int, passed: bool, severity: str, said: str
) -> None:
    asked = questions()
    refused = {f"q{i}" for i in range(n_refused)}
    put(settings, "b", {"questions": asked, "question_gates": gates(asked, refused)})
    told, _ = judged(settings, "gates")
    assert (told.passed, told.severity.value, told.description) == (passed, severity, said)
    shown = str(told.metadata["refused"].value)
    assert all(f"| {q} | few |" in shown for q in refused)
    assert "<" not in shown and "javascript:" not in shown
    counts = str(told.metadata["verdicts by gate"].value)
    assert f"| leak | {40 - n_refused} |" in counts
    assert counts.startswith("![verdicts by gate](data:image/svg+xml;base64,")
    assert told.metadata["judged questions"].value == 40


@pytest.mark.parametrize("stale", [False, True])
def test_questions_nobody_judged_are_told(settings: Settings, stale: bool) -> None:
    asked = questions()
    tables = {"questions": asked}
    if stale:
        tables["question_gates"] = gates(asked, {"q1"}, question_hash="before")
    put(settings, "b", tables)
    told, _ = judged(settings, "gates")
    assert not told.passed
    assert told.description == "0 of 40 questions are refused, 40 were not judged"


def test_set_checks_are_told_row_by_row(settings: Settings) -> None:
    asked = questions().with_columns(answer=pl.lit("A"), subtask=pl.lit("one"))
    put(settings, "b", {"questions": asked})
    told, _ = judged(settings, "set_checks")
    assert not told.passed
    assert "position_balance of one" in str(told.description)
    assert "| refuse | one | position&#95;balance |" in str(told.metadata["set checks"].value)


def test_recipes_of_a_subtask_are_told_apart(settings: Settings) -> None:
    asked = questions().with_columns(subtask=pl.lit("one"), recipe=pl.lit("fair@1"))
    biased = asked.with_columns(
        ("z" + pl.col("question_id")).alias("question_id"),
        ("z" + pl.col("question_hash")).alias("question_hash"),
        answer=pl.lit("A"),
        recipe=pl.lit("biased@1"),
    )
    put(settings, "b", {"questions": pl.concat([asked, biased])})
    told, _ = judged(settings, "set_checks")
    assert "position_balance of one (biased@1)" in str(told.description)
    assert "position_balance of one (fair@1)" not in str(told.description)


def test_effective_chance_is_that_of_published_questions(settings: Settings) -> None:
    """It is worked out anew when verdicts change: questions that are not published count no more."""
    asked = questions().with_columns(answer=pl.lit("A"), subtask=pl.lit("one"))
    right = pl.element().struct.field("letter") == "A"
    asked = asked.with_columns(
        options=pl.col("options").list.eval(pl.element().struct.with_fields(is_answer=right))
    )
    put(settings, "b", {"questions": asked})
    chances = effective_chance_of(settings, "b")
    assert set(chances["question_id"]) == set(asked["question_id"])
    assert set(chances["effective_chance"]) == {1.0}  # the first letter is always right
    first = asked["question_id"].to_list()[:20]
    put(settings, "b", {"question_gates": gates(asked, set(first))})
    note_ledger(settings)
    assert effective_chance_of(settings, "b").is_empty()  # judged, and not published


@pytest.mark.parametrize("table", SUITES)
def test_suites_tell_what_is_broken_with_rows_and_a_drawing(settings: Settings, table: str) -> None:
    worlds = {
        "frames": frames_world(gaze_y=pl.when(pl.col("tick") % 2 == 1).then(1.5).otherwise(0.5)),
        "labels": labels_world(span_end=pl.col("span_start") + 1),
        "questions": {"questions": questions().with_columns(text=pl.lit("Why?"))},
    }
    broken = {"frames": "gaze_y_in_picture", "labels": "matches_are_words"}
    partition = "b" if table == "questions" else "house"
    put(settings, partition, worlds[table])
    told = next(q for q in QUALITY if (q.table, q.name) == (table, "suite")).judge(
        settings, partition
    )
    assert not told.passed and told.severity == dg.AssetCheckSeverity.WARN
    assert broken.get(table, "text_length") in str(told.description)
    assert "NO" in told.metadata["expectations"].value.split("\n")[2]
    assert told.metadata["failing rows"].value.count("\n") >= 10
    assert told.metadata["distribution"].value.startswith("![")


def test_a_fault_of_a_check_fails_the_check_and_says_nothing_of_the_data(
    settings: Settings,
) -> None:
    def broken(settings: Settings, partition: str) -> dg.AssetCheckResult:
        raise SuiteError("the library is not there")

    quality = Quality("suite", "frames", "about", broken)
    instance = dg.DagsterInstance.ephemeral()
    lines: list[str] = []
    (judged,) = judge_all(instance, tiny(settings, qualities=[quality]), (), (), lines.append)
    assert judged.is_error and not judged.passed
    assert lines == ["ERROR   frames/suite of house: the library is not there"]
    key = dg.AssetCheckKey(asset_key("frames"), "suite")
    kept = instance.event_log_storage.get_asset_check_execution_history(key, limit=5)
    assert [r.status.value for r in kept] != ["SUCCEEDED"]
    assert all(r.event is None or "evaluation" not in str(r.event.dagster_event_type) for r in kept)


def test_suites_are_judged_where_tables_changed_and_told_on_a_page(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = settings.home / "dagster"
    monkeypatch.setenv("DAGSTER_HOME", str(home))
    asked = questions().with_columns(
        text=pl.lit("Why?"), question_id=HOSTILE + pl.col("question_id")
    )
    put(settings, "b", {"questions": asked})
    said: list[str] = []

    def judge(*partitions: str) -> Path | None:
        said.clear()
        return judge_changed_suites(settings, partitions, said.append)

    assert judge("house") is None  # nothing is stored of it
    pages = judge("b", "house")
    assert pages is not None
    assert sorted(path.name for path in pages.iterdir()) == ["index.html", "questions.b.html"]
    (line,) = said
    assert line.startswith("suite of questions of b: ") and "text_length" in line
    page = (pages / "questions.b.html").read_text()
    assert "&lt;img src=x onerror=alert(1)&gt;" in page and "<img src=x" not in page
    assert "<svg" in page and "http" not in page.replace("http://www.w3.org/2000/svg", "")

    judge("b")
    assert said == []  # the page tells of the tables as they are
    entry = Entry("q", "made", "ok", "content", 0, {"questions": (40, {"text": "hash"})})
    write_entries(settings.store, "questions", "b", [entry])
    judge("b")
    assert len(said) == 1

    with dg.DagsterInstance.from_config(str(home)) as instance:
        key = dg.AssetCheckKey(asset_key("questions"), "suite")
        kept = instance.event_log_storage.get_asset_check_execution_history(key, limit=5)
        told = [record.event.dagster_event.asset_check_evaluation_data for record in kept]
    assert [(one.partition, one.passed) for one in told] == [("b", False)] * 2
    assert told[0].metadata["page"].value == str(pages / "questions.b.html")


def test_a_suite_that_cannot_be_judged_does_not_stop_the_run(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*args: Any) -> None:
        raise SuiteError("Great Expectations cannot be imported")

    monkeypatch.setenv("DAGSTER_HOME", str(settings.home / "dagster"))
    monkeypatch.setattr("expectations.checks.results.run_suite", missing)
    put(settings, "b", {"questions": questions()})
    said: list[str] = []
    assert judge_changed_suites(settings, ["b"], said.append) is None
    assert said == ["suite of questions of b was not judged: Great Expectations cannot be imported"]
