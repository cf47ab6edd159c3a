"""Shortest way over a grid with few turns: A* over cells and headings (EgoProx supplement C.2).

A step costs 1 to a side and the square root of 2 across a corner, each 45 degrees of turning 0.5
more; the first step may go anywhere. A corner is only crossed where both cells beside it are free.
Costs are whole millionths of a step, so that equal ways are equal on every machine. Of equally cheap ways
the one is taken whose cells, read back from the goal, have the lowest row, then column.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from assets.navigation.occupancy import Cell, Grid

STEP, DIAGONAL, TURN = 1_000_000, 1_414_214, 500_000
"""Cost of a step to a side, across a corner, and of 45 degrees of turning."""
# Clockwise from the next row, so that headings differ by eighths of a turn.
_ROWS = np.array([1, 1, 0, -1, -1, -1, 0, 1])
_COLUMNS = np.array([0, 1, 1, 1, 0, -1, -1, -1])
_HEADINGS = 9
_NO_HEADING = 8
_UNREACHED = np.iinfo(np.int64).max
# Headings by the cell they come from: lowest row first, then column.
_BY_ORIGIN = (1, 0, 7, 2, 6, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class Way:
    """Cells from start to goal, both included.

    Attributes:
        cells: Rows and columns.
        cost: In millionths of a step.
    """

    cells: tuple[Cell, ...]
    cost: int


def shortest_way(free: Grid, start: Cell, goal: Cell) -> Way | None:
    """Cheapest way between two cells; None where there is none.

    Args:
        free: Cells one can stand on, shape (rows, columns).
        start: Row and column.
        goal: Row and column.

    Raises:
        ValueError: Start or goal lies outside the grid or on an occupied cell.
    """
    for name, (row, column) in (("start", start), ("goal", goal)):
        inside = 0 <= row < free.shape[0] and 0 <= column < free.shape[1]
        if not inside or not free[row, column]:
            where = "is occupied" if inside else f"is outside a grid of shape {free.shape}"
            raise ValueError(f"{name} {row, column} {where}: choose the nearest free cell")
    # A border of occupied cells spares the search every look at the edges.
    bordered = np.zeros((free.shape[0] + 2, free.shape[1] + 2), dtype=np.bool_)
    bordered[1:-1, 1:-1] = free
    width = bordered.shape[1]
    cells, cost = _search(
        bordered.reshape(-1),
        width,
        (start[0] + 1) * width + start[1] + 1,
        (goal[0] + 1) * width + goal[1] + 1,
    )
    if not len(cells):
        return None
    rows, columns = np.divmod(cells, width)
    way = zip((rows - 1).tolist(), (columns - 1).tolist(), strict=True)
    return Way(tuple(way), int(cost))


@njit(cache=True)
def _search(
    free: NDArray[np.bool_], width: int, start: int, goal: int
) -> tuple[NDArray[np.int64], int]:
    """Cells of the cheapest way, by number in the bordered grid, and its cost; no cells if none."""
    moves = _ROWS * width + _COLUMNS
    costs = np.full(free.size * _HEADINGS, _UNREACHED)
    done = np.zeros(free.size * _HEADINGS, dtype=np.bool_)
    first = start * _HEADINGS + _NO_HEADING
    costs[first] = 0
    waiting = [(_least_cost(start, goal, width), first)]
    cheapest = _UNREACHED
    while waiting:
        bound, state = heapq.heappop(waiting)
        # All states that may lie on a cheapest way are visited, so that a tie is seen as one.
        if bound > cheapest:
            break
        if done[state]:
            continue
        done[state] = True
        cell, heading = state // _HEADINGS, state % _HEADINGS
        if cell == goal:
            cheapest = costs[state]
            continue
        for to in range(8):
            beyond = cell + moves[to]
            if not free[beyond]:
                continue
            cost = costs[state] + STEP
            if to % 2 == 1:
                if not (free[cell + moves[to - 1]] and free[cell + moves[(to + 1) % 8]]):
                    continue
                cost += DIAGONAL - STEP
            cost += TURN * _eighths(heading, to)
            reached = beyond * _HEADINGS + to
            if cost < costs[reached]:
                costs[reached] = cost
                heapq.heappush(waiting, (cost + _least_cost(beyond, goal, width), reached))
    if cheapest == _UNREACHED:
        return np.empty(0, dtype=np.int64), 0
    return _read_back(costs, moves, goal, cheapest), cheapest


@njit(cache=True)
def _read_back(
    costs: NDArray[np.int64], moves: NDArray[np.int64], goal: int, cheapest: int
) -> NDArray[np.int64]:
    """Cells from start to goal: at each the origin of the lowest row, then column, that costs as little."""
    backwards = [goal]
    cell, heading, left = goal, _NO_HEADING, cheapest
    while left > 0:
        origin = _lowest_origin(costs, cell, heading, left)
        left = costs[cell * _HEADINGS + origin] - (DIAGONAL if origin % 2 == 1 else STEP)
        cell -= moves[origin]
        heading = origin
        backwards.append(cell)
    return np.array(backwards[::-1])


@njit(cache=True)
def _lowest_origin(costs: NDArray[np.int64], cell: int, heading: int, left: int) -> int:
    """Heading of arrival at a cell, lowest origin first, from which going on has cost what is left.

    At the goal, where nothing goes on, any heading will do.
    """
    for arrival in _BY_ORIGIN:
        cost = costs[cell * _HEADINGS + arrival]
        if cost != _UNREACHED and cost + TURN * _eighths(arrival, heading) == left:
            return arrival
    return _NO_HEADING


@njit(cache=True)
def _eighths(one: int, other: int) -> int:
    """Eighths of a full turn between two headings; none from or to no heading."""
    if _NO_HEADING in (one, other):
        return 0
    apart = abs(one - other)
    return min(apart, 8 - apart)


@njit(cache=True)
def _least_cost(cell: int, goal: int, width: int) -> int:
    """What the way to the goal costs at least: without turns, over free cells."""
    rows = abs(cell // width - goal // width)
    columns = abs(cell % width - goal % width)
    return STEP * abs(rows - columns) + DIAGONAL * min(rows, columns)
