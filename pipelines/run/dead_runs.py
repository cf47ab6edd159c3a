"""Runs whose process died are marked as failed in Dagster, so that they block nothing.

A killed process leaves its run marked as started, with its place in a pool taken: later runs would
wait for it and automation would think its assets are in progress.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path

import dagster as dg
from dagster._core.storage.dagster_run import IN_PROGRESS_RUN_STATUSES

TAG = "parallax/process"


def this_process() -> dict[str, str]:
    """Tag that names this process: host, number, and when it started (numbers are used again)."""
    return {TAG: _name(os.getpid())}


def mark_dead_runs_failed(instance: dg.DagsterInstance) -> list[str]:
    """Report runs of this machine whose process is gone as failed, and free their places in pools.

    Returns:
        Ids of the runs.
    """
    marked = []
    for run in instance.get_runs(dg.RunsFilter(statuses=list(IN_PROGRESS_RUN_STATUSES))):
        process = run.tags.get(TAG)
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
        process = run.tags.get(TAG)
        if process is not None and (process == own or not is_alive(process)):
            instance.report_run_canceled(run, "interrupted by a person (Ctrl-C)")
            instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)


def _name(pid: int) -> str:
    return f"{socket.gethostname()}:{pid}:{_started(pid)}"


def _started(pid: int) -> str:
    """Start of a process in clock ticks since boot; empty if there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""
    fields = stat.rpartition(")")[2].split()
    # A zombie still has a number but will do nothing any more.
    return "" if fields[0] == "Z" else fields[19]


def is_alive(process: str) -> bool:
    """Whether a process of this machine, named as by `this_process`, still runs; true for others'."""
    host, pid, started = process.rsplit(":", 2)
    if host != socket.gethostname() or not started:
        return True
    return _started(int(pid)) == started
