"""Launch the assets of one partition in this process, and say in one exception why that stopped."""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence

import dagster as dg
from dagster._core.errors import DagsterAssetCheckFailedError
from dagster._core.storage.tags import PARTITION_NAME_TAG
from stamina.instrumentation import set_on_retry_hooks

from assets.options import Options
from expectations.checks.keys import asset_key, table_named
from pipelines.run.dead_runs import this_process
from pipelines.run.invocation import invocation_tags
from resources.errors import ExpectedError


class RunFailed(ExpectedError, RuntimeError):
    """A Dagster run ended without success; its log says where."""


class Blocked(ExpectedError, RuntimeError):
    """A blocking check failed: what lies behind it in this partition is not updated."""


def launch(
    instance: dg.DagsterInstance,
    definition: dg.Definitions,
    partition: str,
    assets: Sequence[str],
    options: Options,
    progress: str = "",
) -> None:
    """Materialise some assets of one partition in this process.

    Args:
        instance: Dagster's instance.
        definition: Definitions of the configuration.
        partition: The partition.
        assets: Names of the assets.
        options: A person's choices.
        progress: File that stages report their progress to; empty for none.

    Raises:
        Blocked: A blocking check failed.
        RunFailed: The run ended without success.
        Exception: Whatever a stage raises.
    """
    # A lost race for a commit is run again: nothing that a person has to know.
    set_on_retry_hooks(())
    job = definition.resolve_implicit_global_asset_job_def()
    run_id = str(uuid.uuid4())
    try:
        result = job.execute_in_process(
            instance=instance,
            run_id=run_id,
            asset_selection=[asset_key(asset) for asset in assets],
            run_config=shared_config(options, progress),
            # By tag: the tables of a source do not all have the same partitions, since no layout fills all.
            tags={**this_process(), **invocation_tags(), PARTITION_NAME_TAG: partition},
            raise_on_error=True,
        )
    except DagsterAssetCheckFailedError:
        raise Blocked(_failed_checks(instance, run_id)) from None
    if not result.success:
        raise RunFailed(f"run {run_id} of {partition} failed; see its log in the Dagster UI")


def shared_config(options: Options, progress: str = "") -> dict[str, object]:
    """Run configuration of all launched runs: a person's choices, and Dagster's console log.

    The log keeps quiet: what fails is raised and printed once, not three times.
    """
    chosen = {
        "recordings": list(options.recordings),
        "subtasks": list(options.subtasks),
        "limit": options.limit,
        "allow_deletes": options.allow_deletes,
        "retry_errors": options.retry_errors,
        "unattended": options.unattended,
        "progress": progress,
    }
    return {
        "resources": {"options": {"config": chosen}},
        "loggers": {
            "console": {"config": {"log_level": os.environ.get("PARALLAX_LOG", "CRITICAL")}}
        },
    }


def _failed_checks(instance: dg.DagsterInstance, run_id: str) -> str:
    """Blocking checks of a run that failed, with their descriptions."""
    logs = instance.all_logs(run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION)
    evaluations = [
        entry.dagster_event.asset_check_evaluation_data
        for entry in logs
        if entry.dagster_event is not None
    ]
    return "; ".join(
        f"check {check.check_name!r} of {table_named(check.asset_key)}: {check.description}"
        for check in evaluations
        if check.blocking and not check.passed and check.severity == dg.AssetCheckSeverity.ERROR
    )
