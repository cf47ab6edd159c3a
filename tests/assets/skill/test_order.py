"""Cycles against a search by hand, and what is left out to undo them."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from assets.skill.order import Order, order_of

Edges = list[tuple[int, int]]


def order(n: int, edges: Edges, agreement: list[float] | None = None) -> Order:
    better, worse = (np.array([e[i] for e in edges], dtype=np.int64) for i in (0, 1))
    return order_of(n, better, worse, np.array(agreement or [1.0] * len(edges)))


def reaches(n: int, edges: Edges) -> np.ndarray:
    """What each clip is better than, directly or not, by Warshall's rule."""
    found = np.zeros((n, n), dtype=bool)
    for a, b in edges:
        found[a, b] = True
    for k in range(n):
        found |= found[:, [k]] & found[[k], :]
    return found


@pytest.mark.parametrize("seed", range(12))
def test_against_reachability(seed: int) -> None:
    dice = random.Random(seed)
    n = 9
    edges = [e for e in itertools.permutations(range(n), 2) if dice.random() < 0.05 + seed * 0.02]
    found = order(n, edges)
    reach = reaches(n, edges)
    in_cycle = reach.diagonal()
    assert [k >= 0 for k in found.knot] == in_cycle.tolist()
    for clip in np.flatnonzero(in_cycle):
        knot = [o for o in range(n) if reach[clip, o] and reach[o, clip]]
        assert found.knot[clip] == min(knot)
    below = [
        any(in_cycle[o] and reach[o, c] and not reach[c, o] for o in range(n)) for c in range(n)
    ]
    assert found.below.tolist() == below
    assert found.on_cycle.tolist() == [bool(reach[b, a]) for a, b in edges]
    left = [e for e, out in zip(edges, found.left_out, strict=True) if not out]
    assert not reaches(n, left).diagonal().any()
    assert not (found.left_out & ~found.on_cycle).any()


@pytest.mark.parametrize(
    ("edges", "agreement", "left_out"),
    [
        ([], None, set()),
        ([(0, 1), (1, 2), (0, 2)], None, set()),
        # Nothing tells which of two or of three is wrong.
        ([(0, 1), (1, 0)], None, {(0, 1), (1, 0)}),
        ([(0, 1), (1, 2), (2, 0)], None, {(0, 1), (1, 2), (2, 0)}),
        # Fewer annotators say one.
        ([(0, 1), (1, 2), (2, 0)], [1.0, 1.0, 0.75], {(2, 0)}),
        ([(0, 1), (1, 0)], [0.75, 1.0], {(0, 1)}),
        # A second circle speaks against the pair they share; it alone goes.
        ([(0, 1), (1, 2), (2, 0), (1, 3), (3, 0)], None, {(0, 1)}),
        # What others confirm stays, also against more agreement.
        ([(0, 1), (1, 2), (2, 3), (0, 2), (1, 3), (3, 0)], [0.75] * 5 + [1.0], {(3, 0)}),
        # Two knots are undone each by itself.
        (
            [(0, 1), (1, 0), (2, 3), (3, 4), (4, 2), (1, 2)],
            [0.75, 1.0, 1.0, 1.0, 0.75, 0.75],
            {(0, 1), (4, 2)},
        ),
    ],
)
def test_what_is_left_out(
    edges: Edges, agreement: list[float] | None, left_out: set[tuple[int, int]]
) -> None:
    found = order(5, edges, agreement)
    assert {e for e, out in zip(edges, found.left_out, strict=True) if out} == left_out


def test_names_decide_nothing() -> None:
    """The same pairs under other numbers, in another order, leave out the same."""
    dice = random.Random(5)
    edges = [e for e in itertools.permutations(range(8), 2) if dice.random() < 0.4]
    out = {e for e, gone in zip(edges, order(8, edges).left_out, strict=True) if gone}
    assert out
    name = [5, 2, 7, 0, 1, 6, 3, 4]
    turned = [(name[a], name[b]) for a, b in reversed(edges)]
    again = {e for e, gone in zip(turned, order(8, turned).left_out, strict=True) if gone}
    assert again == {(name[a], name[b]) for a, b in out}
