"""Partitions of one configuration, and which of them belong together where one table depends on another."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Self

import dagster as dg

from assets.dagster.graph import Upstream
from assets.stage import Partition, Stage
from expectations.checks.keys import asset_key
from resources.config import Settings


@dataclass(frozen=True)
class Partitions:
    """Partition definitions of one configuration, and how they map onto each other.

    Attributes:
        source: Configured sources.
        benchmark: Configured benchmarks.
        evaluation: Runs on benchmarks.
        filled: Partitions of the tables that not every partition of their kind can fill.
        maps: Partitions that draw on a partition, by its kind (or table) and theirs.
    """

    source: dg.StaticPartitionsDefinition
    benchmark: dg.StaticPartitionsDefinition
    evaluation: dg.StaticPartitionsDefinition
    filled: Mapping[str, dg.StaticPartitionsDefinition]
    maps: Mapping[tuple[str, str], Mapping[str, Collection[str]]]

    @classmethod
    def of(cls, settings: Settings, stages: Iterable[Stage] = ()) -> Self:
        """Partitions for everything that is configured, absent sources left out.

        Args:
            settings: Configuration.
            stages: Stages whose tables not every partition need fill.
        """
        by_source: dict[str, set[str]] = {name: set() for name in settings.sources}
        for benchmark in settings.benchmarks.values():
            for source in benchmark.sources:
                if source in by_source:
                    by_source[source].add(benchmark.name)
        evaluations = settings.evaluations()
        by_benchmark = {
            name: {e for e in evaluations if e.partition(".")[0] == name}
            for name in settings.benchmarks
        }
        return cls(
            dg.StaticPartitionsDefinition(sorted(settings.sources)),
            dg.StaticPartitionsDefinition(sorted(settings.benchmarks)),
            dg.StaticPartitionsDefinition(evaluations),
            _filled(settings, stages),
            {
                ("source", "benchmark"): by_source,
                ("benchmark", "evaluation"): by_benchmark,
                ("evaluation", "benchmark"): {e: {e.partition(".")[0]} for e in evaluations},
                # What people decided lies under another source than what they judged.
                ("reviews", "source"): {
                    place: {s.name for s in settings.sources.values() if place in s.reviews}
                    for place in settings.sources
                },
                ("reviews", "benchmark"): {
                    place: {
                        b.name
                        for b in settings.benchmarks.values()
                        for source in b.sources
                        if source in settings.sources and place in settings.sources[source].reviews
                    }
                    for place in settings.sources
                },
                ("source", "evaluation"): {
                    source: {e for b in found for e in by_benchmark[b]}
                    for source, found in by_source.items()
                },
            },
        )

    def of_kind(self, kind: str) -> dg.StaticPartitionsDefinition:
        """Partitions of a kind."""
        return getattr(self, kind)

    def of_table(self, table: str, kind: str) -> dg.StaticPartitionsDefinition:
        """Partitions of a table: those of its kind that can have rows in it."""
        return self.filled.get(table, self.of_kind(kind))

    def all(self) -> dg.StaticPartitionsDefinition:
        """Partitions of every kind, each name once."""
        kinds = (self.source, self.benchmark, self.evaluation)
        names = {name: None for kind in kinds for name in kind.get_partition_keys()}
        return dg.StaticPartitionsDefinition(list(names))


def _filled(
    settings: Settings, stages: Iterable[Stage]
) -> dict[str, dg.StaticPartitionsDefinition]:
    """Partitions by table, of the stages that say which partition fills which table."""
    by_table: dict[str, list[str]] = {}
    for stage in stages:
        if stage.fills is None:
            continue
        by_table |= {table: [] for table in stage.tables}
        for partition in sorted(_names(settings, stage.partition)):
            for table in stage.tables_of(settings, partition):
                by_table[table].append(partition)
    return {table: dg.StaticPartitionsDefinition(names) for table, names in by_table.items()}


def _names(settings: Settings, kind: Partition) -> Collection[str]:
    """Partitions of a kind."""
    if kind == "source":
        return settings.sources
    return settings.benchmarks if kind == "benchmark" else settings.evaluations()


def dependencies(
    upstreams: Upstream, name: str, kind: str, partitions: Partitions, stages: Iterable[Stage]
) -> list[dg.AssetDep]:
    """Dependencies of an asset, with the partitions that belong together.

    Args:
        upstreams: Tables that it depends on.
        name: Name of the asset.
        kind: Its kind of partitions.
        partitions: Partition definitions.
        stages: All stages that write tables.
    """
    kinds = {table: stage.partition for stage in stages for table in stage.tables}
    own = partitions.of_table(name, kind)
    return [_dependency(table, kinds[table], own, kind, partitions) for table in upstreams.tables]


def _dependency(
    table: str, upstream_kind: str, own: dg.PartitionsDefinition, kind: str, partitions: Partitions
) -> dg.AssetDep:
    theirs = partitions.of_table(table, upstream_kind)
    drawn = partitions.maps.get((table, kind), partitions.maps.get((upstream_kind, kind)))
    known = set(own.get_partition_keys())
    if drawn is None:
        if known <= set(theirs.get_partition_keys()):
            return dg.AssetDep(asset_key(table))
        # Mapped by name, what the other table has no partition of would be missing for ever.
        drawn = {name: {name} for name in theirs.get_partition_keys()}
    return dg.AssetDep(
        asset_key(table),
        partition_mapping=dg.StaticPartitionMapping(
            {name: known.intersection(drawn.get(name, ())) for name in theirs.get_partition_keys()}
        ),
    )
