"""Things that are boxed at a workbench, and what a hand holds of them from one point of contact to the next."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import polars as pl

from assets.questions.egocross.hand_actions import BEGINS, HandAction
from assets.questions.egocross.holders import Use, Uses
from assets.questions.egocross.tools import Boxes, Recording, instant
from assets.questions.kit.needs import rows_of, rows_where

OBJECTS: Final = "objects"
"""What is annotated of a frame in which every thing is boxed (`annotated_frames.what`)."""
BOXES: Final = Boxes(OBJECTS, "object", 1.0)
"""Things are boxed once a second, and where a hand meets or leaves one."""
THINGS_BOXED: Final = rows_where(
    "annotated_frames",
    ("what", "t_s"),
    (pl.col("what") == OBJECTS) & pl.col("t_s").is_not_null(),
    "no picture with a time in which every thing is boxed",
)
NEEDS: Final = (THINGS_BOXED, rows_of("boxes", "no boxes"))


@dataclass(frozen=True, slots=True)
class Hold:
    """A hand at a thing from one point to the next, in milliseconds: [start, end)."""

    hand: str
    thing: str
    start: float
    end: float
    sure: bool
    told: tuple[str, ...]


def holds(actions: Sequence[HandAction]) -> Iterator[Hold]:
    """What hands hold between successive points of a hand and a thing.

    A hand holds a thing that it has met and leaves next; touching it and then taking it is one hold. It may
    hold what it meets twice in one way, never leaves, or leaves without having met it.

    Args:
        actions: Points of a recording; those without a hand or thing say nothing.
    """
    of_pair = defaultdict[tuple[str, str], list[HandAction]](list)
    for one in actions:
        if one.hand is not None and one.thing is not None:
            of_pair[one.hand, one.thing].append(one)
    for (hand, thing), own in sorted(of_pair.items()):
        own.sort(key=lambda one: (one.at_s, one.verb in BEGINS, one.segment_id))
        for before, after in pairwise((None, *own, None)):
            met = None if before is None or before.verb not in BEGINS else before.verb
            left = after is not None and after.verb not in BEGINS
            if met is None and not left:
                continue
            sure = met is not None and after is not None and (left or after.verb != met)
            ends = (one for one in (before, after) if one is not None)
            yield Hold(
                hand,
                thing,
                0.0 if before is None else instant(before.at_s),
                math.inf if after is None else instant(after.at_s),
                sure,
                tuple(row for one in ends for row in _rows(one)),
            )


def _rows(one: HandAction) -> tuple[str, ...]:
    """Rows that tell a point, as `table:key`."""
    return f"segments:{one.segment_id}", *(f"relations:{key}" for key in one.relations)


def uses_by_points(actions: Mapping[str, Sequence[HandAction]], recording: Recording) -> Uses:
    """Which hand holds which thing in every picture that shows the thing.

    Args:
        actions: Points by recording (`hand_actions`).
        recording: The recording.
    """
    own = actions.get(recording.row["recording_id"], ())
    at = defaultdict[int, list[Use]](list)
    all_holds = list(holds(own))
    for frame, boxes in recording.boxes.items():
        now = instant(recording.instants[frame])
        shown = defaultdict[str, list[Mapping]](list)
        for box in boxes:
            shown[box["label"].replace("_", " ")].append(box)
        for one in all_holds:
            if one.start <= now < one.end and one.thing in shown:
                own_boxes = shown[one.thing]
                keys = tuple(box["box_id"] for box in own_boxes)
                use = Use(one.hand, own_boxes[0]["class_name"], one.sure, keys, one.told)
                at[frame].append(use)
    unknown = sorted(one.at_s for one in own if one.hand is None or one.thing is None)
    return Uses("point", None, at, unknown)
