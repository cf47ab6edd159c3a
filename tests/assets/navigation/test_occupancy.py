"""Occupancy maps of rooms small enough to count cells by hand."""

from __future__ import annotations

import numpy as np
import pytest

from assets.navigation.occupancy import (
    CELL_M,
    Footprint,
    floor_height,
    footprint,
    free_space,
)
from assets.scene_graphs.rotation import Pose, from_vector
from assets.scene_graphs.tracks import Thing, Track


def block(name: str, low: tuple[float, ...], high: tuple[float, ...]) -> Footprint:
    """A box along the axes."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    corners = np.array([[x, y] for x in (x0, x1) for y in (y0, y1) for _ in range(2)])
    return Footprint(name, corners, z0, z1)


ROOM = block("room", (0.0, 0.0, -0.1), (4.0, 3.0, 2.5))


def free_area(*things: Footprint) -> float:
    return float(free_space(things, [ROOM], 0.0).free.sum()) * CELL_M**2


def test_an_empty_room_is_free_but_for_its_border() -> None:
    space = free_space([], [ROOM], 0.0)
    assert space.free.shape == (30, 40)
    assert space.free.all()
    assert space.middle((0, 0)) == pytest.approx((0.05, 0.05))
    assert space.cell((3.99, 0.01)) == (0, 39)


def test_a_box_takes_its_outline_and_half_a_person_around_it() -> None:
    """1.0 by 0.5 m, widened by 0.2 m with round corners: 1.0 x 0.9 + 0.4 x 0.5 + pi x 0.2^2."""
    table = block("table", (1.0, 1.0, 0.7), (2.0, 1.5, 0.75))
    expected = 12.0 - (1.0 * 0.9 + 0.4 * 0.5 + np.pi * 0.04)
    assert free_area(table) == pytest.approx(expected, abs=0.05)
    space = free_space([table], [ROOM], 0.0)
    assert space.in_the_way == ("table",)
    for point, is_free in (((1.5, 1.25), False), ((1.5, 0.85), False), ((1.5, 0.75), True)):
        assert space.free[space.cell(point)] == is_free


@pytest.mark.parametrize(
    ("z", "in_the_way"),
    [
        ((0.0, 0.09), False),  # a carpet
        ((0.0, 0.11), True),
        ((1.79, 2.4), True),  # a low lamp
        ((1.81, 2.4), False),
    ],
)
def test_what_is_under_foot_or_over_head_is_not_in_the_way(
    z: tuple[float, float], *, in_the_way: bool
) -> None:
    thing = block("thing", (1.0, 1.0, z[0]), (2.0, 2.0, z[1]))
    space = free_space([thing], [ROOM], 0.0)
    assert (space.in_the_way == ("thing",)) == in_the_way
    assert space.free.all() != in_the_way


def test_heights_count_from_the_floor() -> None:
    upstairs = block("carpet", (1.0, 1.0, 3.0), (2.0, 2.0, 3.05))
    assert free_space([upstairs], [ROOM], 3.0).free.all()
    assert floor_height([upstairs, block("table", (0, 0, 3.2), (1, 1, 3.9))]) == 3.0
    floor = block("floor", (0, 0, 2.9), (4, 3, 3.01))
    assert floor_height([upstairs], [floor]) == 3.01
    with pytest.raises(ValueError, match="at least one box"):
        floor_height([])


def test_outside_the_outermost_hull_nothing_is_free() -> None:
    """Three thin posts: the area is their triangle."""
    posts = [
        block(f"post {n}", (x, y, 0.0), (x + 0.01, y + 0.01, 0.05))
        for n, (x, y) in enumerate([(0.0, 0.0), (4.0, 0.0), (0.0, 3.0)])
    ]
    space = free_space(posts, [], 0.0)
    assert space.free.sum() * CELL_M**2 == pytest.approx(6.0, abs=0.2)
    assert not space.free[space.cell((3.5, 2.5))]
    with pytest.raises(ValueError, match="at least one box"):
        free_space([], [], 0.0)


def test_a_turned_box_covers_its_turned_outline() -> None:
    """A square of 1 m turned by 45 degrees reaches 0.71 m along the axes, and its corners are free."""
    pose = Pose(np.array([[2.0, 1.5, 0.0]]), from_vector([0.0, 0.0, np.pi / 4])[None, :])
    track = Track(np.empty(0), pose, np.array([0]))
    thing = Thing("it", "it", False, np.array([-0.5, -0.5, 0.0]), np.array([0.5, 0.5, 1.0]), track)
    one = footprint(thing, 0)
    assert one.corners[:, 0].max() == pytest.approx(2.0 + np.sqrt(0.5))
    assert (one.low_m, one.high_m) == pytest.approx((0.0, 1.0))
    space = free_space([one], [ROOM], 0.0)
    assert not space.free[space.cell((2.65, 1.55))]
    assert space.free[space.cell((2.65, 2.15))]


def test_a_room_surrounds_who_stands_in_it() -> None:
    assert ROOM.surrounds(np.array([2.0, 1.0, 1.6]))
    assert not ROOM.surrounds(np.array([5.0, 1.0, 1.6]))
    chair = block("chair", (1.0, 1.0, 0.0), (1.5, 1.5, 0.9))
    assert not chair.surrounds(np.array([1.2, 1.2, 1.2]))


def test_the_nearest_free_cell() -> None:
    space = free_space([block("table", (1.0, 1.0, 0.0), (2.0, 2.0, 0.8))], [ROOM], 0.0)
    cell = space.nearest_free((1.5, 1.3), 1.0)
    assert cell is not None
    # Straight to the nearer side: 0.3 m to the table's edge, 0.2 m beyond, to the middle of a cell.
    assert space.middle(cell) == pytest.approx((1.45, 0.75))
    assert space.nearest_free((1.5, 1.3), 0.5) is None
    assert space.nearest_free((9.0, 9.0), 1.0) is None


def test_the_grid_is_the_worlds_whatever_bounds_it() -> None:
    """A larger room moves no border between cells."""
    small = free_space([], [block("room", (0.03, 0.03, 0), (2, 2, 2))], 0.0)
    large = free_space([], [block("room", (-1.27, -0.5, 0), (2, 2, 2))], 0.0)
    assert small.middle(small.cell((1.0, 1.0))) == pytest.approx(
        large.middle(large.cell((1.0, 1.0)))
    )
