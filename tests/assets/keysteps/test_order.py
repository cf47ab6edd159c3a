"""Observed precedence of keysteps, and the orders that respect it."""

from __future__ import annotations

from itertools import combinations, permutations
from math import factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.keysteps.order import (
    Observed,
    OrderUnknownError,
    Performed,
    TooManyOrdersError,
    linear_extensions,
    must_precede,
    observed_order,
    valid_orders,
)


def take(*steps: int) -> list[Performed]:
    """Steps one after the other, 2 s each."""
    return [Performed(step, 2.0 * n, 2.0 * n + 2.0) for n, step in enumerate(steps)]


def test_support_and_exceptions() -> None:
    found = observed_order([take(1, 2, 3), take(2, 1, 3), take(1, 3)])
    assert found == {
        (1, 2): Observed(1, 1),
        (1, 3): Observed(3, 0),
        (2, 1): Observed(1, 1),
        (2, 3): Observed(2, 0),
    }
    assert must_precede(found) == {(1, 3), (2, 3)}
    assert must_precede(found, least=3) == {(1, 3)}


def test_steps_that_overlap_or_come_again_are_in_no_order() -> None:
    together = [Performed(1, 0.0, 3.0), Performed(2, 2.0, 4.0), Performed(3, 4.0, 5.0)]
    assert observed_order([together]) == {(1, 3): Observed(1, 0), (2, 3): Observed(1, 0)}
    # 1 is done again after 2: it is never over for good before 2 begins.
    again = observed_order([take(1, 2, 1), take(1, 2)])
    assert again == {(1, 2): Observed(1, 1)}
    with pytest.raises(OrderUnknownError, match="order of 1 and 2"):
        valid_orders([1, 2], again)


def test_a_free_pair_has_two_orders_and_a_chain_one() -> None:
    free = observed_order([take(1, 2, 3), take(2, 1, 3)])
    assert valid_orders([1, 2, 3], free) == [(1, 2, 3), (2, 1, 3)]
    assert valid_orders([3, 1], free) == [(1, 3)]


def test_what_lies_between_tells_the_order_of_the_ends() -> None:
    # No take has both 1 and 3; both have 2.
    chained = observed_order([take(1, 2), take(1, 2), take(2, 3), take(2, 3)])
    assert (1, 3) not in chained
    assert valid_orders([3, 2, 1], chained) == [(1, 2, 3)]
    with pytest.raises(OrderUnknownError, match="order of 1 and 3"):
        valid_orders([1, 3], chained)


def test_one_take_tells_no_order() -> None:
    with pytest.raises(OrderUnknownError):
        valid_orders([1, 2], observed_order([take(1, 2)]))
    assert valid_orders([1, 2], observed_order([take(1, 2)]), least=1) == [(1, 2)]


def test_more_than_three_orders_are_refused() -> None:
    # Two pairs that are free of each other: four orders.
    takes = [take(1, 2, 3, 4), take(2, 1, 4, 3)]
    assert len(valid_orders([1, 2, 3, 4], observed_order(takes), most=4)) == 4
    with pytest.raises(TooManyOrdersError, match="more than 3"):
        valid_orders([1, 2, 3, 4], observed_order(takes))
    # Three free steps: six.
    free = observed_order([take(*order) for order in permutations((1, 2, 3))])
    with pytest.raises(TooManyOrdersError):
        valid_orders([1, 2, 3], free)


@pytest.mark.parametrize("n", range(1, 6))
def test_closed_forms(n: int) -> None:
    steps = list(range(n))
    assert len(linear_extensions(steps, set())) == factorial(n)
    assert linear_extensions(steps, set(combinations(steps, 2))) == [tuple(steps)]
    # Two chains of n and 2 interleave in (n + 2)! / (n! 2!) ways.
    chains = {(a, a + 1) for a in range(n - 1)} | {(10, 11)}
    expected = factorial(n + 2) // factorial(n) // 2
    assert len(linear_extensions([*steps, 10, 11], chains)) == expected
    assert linear_extensions([0, 1], {(0, 1), (1, 0)}) == []


@given(st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda p: p[0] < p[1])))
@settings(max_examples=60, deadline=None)
def test_extensions_are_the_orders_that_break_no_pair(before: set[tuple[int, int]]) -> None:
    steps = [4, 2, 0, 1, 3]
    respecting = [
        order
        for order in permutations(sorted(steps))
        if all(order.index(a) < order.index(b) for a, b in before)
    ]
    assert linear_extensions(steps, before) == respecting
    assert linear_extensions(steps, before, 2) == respecting[:2]
