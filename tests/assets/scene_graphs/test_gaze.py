"""Boxes that gaze meets, by hand: rays along axes, things on one line, cupboards, fixations."""

from __future__ import annotations

import numpy as np
import pytest

from assets.scene_graphs.gaze import Span, crossing, directions, first_hits, fixations, world_rays
from assets.scene_graphs.rotation import Pose
from assets.scene_graphs.tracks import Thing, Track

STILL = np.zeros(0)


def thing(name: str, at: tuple[float, float, float], size: float, turned_deg: float = 0.0) -> Thing:
    half = np.radians(turned_deg) / 2
    pose = Pose(np.array([at], dtype=float), np.array([[np.cos(half), 0, 0, np.sin(half)]]))
    half_size = np.full(3, size / 2)
    return Thing(name, name, False, -half_size, half_size, Track(STILL, pose, np.array([0])))


def look(*things: Thing, along: tuple[float, float, float] = (1, 0, 0)) -> tuple[str | None, float]:
    ray = np.array([along], dtype=float) / np.linalg.norm(along)
    hits, far = first_hits(np.zeros((1, 3)), ray, np.zeros(1), {t.object_id: t for t in things})
    return hits[0], float(far[0])


def test_the_nearer_of_two_on_one_line() -> None:
    assert look(thing("far", (4, 0, 0), 1), thing("near", (2, 0, 0), 0.5)) == ("near", 1.75)


def test_a_miss_and_what_lies_behind() -> None:
    assert look(thing("aside", (2, 1, 0), 0.5))[0] is None
    assert look(thing("behind", (-2, 0, 0), 0.5))[0] is None


def test_a_room_is_not_met_from_inside() -> None:
    assert look(thing("room", (0, 0, 0), 10), thing("cup", (2, 0, 0), 0.2)) == ("cup", 1.9)


def test_what_a_cupboard_holds_is_met() -> None:
    cupboard = thing("cupboard", (3, 0, 0), 2)
    assert look(cupboard, thing("cup", (3, 0, 0), 0.2)) == ("cup", pytest.approx(2.9))
    # A cup behind it is not in it, and one the ray misses does not count.
    assert look(cupboard, thing("cup", (6, 0, 0), 0.2))[0] == "cupboard"
    assert look(cupboard, thing("cup", (3, 0.5, 0), 0.2))[0] == "cupboard"


def test_boxes_are_oriented() -> None:
    # A 1 m box turned by 45 degrees reaches 0.707 m towards the eye.
    assert look(thing("turned", (2, 0, 0), 1, 45))[1] == pytest.approx(2 - np.sqrt(0.5))
    assert look(thing("straight", (2, 0.6, 0), 1))[0] is None
    assert look(thing("turned", (2, 0.6, 0), 1, 45))[0] == "turned"


def test_a_ray_along_a_face() -> None:
    place = Pose(np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]]))
    ray = np.array([[1.0, 0, 0]])
    low, high = np.array([-1.0, 0, 0]), np.array([1.0, 1, 1])
    assert crossing(np.array([[-3.0, 0.5, 0.0]]), ray, place, low, high)[0] == 2
    assert np.isinf(crossing(np.array([[-3.0, 1.5, 0.5]]), ray, place, low, high)[0])


def test_left_and_up_are_positive() -> None:
    left, up = directions(np.array([0.3, 0.0]), np.array([0.0, 0.3]))
    assert left[0] > 0 and left[1] == 0
    assert up[1] > 0 and up[0] == 0


def test_rays_start_between_the_eyes() -> None:
    device = Pose(np.array([[0.0, 0, 1.5]]), np.array([[1.0, 0, 0, 0]]))
    cpf = Pose.of([0, 0.1, 0], [1, 0, 0, 0])
    origins, rays = world_rays(np.zeros(1), np.zeros(1), device, cpf)
    assert origins.tolist() == [[0, 0.1, 1.5]]
    assert rays.tolist() == [[0, 0, 1]]


def turned(degrees: list[float]) -> np.ndarray:
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=-1)


@pytest.mark.parametrize("hz", [10, 30, 120])
def test_fixations_go_by_time_and_not_by_samples(hz: int) -> None:
    times = np.arange(0, 1, 1 / hz)
    hits = ["cup" if t < 0.5 else "pan" for t in times]
    spans = fixations(times, turned([0.0] * len(times)), hits)
    assert [s.object_id for s in spans] == ["cup", "pan"]
    assert times[spans[1].first] == pytest.approx(0.5)


CASES = [
    # 10 Hz: objects, directions in degrees, spans expected.
    ("aaaa", [0, 0, 0, 0], [("a", 0, 3)]),
    ("aaa", [0, 0, 0], []),
    ("aabaa", [0, 0, 0, 0, 0], []),
    ("aaaa", [0, 4, 8, 12], []),
    # A long look at one thing while walking past is one fixation.
    ("aaaaaaaa", [0, 0.5, 1, 1.5, 10, 10.5, 11, 11.5], [("a", 0, 7)]),
    ("aaaabbbb", [0, 0, 0, 0, 9, 9, 9, 9], [("a", 0, 3), ("b", 4, 7)]),
    ("....", [0, 0, 0, 0], []),
]


@pytest.mark.parametrize(("seen", "degrees", "want"), CASES)
def test_fixations(seen: str, degrees: list[float], want: list[tuple[str, int, int]]) -> None:
    times = np.arange(len(seen)) / 10
    hits = [None if one == "." else one for one in seen]
    assert fixations(times, turned(degrees), hits) == [Span(*one) for one in want]


def test_a_blink_ends_a_fixation() -> None:
    times = np.array([0, 0.1, 0.2, 0.6, 0.7, 0.8])
    assert fixations(times, turned([0.0] * 6), ["a"] * 6) == []
