"""A stage: what it reads, what it writes, and how the rows of its units are computed.

A stage declares once which columns of which tables it reads. The rest follows from the declaration: the
hash of what a unit is computed from, the rows that `make` is handed, the assets it depends on in Dagster,
and the lineage of its columns. A stage sees the store through a view that shows the declared tables and
columns only, so that a forgotten declaration is an error and never a stale table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Literal

import polars as pl

from assets.options import Options, Tell
from assets.sources.layout import PART_TABLES
from expectations.schemas import TABLES, Table
from expectations.schemas.core import Reads
from expectations.schemas.identity import digest
from resources.config import Settings
from resources.models import engines_closed_after
from resources.models.calls.permission import asking_only
from resources.models.runs import RunConfig
from resources.store.call_counts import counted_calls
from resources.store.code_version import code_version
from resources.store.incremental import (
    ALL,
    Output,
    Pending,
    Report,
    Selection,
    StageTables,
    make_plan,
    run_stage,
)
from resources.store.ledger import Entry, read_complete, read_ledger, table_digest
from resources.store.tables import TableStore

Tables = Mapping[str, pl.DataFrame]
Partition = Literal["source", "benchmark", "evaluation"]
Columns = tuple[str, ...] | None
Lineage = Mapping[str, Mapping[str, Sequence[tuple[str, str]]]]
"""Columns that a column derives from, as pairs of table and column, by table and column."""

BATCH = 50
"""Units whose rows are loaded together: a read of the store costs more than the rows of a small unit."""
_BOOKKEEPING = frozenset({"files", "ledger", "quarantine"})
_WRITTEN_TOGETHER = {
    "frames": ("streams",),
    "pairs": ("candidates", "candidate_counts"),
    "skill": (
        "skill_pairs",
        "skill_clips",
        "skill_transitivity",
        "skill_chains",
        "skill_triplets",
    ),
    "task_sets": ("set_classes", "released_truth"),
    "review_states": ("review_changes", "review_agreement"),
    "navigation": ("free_space", "paths"),
    "questions": ("question_steps", "question_funnels"),
    "wordings": ("wording_reviews", "wording_agreement"),
    "question_reviews": ("question_review_rounds", "question_review_agreement"),
    "scene_graphs": (
        "calibrations",
        "graph_patches",
        "graph_nodes",
        "graph_edges",
        "graph_coverage",
        "spatial_facts",
    ),
    "replies": ("requests",),
    "judged_scores": ("judge_agreements",),
    "grounding_scores": ("groundings",),
    "parity_scores": ("parity_answers",),
    **{f"sources.{part}": tables for part, tables in PART_TABLES.items()},
}
_LEDGERS = {table: name for name, tables in _WRITTEN_TOGETHER.items() for table in tables}


class UndeclaredRead(RuntimeError):
    """A stage reads a table or a column that it does not declare."""


def declared_columns(
    stage: str, reads: Reads, table: str, columns: Sequence[str] | None = None
) -> tuple[str, ...]:
    """Columns of a table that a stage may read, or those of them that it asks for.

    Args:
        stage: Name of the stage.
        reads: Columns by table that it declares.
        table: Name of the table.
        columns: Only these columns.

    Raises:
        UndeclaredRead: The stage does not declare the table, or one of the columns.
    """
    if table not in reads:
        raise UndeclaredRead(
            f"stage {stage} reads table {table}, which it does not declare; add it to its `reads`"
        )
    declared = reads[table]
    readable = TABLES[table].schema.names() if declared is None else declared
    unknown = sorted(set(columns or ()) - set(readable))
    if unknown:
        raise UndeclaredRead(
            f"stage {stage} reads columns {unknown} of table {table}, which it does not declare; add "
            "them to its `reads`"
        )
    return tuple(readable if columns is None else columns)


def ledger_name(table: str) -> str:
    """Name under which the ledger records the units of a table: that of the stage that writes it."""
    return _LEDGERS.get(table, table)


def merge_reads(*declarations: Reads) -> dict[str, Columns]:
    """Columns by table that any of several declarations reads."""
    merged: dict[str, Columns] = {}
    for reads in declarations:
        for table, columns in reads.items():
            before = merged.get(table, ())
            if before is None or columns is None:
                merged[table] = None
            else:
                merged[table] = tuple(dict.fromkeys((*before, *columns)))
    return merged


def with_keys(reads: Reads) -> dict[str, Columns]:
    """What is read, and with it the key of each table, by which its rows are named and sorted."""
    return {
        table: None if columns is None else tuple(dict.fromkeys((*TABLES[table].key, *columns)))
        for table, columns in reads.items()
    }


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of work of a stage.

    Attributes:
        name: Name in the ledger.
        keys: By table, the units of that table it is computed from. A table that is not named here is
            read whole; one with an empty tuple is not loaded, and what is looked up in it has to be
            among the parameters.
        parameters: What else its rows depend on, as text: settings, models, decisions.
        reads: Tables and columns it is computed from; None for all that its stage declares.
        source: Source whose tables it reads; None where the partition is that source.
        code: Functions that decide its rows beside those of the stage.
    """

    name: str
    keys: Mapping[str, Sequence[str]] = field(default_factory=dict)
    parameters: tuple[str, ...] = ()
    reads: Reads | None = None
    source: str | None = None
    code: tuple[Callable[..., object], ...] = ()


Units = Callable[["Inputs"], Iterable[Unit]]
Make = Callable[["Batch"], Iterable[Output]]
Compute = Callable[["Inputs", Sequence[Unit], Options, Tell], Iterable[Output]]
Again = Callable[["Inputs", Options], Collection[str]]
Asks = Callable[[Settings], Iterable[RunConfig]]
Scan = Callable[[str], pl.LazyFrame]
"""Rows of a table in one partition, lazily."""


@dataclass(frozen=True, slots=True)
class OwnRun:
    """How a stage runs that does not fit into units and a function that computes them.

    Attributes:
        refresh: Recomputes what changed.
        pending: What is to be computed or deleted, in the order of its ledgers; found out one by one.
    """

    refresh: Callable[[Inputs, Options, Tell], list[Report]]
    pending: Callable[[Inputs, Options], Iterable[Pending]]


@dataclass(frozen=True)
class Stage:
    """A stage of the graph.

    A stage gives its `units` and either `make` or `compute`; or, instead of all these, its `own` run.

    Attributes:
        name: Name in the ledger, of the Dagster step and in log lines.
        group: Dagster's asset group: the folder of `assets/` it belongs to.
        summary: What it does, in one sentence.
        partition: What one run of it covers.
        tables: Tables it writes, in commit order: children before the table that holds their key.
        reads: Columns by table; None stands for all columns, of which the content counts.
        configured_reads: What plug-ins and released benchmarks of a configuration make it read beside
            `reads`.
        partition_reads: What it reads for one benchmark, where that is less than `reads`: narrowed runs
            update no more than that.
        units: Units of a partition.
        make: Computes the rows of some units from the declared rows.
        compute: Computes the rows of some units in its own order, for stages that ask models or open
            files.
        own: Run of a stage that lists files or asks models question by question.
        again: Units to compute again though nothing they read changed: a call failed that may succeed now.
        code: Functions that decide its rows; `make` or `compute` where neither it nor a unit names any.
        by_recording: Whether units are recordings, so that a choice of recordings applies.
        batch: Units whose rows are loaded together.
        adds_to: Tables of another stage to which it adds its calls and what they cost; no dependencies.
        data_versions: Data version of a table that the ledger does not record, by table.
        lineage: Columns that a column derives from, where equal names do not say so.
        asks: Models that it may ask under a configuration; given by every stage that adds to `calls`.
        auto: Whether automation runs it.
        plots: Pictures of a table's rows in one partition, as Markdown by title.
        drawings: The same of a few rows of several tables, each of which it scans for itself.
        note: What people should know of a partition beside the counts, such as what is left out and why;
            empty for nothing.
        derived_from: Tables that a table's rows come from, where the stage writes several and they do not all
            come from everything it reads. Tables of the stage itself may be among them.
        fills: Which of its tables a partition of a configuration can have rows in; None for all of them.
    """

    name: str
    group: str
    summary: str
    partition: Partition
    tables: tuple[str, ...]
    reads: Reads
    configured_reads: Callable[[Settings], Reads] | None = None
    partition_reads: Callable[[Settings, str], Reads] | None = None
    units: Units | None = None
    make: Make | None = None
    compute: Compute | None = None
    own: OwnRun | None = None
    again: Again | None = None
    code: tuple[Callable[..., object], ...] = ()
    by_recording: bool = False
    batch: int = BATCH
    adds_to: tuple[str, ...] = ()
    data_versions: Mapping[str, Callable[[TableStore, str], str]] = field(default_factory=dict)
    lineage: Lineage = field(default_factory=dict)
    asks: Asks | None = None
    auto: bool = True
    plots: Mapping[str, Callable[[pl.DataFrame], Mapping[str, str]]] = field(default_factory=dict)
    drawings: Mapping[str, Callable[[Scan], Mapping[str, str]]] = field(default_factory=dict)
    note: Callable[[Inputs], str] | None = None
    derived_from: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fills: Callable[[Settings, str], Collection[str]] | None = None

    def __post_init__(self) -> None:
        self._check_run()
        if ("calls" in (*self.tables, *self.adds_to)) != (self.asks is not None):
            raise ValueError(
                f"stage {self.name}: a stage that asks models gives `asks` and adds to `calls`, any other"
                " neither"
            )
        self._check_derived_from()
        for table, columns in self.reads.items():
            self._check_columns(table, columns or ())
        for table, columns in self.lineage.items():
            self._check_columns(table, columns)
            for column, origins in columns.items():
                for origin in origins:
                    self._check_origin(f"{table}.{column}", origin)

    def configured(self, settings: Settings) -> Stage:
        """The stage as it runs under a configuration: it reads what its further benchmarks ask for too."""
        if self.configured_reads is None or not settings.has_further_benchmarks:
            return self
        return replace(self, reads=merge_reads(self.reads, self.configured_reads(settings)))

    def in_partition(self, settings: Settings, partition: str) -> Stage:
        """The stage as it runs in one partition: it reads no more than it declares for that one."""
        if self.partition_reads is None or partition not in settings.benchmarks:
            return self.configured(settings)
        # The lineage is that of all partitions, and names tables that this one may not read.
        return replace(self, reads=self.partition_reads(settings, partition), lineage={})

    def _check_run(self) -> None:
        ways = [way for way in (self.make, self.compute, self.own) if way is not None]
        if len(ways) != 1 or (self.units is None) != (self.own is not None):
            raise ValueError(
                f"stage {self.name}: give `units` with `make` or `compute`, or `own` alone"
            )
        others = {name for name in self.tables if ledger_name(name) != self.name}
        if self.own is None and others:
            raise ValueError(
                f"stage {self.name} writes {sorted(others)}, which another ledger records; list them "
                "in assets/stage.py"
            )

    def _check_derived_from(self) -> None:
        if not self.derived_from:
            return
        named = {origin for origins in self.derived_from.values() for origin in origins}
        known = {*self.deps, *self.tables}
        if set(self.derived_from) != set(self.tables) or not set(self.deps) <= named <= known:
            raise ValueError(
                f"stage {self.name}: `derived_from` must name every table it writes, every table it reads "
                "and no other"
            )

    def _check_columns(self, table: str, columns: Iterable[str]) -> None:
        if table not in TABLES:
            raise ValueError(f"stage {self.name} names an unknown table {table}")
        unknown = set(columns) - set(TABLES[table].schema)
        if unknown:
            raise ValueError(
                f"stage {self.name} names unknown columns of {table}: {sorted(unknown)}"
            )

    def _check_origin(self, column: str, origin: tuple[str, str]) -> None:
        table, name = origin
        self._check_columns(table, [name])
        declared = self.reads.get(table, ()) if table in self.reads else ()
        if table not in self.tables and declared is not None and name not in declared:
            raise ValueError(
                f"stage {self.name}: {column} is said to derive from {table}.{name}, which the stage does "
                "not read; correct `lineage` or `reads`"
            )

    @property
    def deps(self) -> tuple[str, ...]:
        """Tables of other stages that it reads."""
        return tuple(name for name in self.reads if name not in self.tables)

    def origins(self, table: str) -> tuple[str, ...]:
        """Tables that a table's rows come from: of other stages, and of this one."""
        return self.derived_from.get(table, self.deps)

    def tables_of(self, settings: Settings, partition: str) -> tuple[str, ...]:
        """Tables that a partition can have rows in, in commit order."""
        if self.fills is None:
            return self.tables
        filled = self.fills(settings, partition)
        return tuple(name for name in self.tables if name in filled)

    @property
    def recorded(self) -> StageTables:
        """What the ledger records of it."""
        return StageTables(self.name, tuple(TABLES[name] for name in self.tables))

    def column_origins(self, table: str) -> dict[str, list[tuple[str, str]]]:
        """Columns that a table's columns derive from, as pairs of table and column.

        Named ones, else those of equal name in the tables that its rows come from.
        """
        named = self.lineage.get(table, {})
        tables = self.origins(table) if self.reads else ()
        origins: dict[str, list[tuple[str, str]]] = {}
        for column in TABLES[table].schema:
            pairs = named.get(column) or [
                (origin, column) for origin in tables if column in self._readable(origin)
            ]
            if pairs:
                origins[column] = list(pairs)
        return origins

    def _readable(self, table: str) -> Collection[str]:
        declared = self.reads.get(table)
        return TABLES[table].schema.names() if declared is None else declared

    def data_version(self, store: TableStore, table: str, partition: str) -> str:
        """Digest of a table's committed content in one partition."""
        if table in self.data_versions:
            return self.data_versions[table](store, partition)
        return table_digest(read_ledger(store, ledger_name(table), partition), table)

    # -- running -----------------------------------------------------------------------------------

    def refresh(
        self, settings: Settings, partition: str, options: Options, tell: Tell
    ) -> list[Report]:
        """Recompute the units whose inputs, parameters or code changed."""
        with asking_only(options.may_ask), engines_closed_after(), counted_calls() as calls:
            reports = self._refresh(settings, partition, options, tell)
        if reports:
            reports[0].calls = calls
        return reports

    def _refresh(
        self, settings: Settings, partition: str, options: Options, tell: Tell
    ) -> list[Report]:
        inputs = Inputs(settings, self, partition)
        if self.own is not None:
            return self.own.refresh(inputs, options, tell)
        units: dict[str, Unit] = {}

        def input_hashes() -> dict[str, str]:
            # Read anew each time: another process may have replaced what the units are computed from.
            inputs.forget()
            units.clear()
            units.update(inputs.units())
            return {name: inputs.input_hash(unit) for name, unit in units.items()}

        report = run_stage(
            settings.store,
            self.recorded,
            partition,
            input_hashes,
            lambda todo: self._outputs(inputs, [units[name] for name in todo], options, tell),
            selection=self._selection(options),
            again=self._again(inputs, options),
            progress=tell(self.name),
            code=lambda name: inputs.code(units[name]),
        )
        if self.note is not None and report.wanted:
            report.note = self.note(inputs)
        return [report]

    def is_fresh(self, settings: Settings, partition: str, options: Options) -> bool:
        """Whether no unit is to be computed or deleted."""
        return all(share.is_fresh for share in self.pending(settings, partition, options))

    def pending(self, settings: Settings, partition: str, options: Options) -> Iterator[Pending]:
        """What is to be computed or deleted, by ledger; nothing is stored."""
        inputs = Inputs(settings, self, partition)
        if self.own is not None:
            yield from self.own.pending(inputs, options)
            return
        units = inputs.units()
        plan = make_plan(
            settings.store,
            self.recorded,
            partition,
            {name: inputs.input_hash(unit) for name, unit in units.items()},
            self._selection(options),
            again=self._again(inputs, options),
            code=lambda name: inputs.code(units[name]),
        )
        yield Pending.of(self.name, plan)

    def input_hashes(self, settings: Settings, partition: str) -> dict[str, str]:
        """Hash of everything that each unit's rows depend on."""
        inputs = Inputs(settings, self, partition)
        return {name: inputs.input_hash(unit) for name, unit in inputs.units().items()}

    def _selection(self, options: Options) -> Selection:
        return options.of_recordings() if self.by_recording else ALL

    def _again(self, inputs: Inputs, options: Options) -> Collection[str]:
        return () if self.again is None else self.again(inputs, options)

    def _outputs(
        self, inputs: Inputs, units: Sequence[Unit], options: Options, tell: Tell
    ) -> Iterator[Output]:
        if self.compute is not None:
            yield from self.compute(inputs, units, options, tell)
            return
        assert self.make is not None
        for batch in inputs.batches(units):
            yield from self.make(batch)


@dataclass(frozen=True)
class DeclaredView(TableStore):
    """A table store that shows a stage the tables it declares or writes, and no other.

    Attributes:
        stage: Name of the stage.
        reads: Columns by table that it declares.
        writes: Tables it writes or adds to.
    """

    stage: str = ""
    reads: Reads = field(default_factory=dict)
    writes: tuple[str, ...] = ()

    @classmethod
    def of(cls, store: TableStore, stage: Stage) -> DeclaredView:
        """View of a stage."""
        writes = (*stage.tables, *stage.adds_to)
        return cls(store.url, store.storage_options, store.lease_s, stage.name, stage.reads, writes)

    def scan(
        self,
        table: Table,
        partition: str | None = None,
        units: Iterable[str] | None = None,
        columns: Sequence[str] | None = None,
    ) -> pl.LazyFrame:
        """Rows of a declared table (see `TableStore.scan`), all declared columns where none are named.

        Raises:
            UndeclaredRead: The stage does not declare the table, or one of the columns.
        """
        self._check_table(table, partition)
        if table.name in self.reads and table.name not in self.writes:
            columns = declared_columns(self.stage, self.reads, table.name, columns)
        return super().scan(table, partition, units, columns)

    def n_rows(self, table: Table, partition: str | None = None) -> int:
        """Number of rows of a declared table (see `TableStore.n_rows`).

        Raises:
            UndeclaredRead: The stage does not declare the table.
        """
        self._check_table(table, partition)
        return super().n_rows(table, partition)

    def stamp(self, table: Table, partition: str) -> tuple[str, ...]:
        """Files that hold the rows of a declared table (see `TableStore.stamp`).

        Raises:
            UndeclaredRead: The stage does not declare the table.
        """
        self._check_table(table, partition)
        return super().stamp(table, partition)

    def _check_table(self, table: Table, partition: str | None) -> None:
        if table.name == "ledger" and partition is not None:
            known = {ledger_name(name) for name in (*self.reads, *self.writes)} | {self.stage}
            if not any(partition.startswith(f"{name}.") for name in known):
                raise UndeclaredRead(
                    f"stage {self.stage} reads the ledger of {partition}, of which it declares no table; "
                    "add the table to its `reads`"
                )
        elif table.name not in {*self.writes, *_BOOKKEEPING}:
            declared_columns(self.stage, self.reads, table.name)


class Inputs:
    """What a stage may read in one partition: the declared tables and their ledgers.

    Args:
        settings: Configuration.
        stage: The stage.
        partition: Its partition.

    Attributes:
        settings: Configuration whose store shows what the stage declares.
        store: That store.
        stage: The stage.
        partition: The partition.
    """

    def __init__(self, settings: Settings, stage: Stage, partition: str) -> None:
        stage = stage.in_partition(settings, partition)
        self.store: TableStore = DeclaredView.of(settings.store, stage)
        self.settings = replace(settings, store=self.store)
        self.stage = stage
        self.partition = partition
        self._unguarded = settings.store
        self._ledgers: dict[tuple[str, str], dict[str, Entry]] = {}
        self._whole: dict[_Place, str] = {}

    def forget(self) -> None:
        """Read ledgers anew from now on."""
        self._ledgers.clear()
        self._whole.clear()

    def units(self) -> dict[str, Unit]:
        """Units of the partition by name."""
        units = self.stage.units
        return {} if units is None else {unit.name: unit for unit in units(self)}

    # -- what is stored ------------------------------------------------------------------------------

    def stored_units(self, table: str, source: str | None = None) -> list[str]:
        """Units of the stage that writes a declared table, whether or not they have rows in it.

        Raises:
            UndeclaredRead: The stage does not declare the table.
            IncompleteUpstream: The stage that writes it was interrupted.
        """
        return sorted(self._entries(table, source))

    def units_with_rows(self, table: str, source: str | None = None) -> list[str]:
        """Units with rows in a declared table; raises as `stored_units`."""
        entries = self._entries(table, source)
        return sorted(unit for unit, entry in entries.items() if _n_rows(entry, table))

    def _entries(self, table: str, source: str | None) -> dict[str, Entry]:
        declared_columns(self.stage.name, self.stage.reads, table)
        place = ledger_name(table), source or self.partition
        if place not in self._ledgers:
            self._ledgers[place] = read_complete(self._unguarded, *place)
        return self._ledgers[place]

    # -- hashes --------------------------------------------------------------------------------------

    def input_hash(self, unit: Unit) -> str:
        """Hash of everything a unit's rows depend on: code, parameters and the rows it reads."""
        rows = self.row_hashes(unit.reads, unit.keys, unit.source)
        return digest([unit.name, self.code(unit), *unit.parameters, "rows", *rows])

    def code(self, unit: Unit) -> str:
        """Version of the code that decides a unit's rows."""
        functions = (*self.stage.code, *unit.code) or (self.stage.make or self.stage.compute,)
        return code_version(*(function for function in functions if function is not None))

    def row_hashes(
        self,
        reads: Reads | None = None,
        keys: Mapping[str, Sequence[str]] | None = None,
        source: str | None = None,
    ) -> list[str]:
        """Hashes of rows, column by column.

        Args:
            reads: Columns by table; None for all that the stage declares.
            keys: By table, the units that count; a table that is not named counts whole.
            source: Source; None for the partition.
        """
        hashes: list[str] = []
        for table, columns in sorted((self.stage.reads if reads is None else reads).items()):
            place = self._place(table, columns, source)
            if keys is None or table not in keys:
                hashes.append(self._hash_of_all(place))
            elif keys[table]:
                entries = self._entries(table, source)
                hashes += [
                    f"{key}={entries[key].inputs(table, place.content)}"
                    for key in keys[table]
                    if key in entries
                ]
        return hashes

    def _hash_of_all(self, place: _Place) -> str:
        if place not in self._whole:
            entries = self._entries(place.table, place.source)
            self._whole[place] = digest(
                [
                    place.table,
                    *(
                        f"{unit}={entry.inputs(place.table, place.content)}"
                        for unit, entry in sorted(entries.items())
                        if _n_rows(entry, place.table)
                    ),
                ]
            )
        return self._whole[place]

    def keys(self, recordings: Sequence[str], reads: Reads | None = None) -> dict[str, tuple]:
        """Keys of a unit that is computed from recordings: those of the tables cut by recording.

        Args:
            recordings: The recordings.
            reads: Columns by table; None for all that the stage declares.
        """
        declared = self.stage.reads if reads is None else reads
        by_recording = (name for name in declared if TABLES[name].unit == "recording_id")
        return dict.fromkeys(by_recording, tuple(recordings))

    # -- rows ----------------------------------------------------------------------------------------

    def batches(self, units: Iterable[Unit]) -> Iterator[Batch]:
        """Units with the rows they are computed from, some at a time.

        Units of one batch read the same columns of the same source.
        """
        whole: dict[_Place, pl.DataFrame] = {}

        def places(unit: Unit) -> tuple[_Place, ...]:
            reads = self.stage.reads if unit.reads is None else unit.reads
            return tuple(self._place(name, columns, unit.source) for name, columns in reads.items())

        for group, alike in groupby(units, places):
            left = list(alike)
            for at in range(0, len(left), self.stage.batch):
                yield Batch(self, tuple(left[at : at + self.stage.batch]), group, whole)

    def read(
        self,
        table: str,
        columns: Columns = None,
        source: str | None = None,
        units: Iterable[str] | None = None,
    ) -> pl.DataFrame:
        """Declared columns of a table, in order of its key.

        Args:
            table: Name of the table.
            columns: Only these columns.
            source: Source; None for the partition.
            units: Only rows of these units.
        """
        place = self._place(table, columns, source)
        key = TABLES[table].key
        rows = self.read_wide(place, units).sort(key, nulls_last=True, maintain_order=True)
        return rows.select(place.columns)

    def read_wide(self, place: _Place, units: Iterable[str] | None) -> pl.DataFrame:
        """Rows with the columns they are sorted and cut by beside the declared ones, as stored."""
        table = TABLES[place.table]
        columns = list(dict.fromkeys((*place.columns, *table.key, table.unit)))
        units = None if units is None else list(units)
        if units == []:
            return table.empty().select(columns)
        return self._unguarded.read(table, place.source, units, columns=columns)

    def _place(self, table: str, columns: Columns, source: str | None) -> _Place:
        readable = declared_columns(self.stage.name, self.stage.reads, table, columns)
        return _Place(table, source or self.partition, readable)


class Batch:
    """Units that are computed together, with the declared rows they are computed from.

    Attributes:
        units: The units.
        partition: Partition of the stage.
        source: Source of the rows.
        settings: Configuration; its store shows what the stage declares.
    """

    def __init__(
        self,
        inputs: Inputs,
        units: tuple[Unit, ...],
        places: tuple[_Place, ...],
        whole: dict[_Place, pl.DataFrame],
    ) -> None:
        self.units = units
        self.partition = inputs.partition
        self.source = units[0].source or inputs.partition
        self.settings = inputs.settings
        self._inputs = inputs
        self._places = places
        self._whole = whole

    @property
    def names(self) -> list[str]:
        """Names of the units."""
        return [unit.name for unit in self.units]

    @cached_property
    def tables(self) -> dict[str, pl.DataFrame]:
        """Rows of all units by table; tables that are read whole are in order of their key."""
        return {
            place.table: (
                self._wide[place].select(place.columns)
                if place in self._wide
                else self._read_whole(place)
            )
            for place in self._places
        }

    def of(self, unit: Unit) -> dict[str, pl.DataFrame]:
        """Rows of one unit by table, in order of the table's key."""
        return {
            place.table: (
                self._of_keys(place, unit.keys[place.table])
                if place.table in unit.keys
                else self._read_whole(place)
            )
            for place in self._places
        }

    def _read_whole(self, place: _Place) -> pl.DataFrame:
        if place not in self._whole:
            self._whole[place] = self._inputs.read(place.table, place.columns, place.source)
        return self._whole[place]

    @cached_property
    def _wide(self) -> dict[_Place, pl.DataFrame]:
        keys: dict[_Place, set[str]] = defaultdict(set)
        for unit in self.units:
            for place in self._places:
                if place.table in unit.keys:
                    keys[place].update(unit.keys[place.table])
        return {place: self._inputs.read_wide(place, names) for place, names in keys.items()}

    @cached_property
    def _parts(self) -> dict[_Place, dict[str, pl.DataFrame]]:
        return {
            place: {
                str(key): part
                for (key,), part in rows.partition_by(
                    TABLES[place.table].unit, as_dict=True, maintain_order=True
                ).items()
            }
            for place, rows in self._wide.items()
        }

    def _of_keys(self, place: _Place, keys: Sequence[str]) -> pl.DataFrame:
        table, parts = TABLES[place.table], self._parts[place]
        mine = [parts[key] for key in keys if key in parts]
        if not mine:
            return table.empty().select(place.columns)
        # Rows of one unit are stored in order of the key.
        rows = mine[0] if len(mine) == 1 else pl.concat(mine).sort(table.key, nulls_last=True)
        return rows.select(place.columns)


@dataclass(frozen=True, slots=True)
class _Place:
    """Columns of a table of one source."""

    table: str
    source: str
    columns: tuple[str, ...]

    @property
    def content(self) -> tuple[str, ...]:
        """The columns that count in hashes."""
        table = TABLES[self.table]
        return tuple(name for name in self.columns if not table[name].volatile)


def _n_rows(entry: Entry, table: str) -> int:
    return entry.tables.get(table, (0, {}))[0]
