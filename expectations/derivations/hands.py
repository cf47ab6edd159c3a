"""With which hand the camera wearer acts, and how long the other one does nothing."""

from __future__ import annotations

from typing import Any

from expectations.derivations import action_path, actions
from expectations.gates.base import Derived, Margin
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words

SIDES = ("left", "right")
ALONE_S = 0.5
"""For so long before and after a moment nothing is done with the other hand."""


def sides(action: dict[str, Any], given: EvidenceTables) -> set[str]:
    """Return the sides of the hands that an action is done with; empty if no hand or no side is annotated.

    Args:
        action: Row of `segments`.
        given: The tables.
    """
    names = action_path.hand_names(given.rows("relations", segment_id=action["segment_id"]))
    words = {word for name in names for word in name_words(name)}
    return set(SIDES) if "both" in words else words & set(SIDES)


def note_other_hand(
    recording: str, moment: float, side: str, given: EvidenceTables, notes: Derived
) -> list[str]:
    """Note how far the next action is that is not known to be done with one hand alone.

    Args:
        recording: Id of the recording.
        moment: Seconds in it.
        side: Side of the hand.
        given: The tables.
        notes: Filled in.

    Returns:
        Why the other hand may act then; empty if it does not.
    """
    near = [
        max(action["start_s"] - moment, moment - action["end_s"], 0.0)
        for action in actions.wearers_actions_of(recording, given)
        if sides(action, given) != {side}
    ]
    apart = min(near, default=None)
    if apart is None:
        return []
    notes.margins.append(Margin("other_hand", apart, ALONE_S, "s", "the other hand does nothing"))
    return [f"the other hand may act {apart:.2f} s from it"] if apart < ALONE_S else []
