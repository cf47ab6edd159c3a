"""Model calls of one partition: asked once, stored as they arrive, asked again where they failed.

The log knows prompts and replies, and nothing of questions: every stage that asks a model goes
through it.

- A good reply is never bought again. A failed call is asked again by later runs, until it has failed
  `max_attempts` times in a row; `--retry-errors` starts counting anew.
- A reply is safe before the next prompt takes its place, so that a kill loses at most the calls that
  are under way.
- Where a model cannot be asked any more (`EngineUnavailableError`), the failures that showed it are
  not stored: those prompts count as not asked.
- What is stored is bounded, and holds no secret that this process knows.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from expectations.schemas import TABLES
from resources.masking import mask
from resources.models import Engine, EngineUnavailableError, Media
from resources.models.calls.asking import arriving_replies
from resources.models.calls.call_journal import CallJournal
from resources.models.calls.permission import require_permission
from resources.models.costs.spending import MakesSeveralAttempts, Spending, open_spending, spent_by
from resources.models.prompt import Prompt
from resources.models.reply import Reply, call_row
from resources.models.runs import RunConfig
from resources.store.call_counts import count_calls
from resources.store.tables import TableStore

CALLS = TABLES["calls"]
MAX_REPLY_BYTES = 65_536
MAX_ERROR_BYTES = 1_000
# Rows and seconds after which journalled rows are added to the table.
_FOLD_ROWS = 256
_FOLD_SECONDS = 30.0
_READ = ("call_key", "attempt", "status", "failures")

Progress = Callable[[int, int, str], None]


def no_media(recording_id: str, part: int, stamps: list[int]) -> list:
    """Decodes nothing, for prompts of texts alone."""
    what = f"frames {stamps} of {recording_id}, part {part}"
    raise AssertionError(f"a prompt that shows no clips asks for {what}")


@dataclass(frozen=True, slots=True)
class KnownCall:
    """What is stored of a prompt.

    Attributes:
        is_answered: Whether a good reply is there.
        next_attempt: Number of the next attempt.
        failures: Failed attempts in a row, the last one included; 0 for a failure that was stored
            before they were counted.
        row: Stored row: of the good reply, else of the last attempt.
    """

    is_answered: bool
    next_attempt: int
    failures: int
    row: Mapping[str, Any]

    def is_settled(self, max_attempts: int) -> bool:
        """Whether no later run asks it again of its own accord."""
        return self.is_answered or self.failures >= max_attempts


def known_calls(rows: Iterable[Mapping[str, Any]]) -> dict[str, KnownCall]:
    """What is known of each prompt, by call key; the order of rows does not matter.

    Args:
        rows: Rows of `calls`: at least `call_key`, `attempt`, `status`, `failures`.
    """
    known: dict[str, KnownCall] = {}
    for row in sorted(rows, key=lambda r: (r["call_key"], r["attempt"])):
        before = known.get(row["call_key"])
        after = row["attempt"] + 1
        if before is not None and before.is_answered:
            known[row["call_key"]] = replace(before, next_attempt=after)
            continue
        known[row["call_key"]] = KnownCall(row["status"] == "ok", after, row["failures"] or 0, row)
    return known


class CallLog:
    """Calls of one partition of `calls`.

    Args:
        store: Table store.
        partition: Partition of `calls`.
        purpose: Benchmark, or what else is asked for; the rows carry it.
        run: Model that is asked.
        engine: Gives the engine; it is opened at the first prompt.
        columns: Columns of a known call that are read beside its status.
        retry_errors: Whether calls are asked again that have used up their attempts.
    """

    def __init__(
        self,
        store: TableStore,
        partition: str,
        purpose: str,
        run: RunConfig,
        engine: Callable[[], Engine],
        columns: Sequence[str] = (),
        retry_errors: bool = False,
    ) -> None:
        self._store = store
        self._partition = partition
        self._purpose = purpose
        self._run = run
        self._engine = engine
        self._columns = (*_READ, *columns)
        self._retry_errors = retry_errors
        self._journal = CallJournal(store, partition)
        self._stamp: tuple[str, ...] | None = None
        self._known: dict[str, KnownCall] = {}
        self._asked: set[str] = set()
        self._waiting: list[dict[str, Any]] = []
        # Keys of calls that were added to the table, until `_settle` takes them.
        self._stored: list[str] = []
        self._folded = 0.0
        self._spending: Spending | None = None

    # -- what is known -----------------------------------------------------------------------------

    def known(self) -> Mapping[str, KnownCall]:
        """What is stored, by call key; read again where another process stored something."""
        # Journal first: what is moved into the table meanwhile is then read twice, and not missed.
        journalled = self._journal.rows(self._journal.names())
        stamp = self._store.stamp(CALLS, self._partition)
        if stamp != self._stamp or journalled:
            table = self._store.read(CALLS, self._partition, columns=self._columns)
            rows = [*table.iter_rows(named=True), *journalled]
            self._known = known_calls(rows)
            self._stamp = None if journalled else stamp
        return self._known

    def get(self, call_key: str) -> KnownCall | None:
        """What was known of a prompt when the log was last read."""
        return self._known.get(call_key)

    def is_settled(self, call_key: str) -> bool:
        """Whether later runs do not ask a prompt again: it is answered, or failed too often."""
        known = self._known.get(call_key)
        return known is not None and known.is_settled(self._run.max_attempts)

    def is_due(self, call_key: str) -> bool:
        """Whether this run is to ask a prompt; it asks none twice."""
        known = self._known.get(call_key)
        if call_key in self._asked or (known is not None and known.is_answered):
            return False
        return self._retry_errors or not self.is_settled(call_key)

    # -- asking ------------------------------------------------------------------------------------

    def ask(
        self,
        prompts: Sequence[Prompt],
        media: Media = no_media,
        *,
        buy: bool,
        progress: Progress | None = None,
    ) -> dict[str, KnownCall]:
        """What is known of some prompts, after those that are due were asked.

        Args:
            prompts: Prompts; those with one key are asked once.
            media: Decodes frames of their source.
            buy: Whether the engine may be asked; else only what is stored is returned.
            progress: Called with prompts done, prompts to do, and the last item.

        Returns:
            What is known by key; a prompt that was never asked is absent.

        Raises:
            EngineUnavailableError: See `buy`.
        """
        if buy:
            self.buy(prompts, media, progress)
        else:
            self.known()
            self._count_answered(prompts)
        return {p.key: self._known[p.key] for p in prompts if p.key in self._known}

    def buy(
        self, prompts: Sequence[Prompt], media: Media = no_media, progress: Progress | None = None
    ) -> None:
        """Ask what is due of some prompts, and store what comes back as it arrives.

        Args:
            prompts: Prompts; those with one key are asked once.
            media: Decodes frames of their source.
            progress: Called with prompts done, prompts to do, and the last item.

        Raises:
            EngineUnavailableError: The model cannot be asked, or cannot any more. What it replied
                before is stored; what it was not asked, or failed on last, is asked by the next run.
            BudgetReachedError: The next call might pass the budget of the run; likewise.
        """
        if not prompts:
            return
        with self._store.lock(f"calls.{self._partition}"):
            self._recover()
            self.known()
            self._count_answered(prompts)
            due = {p.key: p for p in prompts if self.is_due(p.key)}
            if due:
                taken = _Taken(due.values(), self.is_due)
                for _ in self._ask(
                    taken,
                    taken,
                    media,
                    lambda n, last: None if progress is None else progress(n, len(due), last),
                ):
                    pass

    def stream(
        self,
        prompts: Iterable[Prompt],
        media: Media = no_media,
        progress: Callable[[int, str], None] | None = None,
    ) -> Generator[list[Prompt]]:
        """Ask what is due of prompts that are made as they are needed.

        The lock of the partition is held until the last was taken, or the generator is closed.

        Args:
            prompts: Prompts; those with one key are asked once. They are taken a bounded number
                ahead, also from other threads.
            media: Decodes frames of their source.
            progress: Called with prompts done, and the last item.

        Yields:
            Prompts whose calls are in the table by now, a batch at a time: those that were asked,
            those that are answered, and those that are not asked again. Each prompt comes once,
            unless the model cannot be asked any more.

        Raises:
            EngineUnavailableError: As `buy` raises it.
        """
        with self._store.lock(f"calls.{self._partition}"):
            self._recover()
            self.known()
            source = iter(prompts)
            taken = _Taken(source, self.is_due)
            for first in source:
                # No engine is opened before something is due.
                if taken.add(first):
                    yield from self._ask(taken, chain([first], taken), media, progress)
                    return
                if taken.n_settled >= _FOLD_ROWS:
                    yield self._settle(taken)
            if taken.n_settled:
                yield self._settle(taken)

    def _count_answered(self, prompts: Sequence[Prompt]) -> None:
        known = (self._known.get(key) for key in {prompt.key for prompt in prompts})
        count_calls(from_log=sum(call is not None and call.is_answered for call in known))

    def failed(self, asked_as: str, *, due: bool = False) -> list[Mapping[str, Any]]:
        """Stored rows of calls that failed, of prompts as they would be asked now.

        The log must have been opened with the columns `protocol` and `model`. Where nothing failed
        no engine is opened.

        Args:
            asked_as: Name and version of the way of asking.
            due: Only those that this run would ask again.
        """
        rows = [
            call.row
            for key, call in self.known().items()
            if not call.is_answered
            and call.row["protocol"] == asked_as
            and (not due or self.is_due(key))
        ]
        return [row for row in rows if row["model"] == self._engine().model]

    def add_unasked(self, failed: Sequence[tuple[Prompt, Exception]]) -> None:
        """Store what could not be asked, and why, unless it is there already.

        Args:
            failed: Prompts as `unasked_prompt` makes them, each with what went wrong.
        """
        rows = [
            call_row(self._purpose, self._run.name, prompt, Reply.failed(prompt, cause), 0, _now())
            for prompt, cause in failed
        ]
        with self._store.lock(f"calls.{self._partition}"):
            self._recover()
            known = self.known()
            new = [
                row | {"error": _bounded(mask(row["error"]), MAX_ERROR_BYTES)[0]}
                for row in rows
                if row["call_key"] not in known
            ]
            self._waiting += new
            self._fold()

    def _ask(
        self,
        taken: _Taken,
        due: Iterator[Prompt],
        media: Media,
        progress: Callable[[int, str], None] | None,
    ) -> Iterator[list[Prompt]]:
        """Ask, and yield prompts whose calls are in the table."""
        require_permission(self._run)
        first = next(due)
        if self._spending is None:
            model, asked_as = first.model, first.asked_as
            self._spending = open_spending(self._store, self._run, model, asked_as)
        spending, every = self._spending, chain([first], due)
        if not spending.has_budget:
            yield from self._ask_all(taken, every, media, progress, spending)
            return
        # The budget is that of the run: no other process spends of it meanwhile.
        with self._store.lock(f"budget.{self._run.name}"):
            spending.restart(spent_by(self._store, self._run))
            engine = self._engine()
            if isinstance(engine, MakesSeveralAttempts):
                engine.may_spend = spending.may_spend
            yield from self._ask_all(taken, every, media, progress, spending)
        if taken.n_open:
            raise spending.reached()

    def _ask_all(
        self,
        taken: _Taken,
        due: Iterator[Prompt],
        media: Media,
        progress: Callable[[int, str], None] | None,
        spending: Spending,
    ) -> Iterator[list[Prompt]]:
        """Ask what the budget allows, and yield prompts whose calls are in the table."""
        # Failures that may be the server's: stored once it is seen to answer again.
        doubtful: list[dict[str, Any]] = []
        self._folded = time.monotonic()
        done = 0
        engine, at_once = self._engine(), self._run.concurrency
        may_send = spending.may_spend if spending.has_budget else None
        try:
            with closing(arriving_replies(engine, due, media, at_once, may_send)) as groups:
                for group in groups:
                    rows = [
                        self._row(taken.prompt(reply.call_key), reply, spending) for reply in group
                    ]
                    failed = [row for row, r in zip(rows, group, strict=True) if r.server_failed]
                    doubtful += failed
                    sure = [row for row in rows if row not in failed]
                    if any(reply.status == "ok" for reply in group):
                        sure, doubtful = doubtful + sure, []
                    self._keep(sure)
                    errors = sum(reply.status == "error" for reply in group)
                    count_calls(asked=len(group), failed=errors)
                    done += len(group)
                    if progress is not None:
                        progress(done + taken.n_known, taken.prompt(group[-1].call_key).item)
                    if self._stored or taken.n_settled >= _FOLD_ROWS:
                        yield self._settle(taken)
        except EngineUnavailableError:
            self._asked -= {row["call_key"] for row in doubtful}
            # What was billed is kept, and counts as no failure of its prompt.
            doubtful = [row | {"failures": None} for row in doubtful if row["dollars"]]
            raise
        finally:
            self._keep(doubtful)
            self._fold()
        yield self._settle(taken)

    def _settle(self, taken: _Taken) -> list[Prompt]:
        """Prompts whose calls are in the table since this was last called."""
        stored, self._stored = self._stored, []
        known, asked = taken.settle(stored)
        self._count_answered(known)
        return [*known, *asked]

    def _row(self, prompt: Prompt, reply: Reply, spending: Spending) -> dict[str, Any]:
        known = self._known.get(prompt.key)
        attempt = known.next_attempt if known else 0
        if prompt.json_schema and not self._engine().capabilities.json_schema:
            reply = replace(reply, asked_without=(*reply.asked_without, "json_schema"))
        row = call_row(self._purpose, self._run.name, prompt, _storable(reply), attempt, _now())
        row |= spending.settle(prompt, reply)
        if reply.status == "error":
            before = known.failures if known and not self._retry_errors else 0
            row["failures"] = before + 1
        self._asked.add(prompt.key)
        return row

    def _keep(self, rows: list[dict[str, Any]]) -> None:
        """Make rows safe."""
        self._journal.add(rows)
        self._waiting += rows
        late = time.monotonic() - self._folded >= _FOLD_SECONDS
        if len(self._waiting) >= _FOLD_ROWS or late:
            self._fold()

    def _fold(self) -> None:
        """Add journalled rows to the table."""
        if self._waiting:
            self._store.append(CALLS, self._partition, CALLS.frame(self._waiting))
            self._journal.clear(self._journal.names())
            # Nobody else writes while the lock is held: what was read and added is all there is.
            self._stamp = self._store.stamp(CALLS, self._partition)
            keys = {row["call_key"] for row in self._waiting}
            before = [self._known[key].row for key in sorted(keys & self._known.keys())]
            self._known |= known_calls([*before, *self._waiting])
            self._stored += [row["call_key"] for row in self._waiting]
            self._waiting = []
        self._folded = time.monotonic()

    def _recover(self) -> None:
        """Add to the table what a process that died left in the journal."""
        self._journal.sweep()
        names = self._journal.names()
        if not names:
            return
        rows = self._journal.rows(names)
        # It may have died between adding them and clearing the journal.
        there = set(
            self._store.read(CALLS, self._partition, columns=("call_key", "attempt")).iter_rows()
        )
        new = [
            {name: row.get(name) for name in CALLS.schema}
            for row in rows
            if (row["call_key"], row["attempt"]) not in there
        ]
        self._store.append(CALLS, self._partition, CALLS.frame(new))
        self._journal.clear(names)


class _Taken(Iterator[Prompt]):
    """Those of some prompts that are due, and which of all of them are still under way.

    One thread iterates while another settles.

    Args:
        prompts: Prompts.
        is_due: Whether a call key is to be asked.

    Attributes:
        n_known: Prompts so far that need not be asked.
    """

    def __init__(self, prompts: Iterable[Prompt], is_due: Callable[[str], bool]) -> None:
        self._prompts = iter(prompts)
        self._is_due = is_due
        self._lock = threading.Lock()
        self._open: dict[str, list[Prompt]] = {}
        self._settled: list[Prompt] = []
        self.n_known = 0

    def __next__(self) -> Prompt:
        while True:
            prompt = next(self._prompts)
            if self.add(prompt):
                return prompt

    def add(self, prompt: Prompt) -> bool:
        """Whether a prompt is to be asked now; one that is under way or known is not."""
        with self._lock:
            if prompt.key in self._open:
                self._open[prompt.key].append(prompt)
                return False
            if self._is_due(prompt.key):
                self._open[prompt.key] = [prompt]
                return True
            self._settled.append(prompt)
            self.n_known += 1
            return False

    @property
    def n_settled(self) -> int:
        """Prompts that need not be asked and were not settled yet."""
        return len(self._settled)

    @property
    def n_open(self) -> int:
        """Call keys that were taken, and have no stored reply yet."""
        return len(self._open)

    def prompt(self, call_key: str) -> Prompt:
        """The prompt under way that has a key."""
        return self._open[call_key][0]

    def settle(self, stored: Iterable[str]) -> tuple[list[Prompt], list[Prompt]]:
        """Prompts that need not be asked, and those whose calls were stored.

        Args:
            stored: Keys of these calls; each is under way no more.
        """
        with self._lock:
            known, self._settled = self._settled, []
            asked = [prompt for key in stored for prompt in self._open.pop(key, ())]
        return known, asked


def _storable(reply: Reply) -> Reply:
    """A reply without secrets, bounded, and in characters that can be stored."""
    text, cut = reply.text, reply.cut_bytes
    if text is not None:
        text, dropped = _bounded(mask(_clean(text), was_cut=cut is not None), MAX_REPLY_BYTES)
        cut = (cut or 0) + dropped if dropped or cut is not None else None
    error = reply.error
    if error is not None:
        error = _bounded(mask(_clean(error)), MAX_ERROR_BYTES)[0]
    reason = reply.finish_reason
    reason = None if reason is None else _bounded(mask(_clean(reason)), MAX_ERROR_BYTES)[0]
    return replace(reply, text=text, error=error, finish_reason=reason, cut_bytes=cut)


def _clean(text: str) -> str:
    """Text that UTF-8 can hold: JSON may name halves of characters."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _bounded(text: str, most_bytes: int) -> tuple[str, int]:
    """The start of a text that is not longer than so many bytes, and the bytes left out."""
    data = text.encode("utf-8")
    if len(data) <= most_bytes:
        return text, 0
    kept = data[:most_bytes].decode("utf-8", "ignore")
    return kept, len(data) - len(kept.encode("utf-8"))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
