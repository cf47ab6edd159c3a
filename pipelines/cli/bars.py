"""Progress in a terminal: one bar per stage that is at work, above them a line for each that has ended."""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.table import Column
from rich.text import Text

from assets.progress import Finished, Moved
from pipelines.run.progress import Display, Pace, label
from resources.texts import printable

_NAME_COLUMNS = 44


class Bars(Display):
    """Bars with rate and remaining time; to be used as a context manager.

    Args:
        console: Terminal.
        clock: Seconds of a monotonic clock.
    """

    def __init__(
        self, console: Console | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        name = Column(width=_NAME_COLUMNS, no_wrap=True, overflow="ellipsis")
        self._bars = Progress(
            TextColumn("{task.description}", markup=False, table_column=name),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[pace]}", markup=False),
            console=console or Console(),
            transient=True,
        )
        self._tasks: dict[tuple[str, str, str], tuple[TaskID, Pace]] = {}

    def __enter__(self) -> Bars:
        return self

    def __exit__(self, *_error: object) -> None:
        self._bars.stop()

    def say(self, line: str) -> None:
        """Print a line above the bars."""
        # Text, not markup: what stands in brackets is data.
        self._bars.console.print(Text(printable(line)), soft_wrap=True)

    def moved(self, event: Moved) -> None:
        """Move the bar of a step, which appears when it is first heard of."""
        key, now = (event.stage, event.partition, event.step), self._clock()
        if key not in self._tasks:
            self._bars.start()
            bar = self._bars.add_task(printable(label(event)), total=event.total, pace="")
            self._tasks[key] = bar, Pace(event.done, now)
        bar, pace = self._tasks[key]
        words = pace.words(event.done, event.total, now)
        self._bars.update(bar, completed=event.done, total=event.total, pace=words)
        if event.done >= event.total:
            self._remove(key)

    def finished(self, event: Finished) -> None:
        """Print what a stage did; bars of its steps disappear."""
        for key in [k for k in self._tasks if k[1] == event.partition]:
            self._remove(key)
        self.say(event.sentence)

    def idle(self) -> None:
        """Remove the bars of steps that stopped before their end."""
        for key in list(self._tasks):
            self._remove(key)

    def _remove(self, key: tuple[str, str, str]) -> None:
        bar, _ = self._tasks.pop(key)
        self._bars.remove_task(bar)
        if not self._tasks:
            self._bars.stop()
