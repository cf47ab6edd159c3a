"""Ways over occupancy maps of 200 x 200 cells, against the same search written with `heapq` alone.

The maps are rooms with doors and scattered furniture; every way goes from one corner to the other.
Both sides search 20 maps, ours after it was compiled, and their costs are compared.
"""

from __future__ import annotations

import sys

from bench.measure import Figure, cpu_s, main, measure

SIDE, MAPS = 200, 20


def maps() -> list:
    """Free cells, shape (200, 200), of flats with four rooms across and furniture in them."""
    import numpy as np

    result = []
    for seed in range(MAPS):
        rng = np.random.default_rng(seed)
        free = np.ones((SIDE, SIDE), dtype=bool)
        for wall in range(50, SIDE, 50):
            for along in range(0, SIDE, 50):
                free[wall, along : along + 50] = free[along : along + 50, wall] = False
                door = along + int(rng.integers(5, 35))
                free[wall, door : door + 9] = free[door : door + 9, wall] = True
        for _ in range(60):
            row, column = rng.integers(5, SIDE - 25, 2)
            tall, wide = rng.integers(4, 16, 2)
            free[row : row + tall, column : column + wide] = False
        free[:4, :4] = free[-4:, -4:] = True
        result.append(free)
    return result


def ours() -> dict:
    """The stage's own search."""
    import numpy as np

    from assets.navigation.planner import shortest_way

    shortest_way(np.ones((3, 3), dtype=bool), (0, 0), (2, 2))
    rooms = maps()
    began = cpu_s()
    ways = [shortest_way(free, (0, 0), (SIDE - 1, SIDE - 1)) for free in rooms]
    spent = cpu_s() - began
    return {"cpu_s": spent, "costs": [None if way is None else way.cost for way in ways]}


def heapq_side() -> dict:
    """A* over (row, column, heading) with dictionaries and a heap of tuples."""
    rooms = [free.tolist() for free in maps()]
    began = cpu_s()
    costs = [_plain(free) for free in rooms]
    return {"cpu_s": cpu_s() - began, "costs": costs}


def _plain(free: list[list[bool]]) -> int | None:
    import heapq

    moves = [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)]
    goal = SIDE - 1

    def left(row: int, column: int) -> int:
        down, right = abs(goal - row), abs(goal - column)
        return 1_000_000 * abs(down - right) + 1_414_214 * min(down, right)

    best: dict[tuple[int, int, int], int] = {(0, 0, -1): 0}
    heap = [(left(0, 0), 0, 0, 0, -1)]
    while heap:
        _, cost, row, column, heading = heapq.heappop(heap)
        if (row, column) == (goal, goal):
            return cost
        if cost > best[row, column, heading]:
            continue
        for to, (down, right) in enumerate(moves):
            r, c = row + down, column + right
            if not (0 <= r <= goal and 0 <= c <= goal and free[r][c]):
                continue
            step = 1_000_000
            if down and right:
                if not (free[row][c] and free[r][column]):
                    continue
                step = 1_414_214
            if heading >= 0:
                eighths = abs(heading - to)
                step += 500_000 * min(eighths, 8 - eighths)
            if cost + step < best.get((r, c, to), sys.maxsize):
                best[r, c, to] = cost + step
                heapq.heappush(heap, (cost + step + left(r, c), cost + step, r, c, to))
    return None


def figures() -> list[Figure]:
    """Both sides' CPU time."""
    compiled, plain = (measure(__file__, side) for side in ("ours", "heapq"))
    equal = sum(a == b for a, b in zip(compiled["costs"], plain["costs"], strict=True))
    ratio = plain["cpu_s"] / compiled["cpu_s"]
    ways = sum(cost is not None for cost in plain["costs"])
    return [
        Figure(
            f"{MAPS} ways over maps of 200 x 200 cells with a penalty for turns, against heapq",
            f"{ratio:.0f} times less CPU ({compiled['cpu_s'] / MAPS * 1000:.0f} against"
            f" {plain['cpu_s'] / MAPS * 1000:.0f} CPU-ms a way); {equal} of {MAPS} costs equal, {ways} ways",
            ">= 15 times, all equal",
            ratio >= 15 and equal == MAPS and ways >= MAPS / 2,
        )
    ]


if __name__ == "__main__":
    sys.exit(main(__file__, figures, {"ours": ours, "heapq": heapq_side}))
