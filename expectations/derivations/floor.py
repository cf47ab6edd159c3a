"""Where a person can walk among boxes, and which way is shortest, worked out apart from the planner.

Things are outlines on the ground: the hull of a box's corners. Points are rows of (x, y) in metres. Ways
are found on a lattice of 0.1 m with steps in sixteen directions (Dijkstra), and pulled tight.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from expectations.derivations.geometry import pose_of

Points = NDArray[np.float64]
KEEP_M = 0.2
"""How far a person's middle keeps from an outline."""
LATTICE_M = 0.1
_STEPS = ((0, 1), (1, 0), (1, 1), (1, -1), (1, 2), (2, 1), (1, -2), (2, -1))
_SAMPLE_M = 0.03


def corners(row: Mapping[str, Any]) -> Points:
    """Return the corners of an `objects_3d` box in the world, shape (8, 3)."""
    ends = product(*((row[f"{axis}_min_m"], row[f"{axis}_max_m"]) for axis in "xyz"))
    pose = pose_of(row)
    return np.array([pose.at(np.array(end, dtype=float)) for end in ends])


def outline(points: Points) -> Points:
    """Return the convex hull of points, counter-clockwise (monotone chain)."""
    ordered = sorted({(round(float(x), 6), round(float(y), 6)) for x, y in points})

    def half(of: list[tuple[float, float]]) -> list[tuple[float, float]]:
        chain: list[tuple[float, float]] = []
        for point in of:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
                chain.pop()
            chain.append(point)
        return chain

    lower, upper = half(ordered), half(ordered[::-1])
    return np.array(lower[:-1] + upper[:-1] if len(ordered) > 1 else ordered, dtype=float)


def distance_m(points: Points, hull: Points) -> Points:
    """Return the distance of each point to an outline; 0 inside.

    Args:
        points: Shape (n, 2).
        hull: Its corners, counter-clockwise, shape (m, 2).
    """
    begin, end = hull, np.roll(hull, -1, axis=0)
    along = end - begin
    length = np.maximum((along**2).sum(1), 1e-12)
    away = points[:, None] - begin
    share = np.clip((away * along).sum(-1) / length, 0.0, 1.0)
    beside = np.linalg.norm(away - share[..., None] * along, axis=-1).min(1)
    left = along[:, 0] * away[..., 1] - along[:, 1] * away[..., 0]
    return np.where((left >= 0).all(1) & (len(hull) > 2), 0.0, beside)


def room_m(points: Points, outlines: Sequence[Points]) -> Points:
    """Return the distance of each point to the nearest outline; infinite where there is none."""
    near = [distance_m(points, hull) for hull in outlines]
    return np.min(near, axis=0) if near else np.full(len(points), np.inf)


def leg_room_m(one: Points, other: Points, outlines: Sequence[Points]) -> float:
    """Return how near a straight leg comes to any outline."""
    n = max(2, math.ceil(float(np.linalg.norm(other - one)) / _SAMPLE_M) + 1)
    return float(room_m(np.linspace(one, other, n), outlines).min())


def shortest(
    start: Points, goal: Points, outlines: Sequence[Points], within: Points, reach_m: float
) -> Points | None:
    """Return the shortest way from a place to near another, pulled tight; None if there is none.

    Args:
        start: Where it begins, shape (2,).
        goal: Where it leads, shape (2,); it ends at the point of the lattice nearest to it.
        outlines: What is in the way.
        within: Outline of the area.
        reach_m: How far from start and goal a free point of the lattice may lie.
    """
    low, high = within.min(0), within.max(0)
    nx, ny = np.ceil((high - low) / LATTICE_M).astype(int) + 1
    grid = np.stack(np.meshgrid(np.arange(nx), np.arange(ny), indexing="ij"), -1)
    points = low + grid.reshape(-1, 2) * LATTICE_M
    free = (distance_m(points, within) == 0) & (room_m(points, outlines) >= KEEP_M)
    if not free.any():
        return None
    ends = [np.where(free, np.linalg.norm(points - p, axis=1), np.inf) for p in (start, goal)]
    first, last = (int(np.argmin(away)) for away in ends)
    if ends[0][first] > reach_m or ends[1][last] > reach_m:
        return None
    cost, before = _search(free.reshape(nx, ny), first)
    if not np.isfinite(cost[last]):
        return None
    way = [last]
    while way[-1] != first:
        way.append(int(before[way[-1]]))
    return _tight(points[way[::-1]], outlines)


def _search(free: NDArray[np.bool_], first: int) -> tuple[Points, NDArray[np.int64]]:
    """Cost from the first point to each, and the point before it."""
    number = np.arange(free.size).reshape(free.shape)
    rows, columns, costs = [], [], []
    for dx, dy in _STEPS:
        here = (slice(0, free.shape[0] - dx), slice(max(-dy, 0), free.shape[1] - max(dy, 0)))
        there = (slice(dx, None), slice(max(dy, 0), free.shape[1] + min(dy, 0)))
        both = free[here] & free[there]
        # A long step must not cut a corner: the points beside its middle are free as well.
        for mx, my in {(dx // 2, dy - int(dy / 2)), (dx - dx // 2, int(dy / 2))} - {
            (0, 0),
            (dx, dy),
        }:
            beside = np.zeros_like(free)
            beside[: free.shape[0] - mx] = np.roll(free, -my, axis=1)[mx:]
            both &= beside[here]
        rows.append(number[here][both])
        columns.append(number[there][both])
        costs.append(np.full(int(both.sum()), math.hypot(dx, dy)))
    row, column, cost = np.concatenate(rows), np.concatenate(columns), np.concatenate(costs)
    graph = coo_array((cost, (row, column)), shape=(free.size, free.size)).tocsr()
    found, before = dijkstra(graph, directed=False, indices=first, return_predecessors=True)
    return found, before


def _tight(way: Points, outlines: Sequence[Points]) -> Points:
    """A way without the points that a straight leg makes needless; legs keep 0.15 m from outlines."""
    points, at = [way[0]], 0
    while at < len(way) - 1:
        furthest = next(
            (
                n
                for n in range(len(way) - 1, at + 1, -1)
                if leg_room_m(way[at], way[n], outlines) >= KEEP_M - LATTICE_M / 2
            ),
            at + 1,
        )
        points.append(way[furthest])
        at = furthest
    return np.array(points)


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
