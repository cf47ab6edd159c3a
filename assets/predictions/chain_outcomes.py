"""What becomes of a reply with a chain of actions: which of its steps and directions are right (EgoProx, 5.2)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from operator import eq

from assets.extract.chains import EGOPROX_DIRECTIONS, Chain
from expectations.schemas.predictions import (
    CHAIN_RIGHT_STEPS,
    CHAIN_UNPARSED,
    CHAIN_WRONG_LENGTH,
    CHAIN_WRONG_STEPS,
)

RING = (
    "front",
    "front-right",
    "right",
    "back-right",
    "back",
    "back-left",
    "left",
    "front-left",
)
"""Directions clockwise."""


@dataclass(frozen=True, slots=True)
class ChainOutcome:
    """What became of a chain.

    Attributes:
        outcome: One of `expectations.schemas.predictions.CHAIN_OUTCOMES`.
        chain: Chain that was read, as `[[4, 7, 1], ["G", "A"]]`; None if none was.
        moves: Number of directions that the question asks for: one fewer than steps.
        right: Directions that are right; None unless the steps are.
        near: Directions that are right or a neighbour on the ring of eight; None unless the steps are.
    """

    outcome: str
    chain: str | None
    moves: int
    right: int | None = None
    near: int | None = None


def chain_outcome(chain: Chain | None, answers: Sequence[Chain]) -> ChainOutcome:
    """What becomes of a chain, beside the valid ones.

    Where several valid chains have its steps, each of them is right: the most directions that are right by
    one of them count, and so do the most that are right or near.

    Args:
        chain: Chain that was read; None if none was.
        answers: Valid chains, at least one; of equal length.
    """
    length = len(answers[0].steps)
    if chain is None:
        return ChainOutcome(CHAIN_UNPARSED, None, length - 1)
    text = json.dumps([chain.steps, chain.edges])
    if len(chain.steps) != length:
        return ChainOutcome(CHAIN_WRONG_LENGTH, text, length - 1)
    ways = [valid.edges for valid in answers if valid.steps == chain.steps]
    if not ways:
        return ChainOutcome(CHAIN_WRONG_STEPS, text, length - 1)
    right = max(sum(map(eq, chain.edges, way)) for way in ways)
    near = max(sum(map(are_near, chain.edges, way)) for way in ways)
    return ChainOutcome(CHAIN_RIGHT_STEPS, text, length - 1, right, near)


def are_near(one: str, other: str) -> bool:
    """Whether two letters name the same direction or neighbours of 45 degrees."""
    apart = RING.index(EGOPROX_DIRECTIONS[one]) - RING.index(EGOPROX_DIRECTIONS[other])
    return apart % len(RING) in (0, 1, len(RING) - 1)
