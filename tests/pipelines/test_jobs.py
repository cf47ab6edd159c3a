"""Jobs that a person starts by name: what they update, and what they say where it fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from pipelines.definitions import definitions
from pipelines.jobs import jobs
from pipelines.run import orchestrate
from pipelines.run.invocation import TAG, invocation_tags, name_invocation
from pipelines.run.launch import RunFailed
from pipelines.run.steps import Scope
from resources.config import BenchmarkConfig, Settings, load_settings
from resources.store.tables import TableStore
from tests.installation import CONFIG


@pytest.fixture
def defined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dg.RepositoryDefinition:
    (tmp_path / "parallax.toml").write_text(CONFIG)
    monkeypatch.setenv("PARALLAX_CONFIG", str(tmp_path / "parallax.toml"))
    monkeypatch.setenv("PARALLAX_INVOCATION", "")
    return definitions(load_settings()).get_repository_def()


def test_every_benchmark_has_a_job_and_the_example_of_a_schedule_is_off(
    defined: dg.RepositoryDefinition,
) -> None:
    named = {job.name for job in defined.get_all_jobs()} - {"__ASSET_JOB"}
    assert named == {"benchmark_egobridge", "refresh_sources"}
    (schedule,) = defined.schedule_defs
    assert schedule.job_name == "refresh_sources"
    assert schedule.default_status == dg.DefaultScheduleStatus.STOPPED


def test_benchmarks_whose_names_differ_by_a_hyphen_have_jobs_of_their_own(
    tmp_path: Path,
) -> None:
    benchmarks = {name: BenchmarkConfig(name, ()) for name in ("a-b", "a_b", "c")}
    settings = Settings(
        tmp_path, TableStore(str(tmp_path)), tmp_path / "page.html", benchmarks=benchmarks
    )
    assert [job.name for job in jobs(settings)] == [
        "refresh_sources",
        "benchmark_a_b",
        "benchmark_a_b_2",
        "benchmark_c",
    ]


def test_a_job_updates_its_benchmark_and_names_its_runs(
    defined: dg.RepositoryDefinition, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(orchestrate, "update", lambda *args: asked.append(args))
    monkeypatch.setattr(orchestrate, "update_sources", lambda *args: asked.append(args))
    assert defined.get_job("benchmark_egobridge").execute_in_process().success
    assert asked[0][1] == Scope(benchmarks=("egobridge",))
    assert "job benchmark_egobridge" in invocation_tags()[TAG]
    assert defined.get_job("refresh_sources").execute_in_process().success
    assert asked[1][:2] == (asked[0][0], asked[0][2])


def test_a_job_that_fails_says_so_in_a_sentence(
    defined: dg.RepositoryDefinition, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*args: Any) -> None:
        raise RunFailed("run 1 of house failed; see its log in the Dagster UI")

    monkeypatch.setattr(orchestrate, "update_sources", stop)
    result = defined.get_job("refresh_sources").execute_in_process(raise_on_error=False)
    (failure,) = [event for event in result.all_node_events if event.is_step_failure]
    told = failure.step_failure_data.error
    assert told is not None
    assert "see its log in the Dagster UI" in told.message
    assert "Traceback" not in told.to_string()


def test_runs_of_one_command_share_a_name_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARALLAX_INVOCATION", "")
    monkeypatch.setenv("MY_API_KEY", "sk-very-secret-value-123456")
    name_invocation("parallax run --source sk-very-secret-value-123456")
    first = invocation_tags()
    assert first == invocation_tags()
    assert first[TAG].endswith("parallax run --source ***")
