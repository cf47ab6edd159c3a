"""Update everything: compare first, then launch in Dagster only what is out of date."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import dagster as dg
from dagster._core.definitions.data_version import DATA_VERSION_TAG

from assets.options import Options
from assets.report.stage import STAGE as PAGE
from expectations.checks.keys import asset_key
from pipelines.definitions import definitions
from pipelines.errors import Defect
from pipelines.run.dagster_home import home_in_use, open_instance
from pipelines.run.dead_runs import launching, mark_dead_runs_failed
from pipelines.run.launch import Blocked, RunFailed, launch
from pipelines.run.progress import Display, Progress, Totals
from pipelines.run.selection import require_recordings, require_subtasks
from pipelines.run.side_by_side import launch_side_by_side
from pipelines.run.steps import Scope, Step, chosen_benchmarks, question_waves, source_waves
from resources.config import Settings
from resources.errors import ExpectedError
from resources.masking import mask
from resources.models import EngineUnavailableError
from resources.store.incremental import Pending


class ModelsUnavailable(ExpectedError, RuntimeError):
    """Models could not be asked, or could not any more; everything else was updated.

    Attributes:
        partitions: Partitions that stopped there, or draw on one that did.
        totals: What was done, as `update` returns it.
    """

    def __init__(self, stopped: Mapping[str, str], waiting: Sequence[str], totals: Totals) -> None:
        super().__init__(_together(stopped))
        self.partitions = frozenset({*stopped, *waiting})
        self.totals = totals


def update(
    settings: Settings,
    scope: Scope,
    options: Options,
    display: Display,
    workers: int = 1,
    before_reports: Callable[[Collection[str]], object] | None = None,
) -> Totals:
    """Compare every stage with its ledger and launch what differs.

    A partition that a blocking check stops, or a model that cannot be asked, does not stop the others:
    what draws on it is left as it is, the rest goes on, and the end of the run says so.

    Args:
        settings: Configuration.
        scope: What is to be updated.
        options: A person's choices.
        display: Shows what is done.
        workers: Partitions to update at a time where none depends on another; 1 keeps to this process.
        before_reports: Called with the partitions that were not stopped, once their tables are up to date
            and before reports are written.

    Returns:
        What was done.

    Raises:
        UnknownName: There is no such subtask or recording.
        DagsterHomeError: Dagster's home cannot be used.
        RunFailed: A launched run failed, or a blocking check stopped a partition.
        ModelsUnavailable: A model could not be asked; the rest was updated.
    """
    require_subtasks(settings, scope, options)
    with _opened(settings, options, display, workers) as run:
        sources = list(source_waves(settings, scope))
        questions = list(question_waves(settings, scope))
        for wave in sources:
            run.update(wave)
        # What a source holds is known now, unless it was stopped.
        if not run.blocked and not run.unavailable:
            require_recordings(settings, scope.sources or settings.sources, options)
        for wave in questions:
            run.update(wave)
        if before_reports is not None:
            partitions = (step.partition for wave in sources + questions for step in wave)
            before_reports(run.updated(partitions))
        run.update_reports(chosen_benchmarks(settings, scope))
    return run.finish()


def update_sources(
    settings: Settings, options: Options, display: Display, workers: int = 1
) -> Totals:
    """Update every source and nothing that draws on sources (see `update`)."""
    with _opened(settings, options, display, workers) as run:
        for wave in source_waves(settings, Scope()):
            run.update(wave)
    return run.finish()


@contextmanager
def _opened(
    settings: Settings, options: Options, display: Display, workers: int
) -> Iterator[_Update]:
    with open_instance(home_in_use()) as instance, launching(instance):
        for run_id in mark_dead_runs_failed(instance):
            display.say(
                f"run {run_id} was interrupted earlier; its unfinished units are computed again"
            )
        yield _Update(settings, options, Progress(display), workers, instance)


@dataclass(slots=True)
class _Update:
    """One run: what was launched so far, and what stopped."""

    settings: Settings
    options: Options
    progress: Progress
    workers: int
    instance: dg.DagsterInstance
    blocked: dict[str, Exception] = field(default_factory=dict)
    unavailable: dict[str, Exception] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)
    definition: dg.Definitions = field(init=False)
    recorded: _RecordedVersions = field(init=False)

    def __post_init__(self) -> None:
        self.definition = definitions(self.settings, expensive_checks=False)
        self.recorded = _RecordedVersions(self.instance)

    def say(self, line: str) -> None:
        """Show a line."""
        self.progress.display.say(line)

    def update(self, wave: Sequence[Step]) -> None:
        """Launch what is out of date in steps that do not depend on each other."""
        stale = {step.partition: self._stale_assets(step) for step in wave}
        self._launch({partition: assets for partition, assets in stale.items() if assets})

    def updated(self, partitions: Iterable[str]) -> set[str]:
        """Those of some partitions that neither stopped nor draw on one that did."""
        stopped = {**self.blocked, **self.unavailable}
        return {name for name in partitions if not self._held_by(name, stopped)}

    def update_reports(self, benchmarks: Sequence[str]) -> None:
        """Write the pages of benchmarks anew where what they show changed."""
        stopped = {**self.blocked, **self.unavailable}
        stale = [
            name
            for name in benchmarks
            if not self._held_by(name, stopped)
            and not PAGE.is_fresh(self.settings, name, self.options)
        ]
        self._launch({name: [PAGE.name] for name in stale})
        for name in stale:
            self.say(f"page of {name} written")

    def _launch(self, stale: Mapping[str, Sequence[str]]) -> None:
        """Materialise assets of partitions that do not depend on each other.

        Raises:
            RunFailed: Runs failed; side by side, only after the others have ended.
            Defect: A run failed of an error that nobody expected.
        """
        if not stale:
            return
        groups = _groups(stale)
        with self.progress.following() as path:
            if len(groups) > 1 and self.workers > 1:
                stops = launch_side_by_side(self.instance, groups, self.options, self.workers, path)
            else:
                stops = self._launch_here(stale, path)
        failed = {name: stop for name, stop in stops.items() if not self._note(name, stop)}
        if failed:
            kind = Defect if any(isinstance(s, Defect) for s in failed.values()) else RunFailed
            raise kind(_together(failed))

    def _launch_here(self, stale: Mapping[str, Sequence[str]], path: str) -> dict[str, Exception]:
        """Materialise assets in this process; what stopped partitions after which others go on."""
        stops: dict[str, Exception] = {}
        for partition, assets in stale.items():
            try:
                launch(self.instance, self.definition, partition, assets, self.options, path)
            except (Blocked, EngineUnavailableError) as stop:
                stops[partition] = stop
        return stops

    def finish(self) -> Totals:
        """What was done; raises what is to be said at the end of the run."""
        if self.blocked:
            raise RunFailed(f"stopped by blocking checks: {_together(self.blocked)}")
        if self.unavailable:
            stopped = {name: mask(str(stop)) for name, stop in self.unavailable.items()}
            raise ModelsUnavailable(stopped, self.waiting, self.progress.totals)
        return self.progress.totals

    def _stale_assets(self, step: Step) -> list[str]:
        """Assets from the first stage that is out of date; none if a partition before it stopped."""
        stopped_by = self._held_by(step.partition, self.blocked)
        if stopped_by:
            self.say(f"{step.partition}: skipped, because a check stopped {stopped_by}")
            return []
        stopped_by = self._held_by(step.partition, self.unavailable)
        if stopped_by:
            self.say(f"{step.partition}: skipped, because a model of {stopped_by} is unavailable")
            self.waiting.append(step.partition)
            return []
        totals = self.progress.totals
        try:
            first = _stale_from(self.recorded, self.settings, step, self.options, totals)
        except EngineUnavailableError as stop:
            self._note(step.partition, stop)
            return []
        totals.stages_up_to_date += first
        totals.stages_launched += len(step.stages) - first
        for stage in step.stages[:first]:
            self.say(f"{stage.name} of {step.partition}: up to date")
        return [
            table
            for stage in step.stages[first:]
            for table in stage.tables_of(self.settings, step.partition)
        ]

    def _note(self, partition: str, stop: Exception) -> bool:
        """Remember a stop after which the run goes on, and say it; False for any other."""
        if isinstance(stop, Blocked):
            self.blocked[partition] = stop
        elif isinstance(stop, EngineUnavailableError):
            self.unavailable[partition] = stop
        else:
            return False
        self.say(f"{partition}: {mask(str(stop))}")
        return True

    def _held_by(self, partition: str, stopped: Mapping[str, Exception]) -> str:
        """The first stopped partition that this one draws on (or is); empty if there is none."""
        benchmark = partition.partition(".")[0]
        drawn_on = [partition, benchmark]
        if benchmark in self.settings.benchmarks:
            drawn_on += self.settings.sources_of(benchmark)
        return next((name for name in drawn_on if name in stopped), "")


def _together(stops: Mapping[str, object]) -> str:
    """What stopped partitions, in one sentence; those that stopped for the same reason share it."""
    partitions: dict[str, list[str]] = {}
    for name, stop in sorted(stops.items()):
        partitions.setdefault(str(stop), []).append(name)
    return "; ".join(f"{', '.join(names)}: {why}" for why, names in partitions.items())


def _groups(assets: Mapping[str, Sequence[str]]) -> list[dict[str, Sequence[str]]]:
    """Partitions by the process they share: evaluations of one run do, which import the same model."""
    groups: dict[str, dict[str, Sequence[str]]] = {}
    for partition, names in assets.items():
        benchmark, _, run = partition.partition(".")
        groups.setdefault(run or benchmark, {})[partition] = names
    return list(groups.values())


class _RecordedVersions:
    """Data versions in Dagster's last events when a run begins: one query per asset."""

    def __init__(self, instance: dg.DagsterInstance) -> None:
        self._storage = instance.event_log_storage
        self._by_table: dict[str, Mapping[str, Mapping[str, str]]] = {}

    def get(self, table: str, partition: str) -> str | None:
        """Data version of one partition of an asset; None where Dagster knows none."""
        if table not in self._by_table:
            self._by_table[table] = self._storage.get_latest_tags_by_partition(
                asset_key(table), dg.DagsterEventType.ASSET_MATERIALIZATION, [DATA_VERSION_TAG]
            )
        return self._by_table[table].get(partition, {}).get(DATA_VERSION_TAG)


def _stale_from(
    recorded: _RecordedVersions, settings: Settings, step: Step, options: Options, totals: Totals
) -> int:
    """Index of the first stage that differs, the number of stages if none does; counts those before it."""
    for at, stage in enumerate(step.stages):
        up_to_date: list[Pending] = []
        for share in stage.pending(settings, step.partition, options):
            if not share.is_fresh:
                return at
            up_to_date.append(share)
        # A process that dies after its last commit and before its event leaves the two apart.
        if any(
            recorded.get(table, step.partition)
            != stage.data_version(settings.store, table, step.partition)
            for table in stage.tables_of(settings, step.partition)
        ):
            return at
        for share in up_to_date:
            totals.add_up_to_date(share)
    return len(step.stages)
