"""The eight directions of EgoProx (C.2), as sectors on a ring: 0 is front, clockwise."""

from __future__ import annotations

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


def ring_distance(one: int, other: int) -> int:
    """Steps of 45 degrees between two sectors, 0 to 4."""
    apart = (one - other) % RING
    return min(apart, RING - apart)


def option_sectors(truth: int, identity: str) -> list[int]:
    """Five sectors to choose from: the truth, its opposite, both at 90 degrees, and one more.

    The one more is any of the four that are left, at 45 or 135 degrees from the truth, by lowest
    hash: at most one neighbour ("no minor differences", C.4). Taking the one at 135 degrees only
    would give the answer away, as the one option without a neighbour. As it is, each of the four
    options at right angles is right equally often and the fifth never: who knows this recipe and
    sees nothing is right in one of four, which no set with the truth's opposite can better.

    Args:
        truth: Sector of the goal.
        identity: Id of the question.

    Returns:
        Five sectors, ascending.
    """
    cross = {(truth + step) % RING for step in (0, 2, 4, 6)}
    others = set(range(RING)) - cross
    extra = min(others, key=lambda sector: stable_hash("sector", identity, str(sector)))
    return sorted({*cross, extra})
