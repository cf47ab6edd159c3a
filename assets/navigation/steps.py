"""A way over cells as steps a person would be told: turn by so much, then walk so far.

Between two bends a way over a grid zigzags. So corners that the person need not walk round are left
out: from each point the step goes to the furthest point of the way that is reached in a straight line
over free cells. The paper's steps join adjacent waypoints of the grid's way (supplement C.2); `bends`
gives those.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from assets.navigation.occupancy import Cell, Grid, Point


@dataclass(frozen=True, slots=True)
class Step:
    """One straight piece of a way.

    Attributes:
        turn_deg: Turn before walking, right positive, in (-180, 180]; the first is from where the
            person looks.
        distance_m: Length.
    """

    turn_deg: float
    distance_m: float


def bends(cells: Sequence[Cell]) -> list[Cell]:
    """Start, every cell where the way changes its direction, and goal."""
    if len(cells) < 3:
        return list(cells)
    middle = [
        here
        for before, here, after in zip(cells, cells[1:], cells[2:], strict=False)
        if (here[0] - before[0], here[1] - before[1]) != (after[0] - here[0], after[1] - here[1])
    ]
    return [cells[0], *middle, cells[-1]]


def straightened(cells: Sequence[Cell], free: Grid) -> list[Cell]:
    """The way with as few bends as free sight along it allows, taken greedily from the start.

    Args:
        cells: A way over free cells.
        free: Cells one can stand on, shape (rows, columns).
    """
    points = [cells[0]]
    at = 0
    while at < len(cells) - 1:
        furthest = len(cells) - 1
        while furthest > at + 1 and not is_clear(cells[at], cells[furthest], free):
            furthest -= 1
        points.append(cells[furthest])
        at = furthest
    return points


def is_clear(one: Cell, other: Cell, free: Grid) -> bool:
    """Whether the straight line between the middles of two cells touches free cells only.

    A line through a corner touches all four cells around it.
    """
    rows, columns = other[0] - one[0], other[1] - one[1]
    down, right = (1 if rows > 0 else -1), (1 if columns > 0 else -1)
    rows, columns = abs(rows), abs(columns)
    row, column = one
    # Borders crossed so far; the next one in rows lies at (2 i + 1) / (2 rows) of the line.
    i = j = 0
    while i < rows or j < columns:
        next_row, next_column = (2 * i + 1) * columns, (2 * j + 1) * rows
        if next_row == next_column and not (free[row + down, column] and free[row, column + right]):
            return False
        if next_row <= next_column:
            row, i = row + down, i + 1
        if next_column <= next_row:
            column, j = column + right, j + 1
        if not free[row, column]:
            return False
    return bool(free[one] and free[other])


def steps(points: Sequence[Point], heading_deg: float) -> list[Step]:
    """Steps along points on the ground.

    Args:
        points: (x, y) in metres, each another than the one before; x right and y up, seen from above.
        heading_deg: Direction the person looks in, counter-clockwise from x.
    """
    result = []
    for (x0, y0), (x1, y1) in pairwise(points):
        ahead_deg = math.degrees(math.atan2(y1 - y0, x1 - x0))
        turn = -((ahead_deg - heading_deg + 180.0) % 360.0 - 180.0)
        result.append(Step(180.0 if turn == -180.0 else turn, math.hypot(x1 - x0, y1 - y0)))
        heading_deg = ahead_deg
    return result
