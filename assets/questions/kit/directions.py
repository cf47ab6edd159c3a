"""The eight directions of EgoProx (C.2), as sectors on a ring: 0 is front, clockwise."""

from __future__ import annotations

from collections.abc import Sequence

from assets.pairs.choice import stable_hash

NAMES = (
    "front",
    "front-right",
    "right",
    "back-right",
    "back",
    "back-left",
    "left",
    "front-left",
)
RING = len(NAMES)
LETTERS = "CEAHDGBF"
"""Letter of each in prompts and answers of chains (EgoProx, Section H)."""
# Five of eight sectors of which none has two neighbours among the five. Turned round the ring this
# is the only such choice: two pairs of neighbours and one that stands alone.
PATTERN = (0, 1, 3, 4, 6)


def ring_distance(one: int, other: int) -> int:
    """Steps of 45 degrees between two sectors, 0 to 4."""
    apart = (one - other) % RING
    return min(apart, RING - apart)


def option_sectors(truth: int, identity: str) -> list[int]:
    """Five sectors to choose from: a pattern on the ring in which the truth takes any place.

    At most one option is a neighbour of the truth ("no minor differences", C.4), and the others lie
    at 90 degrees or more. The five sectors alone tell nothing: they are one of the eight turns of
    `PATTERN`, the truth's place in it is chosen by hash, and so each of the five is right equally
    often. The truth's opposite is therefore not always among them: opposites come in pairs, so that
    of five options one has none, and it could be left out.

    Args:
        truth: Sector of the goal.
        identity: Id of the question.

    Returns:
        Five sectors, ascending.
    """
    place = min(PATTERN, key=lambda place: stable_hash("place", identity, str(place)))
    return turned(PATTERN, truth - place, RING)


def turned(pattern: Sequence[int], by: int, ring: int) -> list[int]:
    """A pattern on a ring of so many places, turned by some of them; ascending."""
    return sorted((by + step) % ring for step in pattern)
