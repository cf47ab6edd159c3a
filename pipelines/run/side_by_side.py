"""Partitions that do not depend on each other, updated side by side by Dagster's multiprocess executor.

One Dagster run has a step for each partition. A step is a process of its own, which launches the assets
of its partition as a run in that process; so each partition keeps its own run, and what stops one does not
stop the others. A process ends when the one that started it is gone.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import dagster as dg

from assets.options import Options
from pipelines.definitions import definitions
from pipelines.run.dead_runs import TAG, is_alive, this_process
from pipelines.run.launch import EXPECTED, Blocked, RunFailed, launch, options_config, quiet_loggers
from resources.config import load_settings
from resources.masking import guard_process, mask, mask_exception
from resources.models import EngineUnavailableError

MOST_WORKERS = 4
_BYTES_PER_WORKER = 3 * 2**30
_LOOK_EVERY_S = 0.2
# Kinds of stops that a step hands to the process that waits for it.
_STOPS: Mapping[str, type[Exception]] = {
    "check": Blocked,
    "model": EngineUnavailableError,
    "error": RunFailed,
}


def default_workers() -> int:
    """Partitions to update at a time: one a core and one for each 3 GB of memory, at most four."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(MOST_WORKERS, cores or 1, memory // _BYTES_PER_WORKER))


class PartitionUpdate(dg.Config):
    """One partition, the assets of it to materialise, and a person's choices (see `Options`).

    Attributes:
        partition: The partition.
        assets: Names of the assets.
        parent: Process that waits for the update, as `this_process` names it.
    """

    partition: str
    assets: list[str]
    parent: str
    recordings: list[str] = []
    subtasks: list[str] = []
    limit: int | None = None
    allow_deletes: bool = False
    retry_errors: bool = False


@dg.op
def update_partition(context: dg.OpExecutionContext, config: PartitionUpdate) -> None:
    """Update the assets of one partition in a run of their own."""
    guard_process()
    _end_with(config.parent)
    options = Options(
        tuple(config.recordings),
        tuple(config.subtasks),
        config.limit,
        config.allow_deletes,
        retry_errors=config.retry_errors,
    )
    try:
        definition = definitions(load_settings(), expensive_checks=False)
        launch(context.instance, definition, config.partition, config.assets, options)
    except Exception as error:
        mask_exception(error)
        kind = next((name for name, stop in _STOPS.items() if isinstance(error, stop)), "error")
        message = str(error)
        if not isinstance(error, (*_STOPS.values(), *EXPECTED)):
            message = f"{type(error).__name__}: {error} (its run in the Dagster UI says where)"
        raise dg.Failure(message, {"kind": kind}, allow_retries=False) from error


def side_by_side_job(*partitions: str) -> dg.JobDefinition:
    """A job with one step for each partition."""

    @dg.job(name="update_side_by_side", executor_def=dg.multiprocess_executor)
    def job() -> None:
        for step in _steps(partitions):
            update_partition.alias(step)()

    return job


def _steps(partitions: Sequence[str]) -> dict[str, str]:
    """Partitions by the names of their steps."""
    return {
        f"update_{number}_{re.sub('[^A-Za-z0-9_]', '_', partition)}": partition
        for number, partition in enumerate(partitions)
    }


def launch_side_by_side(
    instance: dg.DagsterInstance,
    assets: Mapping[str, Sequence[str]],
    options: Options,
    workers: int,
) -> dict[str, Exception]:
    """Update partitions that do not depend on each other, some at a time.

    Args:
        instance: Dagster's instance.
        assets: Assets to materialise, by partition.
        options: A person's choices.
        workers: Partitions to update at a time.

    Returns:
        Why partitions stopped, by partition: `Blocked`, `EngineUnavailableError` or `RunFailed`.
    """
    steps = _steps(list(assets))
    # Dagster declares a tuple of one element and takes any.
    names: Any = tuple(assets)
    job = dg.build_reconstructable_job(__name__, side_by_side_job.__name__, names)
    configured = {
        step: {
            "config": {
                "partition": partition,
                "assets": list(assets[partition]),
                "parent": this_process()[TAG],
                **options_config(options),
            }
        }
        for step, partition in steps.items()
    }
    # Modules are imported once, by the process that all others are forked from.
    started = {"forkserver": {"preload_modules": [__name__]}}
    run_config = {
        "ops": configured,
        "execution": {"config": {"max_concurrent": workers, "start_method": started}},
        "loggers": quiet_loggers(),
    }
    with dg.execute_job(
        job, instance, run_config=run_config, tags=this_process(), raise_on_error=False
    ) as result:
        stops = dict(_stops(result, steps))
        if not result.success and not stops:
            raise RunFailed(f"run {result.run_id} failed; see its log in the Dagster UI")
    return stops


def _stops(
    result: dg.ExecuteJobResult, steps: Mapping[str, str]
) -> Iterator[tuple[str, Exception]]:
    for event in result.filter_events(lambda event: event.is_step_failure):
        failure = event.step_failure_data
        partition = steps[str(event.step_key)]
        data = failure.user_failure_data
        if data is not None and data.metadata:
            kind = str(data.metadata["kind"].value)
            yield partition, _STOPS[kind](data.description)
        else:
            message = failure.error.message.strip() if failure.error else "its process ended"
            yield (
                partition,
                RunFailed(f"{mask(message)} (run {result.run_id} in the Dagster UI says more)"),
            )


def _end_with(parent: str) -> None:
    """End this process when another one is gone: nobody would hear of what it does."""

    def watch() -> None:
        while is_alive(parent):
            time.sleep(_LOOK_EVERY_S)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
