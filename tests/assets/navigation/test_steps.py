"""Steps of a way: turns and lengths against closed forms."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.navigation.planner import shortest_way
from assets.navigation.steps import bends, is_clear, steps, straightened

OPEN = np.ones((10, 10), dtype=bool)


def test_a_straight_walk_is_one_step() -> None:
    (only,) = steps([(0.0, 0.0), (0.0, 2.0)], 90.0)
    assert (only.turn_deg, only.distance_m) == pytest.approx((0.0, 2.0))


@pytest.mark.parametrize(
    ("to", "turn"),
    [((1, 0), 90.0), ((-1, 0), -90.0), ((0, -1), 180.0), ((1, 1), 45.0), ((-1, 1), -45.0)],
)
def test_right_is_positive(to: tuple[float, float], turn: float) -> None:
    """Looking along y, seen from above: x lies to the right."""
    (only,) = steps([(0.0, 0.0), to], 90.0)
    assert only.turn_deg == pytest.approx(turn)


def test_later_turns_are_from_the_step_before() -> None:
    first, second = steps([(0, 0), (0, 1), (2, 1)], 0.0)
    assert (first.turn_deg, second.turn_deg) == pytest.approx((-90.0, 90.0))
    assert (first.distance_m, second.distance_m) == pytest.approx((1.0, 2.0))


def test_bends() -> None:
    assert bends([(0, 0), (0, 1), (0, 2), (1, 3), (2, 4), (2, 5)]) == [
        (0, 0),
        (0, 2),
        (2, 4),
        (2, 5),
    ]
    assert bends([(3, 3)]) == [(3, 3)]
    assert bends([(3, 3), (3, 4)]) == [(3, 3), (3, 4)]


def test_open_floor_is_crossed_straight() -> None:
    way = shortest_way(OPEN, (0, 0), (9, 4))
    assert way is not None
    assert len(bends(way.cells)) > 2
    assert straightened(way.cells, OPEN) == [(0, 0), (9, 4)]


def test_a_wall_keeps_its_corner() -> None:
    free = OPEN.copy()
    free[4, :8] = False
    way = shortest_way(free, (0, 0), (9, 0))
    assert way is not None
    points = straightened(way.cells, free)
    assert 3 <= len(points) <= 4
    assert all(column >= 8 for _, column in points[1:-1])


def test_a_line_through_a_corner_touches_both_cells_beside_it() -> None:
    free = np.array([[1, 0], [1, 1]], dtype=bool)
    assert not is_clear((0, 0), (1, 1), free)
    assert is_clear((0, 0), (1, 1), np.ones((2, 2), dtype=bool))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1), *(st.integers(0, 7) for _ in range(4)))
def test_clear_lines_are_those_that_meet_no_occupied_square(
    seed: int, r0: int, c0: int, r1: int, c1: int
) -> None:
    """Checked with shapely, square by square; a square is met if its border is."""
    free = np.random.default_rng(seed).random((8, 8)) > 0.15
    line = shapely.LineString([(c0 + 0.5, r0 + 0.5), (c1 + 0.5, r1 + 0.5)])
    met = [
        shapely.box(c, r, c + 1, r + 1).distance(line) < 1e-9
        for r, c in np.argwhere(~free).tolist()
    ]
    assert is_clear((r0, c0), (r1, c1), free) == (not any(met))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_straightened_ways_stay_free_and_grow_no_longer(seed: int) -> None:
    free = np.random.default_rng(seed).random((12, 12)) > 0.25
    free[0, 0] = free[-1, -1] = True
    way = shortest_way(free, (0, 0), (11, 11))
    if way is None:
        return
    points = straightened(way.cells, free)
    assert (points[0], points[-1]) == ((0, 0), (11, 11))
    assert all(is_clear(a, b, free) for a, b in pairwise(points))

    def length(cells: list[tuple[int, int]]) -> float:
        return sum(math.dist(a, b) for a, b in pairwise(cells))

    assert length(points) <= length(bends(way.cells)) + 1e-9
