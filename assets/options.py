"""Command-line options of one run, as passed to every stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from resources.models.runs import RunConfig
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
        unattended: Whether a sensor or a schedule started the run: models that may cost money are then
            asked only where they say so (`auto`).
    """

    recordings: tuple[str, ...] = ()
    subtasks: tuple[str, ...] = ()
    limit: int | None = None
    allow_deletes: bool = False
    ask: bool = True
    retry_errors: bool = False
    unattended: bool = False

    def may_ask(self, model: RunConfig) -> bool:
        """Whether a model may be asked; else only its replies that are there are used."""
        return model.auto or (self.ask and not (self.unattended and model.may_cost))

    def of_recordings(self) -> Selection:
        """Selection of units that are recordings."""
        return Selection(frozenset(self.recordings) if self.recordings else None, self.limit)


Tell = Callable[[str], Progress]


def silent(_step: str) -> Progress:
    """Progress callback that does nothing."""
    return lambda _done, _total, _last: None
