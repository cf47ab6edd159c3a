"""Expectation suites at the end of a run: those whose tables changed since they were last judged."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import dagster as dg

from expectations.schemas import TABLES
from expectations.suites import SUITES, Suite, SuiteError
from pipelines.checks import QUALITY
from pipelines.definitions import STAGES
from pipelines.run.dagster_home import home_in_use, open_instance
from pipelines.run.dead_runs import this_process
from pipelines.run.invocation import invocation_tags
from pipelines.suite_pages import folder, is_current
from resources.config import Settings


def judge_changed_suites(
    settings: Settings, partitions: Collection[str], say: Callable[[str], None]
) -> Path | None:
    """Judge the suites whose tables or expectations changed, and let Dagster record the results.

    In one process and after everything else: importing Great Expectations costs seconds.

    Args:
        settings: Configuration.
        partitions: Sources and benchmarks to look at.
        say: Prints a line to the terminal.

    Returns:
        Folder of the pages about the suites; None where there is none.
    """
    due = [
        (suite, partition)
        for suite in SUITES.values()
        for partition in _partitions(settings, suite, partitions)
        if not is_current(settings, suite, partition, STAGES)
    ]
    if due:
        with open_instance(home_in_use()) as instance:
            _judging(settings, due, say).execute_in_process(
                instance=instance,
                tags={**this_process(), **invocation_tags()},
                run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
            )
    pages = folder(settings)
    return pages if pages.is_dir() else None


def _judging(
    settings: Settings, due: Sequence[tuple[Suite, str]], say: Callable[[str], None]
) -> dg.JobDefinition:
    """A job that judges suites and records each result with the table's partition."""
    judges = {quality.table: quality.judge for quality in QUALITY if quality.name == "suite"}

    @dg.op
    def judge(context: dg.OpExecutionContext) -> None:
        for suite, partition in due:
            try:
                result = judges[suite.table](settings, partition)
            except SuiteError as error:
                # A fault of the check says nothing of the data, which is up to date.
                say(f"suite of {suite.table} of {partition} was not judged: {error}")
                continue
            # Dagster takes such an event here, though its annotation does not name it.
            event: Any = _evaluation(result, partition)
            context.log_event(event)
            if not result.passed:
                say(f"suite of {suite.table} of {partition}: {result.description}")

    @dg.job(name="judge_suites", executor_def=dg.in_process_executor)
    def job() -> None:
        judge()

    return job


def _partitions(settings: Settings, suite: Suite, partitions: Collection[str]) -> list[str]:
    """Partitions in which the table of a suite has rows."""
    kind = next(stage.partition for stage in STAGES if suite.table in stage.tables)
    configured = settings.sources if kind == "source" else settings.benchmarks
    return [
        name
        for name in configured
        if name in partitions and settings.store.n_rows(TABLES[suite.table], name)
    ]


def _evaluation(result: dg.AssetCheckResult, partition: str) -> dg.AssetCheckEvaluation:
    assert result.asset_key is not None
    assert result.check_name is not None
    return dg.AssetCheckEvaluation(
        asset_key=result.asset_key,
        check_name=result.check_name,
        passed=result.passed,
        metadata=result.metadata,
        severity=result.severity,
        description=result.description,
        partition=partition,
    )
