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
        retry_errors: Whether calls are asked again that failed too often to be asked of their own
            accord.
        unattended: Whether Dagster's automation started the run: see `may_ask`.
    """

    recordings: tuple[str, ...] = ()
    subtasks: tuple[str, ...] = ()
    limit: int | None = None
    allow_deletes: bool = False
    retry_errors: bool = False
    unattended: bool = False

    def may_ask(self, model: RunConfig, *, needs_auto: bool = False) -> bool:
        """Whether a model may be asked; else only its replies that are there are used.

        Every stage that asks a model asks here first. A person's run may ask every model. A run that
        automation started may ask a model that sets `auto`, and one that cannot cost anything.

        Args:
            model: The model.
            needs_auto: Whether automation may not ask it without `auto`, though it costs nothing: runs and
                judges can keep a machine busy for days.
        """
        if not self.unattended or model.auto:
            return True
        return not needs_auto and not model.may_cost

    def of_recordings(self) -> Selection:
        """Selection of units that are recordings."""
        return Selection(frozenset(self.recordings) if self.recordings else None, self.limit)


Tell = Callable[[str], Progress]


def silent(_step: str) -> Progress:
    """Progress callback that does nothing."""
    return lambda _done, _total, _last: None
