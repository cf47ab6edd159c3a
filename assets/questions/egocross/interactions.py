"""What the animal that wears a camera interacts with, and when, in every recording searched for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from assets.questions.egocross.cells import length_s
from assets.questions.kit.builder import Tables
from assets.questions.kit.funnel import refuse
from assets.questions.kit.needs import rows_where
from assets.questions.kit.recipe import RECORDING_COLUMNS

KIND: Final = "interaction"
UNNAMED: Final = "other"
"""Class of things that no class names: nobody can read what is meant."""
PRECISION_S: Final = 1
"""Times are whole seconds of a player."""
EVERY_S: Final = 2
"""Spacing of the frames sent (paper, Section 4.1: 0.5 fps)."""
SPECIES_KNOWN, LENGTH_KNOWN = "animal_is_known", "length_is_known"
RULES: Final = (SPECIES_KNOWN, LENGTH_KNOWN)
READS: Final = {
    "recordings": (*RECORDING_COLUMNS, "source", "species", "media_duration_s"),
    "segments": ("recording_id", "segment_id", "kind", "start_s", "end_s", "class_name"),
}
NEEDS: Final = (
    rows_where(
        "recordings",
        ("species",),
        pl.col("species").is_not_null(),
        "no recording says which animal wears the camera",
    ),
    rows_where("segments", ("kind",), pl.col("kind") == KIND, "no interactions with objects"),
)


@dataclass(frozen=True, slots=True)
class Interaction:
    """An animal's attention to an object, in seconds of the recording."""

    segment_id: str
    thing: str
    start_s: float
    end_s: float

    def is_seen(self, clip_start_s: float) -> bool:
        """Whether a frame of a clip is sent that lies inside it, whatever the rounding of its times."""
        first = self.start_s + PRECISION_S - clip_start_s
        sent = clip_start_s + max(0.0, -(-first // EVERY_S) * EVERY_S)
        return sent <= self.end_s - PRECISION_S


@dataclass(frozen=True, slots=True)
class Searched:
    """A recording that was searched for interactions.

    Attributes:
        row: Its row of `recordings`.
        end_s: Its length.
        interactions: All interactions, in order.
    """

    row: Mapping[str, Any]
    end_s: float
    interactions: tuple[Interaction, ...]


def searched(tables: Tables) -> Iterator[Searched]:
    """Recordings with interactions whose animal and length are known.

    Args:
        tables: Rows of `recordings` and `segments`.
    """
    found: dict[str, list[Interaction]] = defaultdict(list)
    rows = tables["segments"].filter(pl.col("kind") == KIND)
    for row in rows.sort("start_s", "end_s", "segment_id").iter_rows(named=True):
        thing = Interaction(row["segment_id"], row["class_name"], row["start_s"], row["end_s"])
        found[row["recording_id"]].append(thing)
    for row in tables["recordings"].sort("recording_id").iter_rows(named=True):
        interactions, end_s = found.get(row["recording_id"], []), length_s(row)
        if row["species"] is None:
            refuse(SPECIES_KNOWN, len(interactions))
        elif end_s is None:
            refuse(LENGTH_KNOWN, len(interactions))
        elif interactions:
            yield Searched(row, end_s, tuple(interactions))
