"""Spans in which things are seen: by boxes of annotated frames, and by projection."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from assets.scene_graphs.projection import Camera
from assets.scene_graphs.rotation import Pose
from assets.scene_graphs.tracks import Thing, Track
from assets.scene_graphs.visibility import place_seen, seen_by_boxes, seen_by_projection
from expectations.schemas import TABLES


def frames(numbers: list[int]) -> pl.DataFrame:
    keys = {"source": "it", "recording_id": "r", "what": "objects"}
    return TABLES["annotated_frames"].frame(
        {**keys, "source_frame": n, "t_s": n / 10} for n in numbers
    )


def boxes(shares: dict[int, float | None], uid: str = "cup") -> pl.DataFrame:
    return TABLES["boxes"].frame(
        {
            "source": "it",
            "recording_id": "r",
            "box_id": f"{uid}{n}",
            "source_frame": n,
            "t_s": n / 10,
            "class_name": uid,
            "object_id": uid,
            "visibility": share,
        }
        for n, share in shares.items()
    )


CASES = [
    ({0: 1, 1: 1, 2: 1}, [(0.0, 0.2)]),
    ({0: 1, 1: 1}, []),
    ({0: 1, 1: 1, 3: 1}, []),
    ({0: 1, 1: 0.05, 2: 1, 3: 1, 4: 1}, [(0.2, 0.4)]),
    ({0: 0.1, 1: 0.1, 2: 0.1}, [(0.0, 0.2)]),
    ({0: None, 1: None, 2: None}, [(0.0, 0.2)]),
    ({0: 1, 1: 1, 2: 1, 5: 1, 6: 1, 7: 1}, [(0.0, 0.2), (0.5, 0.7)]),
]


@pytest.mark.parametrize(("shares", "want"), CASES)
def test_runs_of_annotated_frames(shares: dict, want: list[tuple[float, float]]) -> None:
    found = seen_by_boxes(boxes(shares), frames(list(range(9))))
    assert [(s.start_s, s.end_s) for s in found] == want


def test_frames_that_nobody_annotated_say_nothing() -> None:
    # Every third frame is annotated: the object is seen in three of them in a row.
    found = seen_by_boxes(boxes({0: 1, 3: 0.5, 6: 0.4, 7: 1}), frames([0, 3, 6, 9]))
    assert [(s.start_s, s.end_s, s.share) for s in found] == [(0.0, 0.6, pytest.approx(0.5))]
    assert found[0].keys == ("boxes:cup0", "boxes:cup3", "boxes:cup6")


def test_each_object_has_its_own_runs() -> None:
    rows = pl.concat([boxes({0: 1, 1: 1, 2: 1}), boxes({2: 1, 3: 1, 4: 1}, "pan")])
    found = seen_by_boxes(rows, frames(list(range(5))))
    assert [(s.object_id, s.start_s) for s in found] == [("cup", 0.0), ("pan", 0.2)]


def test_centres_in_the_picture() -> None:
    times = np.arange(10) / 10
    # A camera that looks along the world's z; the thing passes from left to right at 2 m.
    places = np.stack([np.linspace(-3, 3, 10), np.zeros(10), np.full(10, 2.0)], axis=-1)
    still = np.tile([1.0, 0, 0, 0], (10, 1))
    cup = Thing(
        "cup",
        "cup",
        True,
        np.full(3, -0.1),
        np.full(3, 0.1),
        Track(times, Pose(places, still), np.arange(10)),
    )
    camera = Camera("pinhole", "upright", 100, 100, 50, 50, 49.5, 49.5)
    found = seen_by_projection(cup, camera, Pose(np.zeros((10, 3)), still), times)
    # Inside where |x / z| < 0.9: x of -1.67 to 1.67.
    assert [(s.start_s, s.end_s) for s in found] == [(0.2, 0.7)]
    behind = Pose(np.zeros((10, 3)), np.tile([0.0, 1, 0, 0], (10, 1)))
    assert seen_by_projection(cup, camera, behind, times) == []


def wall(x_min: float, x_max: float, z: float) -> Thing:
    """A wall one metre thick and high, z metres before the camera."""
    low, high = np.array([x_min, -0.5, z]), np.array([x_max, 0.5, z + 1.0])
    still = Track(np.empty(0), Pose(np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]])), np.zeros(1, int))
    return Thing("wall", "wall", False, low, high, still)


ONE_CAMERA = Camera("pinhole", "upright", 100, 100, 50.0, 50.0, 49.5, 49.5)


def seen_place(place: tuple[float, float, float], *things: Thing) -> list[tuple[float, float]]:
    """Of a camera at the origin that moves along x by 1 m/s and looks along z."""
    times = np.arange(11) / 10
    poses = Pose(np.outer(times, [1.0, 0, 0]), np.tile([1.0, 0, 0, 0], (11, 1)))
    return place_seen(np.array(place), ONE_CAMERA, poses, times, things)


def test_a_place_is_seen_while_it_projects_inside() -> None:
    """The border lies at 0.9 of the half view of 45 degrees, to either side."""
    assert seen_place((0.5, 0.0, 4.0)) == [(0.0, 1.0)]
    assert seen_place((-0.4, 0.0, 1.0)) == [(0.0, 0.5)]
    assert seen_place((0.5, 0.0, -4.0)) == []


def test_a_wall_hides_a_place() -> None:
    # From x to 0.5 at 4 m the ray is at z = 2 halfway: a wall up to x = 0.4 hides it until x = 0.3.
    assert seen_place((0.5, 0.0, 4.0), wall(-1.0, 0.4, 2.0)) == [(pytest.approx(0.4), 1.0)]
    assert seen_place((0.5, 0.0, 4.0), wall(-1.0, 2.0, 2.0)) == []
    assert seen_place((0.5, 0.0, 4.0), wall(-1.0, 2.0, 5.0)) == [(0.0, 1.0)]


def test_the_shelf_and_the_room_hide_nothing() -> None:
    assert seen_place((0.5, 0.0, 4.0), wall(-1.0, 2.0, 3.5)) == [(0.0, 1.0)]
    assert seen_place((0.5, 0.0, 4.0), wall(-9.0, 9.0, -0.5)) == [(0.0, 1.0)]


def test_two_frames_are_too_few_for_a_place() -> None:
    # Hidden but for the last two times.
    assert seen_place((0.5, 0.0, 4.0), wall(-1.0, 0.66, 2.0)) == []
