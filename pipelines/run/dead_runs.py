"""Runs whose process died are marked as failed in Dagster, so that they block nothing.

A killed process leaves its run marked as started, with its place in a pool taken: later runs would
wait for it and automation would think its assets are in progress.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager

import dagster as dg
from dagster._core.storage.dagster_run import IN_PROGRESS_RUN_STATUSES

from pipelines.run.processes import is_alive, process_name

TAG = ".dagster/parallax_process"
"""Hidden in the UI, as all tags are that begin like this: it tells people nothing."""
_FORMER_TAG = "parallax/process"
_LAUNCHING: list[dg.DagsterInstance] = []


def this_process() -> dict[str, str]:
    """Tag that names this process: host, number, and when it started (numbers are used again)."""
    return {TAG: process_name(os.getpid())}


def mark_dead_runs_failed(instance: dg.DagsterInstance) -> list[str]:
    """Report runs of this machine whose process is gone as failed, and free their places in pools.

    Returns:
        Ids of the runs.
    """
    marked = []
    for run in instance.get_runs(dg.RunsFilter(statuses=list(IN_PROGRESS_RUN_STATUSES))):
        process = run.tags.get(TAG, run.tags.get(_FORMER_TAG))
        if process is None or is_alive(process):
            continue
        instance.report_run_failed(run, "its process ended without saying so (killed?)")
        instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
        marked.append(run.run_id)
    return marked


@contextmanager
def launching(instance: dg.DagsterInstance) -> Iterator[None]:
    """While the block runs, `mark_runs_canceled` finds the runs that are launched in an instance."""
    _LAUNCHING.append(instance)
    try:
        yield
    finally:
        _LAUNCHING.remove(instance)


def mark_runs_canceled(pids: Collection[int]) -> None:
    """Report runs that this process launches, itself or in others, as canceled by a person.

    Args:
        pids: Numbers of this process and of the others, all alive.
    """
    processes = {process_name(pid) for pid in pids}
    for instance in _LAUNCHING:
        for run in instance.get_runs(dg.RunsFilter(statuses=list(IN_PROGRESS_RUN_STATUSES))):
            if run.tags.get(TAG) in processes:
                instance.report_run_canceled(run, "interrupted by a person (Ctrl-C)")
                instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
