"""Incremental by content: make the units whose inputs differ, replace what really changed.

A stage says which units it wants and what each is made from; the ledger says what there is. Units
that differ are computed, checked by their tables' contracts, hashed, and committed in batches: the
ledger marks them `writing`, the tables are replaced (children first, quarantine after), the ledger
marks them `ok`. A unit whose content came out equal moves only the ledger.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from expectations.contracts import Refusal, check, quarantine_rows
from expectations.schemas import TABLES, Table
from expectations.schemas.identity import digest, unit_hashes
from resources.store.call_counts import CallCounts
from resources.store.code_version import code_version
from resources.store.deletion_guard import Kept, Loss, kept_units, no_loss
from resources.store.ledger import Entry, read_ledger, schema_fingerprint, scope, write_entries
from resources.store.locks import Lock
from resources.store.schema_change import renew_outdated
from resources.store.tables import StoreError, TableStore

QUARANTINE = TABLES["quarantine"]
COMMIT_ROWS = 2_000_000
COMMIT_SECONDS = 30.0
ATTEMPTS = 20

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class StageTables:
    """What a stage writes.

    Attributes:
        name: Name in the ledger.
        tables: Its tables, in commit order: children before the table that holds their key.
    """

    name: str
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class Output:
    """What a stage computed for some units.

    Attributes:
        units: Units done, also those without rows.
        tables: Rows by table name; a table without rows may be left out.
        refused: Pairs of unit and refusal.
        lasting: Whether the rows hold until an input moves. Else they count as they are, and the
            next run makes the units again: something outside failed that may work then.
    """

    units: Sequence[str]
    tables: Mapping[str, pl.DataFrame]
    refused: Sequence[tuple[str, Refusal]] = ()
    lasting: bool = True


Compute = Callable[[list[str]], Iterable[Output]]
Code = Callable[[str], str]
"""Version of the code that computes a unit."""


def unknown_code(_unit: str) -> str:
    """For stages that do not say which code computes a unit."""
    return ""


@dataclass(frozen=True, slots=True)
class Selection:
    """Units a person picked; a selection never deletes.

    Attributes:
        units: Only these (None for all).
        limit: At most so many, the first by name.
    """

    units: frozenset[str] | None = None
    limit: int | None = None

    @property
    def is_all(self) -> bool:
        """Whether nothing is picked."""
        return self.units is None and self.limit is None

    def pick(self, units: Iterable[str]) -> list[str]:
        """The picked ones, ascending."""
        chosen = sorted(u for u in units if self.units is None or u in self.units)
        return chosen if self.limit is None else chosen[: self.limit]


ALL = Selection()


@dataclass(frozen=True, slots=True)
class Plan:
    """Difference between what is wanted and what the ledger holds.

    Attributes:
        input_hashes: Hash of the inputs of each wanted unit.
        todo: Units to make.
        gone: Units to delete.
        held_back: Units that the deletion guard keeps as they are.
        reasons: What would go without the guard, in words.
        entries: The ledger.
        code: Gives the hash of the code and contracts of a unit.
    """

    input_hashes: Mapping[str, str]
    todo: tuple[str, ...]
    gone: tuple[str, ...]
    held_back: tuple[str, ...]
    reasons: tuple[str, ...]
    entries: Mapping[str, Entry]
    code: Code

    @property
    def is_fresh(self) -> bool:
        """Whether there is nothing to do."""
        return not self.todo and not self.gone

    @property
    def n_fresh(self) -> int:
        """Wanted units that stay because nothing of theirs changed."""
        known = self.input_hashes.keys() & self.entries.keys()
        return len(known - {*self.todo, *self.held_back})

    def changes(self) -> dict[str, int]:
        """Numbers of units to compute or delete, by reason, in order of the reasons' names."""
        why = Counter(self._why(unit) for unit in self.todo)
        why.update({"deleted": len(self.gone)} if self.gone else {})
        return dict(sorted(why.items()))

    def _why(self, unit: str) -> str:
        entry = self.entries.get(unit)
        if entry is None:
            return "new"
        if entry.status != "ok":
            return "interrupted"
        if entry.input_hash in ("", self.input_hashes[unit]):
            return "failed before"
        code = self.code(unit)
        if not code or not entry.code:
            return "inputs or code changed"
        return "inputs changed" if entry.code == code else "code changed"


@dataclass(frozen=True, slots=True)
class Pending:
    """What is to be done for one ledger of a stage in one partition.

    Attributes:
        name: Name in the ledger.
        changes: Units to compute or delete, by reason; null where their number shows only when files are
            read.
        up_to_date: Units with nothing to do.
        refused: Rows in quarantine.
        depends_on: Ledgers of the same stage and partition that decide whether there is more to do.
    """

    name: str
    changes: Mapping[str, int | None] = field(default_factory=dict)
    up_to_date: int = 0
    refused: int = 0
    depends_on: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, plan: Plan, depends_on: tuple[str, ...] = ()) -> Pending:
        """What a plan leaves to do."""
        refused = sum(entry.n_refused for entry in plan.entries.values())
        return cls(name, plan.changes(), plan.n_fresh, refused, depends_on)

    @property
    def is_fresh(self) -> bool:
        """Whether there is nothing to do."""
        return not self.changes and not self.depends_on


@dataclass(slots=True)
class Report:
    """What a stage did in one partition.

    Attributes:
        stage: Name in the ledger.
        partition: The partition.
        wanted: Units of the partition.
        fresh: Units that were up to date.
        computed: Units computed.
        changed: Units of these whose content is not what it was.
        deleted: Units deleted.
        held_back: Units that the deletion guard kept.
        reasons: What would have been deleted without the guard, in words.
        refused: Rows in quarantine.
        entries: The ledger afterwards.
        note: What else people should know.
        calls: Model calls of the whole stage, on the first of its reports.
    """

    stage: str
    partition: str
    wanted: int = 0
    fresh: int = 0
    computed: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    held_back: list[str] = field(default_factory=list)
    reasons: tuple[str, ...] = ()
    refused: int = 0
    entries: dict[str, Entry] = field(default_factory=dict)
    note: str = ""
    calls: CallCounts = field(default_factory=CallCounts)

    @classmethod
    def of_plan(cls, stage: str, partition: str, plan: Plan) -> Report:
        """Report of a plan that leaves nothing to do."""
        report = cls(stage, partition, fresh=plan.n_fresh)
        report.take(plan)
        report.count_refused()
        return report

    def take(self, plan: Plan) -> None:
        """Begin with what a plan found."""
        self.wanted = len(plan.input_hashes)
        self.held_back = list(plan.held_back)
        self.reasons = plan.reasons
        self.entries = dict(plan.entries)

    def count_refused(self) -> None:
        """Count the rows in quarantine anew."""
        self.refused = sum(e.n_refused for e in self.entries.values())

    def rows(self, table: str) -> int:
        """Rows of a table in this partition."""
        return sum(e.tables.get(table, (0, {}))[0] for e in self.entries.values())

    def sentence(self) -> str:
        """One line for people."""
        text = (
            f"{self.stage} of {self.partition}: {self.wanted} units, {self.fresh} up to date, "
            f"{len(self.computed)} computed, {len(self.changed)} changed"
        )
        if self.deleted:
            text += f", {len(self.deleted)} deleted"
        if self.held_back:
            text += (
                f"; {len(self.held_back)} units were kept, because "
                f"{' and '.join(self.reasons)} would be deleted: restore what is missing, or pass "
                "--allow-deletes if it was removed on purpose"
            )
        text += f", {self.refused} rows in quarantine" if self.refused else ""
        text += f"; {self.calls.sentence()}" if self.calls else ""
        return text + (f"; {self.note}" if self.note else "")


def make_plan(
    store: TableStore,
    stage: StageTables,
    partition: str,
    wanted: Mapping[str, str],
    selection: Selection = ALL,
    allow_deletes: bool = True,
    again: Collection[str] = (),
    loss: Callable[[], Loss] = no_loss,
    code: Code = unknown_code,
) -> Plan:
    """Compare a stage's wanted units with the ledger.

    Args:
        store: Table store.
        stage: The stage.
        partition: Its partition.
        wanted: Unit to hash of inputs, parameters and code.
        selection: Units a person picked.
        allow_deletes: Whether much may be deleted at once; else the guard holds units back.
        again: Units to make again though nothing they are made from moved: something outside failed
            that may work now.
        loss: Gives what the guard knows of the inputs beside the wanted units; asked where some
            units differ.
        code: Gives the version of the code that computes a unit.
    """
    input_hashes = _input_hashes(stage, wanted)
    entries = read_ledger(store, stage.name, partition)
    picked = set(selection.pick(input_hashes))
    # What a dead process left half-written blocks all that reads it: it is made whatever was picked.
    half = {unit for unit, entry in entries.items() if entry.status != "ok"}
    changed = {
        unit
        for unit in input_hashes
        if unit not in entries or unit in half or entries[unit].input_hash != input_hashes[unit]
    }
    # The guard judges what the inputs lost, whatever was picked of them.
    kept = Kept(frozenset())
    if not allow_deletes and (changed & entries.keys() or entries.keys() - input_hashes.keys()):
        kept = kept_units(entries, input_hashes.keys(), changed, loss())
    todo = sorted((changed | input_hashes.keys() & set(again)) & (picked | half))
    gone = sorted(entries.keys() - input_hashes.keys()) if selection.is_all else []
    held_back = tuple(unit for unit in sorted({*todo, *gone}) if unit in kept.units)
    return Plan(
        input_hashes,
        todo=tuple(unit for unit in todo if unit not in kept.units),
        gone=tuple(unit for unit in gone if unit not in kept.units),
        held_back=held_back,
        reasons=kept.reasons if held_back else (),
        entries=entries,
        code=_with_contracts(stage, code),
    )


def _with_contracts(stage: StageTables, code: Code) -> Code:
    if code is unknown_code:
        return code
    return lambda unit: digest([_contracts(stage), code(unit)])


def _contracts(stage: StageTables) -> str:
    return digest([schema_fingerprint(stage.tables), code_version(check)])


def _input_hashes(stage: StageTables, wanted: Mapping[str, str]) -> dict[str, str]:
    """Hash of inputs, parameters, code, and of the contracts that the rows must keep."""
    contracts = _contracts(stage)
    return {unit: digest([contracts, said]) for unit, said in wanted.items()}


class _InputsMovedError(Exception):
    """Another process changed what units are made from while they were being made."""


def run_stage(
    store: TableStore,
    stage: StageTables,
    partition: str,
    wanted: Callable[[], Mapping[str, str]],
    compute: Compute,
    *,
    references: Callable[[], Mapping[str, pl.Series]] = dict,
    selection: Selection = ALL,
    allow_deletes: bool = True,
    again: Collection[str] = (),
    loss: Callable[[], Loss] = no_loss,
    progress: Progress | None = None,
    code: Code = unknown_code,
) -> Report:
    """Bring a stage's partition up to date, under its lock.

    Args:
        store: Table store.
        stage: The stage.
        partition: Its partition.
        wanted: Gives unit to hash of what it is made from. Asked after the lock is held, and again
            before every commit: rows whose inputs moved while they were made are made again.
        compute: Makes the rows of the units it is given, in any grouping.
        references: Values that exist, for the tables' `refers_to`.
        selection: Units a person picked.
        allow_deletes: Whether the deletion guard is off.
        again: Units to make again though nothing they are made from moved (see `make_plan`).
        loss: Gives what the guard knows of the inputs, beside the wanted units.
        progress: Called with units done, units of the partition, and the last unit; what was up to date
            before, or computed by a run that was interrupted, counts as done.
        code: Gives the version of the code that computes a unit.

    Returns:
        What was done; `entries` is the ledger afterwards.
    """
    with store.lock(scope(stage.name, partition)) as lock:
        renew_outdated(store, stage.name, stage.tables)
        report = Report(stage.name, partition)
        for attempt in range(ATTEMPTS):
            plan = make_plan(
                store, stage, partition, wanted(), selection, allow_deletes, again, loss, code
            )
            if attempt == 0:
                report.fresh = plan.n_fresh
            report.take(plan)
            writer = _Writer(store, stage, partition, plan, wanted, lock, report, progress)
            try:
                writer.refresh(compute, references)
                break
            except _InputsMovedError:
                continue
        else:
            raise StoreError(
                f"the inputs of stage {stage.name} of {partition} kept changing while it ran: another process writes them; run it again when that one has ended"
            )
        report.count_refused()
    return report


class _Writer:
    """Commits outputs in batches."""

    def __init__(
        self,
        store: TableStore,
        stage: StageTables,
        partition: str,
        plan: Plan,
        wanted: Callable[[], Mapping[str, str]],
        lock: Lock,
        report: Report,
        progress: Progress | None,
    ) -> None:
        self._store = store
        self._stage = stage
        self._partition = partition
        self._plan = plan
        self._wanted = wanted
        self._lock = lock
        self._report = report
        self._progress = progress
        self._tables = {t.name: t for t in stage.tables}
        self._done = plan.n_fresh
        self._total = plan.n_fresh + len(plan.todo)

    def refresh(self, compute: Compute, references: Callable[[], Mapping[str, pl.Series]]) -> None:
        """Delete what is gone and make what is to be made.

        Raises:
            _InputsMovedError: Inputs changed meanwhile; what was committed before stands.
        """
        if self._plan.gone:
            self.delete(self._plan.gone)
        if not self._plan.todo:
            return
        self._tell(self._done, "")
        try:
            self.take(compute(list(self._plan.todo)), references())
        except _InputsMovedError:
            raise
        except Exception:
            # Inputs that another process was replacing do not fit together: no fault of theirs.
            if self._moved(self._plan.todo):
                raise _InputsMovedError from None
            raise

    def _moved(self, units: Iterable[str]) -> bool:
        now = _input_hashes(self._stage, self._wanted())
        return any(now.get(unit) != self._plan.input_hashes[unit] for unit in units)

    def take(self, outputs: Iterable[Output], references: Mapping[str, pl.Series]) -> None:
        """Commit outputs as they come, in batches of rows or seconds."""
        made: set[str] = set()
        for batch in _batches(self._counted(outputs)):
            units = [unit for output in batch for unit in output.units]
            made.update(units)
            checked = [_checked(self._tables, output, references) for output in batch]
            if self._moved(units):
                raise _InputsMovedError
            self._commit(checked)
        missing = set(self._plan.todo) - made
        if missing:
            raise RuntimeError(
                f"stage {self._stage.name} returned no result for units {sorted(missing)[:5]}"
            )

    def _counted(self, outputs: Iterable[Output]) -> Iterator[Output]:
        """Outputs, with progress reported as they come and not only when they are committed."""
        for output in outputs:
            self._done += len(output.units)
            self._tell(self._done, max(output.units, default=""))
            yield output

    def _tell(self, done: int, last: str) -> None:
        if self._progress is not None:
            self._progress(done, self._total, last)

    def delete(self, gone: Sequence[str]) -> None:
        """Remove units with all their rows."""
        self._lock.check()
        self._mark(gone)
        for table in self._stage.tables:
            self._store.replace(table, self._partition, gone, table.empty())
        self._replace_quarantine(gone, [])
        write_entries(self._store, self._stage.name, self._partition, [], gone)
        for unit in gone:
            self._report.entries.pop(unit, None)
        self._report.deleted.extend(gone)

    def _mark(self, units: Iterable[str]) -> None:
        """State the intent to write; what is found in this state later is made anew."""
        marks = [Entry(u, "", "writing", "", 0, {}) for u in units]
        write_entries(self._store, self._stage.name, self._partition, marks)

    def _commit(self, outputs: list[Output]) -> None:
        entries: dict[str, Entry] = {}
        frames: dict[str, list[pl.DataFrame]] = defaultdict(list)
        refused: list[tuple[str, Refusal]] = []
        for output in outputs:
            entries.update(_entries(self._tables, output, self._plan))
            refused.extend(output.refused)
            for name, rows in output.tables.items():
                frames[name].append(rows)
        old = self._plan.entries
        changed = sorted(
            unit
            for unit, entry in entries.items()
            if unit not in old
            or old[unit].status != "ok"
            or old[unit].content_hash != entry.content_hash
        )
        self._lock.check()
        if changed:
            self._mark(changed)
            for table in self._stage.tables:
                self._replace(table, changed, frames.get(table.name, []), entries)
            self._replace_quarantine(
                [u for u in changed if u in old and (old[u].status != "ok" or old[u].n_refused)]
                + [u for u in changed if entries[u].n_refused],
                [(u, r) for u, r in refused if u in set(changed)],
            )
        write_entries(self._store, self._stage.name, self._partition, entries.values())
        self._report.entries.update(entries)
        self._report.computed = sorted({*self._report.computed, *entries})
        self._report.changed = sorted({*self._report.changed, *changed})

    def _replace(
        self,
        table: Table,
        changed: list[str],
        frames: list[pl.DataFrame],
        entries: Mapping[str, Entry],
    ) -> None:
        """Replace the units of a table whose own rows differ."""
        old = self._plan.entries
        units = [
            u
            for u in changed
            if u not in old
            or old[u].status != "ok"
            or old[u].tables.get(table.name) != entries[u].tables.get(table.name)
        ]
        if not units:
            return
        rows = pl.concat([table.empty(), *frames]).filter(pl.col(table.unit).is_in(units))
        self._store.replace(table, self._partition, units, rows)

    def _replace_quarantine(self, units: Iterable[str], refused: list[tuple[str, Refusal]]) -> None:
        gone = sorted(set(units))
        if not gone:
            return
        rows = quarantine_rows(QUARANTINE, self._partition, self._stage.name, refused)
        place = scope(self._stage.name, self._partition)
        self._store.replace(QUARANTINE, place, gone, rows)


def _batches(outputs: Iterable[Output]) -> Iterator[list[Output]]:
    batch: list[Output] = []
    rows, since = 0, time.monotonic()
    for output in outputs:
        batch.append(output)
        rows += sum(frame.height for frame in output.tables.values())
        if rows >= COMMIT_ROWS or time.monotonic() - since >= COMMIT_SECONDS:
            yield batch
            batch, rows, since = [], 0, time.monotonic()
    if batch:
        yield batch


def _checked(
    tables: Mapping[str, Table], output: Output, references: Mapping[str, pl.Series]
) -> Output:
    """Apply the contracts; refused rows join the refusals of their unit."""
    accepted: dict[str, pl.DataFrame] = {}
    refused = list(output.refused)
    for name, rows in output.tables.items():
        table = tables[name]
        result = check(_keyed_by_unit(table), rows, references)
        accepted[name] = result.accepted
        if result.refused:
            units = rows[table.unit].unique().drop_nulls().to_list()
            fallback = units[0] if len(units) == 1 else None
            refused.extend(
                (str(unit or fallback or output.units[0]), refusal)
                for unit, refusal in zip(result.units, result.refused, strict=True)
            )
    strangers = {unit for unit, _ in refused} - set(output.units)
    if strangers:
        raise RuntimeError(f"refusals of units that were not computed: {sorted(strangers)[:5]}")
    return replace(output, tables=accepted, refused=refused)


def _keyed_by_unit(table: Table) -> Table:
    """The table with its unit in its key.

    Which units are made together must not decide which rows are refused, so a key is judged inside
    its unit.
    """
    return table if table.unit in table.key else replace(table, key=(table.unit, *table.key))


def _entries(tables: Mapping[str, Table], output: Output, plan: Plan) -> dict[str, Entry]:
    content: dict[str, dict[str, tuple[int, Mapping[str, str]]]] = {u: {} for u in output.units}
    for name, rows in output.tables.items():
        for unit, count, hashes in unit_hashes(tables[name], rows):
            if unit not in content:
                raise RuntimeError(f"{name}: rows of unit {unit!r}, which was not computed")
            content[unit][name] = (count, hashes)
    said: dict[str, set[str]] = defaultdict(set)
    for unit, refusal in output.refused:
        said[unit].add(digest(f"{k}={refusal[k]}" for k in sorted(refusal)))
    entries = {}
    for unit, held in content.items():
        parts = [
            f"{name}:{rows}:{column}={value}"
            for name, (rows, hashes) in sorted(held.items())
            for column, value in sorted(hashes.items())
        ]
        refusals = sorted(said[unit])
        entries[unit] = Entry(
            unit=unit,
            input_hash=plan.input_hashes[unit] if output.lasting else "",
            status="ok",
            content_hash=digest([*parts, "refused", *refusals]),
            n_refused=len(refusals),
            tables=held,
            code=plan.code(unit),
        )
    return entries
