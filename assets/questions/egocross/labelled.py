"""Segments whose labels name an action or a direction, as cells of the slope ask about them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

import polars as pl

from assets.questions.kit import draw
from assets.questions.kit.builder import Need, Tables
from assets.questions.kit.needs import rows_where

READS: Final = ("recording_id", "segment_id", "start_s", "end_s", "class_name")
"""Columns of `segments` that `labelled_segments` reads."""
KINDS: Final = (
    ("left", "right", "curveleft", "curveright", "leftright"),
    ("forward", "walk", "run", "bumpyforward"),
    ("jump", "fly", "spin", "climb", "flip", "vault", "roll"),
    ("slidestop", "lift"),
)
"""Kinds of labels: the four options of every question of the testbed have the same at each place."""
ALIKE: Final = (
    *(frozenset({side, f"curve{side}", "leftright"}) for side in ("left", "right")),
    frozenset({"forward", "walk", "run", "bumpyforward"}),
    frozenset({"jump", "fly"}),
)
"""Labels that a viewer of one frame every 2 s may take for each other."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A labelled segment, in seconds of its recording.

    Attributes:
        segment_id: Row of `segments`.
        label: Its label in the dataset.
        name: How questions name the label.
        start_s: Start.
        end_s: End.
    """

    segment_id: str
    label: str
    name: str
    start_s: float
    end_s: float

    def overlaps(self, span: tuple[float, float]) -> bool:
        """Whether it goes on during a span."""
        return self.start_s < span[1] and self.end_s > span[0]


def labelled_segments(tables: Tables, names: Mapping[str, str]) -> dict[str, list[Labelled]]:
    """Segments of some labels by recording, in order of time.

    Args:
        tables: Rows of `segments`.
        names: Labels, and how questions name them.
    """
    found: dict[str, list[Labelled]] = defaultdict(list)
    rows = tables["segments"].filter(_is_one_of(names))
    for row in rows.sort("start_s", "end_s", "segment_id").iter_rows(named=True):
        label = row["class_name"]
        one = Labelled(row["segment_id"], label, names[label], row["start_s"], row["end_s"])
        found[row["recording_id"]].append(one)
    return found


def are_alike(one: str, other: str) -> bool:
    """Whether a viewer may take one label for the other."""
    return one == other or any({one, other} <= group for group in ALIKE)


def needs_labels(names: Collection[str], without: str) -> Need:
    """A source needs segments of one of some labels.

    Args:
        names: The labels.
        without: What is said where there are none.
    """
    return rows_where("segments", ("class_name",), _is_one_of(names), without)


def by_weight(identity: str, shown: Mapping[str, str], weights: Mapping[str, float]) -> list[str]:
    """Labels in the order in which they are drawn as distractors.

    Args:
        identity: Id of the question.
        shown: Labels that may be drawn, and the texts of their options.
        weights: Weights by text; a label whose text has none is not drawn.
    """

    def place(label: str) -> float:
        return draw.place(identity, shown[label], weights[shown[label]])

    return sorted((label for label in shown if shown[label] in weights), key=place)


def _is_one_of(names: Collection[str]) -> pl.Expr:
    return pl.col("class_name").is_in(list(names))
