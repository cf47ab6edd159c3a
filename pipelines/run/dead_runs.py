"""Runs whose process died are marked as failed in Dagster, so that they block nothing.

A killed process leaves its run marked as started, with its place in a pool taken: later runs would
wait for it and automation would think its assets are in progress.
"""

from __future__ import annotations

import os

import dagster as dg
from dagster._core.storage.dagster_run import IN_PROGRESS_RUN_STATUSES

from pipelines.run.processes import is_alive, process_name

TAG = ".dagster/parallax_process"
"""Hidden in the UI, as all tags are that begin like this: it tells people nothing."""
_FORMER_TAG = "parallax/process"


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


def mark_own_runs_canceled(instance: dg.DagsterInstance) -> None:
    """Report the runs of this process, and of processes that are gone, as canceled by a person."""
    own = this_process()[TAG]
    for run in instance.get_runs(dg.RunsFilter(statuses=list(IN_PROGRESS_RUN_STATUSES))):
        process = run.tags.get(TAG, run.tags.get(_FORMER_TAG))
        if process is not None and (process == own or not is_alive(process)):
            instance.report_run_canceled(run, "interrupted by a person (Ctrl-C)")
            instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
