"""Checks of stored tables as Dagster asset checks, and running them when a person asks."""

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

import dagster as dg

from assets.dagster import SettingsResource
from assets.dagster.partitions import Partitions
from assets.sources.registry import layout
from expectations.checks.keys import asset_key, table_named
from expectations.checks.results import QUALITY as STORED_QUALITY
from expectations.checks.results import Quality, released, suite_quality
from expectations.published import Figure, figures
from expectations.suites import SUITES
from expectations.suites.core import SuiteError
from pipelines.suite_pages import write_page
from resources.config import Settings


def published_figures(settings: Settings, source: str) -> tuple[Figure, ...]:
    """Figures that the publication of a source's dataset prints; none where it declares none."""
    declared = layout(settings.sources[source].layout, settings.plugins, settings.home)
    return figures(declared.name, declared.text_beside("published.toml"))


QUALITY: tuple[Quality, ...] = (
    *(suite_quality(name, write_page) for name in SUITES),
    *STORED_QUALITY,
    released(published_figures),
)
"""Every check beside the contracts."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The result of a check of a partition.

    Attributes:
        check: Table and check, as `questions/gates`.
        partition: Partition.
        passed: Whether nothing was found.
        is_error: Whether what was found is an error, not a warning.
        message: What was found, in a sentence.
    """

    check: str
    partition: str
    passed: bool
    is_error: bool
    message: str


def quality_checks(
    partitions: Partitions,
    kinds: Mapping[str, str],
    *,
    expensive: bool = True,
    qualities: Iterable[Quality] = QUALITY,
) -> list[dg.AssetChecksDefinition]:
    """Asset checks beside the contracts, for the tables that are assets.

    They are steps of their own: a fault of a check never fails the step that made the table. The UI
    of Dagster 1.13 runs them only together with the table; `judge_all` runs one alone.

    Args:
        partitions: Partition definitions.
        kinds: Partition kind of every table that is an asset.
        expensive: Whether to include the ones that cost seconds however small the table is.
        qualities: What to check.
    """
    return [
        _check(quality, partitions.of_table(quality.table, kinds[quality.table]))
        for quality in qualities
        if quality.table in kinds and (expensive or not quality.expensive)
    ]


def _check(quality: Quality, parts: dg.PartitionsDefinition) -> dg.AssetChecksDefinition:
    with warnings.catch_warnings():
        # As in `contract_spec`: without partitions one source's result overwrites another's.
        warnings.simplefilter("ignore", dg.PreviewWarning)

        @dg.asset_check(
            asset=asset_key(quality.table),
            name=quality.name,
            description=quality.about,
            partitions_def=parts,
        )
        def judge(
            context: dg.AssetCheckExecutionContext, settings: SettingsResource
        ) -> dg.AssetCheckResult:
            return quality.judge(settings.load(), context.partition_key)

    return judge


def judge_all(
    instance: dg.DagsterInstance,
    definition: dg.Definitions,
    names: Collection[str],
    partitions: Collection[str],
    say: Callable[[str], None],
) -> list[Judged]:
    """Run checks on every partition they have, and print their results.

    Args:
        instance: Dagster instance that keeps the results.
        definition: Definitions with the checks.
        names: Names of checks; empty for all.
        partitions: Only these partitions; empty for all.
        say: Prints a line for each result as it comes.
    """
    job = definition.resolve_implicit_global_asset_job_def()
    results: list[Judged] = []
    for quality in QUALITY:
        key = dg.AssetCheckKey(asset_key(quality.table), quality.name)
        if key not in job.asset_layer.asset_graph.asset_check_keys:
            continue
        if names and quality.name not in names:
            continue
        parts = job.asset_layer.asset_graph.get(key).partitions_def
        for partition in parts.get_partition_keys() if parts else ():
            if partitions and partition not in partitions:
                continue
            results.append(_run(instance, job, key, partition))
            say(_line(results[-1]))
    return results


def _run(
    instance: dg.DagsterInstance, job: dg.JobDefinition, key: dg.AssetCheckKey, partition: str
) -> Judged:
    name = f"{table_named(key.asset_key)}/{key.name}"
    try:
        result = job.get_subset(asset_check_selection={key}).execute_in_process(
            instance=instance,
            # By tag: a job of checks alone is not told its partitions, though the checks have them.
            tags={"dagster/partition": partition},
            raise_on_error=True,
            # What fails is raised and said once.
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        )
    except SuiteError as error:
        # One that cannot be judged says nothing of the others.
        return Judged(name, partition, passed=False, is_error=True, message=str(error))
    evaluation = result.get_asset_check_evaluations()[0]
    return Judged(
        name,
        partition,
        evaluation.passed,
        evaluation.severity == dg.AssetCheckSeverity.ERROR,
        evaluation.description or "",
    )


def _line(judged: Judged) -> str:
    mark = "ok" if judged.passed else "ERROR" if judged.is_error else "warning"
    return f"{mark:<8}{judged.check} of {judged.partition}: {judged.message}"
