"""Shortest ways: against networkx on the expanded graph, against closed forms, and as properties."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.navigation.planner import DIAGONAL, STEP, TURN, shortest_way

# Compass of the check, in its own order and names.
COMPASS = {
    "N": (-1, 0), "NE": (-1, 1), "E": (0, 1), "SE": (1, 1),
    "S": (1, 0), "SW": (1, -1), "W": (0, -1), "NW": (-1, -1),
}  # fmt: skip
NAMES = list(COMPASS)


def expanded(free: list[list[bool]]) -> nx.DiGraph:
    """Cells with the direction one came from; edges cost as the docstring of the planner says."""
    graph: nx.DiGraph = nx.DiGraph()
    rows, columns = len(free), len(free[0])

    def is_free(row: int, column: int) -> bool:
        return 0 <= row < rows and 0 <= column < columns and free[row][column]

    for row in range(rows):
        for column in range(columns):
            if not free[row][column]:
                continue
            for to, (down, right) in COMPASS.items():
                if not is_free(row + down, column + right):
                    continue
                across = down != 0 and right != 0
                if across and not (is_free(row + down, column) and is_free(row, column + right)):
                    continue
                length = DIAGONAL if across else STEP
                end = (row + down, column + right, to)
                graph.add_edge((row, column, "start"), end, weight=length)
                for came in NAMES:
                    eighths = abs(NAMES.index(came) - NAMES.index(to))
                    turned = TURN * min(eighths, 8 - eighths)
                    graph.add_edge((row, column, came), end, weight=length + turned)
    return graph


def cheapest(free: list[list[bool]], start: tuple[int, int], goal: tuple[int, int]) -> int | None:
    graph = expanded(free)
    first = (*start, "start")
    if start == goal:
        return 0
    if first not in graph:
        return None
    costs = nx.single_source_dijkstra_path_length(graph, first)
    ends = [costs[(*goal, to)] for to in NAMES if (*goal, to) in costs]
    return min(ends, default=None)


def cost_of(free: np.ndarray, cells: tuple[tuple[int, int], ...]) -> int:
    """Cost of a way, step by step; a step that is not allowed fails."""
    total, before = 0, None
    for (r0, c0), (r1, c1) in pairwise(cells):
        move = (r1 - r0, c1 - c0)
        to = NAMES.index(next(name for name, one in COMPASS.items() if one == move))
        assert free[r1, c1]
        if 0 not in move:
            assert free[r1, c0]
            assert free[r0, c1]
        total += STEP if 0 in move else DIAGONAL
        if before is not None:
            total += TURN * min(abs(before - to), 8 - abs(before - to))
        before = to
    return total


def random_maps(n: int) -> list[tuple[np.ndarray, tuple[int, int], tuple[int, int]]]:
    chance = random.Random("maps")
    maps = []
    for _ in range(n):
        rows, columns = chance.randint(1, 9), chance.randint(1, 9)
        share = chance.choice((0.1, 0.25, 0.4))
        free = np.array([[chance.random() >= share for _ in range(columns)] for _ in range(rows)])
        start, goal = (
            (chance.randrange(rows), chance.randrange(columns)) for _ in range(2)
        )  # fmt: skip
        free[start] = free[goal] = True
        maps.append((free, start, goal))
    return maps


def test_a_thousand_random_maps_cost_what_networkx_says() -> None:
    ways = 0
    for free, start, goal in random_maps(1000):
        way = shortest_way(free, start, goal)
        expected = cheapest(free.tolist(), start, goal)
        assert (None if way is None else way.cost) == expected, (free, start, goal)
        if way is not None:
            ways += 1
            assert (way.cells[0], way.cells[-1]) == (start, goal)
            assert cost_of(free, way.cells) == way.cost
    assert 600 < ways < 1000


def test_costs_are_the_stated_ones() -> None:
    assert round(DIAGONAL / STEP, 6) == round(math.sqrt(2), 6)
    assert TURN / STEP == 0.5


def test_an_empty_floor_is_crossed_with_one_bend() -> None:
    way = shortest_way(np.ones((11, 21), dtype=bool), (0, 0), (10, 20))
    assert way is not None
    assert way.cost == 10 * STEP + 10 * DIAGONAL + TURN
    moves = {(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(way.cells)}
    assert moves == {(0, 1), (1, 1)}


def test_of_equal_ways_the_one_with_the_lowest_rows_before_the_goal_is_taken() -> None:
    """Ways may bend once, first across or first along: before the goal the lower row counts."""
    way = shortest_way(np.ones((3, 5), dtype=bool), (0, 0), (2, 4))
    assert way is not None
    assert way.cells == ((0, 0), (0, 1), (0, 2), (1, 3), (2, 4))
    mirrored = shortest_way(np.ones((3, 5), dtype=bool), (2, 4), (0, 0))
    assert mirrored is not None
    assert mirrored.cells == ((2, 4), (1, 3), (0, 2), (0, 1), (0, 0))


def test_corners_are_not_cut() -> None:
    free = np.array([[1, 0], [1, 1]], dtype=bool)
    way = shortest_way(free, (0, 0), (1, 1))
    assert way is not None
    assert way.cells == ((0, 0), (1, 0), (1, 1))
    assert way.cost == 2 * STEP + 2 * TURN
    assert shortest_way(np.array([[1, 0], [0, 1]], dtype=bool), (0, 0), (1, 1)) is None


def test_a_wall_is_walked_round_through_its_gap() -> None:
    free = np.ones((7, 7), dtype=bool)
    free[3, :6] = False
    way = shortest_way(free, (0, 0), (6, 0))
    assert way is not None
    assert (3, 6) in way.cells


def test_where_one_stands_is_no_way() -> None:
    way = shortest_way(np.ones((2, 2), dtype=bool), (1, 1), (1, 1))
    assert way is not None
    assert (way.cells, way.cost) == (((1, 1),), 0)


@pytest.mark.parametrize(
    ("start", "goal", "said"),
    [
        ((0, 1), (0, 0), r"start \(0, 1\) is occupied"),
        ((0, 0), (0, 1), r"goal \(0, 1\) is occupied"),
        ((-1, 0), (0, 0), r"start \(-1, 0\) is outside a grid of shape \(1, 2\)"),
        ((0, 0), (1, 0), r"goal \(1, 0\) is outside"),
    ],
)
def test_start_and_goal_are_free_cells(
    start: tuple[int, int], goal: tuple[int, int], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        shortest_way(np.array([[True, False]]), start, goal)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 14), st.integers(2, 14))
def test_a_way_back_costs_the_same(seed: int, rows: int, columns: int) -> None:
    free = np.random.default_rng(seed).random((rows, columns)) > 0.3
    free[0, 0] = free[-1, -1] = True
    there = shortest_way(free, (0, 0), (rows - 1, columns - 1))
    back = shortest_way(free, (rows - 1, columns - 1), (0, 0))
    assert (there is None) == (back is None)
    if there is not None and back is not None:
        assert there.cost == back.cost
