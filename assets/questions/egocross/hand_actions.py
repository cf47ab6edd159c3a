"""What a worker's hand does to which thing, and when: points of time with hand and object."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

import polars as pl

from assets.questions.kit.builder import Tables
from assets.questions.kit.needs import rows_where

KIND: Final = "interaction"
VERBS: Final = {
    "first_contact": ("contact", "begin to touch"),
    "decontact": ("decontact", "stop touching"),
    "take": ("take", "take"),
    "release": ("release", "release"),
}
"""Kinds of interaction: the word of the released testbed, and ours."""
DOES: Final = {
    "first_contact": "begins to touch",
    "decontact": "stops touching",
    "take": "takes",
    "release": "releases",
}
"""What a hand does, as a sentence about it says."""
BEGINS: Final = frozenset({"first_contact", "take"})
"""Kinds of interaction by which a hand meets a thing; by the others it leaves one."""
NAMED: Final = "hand_and_object_are_known"
"""Rule of the funnel."""
READS: Final = {
    "segments": ("recording_id", "segment_id", "kind", "is_point", "class_name", "start_s"),
    "relations": ("recording_id", "relation_id", "segment_id", "object", "role", "hand_side"),
}


@dataclass(frozen=True, slots=True)
class HandAction:
    """An instant at which a hand meets or leaves a thing.

    Attributes:
        segment_id: Row of `segments`.
        verb: Kind of interaction.
        hand: Side of the hand; None if not annotated.
        thing: Object as it is read; None if not annotated.
        at_s: Seconds of the recording.
        relations: Rows of `relations` that name hand and object.
    """

    segment_id: str
    verb: str
    hand: str | None
    thing: str | None
    at_s: float
    relations: tuple[str, ...]

    def may_be(self, other: HandAction) -> bool:
        """Whether both may be told in the same words; what is not annotated may be anything."""
        hands = self.hand is None or other.hand is None or self.hand == other.hand
        things = self.thing is None or other.thing is None or self.thing == other.thing
        return self.verb == other.verb and hands and things


def hand_actions(tables: Tables) -> dict[str, list[HandAction]]:
    """Actions of hands by recording, in order of time.

    Args:
        tables: Rows of `segments` and `relations`.
    """
    told: dict[str, list[dict]] = defaultdict(list)
    for row in tables["relations"].sort("relation_id").iter_rows(named=True):
        told[row["segment_id"]].append(row)
    found: dict[str, list[HandAction]] = defaultdict(list)
    rows = tables["segments"].filter(_is_hand_action())
    for row in rows.sort("start_s", "segment_id").iter_rows(named=True):
        said = told.get(row["segment_id"], [])
        hand = next((r["hand_side"] for r in said if r["hand_side"] is not None), None)
        thing = next((r["object"] for r in said if r["role"] == "direct"), None)
        shown = None if thing is None else thing.replace("_", " ")
        keys = tuple(r["relation_id"] for r in said)
        one = HandAction(row["segment_id"], row["class_name"], hand, shown, row["start_s"], keys)
        found[row["recording_id"]].append(one)
    return found


def _is_hand_action() -> pl.Expr:
    """Rows of `segments` that are points of interaction."""
    point = pl.col("is_point").fill_null(value=False)
    return (pl.col("kind") == KIND) & point & pl.col("class_name").is_in(list(VERBS))


NEEDS: Final = (
    rows_where(
        "segments",
        ("kind", "is_point", "class_name"),
        _is_hand_action(),
        "no points at which hands meet or leave things",
    ),
    rows_where(
        "relations",
        ("hand_side",),
        pl.col("hand_side").is_not_null(),
        "nothing says which hand acts on which object",
    ),
)
"""What a source must contain."""
