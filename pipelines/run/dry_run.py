"""What a run would compute and ask, found out without changing anything.

Dagster is not asked and its home not opened: a table that is up to date but was never reported to Dagster, as
after a kill, is no work to speak of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from assets.options import Options
from assets.pairs.stage import STAGE as PAIRS
from assets.predictions.judging.stage import STAGE as JUDGEMENTS
from assets.predictions.judging.stage import TESTS as JUDGE_TESTS
from assets.predictions.judging.stage import planned_judgements, planned_tests
from assets.predictions.stage import STAGE as PREDICTIONS
from assets.predictions.stage import planned_calls
from assets.questions.expansion.stage import STAGE as WORDINGS
from assets.questions.expansion.stage import templates_of
from assets.questions.gating import STAGE as GATES
from assets.questions.gating import planned_guesses
from assets.questions.model_steps.steps import writing_steps
from assets.questions.stage import STAGE as QUESTIONS
from assets.report.stage import STAGE as PAGE
from assets.scores.parity.stage import STAGE as PARITY
from assets.scores.parity.stage import planned_readings
from assets.sources.layout import PART_TABLES
from assets.sources.stage import STAGE as SOURCES
from assets.stage import Stage
from assets.translations.stage import STAGE as TRANSLATIONS
from assets.translations.stage import planned_translations
from pipelines.run.progress import duration
from pipelines.run.selection import require_recordings, require_subtasks
from pipelines.run.steps import Scope, chosen_benchmarks, steps
from resources.config import Settings
from resources.masking import mask
from resources.models import EngineUnavailableError
from resources.models.costs.estimate import Estimate, PlannedCalls, estimate, past_calls
from resources.models.runs import RunConfig
from resources.store.incremental import Pending
from resources.store.ledger import IncompleteUpstream
from resources.texts import printable

_NAMED = 3
"""Stages named in one line before the rest is counted."""


@dataclass(frozen=True, slots=True)
class PlannedStage:
    """What a run would do in one stage of one partition.

    Attributes:
        stage: Name of the stage.
        partition: The partition.
        pending: What is to be done, by ledger.
        depends_on: Stages that are to be updated before anybody can tell; then nothing is pending.
        problem: Why the stage cannot be updated; empty if it can.
    """

    stage: str
    partition: str
    pending: tuple[Pending, ...] = ()
    depends_on: tuple[str, ...] = ()
    problem: str = ""

    @property
    def is_fresh(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.depends_on or self.problem) and all(p.is_fresh for p in self.pending)


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a run would do.

    Attributes:
        stages: Stages that are looked at, in the order of a run.
        calls: Model calls that would be made.
        costs: What each of these would cost; null where the model was never asked.
        uncounted: Model calls whose number depends on what is updated before, in words.
    """

    stages: tuple[PlannedStage, ...]
    calls: tuple[PlannedCalls, ...] = ()
    costs: tuple[Estimate | None, ...] = ()
    uncounted: tuple[str, ...] = ()


def dry_run(settings: Settings, scope: Scope, options: Options, as_stored: bool = False) -> DryRun:
    """Find out what a run would do; nothing is stored, launched or asked.

    Args:
        settings: Configuration.
        scope: What is to be updated.
        options: A person's choices.
        as_stored: Whether calls are counted by the rows there are, also where these are to be updated
            before.

    Raises:
        RootError: A source cannot be listed.
        UnknownName: There is no such subtask or recording.
    """
    require_subtasks(settings, scope, options)
    planner = _Planner(settings, options, as_stored)
    for step in steps(settings, scope):
        for stage in step.stages:
            planner.plan(stage, step.partition)
    sources = scope.sources or tuple(settings.sources)
    if not any(("recordings", source) in planner.changing for source in sources):
        require_recordings(settings, sources, options)
    for benchmark in chosen_benchmarks(settings, scope):
        planner.plan(PAGE, benchmark)
    past = {call.model: past_calls(settings.store, call.model) for call in planner.calls}
    return DryRun(
        tuple(planner.stages),
        tuple(planner.calls),
        tuple(estimate(call, past[call.model]) for call in planner.calls),
        tuple(planner.uncounted),
    )


@dataclass(slots=True)
class _Planner:
    """Plans stage by stage, and remembers which tables are going to change."""

    settings: Settings
    options: Options
    as_stored: bool = False
    stages: list[PlannedStage] = field(default_factory=list)
    calls: list[PlannedCalls] = field(default_factory=list)
    uncounted: list[str] = field(default_factory=list)
    changing: dict[tuple[str, str], str] = field(default_factory=dict)

    def plan(self, stage: Stage, partition: str) -> None:
        """Plan one stage of one partition, after all that it reads."""
        depends_on = self._upstream(stage, partition)
        if depends_on:
            planned = PlannedStage(stage.name, partition, depends_on=depends_on)
        else:
            try:
                pending = tuple(stage.pending(self.settings, partition, self.options))
                planned = PlannedStage(stage.name, partition, pending)
            except EngineUnavailableError as error:
                planned = PlannedStage(stage.name, partition, problem=mask(str(error)))
        self.stages.append(planned)
        if planned.is_fresh:
            return
        for table in _tables_changing(stage, planned.pending):
            self.changing[table, partition] = f"{stage.name} of {partition}"
        if not planned.problem:
            self._plan_calls(stage, partition, depends_on)

    def _upstream(self, stage: Stage, partition: str) -> tuple[str, ...]:
        """Stages to be updated before this one, of the tables it reads."""
        benchmark = partition.partition(".")[0]
        read = stage.in_partition(self.settings, benchmark).deps
        places = {partition, benchmark}
        if benchmark in self.settings.benchmarks:
            places.update(self.settings.sources_of(benchmark))
        if stage is PAGE:
            places.update(
                key for key in self.settings.evaluations() if key.startswith(f"{benchmark}.")
            )
        if partition in self.settings.sources:
            places.update(self.settings.sources[partition].reviews)
        waiting_for = {
            name
            for (table, place), name in self.changing.items()
            if table in read and place in places
        }
        order = [f"{planned.stage} of {planned.partition}" for planned in self.stages]
        return tuple(sorted(waiting_for, key=order.index))

    def _plan_calls(self, stage: Stage, partition: str, depends_on: Sequence[str]) -> None:
        try:
            counted = self._counted(stage, partition, bool(depends_on) and not self.as_stored)
        except (EngineUnavailableError, IncompleteUpstream) as error:
            self.uncounted.append(f"{stage.name} of {partition}: {mask(str(error))}")
            return
        self.calls += [one for one in counted if one.n_asked or one.n_from_log]

    def _counted(self, stage: Stage, partition: str, depends: bool) -> list[PlannedCalls]:
        """Calls of a stage that asks models; notes them as uncounted where nobody can tell yet."""
        settings, options = self.settings, self.options
        if stage is PREDICTIONS:
            run = settings.runs[partition.partition(".")[2]]
            if not depends:
                return [planned_calls(settings, partition, options)]
            most = f", at most {run.limit} (the limit of run {run.name})" if run.limit else ""
            self.uncounted.append(f"{partition}: depends on questions and frames{most}")
        elif stage is WORDINGS and settings.benchmarks[partition].writer:
            n = len(templates_of(settings, partition))
            self.uncounted.append(
                f"rewordings of {partition}: a call for each of {n} templates, once"
            )
        elif (
            stage is QUESTIONS
            and settings.benchmarks[partition].writer
            and writing_steps(partition)
        ):
            self.uncounted.append(
                f"questions of {partition}: depends on what there is to ask about"
            )
        elif stage is GATES:
            config = settings.benchmarks[partition]
            if config.checker:
                self.uncounted.append(f"gates of {partition}: depends on its questions")
            if not depends:
                return planned_guesses(settings, partition, options)
            self.uncounted += [
                f"gate {gate} of {partition}: depends on its questions"
                for gate, run in config.gate_runs.items()
                if run
            ]
        elif stage is TRANSLATIONS and settings.translation.engine:
            if not depends:
                return _known(planned_translations(settings, partition, options))
            self.uncounted.append(f"translations of {partition}: depends on its narrations")
        elif stage is PAIRS and settings.sources[partition].sentence_match in settings.text_models:
            self.uncounted.append(f"pairs of {partition}: depends on the candidates that are found")
        elif stage is PARITY and settings.benchmarks[partition.partition(".")[0]].readers:
            if not depends:
                return planned_readings(settings, partition, options)
            self.uncounted.append(f"readings of {partition}: depends on its replies")
        elif stage is JUDGEMENTS:
            if not depends:
                return planned_judgements(settings, partition, options)
            self.uncounted.append(f"judges of {partition}: depends on its answers")
        elif stage is JUDGE_TESTS:
            if not depends:
                return planned_tests(settings, partition, options)
            self.uncounted.append(f"tests of judges of {partition}: depends on its questions")
        return []


def _known(counted: PlannedCalls | None) -> list[PlannedCalls]:
    return [] if counted is None else [counted]


def _tables_changing(stage: Stage, pending: Sequence[Pending]) -> Sequence[str]:
    if stage is not SOURCES:
        return stage.tables
    parts = [share.name.partition(".")[2] for share in pending if not share.is_fresh]
    return [table for part in parts for table in PART_TABLES.get(part, ())]


def plan_lines(plan: DryRun) -> Iterator[str]:
    """What a person reads of a dry run."""
    fresh = sum(stage.is_fresh for stage in plan.stages)
    for stage in plan.stages:
        if not stage.is_fresh:
            yield printable(f"{stage.stage} of {stage.partition}: {_words(stage)}")
    for call, cost in zip(plan.calls, plan.costs, strict=True):
        yield printable(
            f"calls of {call.purpose} to {call.run.name} ({call.run.engine}): {call.n_asked} to ask, "
            f"{call.n_from_log} answered from the log{_cost(call, cost)}"
        )
    for line in plan.uncounted:
        yield printable(f"calls of {line}")
    counts = [
        count or 0
        for stage in plan.stages
        for share in stage.pending
        for why, count in share.changes.items()
        if why != "deleted" and share.name != "files"
    ]
    waiting = sum(bool(stage.depends_on) for stage in plan.stages)
    asked = sum(call.n_asked for call in plan.calls)
    more = f", and what {waiting} stages behind them turn out to need" if waiting else ""
    yield (
        f"dry run, nothing was changed: {sum(counts):,} units to compute{more}; "
        f"{fresh} stages up to date; {asked:,} model calls to ask"
        + (", more may follow" if plan.uncounted else "")
    )


def _words(stage: PlannedStage) -> str:
    if stage.problem:
        return f"cannot be updated: {stage.problem}"
    if stage.depends_on:
        named = ", ".join(stage.depends_on[:_NAMED])
        more = len(stage.depends_on) - _NAMED
        return f"depends on {named}" + (f" and {more} more" if more > 0 else "")
    parts = []
    for share in stage.pending:
        name = "" if share.name == stage.stage else f"{share.name} "
        if share.changes:
            parts.append(f"{name}{_changes(share.changes)}, {share.up_to_date} up to date")
        elif share.depends_on:
            parts.append(f"{name}depends on {', '.join(share.depends_on)}")
    return "; ".join(parts)


def _changes(changes: Mapping[str, int | None]) -> str:
    return ", ".join(
        f"{why} (how many units shows when files are read)" if count is None else f"{count} {why}"
        for why, count in changes.items()
    )


def _cost(call: PlannedCalls, cost: Estimate | None) -> str:
    if not call.n_asked:
        return ""
    if cost is None:
        return "; no past call of this model to judge the cost by"
    if not cost.n_past:
        return f"; no past call of this model that shows the cost: {_by_texts(call, cost)}"
    tokens = [
        f"{round(number):,} tokens {kind}"
        for number, kind in ((cost.prompt_tokens, "read"), (cost.completion_tokens, "written"))
        if number is not None
    ]
    under = "this protocol" if cost.same_protocol else "other protocols"
    return (
        f"; roughly {', '.join(tokens) or 'tokens unknown'}, {_time(cost)}, "
        f"{_price(call.run, cost)} (by {cost.n_past:,} past calls of this model under {under}"
        + {
            "size": ", and the size of frames)",
            "unknown": f"), and what {call.n_frames:,} frames need",
        }.get(cost.frames_by, ")")
    )


def _time(cost: Estimate) -> str:
    if cost.seconds is None:
        return "time unknown"
    return ("at least " if cost.seconds_at_least else "") + duration(cost.seconds)


def _by_texts(call: PlannedCalls, cost: Estimate) -> str:
    """What is known of calls to a model that was never asked."""
    counted = "its tokenizer" if call.by_tokenizer else "their length"
    read = f"{call.text_tokens or 0:,} tokens of texts read (by {counted})"
    written = f"at most {round(cost.completion_tokens or 0):,} written"
    if call.n_frames and not cost.lacks_frames:
        read += f", {call.frame_tokens or 0:,} of {call.n_frames:,} frames (by their size)"
    frames = f", and what {call.n_frames:,} frames need" if cost.lacks_frames else ""
    time = "" if cost.seconds is None else f"{_time(cost)}, "
    return f"{read}, {written}, {time}{_price(call.run, cost)}{frames}"


def _price(run: RunConfig, cost: Estimate) -> str:
    if cost.dollars is not None:
        return f"${cost.dollars:,.2f}"
    if run.prices is None:
        return "price not stated (price_per_million_tokens)"
    return "price unknown without tokens"
