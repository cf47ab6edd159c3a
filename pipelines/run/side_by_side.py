"""Partitions that do not depend on each other, updated side by side by Dagster's multiprocess executor.

One Dagster run has a step for each group of partitions. A step is a process of its own, which launches the
assets of each partition as a run in that process; so each partition keeps its own run, and what stops one
does not stop the others. A process ends when the one that started it is gone.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import dagster as dg
from dagster._core.execution.job_execution_result import JobExecutionResult
from dagster._core.executor import multiprocess
from dagster._core.log_manager import DagsterLogManager

from assets.dagster import OptionsResource
from assets.options import Options
from pipelines.definitions import definitions
from pipelines.errors import Defect, debugging, defect, sentence, traceback_text
from pipelines.run.dead_runs import TAG, this_process
from pipelines.run.invocation import invocation_tags
from pipelines.run.launch import Blocked, RunFailed, launch, shared_config
from pipelines.run.processes import end_with
from resources.config import load_settings
from resources.config_file import config_path
from resources.masking import guard_process, mask, mask_exception
from resources.models import EngineUnavailableError
from resources.processes import keep_interrupts_from_children

MOST_WORKERS = 4
_BYTES_PER_WORKER = 3 * 2**30
# What a Dagster instance imports when it is opened.
_STORAGE_MODULES = (
    "dagster._core.storage.sqlite_storage",
    "dagster._core.storage.event_log",
    "dagster._core.storage.runs",
    "dagster._core.storage.schedules",
    "pipelines.run.kept_connections",
)
# Kinds of stops that a step hands to the process that waits for it.
_STOPS: Mapping[str, type[Exception]] = {
    "check": Blocked,
    "model": EngineUnavailableError,
    "error": RunFailed,
    "defect": Defect,
}


def _log_without_console(
    instance: dg.DagsterInstance, dagster_run: dg.DagsterRun
) -> DagsterLogManager:
    return DagsterLogManager.create(loggers=[], instance=instance, dagster_run=dagster_run)


# The processes of steps begin with a line on the terminal that no configuration turns off, and that would
# run into the bars: what they report is stored and shown in the UI as before, and not printed.
multiprocess.create_context_free_log_manager = _log_without_console  # pyright: ignore[reportPrivateImportUsage]


def default_workers() -> int:
    """Partitions to update at a time: one a core and one for each 3 GB of memory, at most four."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(MOST_WORKERS, cores or 1, memory // _BYTES_PER_WORKER))


class PartitionUpdates(dg.Config):
    """Partitions to update one after the other.

    Attributes:
        assets: Names of the assets to materialise, by partition.
        configuration: Configuration file of the process that waits for the update.
        parent: That process, as `this_process` names it.
    """

    assets: dict[str, list[str]]
    configuration: str
    parent: str


@dg.op
def update_partitions(
    context: dg.OpExecutionContext, config: PartitionUpdates, options: OptionsResource
) -> None:
    """Update the assets of partitions, each in a run of its own."""
    from pipelines.run.kept_connections import keep_connections

    # Steps inherit the environment of the process they are forked from, which may be older than this.
    os.environ["PARALLAX_CONFIG"] = config.configuration
    guard_process()
    end_with(config.parent)
    keep_connections(context.instance)
    chosen = options.options(context.run.tags)
    stops: dict[str, dict[str, str]] = {}
    for partition, assets in config.assets.items():
        try:
            definition = definitions(load_settings(), expensive_checks=False)
            launch(context.instance, definition, partition, assets, chosen, options.progress)
        except Exception as error:  # noqa: BLE001 - handed on to the process that waits
            mask_exception(error)
            stops[partition] = _described(error)
    if stops:
        raise dg.Failure(
            "; ".join(f"{name}: {stop['message']}" for name, stop in stops.items()),
            {"stops": dg.MetadataValue.json(stops)},
            allow_retries=False,
        )


def _described(error: Exception) -> dict[str, str]:
    """Kind and message of an error, for the process that waits."""
    kind = next((name for name, stop in _STOPS.items() if isinstance(error, stop)), "error")
    message = sentence(error)
    if message is None:
        kind, message = "defect", defect(error)
        if debugging():
            sys.stderr.write(traceback_text(error))
    return {"kind": kind, "message": message}


def side_by_side_job(*steps: str) -> dg.JobDefinition:
    """A job whose steps run side by side."""

    @dg.job(
        name="update_side_by_side",
        executor_def=dg.multiprocess_executor,
        resource_defs={"options": OptionsResource()},
    )
    def job() -> None:
        for step in steps:
            update_partitions.alias(step)()

    return job


def launch_side_by_side(
    instance: dg.DagsterInstance,
    groups: Sequence[Mapping[str, Sequence[str]]],
    options: Options,
    workers: int,
    progress: str = "",
) -> dict[str, Exception]:
    """Update partitions that do not depend on each other, some groups at a time.

    Args:
        instance: Dagster's instance.
        groups: Assets to materialise by partition; the partitions of a group share a process, which
            updates one after the other.
        options: A person's choices.
        workers: Groups to update at a time.
        progress: File that stages report their progress to; empty for none.

    Returns:
        Why partitions stopped, by partition: `Blocked`, `EngineUnavailableError`, `RunFailed`
        or `Defect`.
    """
    # Steps are started in this order, and their names may hold letters, digits and `_` alone.
    steps = {
        f"update_{number:03}_{re.sub('[^A-Za-z0-9_]', '_', min(group))}": group
        for number, group in enumerate(groups)
    }
    # Dagster declares a tuple of one element and takes any.
    names: Any = tuple(steps)
    job = dg.build_reconstructable_job(__name__, side_by_side_job.__name__, names)
    configured = {
        step: {
            "config": {
                "assets": {partition: list(assets) for partition, assets in group.items()},
                "configuration": str(config_path().absolute()),
                "parent": this_process()[TAG],
            }
        }
        for step, group in steps.items()
    }
    # Modules are imported once, by the process that all others are forked from.
    started = {"forkserver": {"preload_modules": [__name__, *_STORAGE_MODULES]}}
    run_config = {
        "ops": configured,
        "execution": {"config": {"max_concurrent": workers, "start_method": started}},
        **shared_config(options, progress),
    }
    keep_interrupts_from_children()
    with dg.execute_job(
        job,
        instance,
        run_config=run_config,
        tags={**this_process(), **invocation_tags()},
        raise_on_error=False,
    ) as result:
        stops = dict(_stops(result, steps))
        if not result.success and not stops:
            raise RunFailed(f"run {result.run_id} failed; see its log in the Dagster UI")
    return stops


def _stops(
    result: JobExecutionResult, steps: Mapping[str, Mapping[str, Sequence[str]]]
) -> Iterator[tuple[str, Exception]]:
    for event in result.filter_events(lambda event: event.is_step_failure):
        failure = event.step_failure_data
        data = failure.user_failure_data
        described: Any = data.metadata["stops"].value if data and data.metadata else None
        if described is not None:
            for partition, stop in described.items():
                yield partition, _STOPS[stop["kind"]](stop["message"])
            continue
        message = failure.error.message.strip() if failure.error else "no reason was given"
        for partition in steps[str(event.step_key)]:
            words = f"its process ended: {mask(message)}; see run {result.run_id} in the Dagster UI"
            yield partition, RunFailed(words)
