"""A stage whose units are made independently: what it wants, and how it makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from assets.options import Options, Tell
from resources.config import Settings
from resources.store.incremental import ALL, Output, Report, Selection, Stage, make_plan, run_stage

Wanted = Callable[[Settings, str], Mapping[str, str]]
Make = Callable[[Settings, str, list[str]], Iterable[Output]]


@dataclass(frozen=True, slots=True)
class UnitStage:
    """Glue between a stage's functions and the ledger.

    Attributes:
        stage: Name and tables.
        wanted: Unit to hash of what it is made from, for a partition.
        make: Rows of some units of a partition.
        by_recording: Whether units are recordings, so that a person's choice of them applies.
    """

    stage: Stage
    wanted: Wanted
    make: Make
    by_recording: bool = False

    def bring_up(
        self, settings: Settings, partition: str, options: Options, tell: Tell
    ) -> list[Report]:
        """Make the units whose inputs, code or parameters changed."""
        report = run_stage(
            settings.store,
            self.stage,
            partition,
            lambda: self.wanted(settings, partition),
            lambda todo: self.make(settings, partition, todo),
            selection=self._selection(options),
            progress=tell(self.stage.name),
        )
        return [report]

    def is_fresh(self, settings: Settings, partition: str, options: Options) -> bool:
        """Whether no unit is to be made or deleted."""
        wanted = self.wanted(settings, partition)
        selection = self._selection(options)
        return make_plan(settings.store, self.stage, partition, wanted, selection).is_fresh

    def _selection(self, options: Options) -> Selection:
        return options.of_recordings() if self.by_recording else ALL
