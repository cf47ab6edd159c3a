"""Which edges of the asset graph are drawn, and what an asset that lacks an edge is started by.

Every table that a stage reads is an edge of its tables, so that a change of it starts them. Questions are
built by many recipes from many tables, and gates read all of these again: drawn in full, nobody can read
the graph. A benchmark's assets therefore leave out a table from which another table they depend on was
made: `segments`, where they depend on `pairs`. That other table is a relay: it is written anew whenever
the left-out table changes, with equal content or not, and each time it is written, the asset is started.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assets.stage import Stage


@dataclass(frozen=True, slots=True)
class Upstream:
    """Tables that an asset depends on.

    Attributes:
        tables: Tables with an edge, of its own stage too.
        siblings: Those of its own stage, which are written in the same step.
        relays: Those of other stages that stand for tables without an edge.
    """

    tables: tuple[str, ...]
    siblings: frozenset[str] = frozenset()
    relays: frozenset[str] = frozenset()


def upstream(stage: Stage, table: str, stages: Iterable[Stage]) -> Upstream:
    """Tables that a table of a stage depends on in the graph.

    Args:
        stage: The stage.
        table: One of its tables; for a stage without tables, anything.
        stages: All stages that write tables.
    """
    if stage.partition == "benchmark":
        return _relayed(stage, {name: one for one in stages for name in one.tables})
    origins = stage.origins(table)
    return Upstream(origins, frozenset(origins) & frozenset(stage.tables))


def _relayed(stage: Stage, writers: Mapping[str, Stage]) -> Upstream:
    """Tables that a stage reads, without those that another one of them stands for."""

    def relays_of(name: str, among: Iterable[str]) -> list[str]:
        return [other for other in among if _stands_for(writers[other], writers[name], name, stage)]

    edges = [name for name in stage.deps if not relays_of(name, stage.deps)]
    # Few relays, and near ones: each starts the asset also where its content stays what it is.
    edges.sort(key=lambda name: writers[name].partition != stage.partition)
    relays: set[str] = set()
    for name in stage.deps:
        if name in edges:
            continue
        candidates = relays_of(name, edges)
        if candidates:
            relays.add(next((one for one in candidates if one in relays), candidates[0]))
        else:
            edges.append(name)
    return Upstream(tuple(edges), relays=frozenset(relays))


def _stands_for(relay: Stage, writer: Stage, table: str, reader: Stage) -> bool:
    """Whether each change of a table of a writer makes automation run the relay's stage.

    The partitions have to match too: a source has pairs if it has segments, but a benchmark need not
    have evaluations, nor an evaluation judges.
    """
    same_partitions = relay.partition in (writer.partition, reader.partition)
    if relay.fills is not None and (writer.fills is None or relay.partition != writer.partition):
        same_partitions = False
    return relay.auto and table in relay.deps and same_partitions
