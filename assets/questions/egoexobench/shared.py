"""What both recipes of action relation share."""

from __future__ import annotations

OPTIONS = 4
# Clips of a question are cut to the shortest; none may lose more than half.
MOST_RATIO = 2.0

Span = tuple[float, float]


def overlap(one: Span, other: Span) -> bool:
    """Whether two spans of one clock share any time."""
    return one[0] < other[1] and other[0] < one[1]


def may_be_cut_alike(lengths_s: list[float]) -> bool:
    """Whether clips can be cut to one length so that at least half of each stays."""
    return max(lengths_s) <= MOST_RATIO * min(lengths_s)
