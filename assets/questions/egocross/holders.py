"""Who uses which tool in a picture: by the operator of its box, or by the hand whose box it meets.

Where points of contact are annotated, `holds` tells it by them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import polars as pl

from assets.questions.egocross.tools import OPERATOR_NAMES, Recording
from assets.questions.kit.builder import Tables

HANDS: Final = "hands"
"""What is annotated of a frame in which every hand is boxed (`annotated_frames.what`)."""
Box = Mapping[str, Any]
By = Literal["operator", "hand", "point"]
"""What says who uses a tool: its operator, a hand's box, or points at which hands meet and leave it."""


@dataclass(frozen=True, slots=True)
class Use:
    """A hand at a tool in one frame.

    Attributes:
        holder: Operator, or side of the wearer's hand; None if nothing says whose hand it is.
        tool: Class of the tool.
        sure: Whether it is beyond doubt.
        boxes: Boxes of the tool and, where there is one, of the hand.
        told: Rows of the points between which the hand holds it, as `table:key`.
    """

    holder: str | None
    tool: str
    sure: bool
    boxes: tuple[str, ...]
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Uses:
    """Who uses what in a recording.

    Attributes:
        by: What says who uses them.
        frames: Frames in which hands are annotated; None unless hands say it.
        at: Hands at tools, by frame number.
        unknown_s: Times of points whose hand or thing is not annotated, ascending.
    """

    by: By
    frames: frozenset[int] | None
    at: Mapping[int, Sequence[Use]]
    unknown_s: Sequence[float] = ()

    def of(self, holder: str, frames: Iterable[int]) -> tuple[Counter[str], Counter[str]]:
        """In how many frames a hand uses each tool, and in how many it may use it.

        Args:
            holder: Operator, or side of the wearer's hand.
            frames: Frames that count.
        """
        sure, possible = Counter[str](), Counter[str]()
        for frame in frames:
            mine = [use for use in self.at.get(frame, ()) if use.holder in (holder, None)]
            sure.update({use.tool for use in mine if use.sure})
            possible.update({use.tool for use in mine})
        return sure, possible

    def lead(self, holder: str, tool: str, frames: Iterable[int], doubted: bool) -> int:
        """In how many more frames a hand uses a tool than any other.

        Args:
            holder: Operator, or side of the wearer's hand.
            tool: The tool.
            frames: Frames that count.
            doubted: Whether another tool counts where the hand may be at it.
        """
        sure, possible = self.of(holder, frames)
        others = possible if doubted else sure
        return sure[tool] - max((n for other, n in others.items() if other != tool), default=0)

    def holders(self, frames: Iterable[int]) -> list[str]:
        """Hands that use a tool in some frames."""
        found = {use.holder for n in frames for use in self.at.get(n, ()) if use.sure}
        return sorted(holder for holder in found if holder is not None)


def uses_of(recording: Recording, tables: Tables) -> Uses | None:
    """Who uses which tool; None where neither operators nor hands are annotated.

    Args:
        recording: The recording.
        tables: Rows of `boxes` and `annotated_frames`.
    """
    held = recording.boxes.items()
    if recording.names_operators:
        return Uses("operator", None, {n: [*map(_operated, boxes)] for n, boxes in held})
    mine = pl.col("recording_id") == recording.row["recording_id"]
    covered = tables["annotated_frames"].filter(mine & (pl.col("what") == HANDS))
    if covered.is_empty():
        return None
    hands: dict[int, list[Box]] = defaultdict(list)
    boxed = tables["boxes"].filter(
        mine & pl.col("hand_owner").is_not_null() & pl.col("method").ne_missing("mask")
    )
    for box in boxed.sort("box_id").iter_rows(named=True):
        hands[box["source_frame"]].append(box)
    return Uses(
        "hand",
        frozenset(covered["source_frame"]),
        {n: _met(hands[n], tools) for n, tools in held},
    )


def holder_name(holder: str, by: By) -> str:
    """Who uses a tool, as our questions say it: the main surgeon's left hand."""
    if by != "operator":
        return f"the {'camera wearer' if by == 'hand' else 'operator'}'s {holder} hand"
    return "the " + OPERATOR_NAMES.get(holder, holder).replace(" surgeon ", " surgeon's ")


def _operated(box: Box) -> Use:
    return Use(box["operator"], box["class_name"], box["operator"] is not None, (box["box_id"],))


def _met(hands: Sequence[Box], tools: Sequence[Box]) -> list[Use]:
    """Tools that the wearer's hands meet; sure where a hand meets one tool and that tool one hand."""
    pairs = [(hand, tool) for hand in hands for tool in tools if _meet(hand, tool)]
    meetings = Counter(box["box_id"] for pair in pairs for box in pair)
    sides = Counter((hand["hand_owner"], hand["hand_side"]) for hand in hands)
    found = []
    for hand, tool in pairs:
        keys, side = (tool["box_id"], hand["box_id"]), hand["hand_side"]
        if hand["hand_owner"] == "wearer":
            sure = sides["wearer", side] == 1 and all(meetings[key] == 1 for key in keys)
            found.append(Use(side, tool["class_name"], sure, keys))
    return found


def _meet(one: Box, other: Box) -> bool:
    """Whether two boxes share any area."""
    if one["x_min"] is None or other["x_min"] is None:
        return False
    return all(
        min(one[f"{axis}_max"], other[f"{axis}_max"])
        > max(one[f"{axis}_min"], other[f"{axis}_min"])
        for axis in "xy"
    )
