"""Dagster assets from a stage: one per table, with schema, lineage, rows, previews and checks."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Any

import dagster as dg
from dagster._core.definitions.data_version import DATA_VERSION_TAG
from dagster._core.storage.tags import (
    AUTO_MATERIALIZE_TAG,
    AUTOMATION_CONDITION_TAG,
    SCHEDULE_NAME_TAG,
    SENSOR_NAME_TAG,
    TICK_ID_TAG,
)

from assets.dagster.external_assets import LISTING, events_beside
from assets.dagster.graph import Upstream, upstream
from assets.dagster.numbers import numbers
from assets.dagster.partitions import Partitions, dependencies
from assets.dagster.pictures import pictures
from assets.dagster.presentation import group_owner, table_group, table_kind
from assets.dagster.table_metadata import asset_metadata, asset_tags, column_lineage, preview
from assets.dagster.worker_reports import pipes_channel
from assets.options import Options, Tell
from assets.progress import ProgressWriter
from assets.stage import Stage, ledger_name
from expectations.checks.keys import asset_key, raw_key
from expectations.checks.results import contract_check, contract_spec
from expectations.schemas import TABLES, Table
from resources.config import Settings, load_settings
from resources.masking import mask_exception
from resources.models.engines.worker_reports import reporting_to
from resources.store.incremental import Progress, Report

_LOG_EVERY_S = 10.0


def automation(upstreams: Upstream) -> dg.AutomationCondition:
    """When the daemon makes an asset anew: where content it depends on changed, or its code did.

    It stops where content stops changing: a table that is written anew with an equal data version starts
    nothing, unless it stands for tables without an edge (see `assets.dagster.graph`).

    Args:
        upstreams: Tables that the asset depends on.
    """
    changed = dg.AutomationCondition.any_deps_match(dg.AutomationCondition.data_version_changed())
    if upstreams.siblings:
        changed = changed.ignore(_selection(upstreams.siblings))
    if upstreams.relays:
        written = dg.AutomationCondition.any_deps_match(dg.AutomationCondition.newly_updated())
        changed |= written.allow(_selection(upstreams.relays))
    changed |= dg.AutomationCondition.missing() | dg.AutomationCondition.code_version_changed()
    handled: Any = changed
    return (
        handled.since_last_handled()
        & ~dg.AutomationCondition.in_progress()
        & ~dg.AutomationCondition.any_deps_in_progress()
    )


def _selection(tables: Iterable[str]) -> dg.AssetSelection:
    return dg.AssetSelection.assets(*(asset_key(name) for name in sorted(tables)))


class SettingsResource(dg.ConfigurableResource):
    """Configuration file of this installation, read when a step starts."""

    def load(self) -> Settings:
        """Settings as the file says now."""
        return load_settings()


# Tags of runs that a schedule, a sensor or an automation condition started; the runs of a backfill that a
# condition started have its tags.
_BY_AUTOMATION = frozenset(
    {
        SCHEDULE_NAME_TAG,
        SENSOR_NAME_TAG,
        AUTOMATION_CONDITION_TAG,
        AUTO_MATERIALIZE_TAG,
        TICK_ID_TAG,
    }
)


class OptionsResource(dg.ConfigurableResource):
    """A person's choices for this run, and the file that stages report their progress to, if any.

    `unattended` says that the run was launched by one that automation started: it has no tags of its own
    that say so.
    """

    recordings: list[str] = []
    subtasks: list[str] = []
    limit: int | None = None
    allow_deletes: bool = False
    retry_errors: bool = False
    unattended: bool = False
    progress: str = ""

    def options(self, tags: Mapping[str, str]) -> Options:
        """The choices as stages take them.

        Args:
            tags: Tags of the run.
        """
        return Options(
            tuple(self.recordings),
            tuple(self.subtasks),
            self.limit,
            self.allow_deletes,
            retry_errors=self.retry_errors,
            unattended=self.unattended or not _BY_AUTOMATION.isdisjoint(tags),
        )


@dataclass(frozen=True, slots=True)
class Refreshed:
    """Result of bringing a stage up to date.

    Attributes:
        reports: What was done.
        seconds: How long it took.
    """

    reports: Sequence[Report]
    seconds: float


_DONE: dict[tuple[str, str], Refreshed] = {}
"""The stage that a run of this process brought up to date, by its name and the run, for its further steps."""


def stage_assets(
    stage: Stage, partitions: Partitions, stages: Sequence[Stage], pool: str | None = None
) -> Iterator[dg.AssetsDefinition]:
    """A multi-asset for a stage, or for each part of it that not every partition has.

    Dagster wants the assets of a step to have the same partitions. The first step of a run brings the
    whole stage up to date; the steps of the other parts report what it wrote.

    Args:
        stage: The stage.
        partitions: Partition definitions.
        stages: All stages that write tables.
        pool: Dagster pool that limits its steps; None for none.
    """
    beside = [one for one in stages if one.partition == stage.partition]
    for name, tables in _steps(stage).items():
        yield dg.multi_asset(
            name=name,
            specs=[_table_spec(stage, table, partitions, stages) for table in tables],
            check_specs=[
                contract_spec(TABLES[table], partitions.of_table(table, stage.partition))
                for table in tables
                if table != LISTING
            ],
            pool=pool,
            description=stage.summary,
        )(_runs(stage, tables, beside))


def _steps(stage: Stage) -> dict[str, list[str]]:
    """Tables of a stage by the step that writes them."""
    # Dagster expects a table's event after those of the tables it is made from.
    own = {table: set(stage.origins(table)) & set(stage.tables) for table in stage.tables}
    ordered = list(TopologicalSorter(own).static_order())
    if stage.fills is None:
        return {f"{stage.name}_stage": ordered}
    steps: dict[str, list[str]] = {}
    for table in ordered:
        part = ledger_name(table).removeprefix(f"{stage.name}.")
        steps.setdefault(f"{stage.name}_{part}", []).append(table)
    return steps


def _runs(
    stage: Stage, tables: Sequence[str], beside: Sequence[Stage]
) -> Callable[..., Iterator[dg.MaterializeResult]]:
    """Function of a step: brings the stage up to date, and reports its tables."""

    def run(
        context: dg.AssetExecutionContext, settings: SettingsResource, options: OptionsResource
    ) -> Iterator[dg.MaterializeResult]:
        loaded, partition = settings.load(), context.partition_key
        done = _DONE.get((stage.name, context.run.run_id))
        if done is None:
            done = _refreshed(context, stage, loaded, options)
            for event in events_beside(loaded, stage, partition, beside):
                context.log_event(event)
            for table in _not_selected(context, stage, loaded):
                # Written along with the tables that were picked: what follows from it has to know.
                result = _result(loaded, stage, TABLES[table], partition, done)
                context.log_event(_written_along(result, partition))
        for table in tables:
            yield _result(loaded, stage, TABLES[table], partition, done)

    return run


def _refreshed(
    context: dg.AssetExecutionContext, stage: Stage, settings: Settings, options: OptionsResource
) -> Refreshed:
    """Bring a stage up to date in the run's partition."""
    partition, chosen = context.partition_key, options.options(context.run.tags)
    writer = ProgressWriter(options.progress)
    report_step = _reporter(context, writer.tell(stage.name, partition))
    started = time.perf_counter()
    try:
        with reporting_to(pipes_channel(context)):
            reports = stage.refresh(settings, partition, chosen, report_step)
    except Exception as error:
        # What is raised here is stored with the run and shown in the UI.
        mask_exception(error)
        raise
    for report in reports:
        context.log.info(report.sentence())
        writer.finished(report)
    done = Refreshed(reports, time.perf_counter() - started)
    if stage.fills is not None:
        # The steps of a run share its process; a run is over before the next one begins.
        _DONE.clear()
        _DONE[stage.name, context.run.run_id] = done
    return done


def _not_selected(
    context: dg.AssetExecutionContext, stage: Stage, settings: Settings
) -> Iterator[str]:
    """Tables of a stage with several steps that are not part of the run."""
    picked = context.run.asset_selection
    if stage.fills is not None and picked is not None:
        for table in stage.tables_of(settings, context.partition_key):
            if asset_key(table) not in picked:
                yield table


def _table_spec(
    stage: Stage, name: str, partitions: Partitions, stages: Sequence[Stage]
) -> dg.AssetSpec:
    upstreams = upstream(stage, name, stages)
    table, group = TABLES[name], table_group(name, stage.group)
    deps = dependencies(upstreams, name, stage.partition, partitions, stages)
    return dg.AssetSpec(
        asset_key(name),
        deps=[*map(raw_key, partitions.source.get_partition_keys())] if name == LISTING else deps,
        description=f"One row per {table.row}.",
        group_name=group,
        owners=[group_owner(group)],
        kinds={"deltalake", table_kind(name)},
        tags=asset_tags(table, stage),
        metadata=asset_metadata(table, stage),
        partitions_def=partitions.of_table(name, stage.partition),
        automation_condition=automation(upstreams) if stage.auto and stage.deps else None,
    )


def _result(
    settings: Settings,
    stage: Stage,
    table: Table,
    partition: str,
    done: Refreshed,
) -> dg.MaterializeResult:
    reports = done.reports
    mine = [r for r in reports if any(table.name in e.tables for e in r.entries.values())]
    n_rows = settings.store.n_rows(table, partition)
    checks = []
    metadata: dict[str, Any] = {
        "dagster/partition_row_count": n_rows,
        "dagster/column_lineage": column_lineage(table, stage),
        "preview": dg.MetadataValue.md(preview(settings.store, table, partition)),
        "rows": n_rows,
        **numbers(table.name, settings.store.scan(table, partition)),
        "seconds of the stage": round(done.seconds, 3),
        "location": dg.MetadataValue.path(settings.store.location(table)),
    }
    if table.name != LISTING:
        check = contract_check(settings.store, table, partition, reports)
        checks.append(check)
        metadata["rows refused"] = check.metadata["rows refused"]
    if mine:
        metadata["units computed"] = sum(len(report.computed) for report in mine)
        metadata["units up to date"] = sum(report.fresh for report in mine)
    drawn = pictures(table.name)
    drawn = {} if drawn is None else drawn(settings.store.read(table, partition))
    if table.name in stage.plots:
        drawn |= stage.plots[table.name](settings.store.read(table, partition))
    if table.name in stage.drawings:
        drawn |= stage.drawings[table.name](lambda t: settings.store.scan(TABLES[t], partition))
    metadata |= {title: dg.MetadataValue.md(shown) for title, shown in drawn.items()}
    for report in mine:
        metadata["did"] = report.sentence()
    return dg.MaterializeResult(
        asset_key=asset_key(table.name),
        data_version=dg.DataVersion(stage.data_version(settings.store, table.name, partition)),
        metadata=metadata,
        check_results=checks,
    )


def _written_along(result: dg.MaterializeResult, partition: str) -> dg.AssetMaterialization:
    assert result.asset_key is not None
    assert result.data_version is not None
    return dg.AssetMaterialization(
        result.asset_key,
        partition=partition,
        metadata=result.metadata,
        tags={DATA_VERSION_TAG: result.data_version.value},
    )


def _reporter(context: dg.AssetExecutionContext, writer: Tell) -> Tell:
    """Progress callbacks that log a line to Dagster every now and then, and pass everything on.

    Args:
        context: Context of the step.
        writer: Gives the callback that everything is passed on to.
    """

    def report(step: str) -> Progress:
        write = writer(step)
        logged = time.monotonic()

        def progress(done: int, total: int, last: str) -> None:
            nonlocal logged
            write(done, total, last)
            if time.monotonic() - logged >= _LOG_EVERY_S:
                logged = time.monotonic()
                context.log.info(f"{step}: {done} of {total} ({last})")

        return progress

    return report
