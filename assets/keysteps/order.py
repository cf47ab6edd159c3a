"""In which order the keysteps of a task are done: precedence as takes show it, and orders that respect it.

Precedence is observed, never guessed: `a` comes before `b` where enough takes show it and none shows anything else;
both orders are valid where both were seen; of any other pair nothing is known (EgoProx C.2 has a language model
combine steps instead).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

Pair = tuple[int, int]

MOST_ORDERS = 3
"""Most valid orders of a chain (EgoProx 5.1)."""
LEAST_SUPPORT = 2
"""Takes that must show an order, with none that shows another, before it counts as the only one."""


@dataclass(frozen=True, slots=True)
class Performed:
    """A keystep of a take; a step that is repeated occurs several times.

    Attributes:
        step: Keystep of the vocabulary.
        start_s: Start.
        end_s: End.
    """

    step: int
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Observed:
    """How often one keystep was done before another.

    Attributes:
        support: Takes in which it was over for good before the other began.
        exceptions: Other takes with both.
    """

    support: int
    exceptions: int


class OrderUnknownError(Exception):
    """The takes do not show in which order two keysteps may be done; the message names them."""


class TooManyOrdersError(Exception):
    """More orders are valid than a chain may have."""


def observed_order(takes: Iterable[Sequence[Performed]]) -> dict[Pair, Observed]:
    """How often each keystep was done before each other one.

    Args:
        takes: Keysteps of each take.

    Returns:
        Ordered pairs that at least one take supports, ascending.
    """
    before: Counter[Pair] = Counter()
    both: Counter[Pair] = Counter()
    for take in takes:
        starts: dict[int, float] = {}
        ends: dict[int, float] = {}
        for one in take:
            starts[one.step] = min(starts.get(one.step, one.start_s), one.start_s)
            ends[one.step] = max(ends.get(one.step, one.end_s), one.end_s)
        for pair in permutations(sorted(starts), 2):
            both[pair] += 1
            before[pair] += ends[pair[0]] <= starts[pair[1]]
    return {
        pair: Observed(support, both[pair] - support)
        for pair, support in sorted(before.items())
        if support
    }


def must_precede(observed: Mapping[Pair, Observed], least: int = LEAST_SUPPORT) -> set[Pair]:
    """Pairs whose first keystep is always done before the second.

    Args:
        observed: As `observed_order` gives it.
        least: Takes that must show it.
    """
    return {
        pair for pair, seen in observed.items() if seen.support >= least and not seen.exceptions
    }


def valid_orders(
    steps: Sequence[int],
    observed: Mapping[Pair, Observed],
    most: int = MOST_ORDERS,
    least: int = LEAST_SUPPORT,
) -> list[tuple[int, ...]]:
    """Every order in which some keysteps may be done.

    Args:
        steps: Different keysteps.
        observed: As `observed_order` gives it, of the whole task.
        most: Most orders that may be valid.
        least: See `must_precede`.

    Returns:
        Linear extensions of the observed precedence, ascending; one at least.

    Raises:
        OrderUnknownError: The order of two of the steps is not known, by itself or by what lies between
            them.
        TooManyOrdersError: There are more than `most`.
    """
    fixed = _closure(steps, must_precede(observed, least))
    for one, other in combinations(sorted(steps), 2):
        is_fixed = (one, other) in fixed or (other, one) in fixed
        is_free = (one, other) in observed and (other, one) in observed
        if not is_fixed and not is_free:
            raise OrderUnknownError(f"no take, or too few, tell the order of {one} and {other}")
    orders = linear_extensions(steps, fixed, most + 1)
    if len(orders) > most:
        raise TooManyOrdersError(f"more than {most} orders of {sorted(steps)} are valid")
    return orders


def linear_extensions(
    steps: Sequence[int], before: set[Pair], most: int | None = None
) -> list[tuple[int, ...]]:
    """Orders of some steps in which the first of every pair comes before the second, ascending.

    Args:
        steps: Different steps.
        before: Pairs; those with other steps do not count.
        most: Stop after so many; None for all.

    Returns:
        The orders; none where the pairs contradict each other.
    """
    found: list[tuple[int, ...]] = []
    needs = {step: {a for a, b in before if b == step and a in steps} for step in steps}

    def extend(done: tuple[int, ...], left: list[int]) -> None:
        if most is not None and len(found) >= most:
            return
        if not left:
            found.append(done)
        for step in left:
            if needs[step] <= set(done):
                extend((*done, step), [other for other in left if other != step])

    extend((), sorted(steps))
    return found


def _closure(steps: Sequence[int], pairs: set[Pair]) -> set[Pair]:
    """Pairs among some steps with those that follow from them."""
    closed = {(a, b) for a, b in pairs if a in steps and b in steps}
    for middle in steps:
        closed |= {
            (a, b) for a, x in closed if x == middle for y, b in closed if y == middle and a != b
        }
    return closed
