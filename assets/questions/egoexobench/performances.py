"""Recordings that show one whole performance of one task, and whether two were filmed in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import by_hash
from assets.questions.kit.clips import cut
from assets.questions.kit.funnel import refuse
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option
from expectations.schemas.sources import WEB

READS = (
    *RECORDING_COLUMNS,
    "take_id",
    "view",
    "scenario",
    "scene",
    "environment_id",
    "media_duration_s",
)
"""Columns of `recordings` that `performances` takes."""
# Several tasks are joined so: EgoExoBench leaves such takes out (A.2).
SINGLE_TASK = "one_known_task"
"""Rule of the funnel: a recording shows one task that is known, long enough, by one camera of its view."""
_JOINT = ", "

PlaceRelation = Literal["same", "different", "unknown"]


@dataclass(frozen=True, slots=True)
class Performance:
    """A recording of one whole performance of one task.

    Attributes:
        row: Its row of `recordings`.
        task: The task, in lower case.
        length_s: Length of the recording.
    """

    row: Mapping[str, Any]
    task: str
    length_s: float

    @property
    def uid(self) -> str:
        """Id of the recording."""
        return str(self.row["recording_id"])

    @property
    def view(self) -> str:
        """View of the recording."""
        return str(self.row["view"])

    @property
    def pool(self) -> tuple[str, str]:
        """Split and kind of place; only recordings that share both meet in a question."""
        return str(self.row["split"] or ""), str(self.row["scene"] or "")

    def shows_task_of(self, other: Performance) -> bool:
        """Whether both show the same task."""
        return self.task == other.task

    def place_beside(self, other: Performance) -> PlaceRelation:
        """Whether both were filmed in one place, as far as the source tells."""
        if self.row["take_id"] == other.row["take_id"]:
            return "same"
        mine, theirs = self.row["environment_id"] or "", other.row["environment_id"] or ""
        if mine != theirs and (mine.startswith(WEB) or theirs.startswith(WEB)):
            return "different"
        if not mine or not theirs:
            return "unknown"
        return "same" if mine == theirs else "different"

    def clip(self, length_s: float | None) -> Clip:
        """The recording, or the part of a length around its middle."""
        whole = (0.0, self.length_s)
        return Clip(
            self.row, *(whole if length_s is None else cut(whole, self.length_s / 2, length_s))
        )

    def option(self, length_s: float | None) -> Option:
        """The performance as an option."""
        evidence = (("recordings", self.uid),)
        return Option(
            str(self.row["scenario"]).strip(), clip=self.clip(length_s), evidence=evidence
        )


def performances(tables: Tables, shortest_s: float) -> list[Performance]:
    """Performances of one known task, by id; one recording per take and view.

    A take whose recordings name several tasks shows more than one and is left out. Of several
    cameras with one view of a take the one of lowest hash counts: their pictures are much alike.

    Args:
        tables: Rows of `recordings`, with `READS`.
        shortest_s: Shorter recordings, and those of unknown length, are left out.
    """
    tasks: dict[str, set[str]] = {}
    members: dict[tuple[str, str], list[Performance]] = {}
    recordings = tables["recordings"].with_columns(
        length_s=pl.coalesce("duration_s", "media_duration_s")
    )
    for row in recordings.iter_rows(named=True):
        task = (row["scenario"] or "").strip()
        tasks.setdefault(row["take_id"], set()).add(task.casefold())
        length_s = row["length_s"]
        if task and _JOINT not in task and length_s is not None and length_s >= shortest_s:
            found = members.setdefault((row["take_id"], row["view"]), [])
            found.append(Performance(row, task.casefold(), float(length_s)))
    chosen = (
        by_hash(found, "camera", take, key=lambda p: p.uid)[0]
        for (take, _), found in members.items()
        if len(tasks[take]) == 1
    )
    kept = sorted(chosen, key=lambda p: p.uid)
    refuse(SINGLE_TASK, recordings.height - len(kept))
    return kept
