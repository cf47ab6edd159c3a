"""Command-line options of one run, as passed to every stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from resources.store.incremental import Progress, Selection


@dataclass(frozen=True, slots=True)
class Options:
    """A person's choices for one run; the defaults mean everything, safely.

    Attributes:
        recordings: Only these recordings.
        subtasks: Only these subtasks.
        limit: At most so many units of each kind.
        allow_deletes: Turns the deletion guard off.
        ask: Whether models may be asked; else only replies that are there are read.
        retry_errors: Whether calls are asked again that failed too often to be asked of their own
            accord.
    """

    recordings: tuple[str, ...] = ()
    subtasks: tuple[str, ...] = ()
    limit: int | None = None
    allow_deletes: bool = False
    ask: bool = True
    retry_errors: bool = False

    def of_recordings(self) -> Selection:
        """Selection of units that are recordings."""
        return Selection(frozenset(self.recordings) if self.recordings else None, self.limit)


Tell = Callable[[str], Progress]


def silent(_step: str) -> Progress:
    """Progress callback that does nothing."""
    return lambda _done, _total, _last: None
