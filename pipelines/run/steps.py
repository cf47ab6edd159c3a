"""Which stages of which partitions a run looks at, and in what order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from assets.stage import Stage
from pipelines.definitions import STAGES
from resources.config import ConfigError, Settings
from resources.errors import require_known

_DECISIONS = "reviews"
"""Table that sources of decisions fill, and stages of other sources read."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a run is asked to update; the defaults mean everything.

    Attributes:
        sources: Only these sources and what draws on them.
        benchmarks: Only these benchmarks, and of sources only the stages they read.
        runs: Only evaluations of these runs, and of sources and benchmarks only what they read.
        only: Whether sources and questions stay as they are, also where their inputs changed.
    """

    sources: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    only: bool = False

    @property
    def is_narrowed(self) -> bool:
        """Whether evaluations were chosen, so that only what these read is updated."""
        return bool(self.benchmarks or self.runs or self.only)

    def check(self, settings: Settings) -> None:
        """Refuse names that are not configured, and choices that leave nothing to update.

        Raises:
            UnknownName: A name is not configured.
            ConfigError: No configured benchmark or evaluation fits all choices.
        """
        for kind, names, known in (
            ("source", self.sources, settings.sources),
            ("benchmark", self.benchmarks, settings.benchmarks),
            ("run", self.runs, settings.runs),
        ):
            require_known(kind, names, known)
        chosen = chosen_benchmarks(settings, self)
        for name in self.benchmarks:
            if name in chosen:
                continue
            drawn_on = settings.benchmarks[name].sources
            if self.sources and set(self.sources).isdisjoint(drawn_on):
                why = f"draws on {list(drawn_on)}"
            else:
                why = "is not asked by the runs chosen"
            raise ConfigError(
                f"benchmark {name!r} {why}: choose others with --source and --run, or leave these out"
            )
        asking = {key.partition(".")[2] for key in chosen_evaluations(settings, self)}
        for name in self.runs:
            if name not in asking:
                raise ConfigError(
                    f"run {name!r} asks none of the benchmarks chosen; it asks "
                    f"{sorted(settings.runs[name].benchmarks or settings.benchmarks)}"
                )


@dataclass(frozen=True, slots=True)
class Step:
    """Stages of one partition that are updated together.

    Attributes:
        kind: What the partition is: `source`, `benchmark` or `evaluation`; a source and a benchmark may
            have the same name.
        partition: The partition.
        stages: The stages, in the order of the data.
    """

    kind: str
    partition: str
    stages: tuple[Stage, ...]


def steps(settings: Settings, scope: Scope) -> Iterator[Step]:
    """All steps of a run in the order of the data."""
    for waves in (source_waves, question_waves):
        for wave in waves(settings, scope):
            yield from wave


def source_waves(settings: Settings, scope: Scope) -> Iterator[tuple[Step, ...]]:
    """Steps of sources, those of decisions before the sources they decide on.

    Steps of one wave do not depend on each other; their order is that of the configuration.
    """
    if scope.only:
        return
    chosen = list(dict.fromkeys(scope.sources or settings.sources))
    benchmarks = chosen_benchmarks(settings, scope)
    needed = stages_read(settings, benchmarks) if scope.is_narrowed else None
    decisions = sorted({place for name in chosen for place in settings.sources[name].reviews})
    others = [name for name in chosen if name not in decisions]
    for names in (decisions, others):
        if needed is None:
            yield _wave(settings, "source", names)
        else:
            yield tuple(
                step
                for name in names
                for step in _wave(settings, "source", [name], needed.get(name, ()))
                if step.stages
            )


def question_waves(settings: Settings, scope: Scope) -> Iterator[tuple[Step, ...]]:
    """Steps of what draws on sources: benchmarks, then evaluations (see `source_waves`)."""
    benchmarks = chosen_benchmarks(settings, scope)
    if not scope.only:
        yield _wave(settings, "benchmark", benchmarks)
    runs = list(settings.runs)

    def place(evaluation: str) -> tuple[int, int]:
        benchmark, _, run = evaluation.partition(".")
        return runs.index(run), benchmarks.index(benchmark)

    yield _wave(settings, "evaluation", sorted(chosen_evaluations(settings, scope), key=place))


def chosen_benchmarks(settings: Settings, scope: Scope) -> list[str]:
    """Benchmarks that a run looks at, in the order of the configuration."""
    asked_by_runs = {
        benchmark
        for name in scope.runs
        for benchmark in settings.runs[name].benchmarks or settings.benchmarks
    }
    return [
        name
        for name, benchmark in settings.benchmarks.items()
        if (not scope.benchmarks or name in scope.benchmarks)
        and (not scope.runs or name in asked_by_runs)
        and (not scope.sources or not set(scope.sources).isdisjoint(benchmark.sources))
    ]


def chosen_evaluations(settings: Settings, scope: Scope) -> list[str]:
    """Keys of the evaluations that a run looks at, ascending."""
    benchmarks = set(chosen_benchmarks(settings, scope))
    keys = [(key, *key.split(".", 1)) for key in settings.evaluations()]
    return [
        key
        for key, benchmark, run in keys
        if benchmark in benchmarks and (not scope.runs or run in scope.runs)
    ]


def stages_read(settings: Settings, benchmarks: Collection[str]) -> dict[str, set[str]]:
    """Stages of sources that benchmarks and their evaluations are computed from, by source.

    Args:
        settings: Configuration.
        benchmarks: Names of the benchmarks.

    Returns:
        Names of stages; of a source of decisions only that which reads its files.
    """
    writers = {table: stage for stage in STAGES for table in stage.tables}
    needed: dict[str, set[str]] = {}
    for benchmark in benchmarks:
        tables = {
            table
            for stage in STAGES
            if _has_tables(settings, stage, benchmark)
            for table in stage.in_partition(settings, benchmark).deps
        }
        upstream: dict[str, Stage] = {}
        waiting = [writers[table] for table in sorted(tables)]
        while waiting:
            stage = waiting.pop()
            if stage.partition == "source" and stage.name not in upstream:
                upstream[stage.name] = stage
                waiting += [writers[table] for table in stage.deps]
        for source in settings.sources_of(benchmark):
            needed.setdefault(source, set()).update(upstream)
            # The gates of every benchmark follow what people decided on its questions.
            for place in settings.sources[source].reviews:
                needed.setdefault(place, set()).add(writers[_DECISIONS].name)
    return needed


def _has_tables(settings: Settings, stage: Stage, benchmark: str) -> bool:
    """Whether a stage of benchmarks or evaluations can have rows of a benchmark."""
    if stage.partition == "source":
        return False
    keys = (
        [benchmark]
        if stage.partition == "benchmark"
        else [key for key in settings.evaluations() if key.partition(".")[0] == benchmark]
    )
    return any(stage.tables_of(settings, key) for key in keys)


def left_alone(settings: Settings, chosen: Collection[Step]) -> str:
    """What a narrowed run does not look at, in words; empty where it looks at everything.

    Args:
        settings: Configuration.
        chosen: Steps of the run.
    """
    every = list(steps(settings, Scope()))
    n_stages, n_chosen = (sum(len(step.stages) for step in some) for some in (every, chosen))
    if n_chosen == n_stages:
        return ""
    totals, looked_at = (Counter(step.kind for step in some) for some in (every, chosen))
    parts = [
        f"{total - looked_at[kind]} of {total} {kind}s"
        for kind, total in totals.items()
        if looked_at[kind] < total
    ]
    partitions = f" ({', '.join(parts)})" if parts else ""
    return f"left alone: {n_stages - n_chosen} of {n_stages} stages{partitions}"


def _wave(
    settings: Settings,
    kind: str,
    partitions: Sequence[str],
    names: Collection[str] | None = None,
) -> tuple[Step, ...]:
    stages = tuple(
        stage
        for stage in STAGES
        if stage.partition == kind and (names is None or stage.name in names)
    )
    return tuple(
        Step(kind, partition, tuple(s for s in stages if s.tables_of(settings, partition)))
        for partition in partitions
    )
