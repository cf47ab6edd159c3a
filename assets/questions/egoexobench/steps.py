"""Sequences of keysteps of two performances: what they share, and how they differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Words that tell no step from another.
_SMALL = frozenset(
    "a an and at by for from in into it its of off on onto or out the to up with".split()
)


@dataclass(frozen=True, slots=True)
class Step:
    """A keystep of a performance.

    Attributes:
        segment_id: Its segment.
        class_id: Step of the vocabulary.
        name: Name of the step.
        start_s: Start on the wearer's recording.
        end_s: End.
    """

    segment_id: str
    class_id: int
    name: str
    start_s: float
    end_s: float

    @property
    def middle_s(self) -> float:
        """Middle."""
        return (self.start_s + self.end_s) / 2


@dataclass(frozen=True, slots=True)
class StepSequence:
    """Keysteps of one take in the order of their starts."""

    steps: tuple[Step, ...]

    @property
    def ids(self) -> list[int]:
        """Steps of the vocabulary, in order; repeated steps are repeated."""
        return [step.class_id for step in self.steps]

    def once(self) -> dict[int, Step]:
        """Steps that are done exactly once."""
        counts = Counter(self.ids)
        return {step.class_id: step for step in self.steps if counts[step.class_id] == 1}

    def all_of(self, class_id: int) -> list[Step]:
        """Every time a step is done."""
        return [step for step in self.steps if step.class_id == class_id]

    def may_contain(self, name: str) -> bool:
        """Whether a step may be this one in more or fewer words."""
        words = telling_words(name)
        return any(
            words <= own or own <= words for own in (telling_words(s.name) for s in self.steps)
        )

    @property
    def span(self) -> tuple[float, float]:
        """From the start of the first step to the end of the last."""
        return min(s.start_s for s in self.steps), max(s.end_s for s in self.steps)


def common_length(one: Sequence[int], other: Sequence[int]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(other) + 1)
    for a in one:
        before = 0
        for at, b in enumerate(other, 1):
            before, row[at] = row[at], before + 1 if a == b else max(row[at], row[at - 1])
    return row[-1]


def telling_words(name: str) -> frozenset[str]:
    """Words of a text that may tell one step from another."""
    return frozenset(re.findall(r"[a-z0-9]+", name.casefold())) - _SMALL


def swapped(one: StepSequence, other: StepSequence) -> list[tuple[int, int]]:
    """Pairs of steps, each done once by both, of which the first comes first in one and last in the other."""
    return [(a, b) for a, b in _ordered(one, other.once()) if _follows(other.once(), b, a)]


def kept(one: StepSequence, other: StepSequence) -> list[tuple[int, int]]:
    """Pairs of steps, each done once by both, in the same order in both."""
    return [(a, b) for a, b in _ordered(one, other.once()) if _follows(other.once(), a, b)]


def _ordered(one: StepSequence, shared: Iterable[int]) -> list[tuple[int, int]]:
    own = one.once()
    both = [c for c in own if c in set(shared)]
    return [(a, b) for a in both for b in both if a != b and _follows(own, a, b)]


LEAST_APART_S = 2.0
"""Middles of two steps whose order is asked about are at least this far apart."""


def _follows(own: dict[int, Step], first: int, second: int) -> bool:
    """Whether a step is over before another begins."""
    a, b = own[first], own[second]
    return a.end_s <= b.start_s and b.middle_s - a.middle_s >= LEAST_APART_S
