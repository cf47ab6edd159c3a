"""A run whose process was killed blocks neither pools nor automation."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import dagster as dg
import pytest

from pipelines.run.dead_runs import (
    TAG,
    launching,
    mark_dead_runs_failed,
    mark_runs_canceled,
    this_process,
)


def named(pid: int) -> str:
    return subprocess.run(
        [
            sys.executable,
            "-c",
            f"from pipelines.run.processes import process_name; print(process_name({pid}))",
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


@pytest.fixture
def instance(tmp_path):
    (tmp_path / "dagster.yaml").write_text("concurrency:\n  pools:\n    default_limit: 1\n")
    with dg.DagsterInstance.from_config(str(tmp_path)) as made:
        yield made


def started(instance: dg.DagsterInstance, tags: dict[str, str]) -> str:
    @dg.job
    def empty() -> None: ...

    run = instance.create_run_for_job(empty, status=dg.DagsterRunStatus.STARTED, tags=tags)
    return run.run_id


def status(instance: dg.DagsterInstance, run_id: str) -> dg.DagsterRunStatus:
    run = instance.get_run_by_id(run_id)
    assert run is not None
    return run.status


def test_a_killed_process_is_told_and_its_place_is_free(instance: dg.DagsterInstance) -> None:
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"])
    run_id = started(instance, {TAG: named(sleeper.pid)})
    storage = instance.event_log_storage
    storage.initialize_concurrency_limit_to_default("engine")
    assert storage.claim_concurrency_slot("engine", run_id, "step").is_claimed
    assert mark_dead_runs_failed(instance) == []

    os.kill(sleeper.pid, signal.SIGKILL)
    sleeper.wait()
    assert mark_dead_runs_failed(instance) == [run_id]
    assert status(instance, run_id) == dg.DagsterRunStatus.FAILURE
    assert storage.claim_concurrency_slot("engine", "another", "step").is_claimed


def test_the_living_and_the_unknown_are_left_alone(instance: dg.DagsterInstance) -> None:
    mine = started(instance, this_process())
    elsewhere = started(instance, {TAG: "another-machine:1:1"})
    by_the_daemon = started(instance, {})
    assert mark_dead_runs_failed(instance) == []
    for run_id in (mine, elsewhere, by_the_daemon):
        assert status(instance, run_id) == dg.DagsterRunStatus.STARTED


def test_a_number_used_again_is_another_process(instance: dg.DagsterInstance) -> None:
    host, pid, _ = this_process()[TAG].rsplit(":", 2)
    run_id = started(instance, {TAG: f"{host}:{pid}:1"})
    assert mark_dead_runs_failed(instance) == [run_id]


def test_runs_of_interrupted_processes_are_canceled_and_no_others(
    instance: dg.DagsterInstance,
) -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"])
    try:
        own = started(instance, this_process())
        of_child = started(instance, {TAG: named(child.pid)})
        of_another = started(instance, {TAG: named(os.getppid())})
        untagged = started(instance, {})
        storage = instance.event_log_storage
        storage.initialize_concurrency_limit_to_default("engine")
        assert storage.claim_concurrency_slot("engine", of_child, "step").is_claimed
        mark_runs_canceled([os.getpid(), child.pid])
        assert status(instance, own) is dg.DagsterRunStatus.STARTED, "not launched from here"
        with launching(instance):
            mark_runs_canceled([os.getpid(), child.pid])
    finally:
        child.kill()
        child.wait()
    for run_id in (own, of_child):
        assert status(instance, run_id) is dg.DagsterRunStatus.CANCELED
    for run_id in (of_another, untagged):
        assert status(instance, run_id) is dg.DagsterRunStatus.STARTED
    assert not storage.get_concurrency_info("engine").claimed_slots
