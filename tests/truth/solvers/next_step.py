"""Answers "in which direction does the way to the goal begin?" from pictures of the flat alone.

As in `intention`, panels tell where each picture was taken, and the goal's colour where it is. Free is where a picture
shows floor, and what may be floor behind a piece of furniture; a wall is where floor should be seen and is not. Of the
furniture it knows where it stands, as somebody does who has been in the flat; of walls and the doorway it knows nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import ndimage

from assets.navigation.planner import shortest_way
from assets.navigation.steps import straightened
from resources.worlds.flat.palette import FLOORS
from resources.worlds.flat.places import EYE_M, furniture
from tests.truth.solvers.intention import (
    Patch,
    View,
    axes_of,
    bearing_deg,
    kind_of,
    patches_of,
    place_of,
    project,
    views_of,
)

CELL_M, KEEP_M = 0.1, 0.2
# Colours of a floor differ by less than this, all other greys by more.
_FLOOR = 9
_NEAREST_M = 1.2


@cache
def _grid() -> tuple[np.ndarray, np.ndarray]:
    """Middles of cells of the floor, each shape (rows, columns)."""
    xs, ys = np.meshgrid(np.arange(0.05, 8.2, CELL_M), np.arange(0.05, 4.05, CELL_M))
    return xs, ys


@dataclass(frozen=True)
class Reading:
    """What pictures tell.

    Attributes:
        found: Patches of each picture.
        views: Where each was taken.
        width: Their width, pixels.
        walls: Cells on which something other than furniture stands.
    """

    found: list[dict[str, Patch]]
    views: dict[int, View | None]
    width: int
    walls: np.ndarray


def read(frames: Sequence[np.ndarray]) -> Reading:
    """What pictures tell of the flat.

    Args:
        frames: (H, W, 3) uint8 RGB pictures in time order, the last one shows "now".
    """
    width, found = frames[0].shape[1], patches_of(frames)
    views = views_of(found, width, range(len(frames)))
    xs, ys = _grid()
    cells = np.stack([xs, ys, np.zeros_like(xs)], axis=-1).reshape(-1, 3)
    floor, other = np.zeros(len(cells), bool), np.zeros(len(cells), bool)
    for n, view in views.items():
        if view is None or view.panels < 3 or view.misfit_px > 3:
            continue
        eye = np.array([view.x, view.y, EYE_M])
        pixels = project(cells, np.array([view.x, view.y, view.yaw, view.pitch]), width)
        at = np.round(pixels).astype(int)
        ahead = ((cells - eye) @ axes_of(view.yaw, view.pitch))[:, 2] > 0.1
        inside = ahead & (at >= 0).all(1) & (at < width).all(1)
        is_floor = np.zeros(len(cells), bool)
        is_floor[inside] = _is_floor(frames[n])[at[inside, 1], at[inside, 0]]
        floor |= is_floor
        other |= inside & ~is_floor & ~_behind_furniture(cells, eye)
    # Single cells are edges of colours.
    walls = ndimage.binary_opening((other & ~floor).reshape(xs.shape), np.ones((3, 3)))
    return Reading(found, views, width, walls)


def _is_floor(frame: np.ndarray) -> np.ndarray:
    """Pixels that show a floor, shape (H, W)."""
    away = [np.abs(frame.astype(int) - colour).max(axis=-1) for colour in FLOORS.values()]
    return np.minimum.reduce(away) < _FLOOR


def _behind_furniture(cells: np.ndarray, eye: np.ndarray) -> np.ndarray:
    """Cells whose line of sight meets a piece of furniture, shape (cells,)."""
    hidden = np.zeros(len(cells), bool)
    for piece in furniture().values():
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = [(np.array(end) - eye) / (cells - eye) for end in piece.bounds]
        enter = np.nanmax(np.minimum(*ends), axis=1)
        leave = np.nanmin(np.maximum(*ends), axis=1)
        hidden |= (enter < leave) & (enter < 1) & (leave > 0)
    return hidden


def first_turn(reading: Reading, goal: str) -> float | None:
    """Direction in which the way to a goal begins, in degrees, right positive; None where nothing tells.

    Args:
        reading: What pictures tell.
        goal: The goal's name in the question, or its instance name.
    """
    kind, now = kind_of(goal), reading.views[len(reading.found) - 1]
    if kind is None or now is None:
        return None
    place = place_of(kind, reading.found, reading.views, reading.width)
    if place is None:
        return None
    free = _free(reading, kind)
    start, end = _nearest(free, now.x, now.y), _nearest(free, float(place[0]), float(place[1]))
    way = None if start is None or end is None or start == end else shortest_way(free, start, end)
    if way is None:
        return None
    xs, ys = _grid()
    bend = straightened(way.cells, free)[1]
    return bearing_deg(now, float(xs[bend]), float(ys[bend]))


def _free(reading: Reading, goal: str) -> np.ndarray:
    """Cells one can stand on: away from walls and furniture, or where the wearer stood; the goal's own are free."""
    xs, ys = _grid()
    near = np.hypot(*np.mgrid[-2:3, -2:3]) <= KEEP_M / CELL_M
    barred = np.pad(reading.walls, 3, constant_values=True)
    free = np.logical_not(ndimage.binary_dilation(barred, near))[3:-3, 3:-3]
    for view in reading.views.values():
        if view is not None and view.panels >= 3:
            free |= np.hypot(xs - view.x, ys - view.y) < KEEP_M
    away = {name: _distance(piece.bounds) for name, piece in furniture().items()}
    own = away.pop(goal, None)
    if own is not None:
        free |= own < KEEP_M
    for distance in away.values():
        free &= distance >= KEEP_M
    return free


def _distance(bounds: tuple[tuple[float, ...], tuple[float, ...]]) -> np.ndarray:
    """Distance of each cell from a box, on the ground."""
    (x0, y0, _), (x1, y1, _) = bounds
    xs, ys = _grid()
    beside = np.maximum(np.maximum(x0 - xs, xs - x1), 0)
    return np.hypot(beside, np.maximum(np.maximum(y0 - ys, ys - y1), 0))


def _nearest(free: np.ndarray, x: float, y: float) -> tuple[int, int] | None:
    """The free cell nearest to a place; None where none is near."""
    xs, ys = _grid()
    away = np.where(free, np.hypot(xs - x, ys - y), np.inf)
    row, column = np.unravel_index(int(away.argmin()), away.shape)
    return (int(row), int(column)) if away[row, column] < _NEAREST_M else None
