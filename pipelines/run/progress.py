"""What a run shows while it works, and what it did in all."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from assets.progress import Finished, Moved, ProgressReader
from resources.store.incremental import Pending
from resources.texts import printable

LINE_EVERY_S = 30.0
"""A log gets a line about a long step this often."""
_READ_EVERY_S = 0.2


class Display:
    """Shows nothing; what the terminal and logs show is derived from it."""

    def say(self, line: str) -> None:
        """Show a line."""

    def moved(self, event: Moved) -> None:
        """Show how far a step has come."""

    def finished(self, event: Finished) -> None:
        """Show what a stage did."""

    def idle(self) -> None:
        """Nothing is at work any more, whether it has finished or stopped."""


@dataclass(slots=True)
class Totals:
    """What a run did.

    Attributes:
        stages_launched: Stages run in Dagster.
        stages_up_to_date: Stages with nothing to do.
        units_computed: Units computed.
        units_up_to_date: Units with nothing to do.
        units_deleted: Units deleted.
        rows_refused: Rows in quarantine, of the stages looked at.
        calls_asked: Model calls, those that failed included.
        calls_failed: Model calls of these that failed.
        calls_from_log: Prompts answered by a stored reply.
    """

    stages_launched: int = 0
    stages_up_to_date: int = 0
    units_computed: int = 0
    units_up_to_date: int = 0
    units_deleted: int = 0
    rows_refused: int = 0
    calls_asked: int = 0
    calls_failed: int = 0
    calls_from_log: int = 0

    def add(self, event: Finished) -> None:
        """Add what a stage did."""
        self.units_computed += event.computed
        self.units_up_to_date += event.up_to_date
        self.units_deleted += event.deleted
        self.rows_refused += event.refused
        self.calls_asked += event.asked
        self.calls_failed += event.failed
        self.calls_from_log += event.from_log

    def add_up_to_date(self, share: Pending) -> None:
        """Add a ledger with nothing to do."""
        self.units_up_to_date += share.up_to_date
        self.rows_refused += share.refused

    def as_dict(self) -> dict[str, int]:
        """All numbers by name."""
        return asdict(self)

    def lines(self) -> Iterator[str]:
        """What a person reads at the end of a run."""
        yield (
            f"{self.units_computed:,} units computed, {self.units_deleted:,} deleted, "
            f"{self.units_up_to_date:,} up to date; {self.rows_refused:,} rows in quarantine"
        )
        if self.calls_asked or self.calls_from_log:
            failed = f" ({self.calls_failed:,} failed)" if self.calls_failed else ""
            yield (
                f"{self.calls_asked:,} model calls asked{failed}, "
                f"{self.calls_from_log:,} answered from the log"
            )


@dataclass(slots=True)
class Pace:
    """How fast a step goes; what was done before it began does not count.

    Attributes:
        done: Units done when it was first seen.
        began: When that was, in seconds of a monotonic clock.
    """

    done: int
    began: float

    def per_second(self, done: int, now: float) -> float | None:
        """Units a second; None while nothing can be said."""
        seconds = now - self.began
        return (done - self.done) / seconds if done > self.done and seconds > 0 else None

    def words(self, done: int, total: int, now: float) -> str:
        """Rate and remaining time for people; empty while nothing can be said."""
        rate = self.per_second(done, now)
        if rate is None:
            return ""
        speed = f"{rate:.1f} a second" if rate >= 1 else f"{1 / rate:.1f} s each"
        left = duration((total - done) / rate) if done < total else ""
        return f"{speed}, {left} left" if left else speed


def duration(seconds: float) -> str:
    """Time for people: `40 s`, `1 min 20 s`, `2 h 5 min`."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


class LogLines(Display):
    """Plain lines for a log: one per stage, and for long steps one every 30 seconds.

    Args:
        write: Takes a line.
        clock: Seconds of a monotonic clock.
    """

    def __init__(
        self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._write = write
        self._clock = clock
        self._paces: dict[tuple[str, str, str], Pace] = {}
        self._written: dict[tuple[str, str, str], float] = {}

    def say(self, line: str) -> None:
        """Write a line."""
        self._write(printable(line))

    def moved(self, event: Moved) -> None:
        """Write how far a step has come, if it takes long and was not written of lately."""
        key, now = (event.stage, event.partition, event.step), self._clock()
        pace = self._paces.setdefault(key, Pace(event.done, now))
        if now - self._written.setdefault(key, now) < LINE_EVERY_S:
            return
        self._written[key] = now
        words = pace.words(event.done, event.total, now)
        self.say(f"  {label(event)}: {event.done} of {event.total}{words and f', {words}'}")

    def finished(self, event: Finished) -> None:
        """Write what a stage did."""
        self.say(event.sentence)


def label(event: Moved) -> str:
    """Name of a step for people."""
    step = "" if event.step == event.stage else f", {event.step}"
    return f"{event.stage} of {event.partition}{step}"


@dataclass(slots=True)
class Progress:
    """Shows what the launched stages report, and adds it up.

    Attributes:
        display: What shows it.
        totals: What was done so far.
    """

    display: Display
    totals: Totals = field(default_factory=Totals)

    @contextmanager
    def following(self) -> Iterator[str]:
        """Give a file to write to, and show what is written until the block ends.

        Yields:
            Path of the file.
        """
        with tempfile.TemporaryDirectory(prefix="parallax-") as folder:
            path = Path(folder, "progress.jsonl")
            path.touch()
            reader, ended = ProgressReader(path), threading.Event()

            def follow() -> None:
                while not ended.wait(_READ_EVERY_S):
                    self.take(reader.read())

            thread = threading.Thread(target=follow, daemon=True)
            thread.start()
            try:
                yield str(path)
            finally:
                ended.set()
                thread.join()
                self.take(reader.read())
                self.display.idle()

    def take(self, events: Iterable[Moved | Finished]) -> None:
        """Show events, and add up what stages did."""
        for event in events:
            if isinstance(event, Finished):
                self.totals.add(event)
                self.display.finished(event)
            else:
                self.display.moved(event)
