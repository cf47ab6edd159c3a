"""Takes of a flat in EASG's form, filmed small, and the tables that stages compute from them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from resources.worlds.flat import Action, FlatSpec, Take, plan_flat
from resources.worlds.flat.easg import clip_uid, write_easg

SPEC = FlatSpec("easg")
# What the dataset calls an action of the flat.
VERBS = {"get": "take"}


@dataclass(frozen=True)
class EasgFlat:
    """The takes, written once for all tests that ask about them.

    Attributes:
        folder: Folder with `raw`, to which `exam.sit` adds the tables.
        takes: Plan of each take by its recording's id, which no stage has seen.
    """

    folder: Path
    takes: dict[str, Take]

    def actions_at(self, recording: str, at_s: float) -> list[Action]:
        """What the wearer truly does at a time."""
        take = self.takes[recording]
        return [a for a in take.actions if a.start_s <= at_s <= a.end_s]


def make(folder: Path) -> EasgFlat:
    """Write the takes below a folder."""
    write_easg(SPEC, folder / "raw", workers=1)
    return EasgFlat(folder, {clip_uid(take): take for take in plan_flat(SPEC).takes})
