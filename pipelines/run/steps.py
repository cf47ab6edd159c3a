"""Which stages of which partitions a run looks at, and in what order."""

from __future__ import annotations

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
        asked = {key.partition(".")[2] for key in chosen_evaluations(settings, self)}
        for name in self.runs:
            if name not in asked:
                raise ConfigError(
                    f"run {name!r} asks none of the benchmarks chosen; it asks "
                    f"{sorted(settings.runs[name].benchmarks or settings.benchmarks)}"
                )


@dataclass(frozen=True, slots=True)
class Step:
    """Stages of one partition that are updated together."""

    partition: str
    stages: tuple[Stage, ...]


def steps(settings: Settings, scope: Scope) -> Iterator[Step]:
    """All steps of a run in the order of the data."""
    for wave in waves(settings, scope):
        yield from wave


def waves(settings: Settings, scope: Scope) -> Iterator[tuple[Step, ...]]:
    """Steps in the order of the data; those of one wave do not depend on each other.

    Sources of decisions come first, then the sources they decide on, benchmarks, and evaluations; within
    a wave the order is that of the configuration.
    """
    benchmarks = chosen_benchmarks(settings, scope)
    if not scope.only:
        yield from _source_waves(settings, scope, benchmarks)
        yield _wave(settings, "benchmark", benchmarks)
    runs = list(settings.runs)

    def place(evaluation: str) -> tuple[int, int]:
        benchmark, _, run = evaluation.partition(".")
        return runs.index(run), benchmarks.index(benchmark)

    yield _wave(settings, "evaluation", sorted(chosen_evaluations(settings, scope), key=place))


def chosen_benchmarks(settings: Settings, scope: Scope) -> list[str]:
    """Benchmarks that a run looks at, in the order of the configuration."""
    asked = {
        benchmark
        for name in scope.runs
        for benchmark in settings.runs[name].benchmarks or settings.benchmarks
    }
    return [
        name
        for name, benchmark in settings.benchmarks.items()
        if (not scope.benchmarks or name in scope.benchmarks)
        and (not scope.runs or name in asked)
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
        Names of stages; of a source of decisions only that which reads its files, where any of the
        stages that are read follows decisions.
    """
    writers = {table: stage for stage in STAGES for table in stage.tables}
    needed: dict[str, set[str]] = {}
    for benchmark in benchmarks:
        tables = {
            table
            for stage in STAGES
            if stage.partition != "source"
            for table in stage.in_partition(settings, benchmark).deps
        }
        found: dict[str, Stage] = {}
        waiting = [writers[table] for table in sorted(tables)]
        while waiting:
            stage = waiting.pop()
            if stage.partition == "source" and stage.name not in found:
                found[stage.name] = stage
                waiting += [writers[table] for table in stage.deps]
        follows_decisions = any(_DECISIONS in stage.deps for stage in found.values())
        for source in settings.sources_of(benchmark):
            needed.setdefault(source, set()).update(found)
            if follows_decisions:
                for place in settings.sources[source].reviews:
                    needed.setdefault(place, set()).add(writers[_DECISIONS].name)
    return needed


def left_alone(settings: Settings, scope: Scope) -> str:
    """What a narrowed run does not look at, in words; empty where it looks at everything."""
    looked_at = {step.partition for step in steps(settings, scope)}
    kinds = (
        ("source", settings.sources),
        ("benchmark", settings.benchmarks),
        ("evaluation", settings.evaluations()),
    )
    parts = []
    for kind, names in kinds:
        others = [name for name in names if name not in looked_at]
        if others:
            parts.append(f"{len(others)} of {len(names)} {kind}s")
    stages = sum(len(step.stages) for step in steps(settings, scope))
    every = sum(len(step.stages) for step in steps(settings, Scope()))
    if stages == every:
        return ""
    partitions = f" ({', '.join(parts)})" if parts else ""
    return f"left alone: {every - stages} of {every} stages{partitions}"


def _source_waves(
    settings: Settings, scope: Scope, benchmarks: Sequence[str]
) -> Iterator[tuple[Step, ...]]:
    chosen = scope.sources or tuple(settings.sources)
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
        Step(partition, tuple(s for s in stages if s.tables_of(settings, partition)))
        for partition in partitions
    )
