"""Update everything: compare first, then launch in Dagster only what is out of date."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import dagster as dg
from dagster._core.definitions.data_version import DATA_VERSION_TAG
from dagster._core.errors import DagsterAssetCheckFailedError

from assets.options import Options
from assets.report.stage import page_is_fresh
from assets.stage import Stage
from pipelines.definitions import STAGES, definitions
from pipelines.run.dagster_home import home_in_use, open_instance
from pipelines.run.dead_runs import bury_dead_runs, this_process
from resources.config import Settings
from resources.masking import mask
from resources.models import EngineUnavailableError

Say = Callable[[str], None]


class RunFailed(RuntimeError):
    """A Dagster run ended without success; its log says where."""


class Blocked(RuntimeError):
    """A blocking check failed: what lies behind it in this partition is not made."""


class ModelsUnavailable(RuntimeError):
    """Models could not be asked, or could not any more; everything else was brought up to date.

    Attributes:
        partitions: Partitions that stopped there, or draw on one that did.
        counts: Stages reused and made.
    """

    def __init__(
        self, stopped: Mapping[str, str], waiting: Sequence[str], counts: dict[str, int]
    ) -> None:
        super().__init__("; ".join(f"{name}: {why}" for name, why in sorted(stopped.items())))
        self.partitions = frozenset({*stopped, *waiting})
        self.counts = counts


@dataclass(frozen=True, slots=True)
class Step:
    """Assets of one partition that are brought up to date together."""

    partition: str
    stages: tuple[Stage, ...]


def steps(settings: Settings, sources: tuple[str, ...]) -> Iterator[Step]:
    """All steps in the way of the data, for the sources asked for and what draws on them."""

    def of(kind: str) -> tuple[Stage, ...]:
        return tuple(stage for stage in STAGES if stage.partition == kind)

    for source in _decisions_first(settings, sources or sorted(settings.sources)):
        yield Step(source, of("source"))
    for benchmark in sorted(settings.benchmarks):
        if sources and not set(sources) & set(settings.benchmarks[benchmark].sources):
            continue
        yield Step(benchmark, of("benchmark"))
        for key in settings.evaluations():
            if key.partition(".")[0] == benchmark:
                yield Step(key, of("evaluation"))


def _decisions_first(settings: Settings, sources: Sequence[str]) -> list[str]:
    """Sources of the decisions on the ones asked for, then these."""
    first = {place for source in sources for place in settings.sources[source].reviews}
    return [*sorted(first), *(source for source in sources if source not in first)]


def bring_up_to_date(
    settings: Settings, sources: tuple[str, ...], options: Options, say: Say
) -> dict[str, int]:
    """Compare every stage with its ledger and launch what differs.

    A partition that a blocking check stops, or a model that cannot be asked, does not stop the others:
    what draws on it is left as it is, the rest goes on, and the end of the run says so.

    Args:
        settings: Configuration.
        sources: Sources to start from; empty for all.
        options: A person's choices.
        say: Prints a line to the terminal.

    Returns:
        Numbers of stages that were up to date (`reused`) and that were updated (`made`).

    Raises:
        DagsterHomeError: Dagster's home cannot be used.
        RunFailed: A launched run failed, or a blocking check stopped a partition.
        ModelsUnavailable: A model could not be asked; the rest was brought up to date.
    """
    counts = {"reused": 0, "made": 0}
    blocked: dict[str, Blocked] = {}
    unavailable: dict[str, EngineUnavailableError] = {}
    waiting: list[str] = []
    definition = definitions(settings, dear_checks=False)
    with open_instance(home_in_use()) as instance:
        for run_id in bury_dead_runs(instance):
            say(f"run {run_id} was interrupted earlier; its unfinished units are computed again")
        recorded = _RecordedVersions(instance)
        for step in steps(settings, sources):
            held_by = _held_by(settings, step.partition, blocked)
            if held_by:
                say(f"{step.partition}: skipped, because a check stopped {held_by}")
                continue
            held_by = _held_by(settings, step.partition, unavailable)
            if held_by:
                say(f"{step.partition}: skipped, because a model of {held_by} is unavailable")
                waiting.append(step.partition)
                continue
            try:
                stale = _stale_from(recorded, settings, step, options)
            except EngineUnavailableError as stop:
                unavailable[step.partition] = stop
                say(f"{step.partition}: {mask(str(stop))}")
                continue
            counts["reused"] += stale
            for stage in step.stages[:stale]:
                say(f"{stage.name} of {step.partition}: up to date")
            if stale == len(step.stages):
                continue
            counts["made"] += len(step.stages) - stale
            try:
                _launch(instance, definition, step.partition, step.stages[stale:], options)
            except Blocked as stop:
                blocked[step.partition] = stop
                say(f"{step.partition}: {stop}")
            except EngineUnavailableError as stop:
                unavailable[step.partition] = stop
                say(f"{step.partition}: {mask(str(stop))}")
        for benchmark in sorted(settings.benchmarks):
            if _held_by(settings, benchmark, {**blocked, **unavailable}):
                continue
            if _asked(settings, benchmark, sources) and not page_is_fresh(settings, benchmark):
                _materialise(instance, definition, benchmark, ["page"], options)
                say(f"page of {benchmark} written")
    if blocked:
        told = "; ".join(f"{name}: {stop}" for name, stop in sorted(blocked.items()))
        raise RunFailed(f"stopped by blocking checks: {told}")
    if unavailable:
        stopped = {name: mask(str(stop)) for name, stop in unavailable.items()}
        raise ModelsUnavailable(stopped, waiting, counts)
    return counts


def _held_by(settings: Settings, partition: str, stopped: Mapping[str, Exception]) -> str:
    """The first stopped partition that this one draws on (or is); empty if there is none."""
    benchmark = partition.partition(".")[0]
    drawn_on = [partition, benchmark]
    if benchmark in settings.benchmarks:
        drawn_on += settings.sources_of(benchmark)
    return next((name for name in drawn_on if name in stopped), "")


def _asked(settings: Settings, benchmark: str, sources: tuple[str, ...]) -> bool:
    return not sources or bool(set(sources) & set(settings.benchmarks[benchmark].sources))


class _RecordedVersions:
    """Data versions in Dagster's last events when a run begins: one query per asset."""

    def __init__(self, instance: dg.DagsterInstance) -> None:
        self._storage = instance.event_log_storage
        self._by_table: dict[str, Mapping[str, Mapping[str, str]]] = {}

    def get(self, table: str, partition: str) -> str | None:
        """Data version of one partition of an asset; None where Dagster knows none."""
        if table not in self._by_table:
            self._by_table[table] = self._storage.get_latest_tags_by_partition(
                dg.AssetKey(table), dg.DagsterEventType.ASSET_MATERIALIZATION, [DATA_VERSION_TAG]
            )
        return self._by_table[table].get(partition, {}).get(DATA_VERSION_TAG)


def _stale_from(
    recorded: _RecordedVersions, settings: Settings, step: Step, options: Options
) -> int:
    """Index of the first stage that differs; the number of stages if none does."""
    for at, stage in enumerate(step.stages):
        if not stage.is_fresh(settings, step.partition, options):
            return at
        # A process that dies after its last commit and before its event leaves the two apart.
        if any(
            recorded.get(table, step.partition)
            != stage.data_version(settings.store, table, step.partition)
            for table in stage.tables
        ):
            return at
    return len(step.stages)


def _launch(
    instance: dg.DagsterInstance,
    definition: dg.Definitions,
    partition: str,
    stages: tuple[Stage, ...],
    options: Options,
) -> None:
    tables = [table for stage in stages for table in stage.tables]
    _materialise(instance, definition, partition, tables, options)


def _materialise(
    instance: dg.DagsterInstance,
    definition: dg.Definitions,
    partition: str,
    tables: list[str],
    options: Options,
) -> None:
    job = definition.resolve_implicit_global_asset_job_def()
    run_id = str(uuid.uuid4())
    try:
        _execute(job, instance, run_id, partition, tables, options)
    except DagsterAssetCheckFailedError:
        raise Blocked(_failed_checks(instance, run_id)) from None


def _failed_checks(instance: dg.DagsterInstance, run_id: str) -> str:
    """Blocking checks of a run that failed, with what they said."""
    logs = instance.all_logs(run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION)
    judged = [
        entry.dagster_event.asset_check_evaluation_data
        for entry in logs
        if entry.dagster_event is not None
    ]
    return "; ".join(
        f"check {check.check_name!r} of {check.asset_key.to_user_string()}: {check.description}"
        for check in judged
        if check.blocking and not check.passed and check.severity == dg.AssetCheckSeverity.ERROR
    )


def _execute(
    job: dg.JobDefinition,
    instance: dg.DagsterInstance,
    run_id: str,
    partition: str,
    tables: list[str],
    options: Options,
) -> None:
    result = job.execute_in_process(
        instance=instance,
        run_id=run_id,
        partition_key=partition,
        asset_selection=[dg.AssetKey(table) for table in tables],
        run_config={
            "resources": {
                "options": {
                    "config": {
                        "recordings": list(options.recordings),
                        "subtasks": list(options.subtasks),
                        "limit": options.limit,
                        "allow_deletes": options.allow_deletes,
                        "retry_errors": options.retry_errors,
                        "quiet": False,
                    }
                }
            },
            # What fails is raised here and told once; Dagster's own log would tell it twice more.
            "loggers": {
                "console": {"config": {"log_level": os.environ.get("PARALLAX_LOG", "CRITICAL")}}
            },
        },
        tags=this_process(),
        raise_on_error=True,
    )
    if not result.success:
        raise RunFailed(f"run {result.run_id} of {partition} failed; see its log in the Dagster UI")
