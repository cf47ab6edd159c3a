"""Occupancy map: which cells of the floor a person can stand on (EgoProx 4.2 and supplement C.2).

Boxes are projected onto the ground; what they cover, widened by half a person, is occupied. The
navigable area is the inside of the outermost convex hull. The grid is aligned to the world, so that a
thing that moves changes its own cells and no others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely
from numpy.typing import NDArray

from assets.scene_graphs.rotation import Array
from assets.scene_graphs.tracks import Thing

CELL_M = 0.10
"""Side of a cell."""
LOW_M, HIGH_M = 0.1, 1.8
"""Heights above the floor between which a box is in the way."""
WIDENED_M = 0.2
"""How far a person's middle keeps from what is in the way."""

Grid = NDArray[np.bool_]
Cell = tuple[int, int]
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Footprint:
    """A box as seen from above.

    Attributes:
        object_id: Object.
        corners: Its corners on the ground, shape (8, 2), metres.
        low_m: Height of its lowest corner in the world.
        high_m: Height of its highest one.
    """

    object_id: str
    corners: Array
    low_m: float
    high_m: float

    @property
    def hull(self) -> shapely.Geometry:
        """Convex hull of the corners; a line or a point where the box has no area."""
        return shapely.MultiPoint(self.corners).convex_hull

    def surrounds(self, point: Array) -> bool:
        """Whether a point of the world, shape (3,), lies within its outline and its heights."""
        over = shapely.intersects_xy(self.hull, float(point[0]), float(point[1]))
        return bool(over) and self.low_m <= point[2] <= self.high_m


def footprint(thing: Thing, pose: int) -> Footprint:
    """Footprint of an object's box at one pose of its track."""
    corners = thing.track.poses[pose].apply(thing.corners)
    return Footprint(
        thing.object_id, corners[:, :2], float(corners[:, 2].min()), float(corners[:, 2].max())
    )


@dataclass(frozen=True)
class FreeSpace:
    """Cells of the floor.

    Attributes:
        row: Row of the first cell on the world's grid: its middle lies at y = (row + 0.5) cells.
        column: Column of the first cell, likewise in x.
        free: Whether a person can stand on a cell, shape (rows, columns).
        in_the_way: Objects whose boxes occupy cells, sorted.
    """

    row: int
    column: int
    free: Grid
    in_the_way: tuple[str, ...]

    def cell(self, point: Point) -> Cell:
        """Cell a point lies in, counted from the first one; it may lie outside the map."""
        x, y = point
        return int(np.floor(y / CELL_M)) - self.row, int(np.floor(x / CELL_M)) - self.column

    def middle(self, cell: Cell) -> Point:
        """Middle of a cell, metres."""
        return (
            (self.column + cell[1] + 0.5) * CELL_M,
            (self.row + cell[0] + 0.5) * CELL_M,
        )

    def nearest_free(self, point: Point, limit_m: float) -> Cell | None:
        """Free cell whose middle is nearest to a point; None if none lies within the limit.

        Of several at one distance the one of the lowest row, then column.
        """
        if not len(self._free_cells):
            return None
        middles = (self._free_cells[:, ::-1] + (self.column + 0.5, self.row + 0.5)) * CELL_M
        away = np.round(np.hypot(*(middles - point).T), 9)
        nearest = int(np.argmin(away))
        if away[nearest] > limit_m:
            return None
        row, column = self._free_cells[nearest]
        return int(row), int(column)

    @cached_property
    def _free_cells(self) -> NDArray[np.int64]:
        """Rows and columns of free cells in order, shape (n, 2)."""
        return np.argwhere(self.free)


def floor_height(footprints: Iterable[Footprint], floors: Iterable[Footprint] = ()) -> float:
    """Height of the floor: the top of the highest thing called floor, else the lowest bottom.

    Raises:
        ValueError: There is nothing to tell it from.
    """
    tops = [one.high_m for one in floors]
    if tops:
        return max(tops)
    bottoms = [one.low_m for one in footprints]
    if not bottoms:
        raise ValueError("a floor's height needs at least one box: none is there")
    return min(bottoms)


def free_space(
    footprints: Sequence[Footprint], surroundings: Sequence[Footprint], floor_m: float
) -> FreeSpace:
    """Cells inside the outermost hull that no box is in the way of.

    Args:
        footprints: Boxes that may be in the way.
        surroundings: Boxes that only bound the area: floors, walls, ceilings, whole rooms.
        floor_m: Height of the floor.

    Raises:
        ValueError: No box has an outline, so that there is no area.
    """
    corners = [one.corners for one in (*footprints, *surroundings)]
    if not corners:
        raise ValueError("an occupancy map needs at least one box: none is there")
    area = shapely.MultiPoint(np.concatenate(corners)).convex_hull
    x_min, y_min, x_max, y_max = shapely.bounds(area)
    row, column = int(np.floor(y_min / CELL_M)), int(np.floor(x_min / CELL_M))
    ys = (np.arange(row, int(np.ceil(y_max / CELL_M))) + 0.5) * CELL_M
    xs = (np.arange(column, int(np.ceil(x_max / CELL_M))) + 0.5) * CELL_M
    middles = shapely.points(*np.meshgrid(xs, ys))
    free = np.asarray(shapely.contains(area, middles))
    in_the_way = []
    for one in footprints:
        if one.low_m < floor_m + HIGH_M and one.high_m > floor_m + LOW_M:
            in_the_way.append(one.object_id)
            free &= ~shapely.dwithin(one.hull, middles, WIDENED_M)
    return FreeSpace(row, column, free, tuple(sorted(in_the_way)))
