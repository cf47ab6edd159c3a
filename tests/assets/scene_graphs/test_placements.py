"""Takings and placements by hand: a cup that is carried from a table to a shelf, and what is none."""

from __future__ import annotations

import numpy as np
import pytest

from assets.scene_graphs.contacts import Hand, contacts
from assets.scene_graphs.placements import placements, rests, takings
from assets.scene_graphs.rotation import Pose
from assets.scene_graphs.tracks import Thing, Track

TIMES = np.arange(0, 20, 0.1)
TABLE = np.array([1.0, 0.0, 0.8])
FAR = np.tile([0.0, -2.0, 1.0], (len(TIMES), 1))


def path(*keys: tuple[float, float]) -> np.ndarray:
    """Places along x from the table: (time, metres) keys joined by straight lines."""
    along = np.interp(TIMES, [t for t, _ in keys], [x for _, x in keys])
    return TABLE + along[:, None] * np.array([1.0, 0.0, 0.0])


def cup(places: np.ndarray, moves: bool = True) -> dict[str, Thing]:
    q = np.tile([1.0, 0, 0, 0], (len(TIMES), 1))
    track = Track(TIMES, Pose(places, q), np.arange(len(TIMES)))
    return {"cup": Thing("cup", "cup", moves, np.full(3, -0.05), np.full(3, 0.05), track)}


def hand(places: np.ndarray, start_s: float = -1.0, end_s: float = 99.0) -> Hand:
    """A wrist 20 cm above places for some time, and far away otherwise."""
    there = ((start_s <= TIMES) & (end_s >= TIMES))[:, None]
    at = np.where(there, places + np.array([0.0, 0.0, 0.2]), FAR)
    return Hand("right", "wrist", TIMES, at, np.arange(len(TIMES)))


CARRIED = path((5.0, 0.0), (9.0, 2.0))


def test_a_cup_is_put_down_where_it_stops() -> None:
    (one,) = placements(cup(CARRIED), [hand(CARRIED, 4.5, 9.6)])
    assert one.picked_s == pytest.approx(5.0, abs=0.15)
    assert one.placed_s == pytest.approx(9.0, abs=0.15)
    assert one.until_s == pytest.approx(TIMES[-1])
    assert one.start == pytest.approx(TABLE, abs=0.01)
    assert one.end == pytest.approx(TABLE + np.array([2.0, 0.0, 0.0]), abs=0.01)
    assert one.moved_m == pytest.approx(2.0, abs=0.02)
    assert [key.partition("/")[0] for key in one.keys] == ["objects_3d:cup"] * 2


def test_what_is_held_still_is_not_put_down() -> None:
    """Two seconds of standing with the cup in the hand; it is put down at the second stop."""
    places = path((5.0, 0.0), (7.0, 1.0), (10.0, 1.0), (12.0, 2.0))
    (one,) = placements(cup(places), [hand(places, 4.5, 12.6)])
    assert one.placed_s == pytest.approx(12.0, abs=0.15)
    assert one.moved_m == pytest.approx(2.0, abs=0.02)
    # Without hands both stops count: nothing says where it was held.
    assert len(placements(cup(places), [])) == 2


def test_what_stays_in_the_hand_is_not_put_down() -> None:
    assert placements(cup(CARRIED), [hand(CARRIED, 4.5)]) == []


@pytest.mark.parametrize(("moved_m", "count"), [(0.28, 0), (0.32, 1)])
def test_it_must_be_moved_by_0_3_m(moved_m: float, count: int) -> None:
    places = path((5.0, 0.0), (6.0, moved_m))
    assert len(placements(cup(places), [hand(places, 4.5, 6.6)])) == count


@pytest.mark.parametrize(("rest_s", "count"), [(0.4, 1), (0.8, 2)])
def test_it_must_rest_for_half_a_second(rest_s: float, count: int) -> None:
    """The hand lets go and takes it again; shorter rests are part of one way."""
    # Motion is judged over a second, so a pause must outlast that to be seen at all.
    pause = 1.2 + rest_s
    places = path((5.0, 0.0), (7.0, 1.0), (7.0 + pause, 1.0), (9.0 + pause, 2.0))
    away = (TIMES > 7.6) & (rest_s > TIMES - 7.6)
    held = hand(places, 4.5, 9.6 + pause)
    one = Hand(
        held.side, held.joint, TIMES, np.where(away[:, None], FAR, held.places), held.samples
    )
    assert len(placements(cup(places), [one])) == count


def test_furniture_is_not_put_down() -> None:
    assert placements(cup(CARRIED, moves=False), []) == []


def test_rests_are_where_it_stands_free() -> None:
    near = (TIMES > 12) & (TIMES < 14)
    found = rests(TIMES, CARRIED, near)
    assert [(round(TIMES[a]), round(TIMES[b])) for a, b in found] == [(0, 5), (9, 20)]
    assert rests(TIMES, CARRIED, np.ones(len(TIMES), dtype=bool)) == []


def taken(places: np.ndarray, one: Hand) -> list[tuple[float, float]]:
    things = cup(places)
    found = takings(things, [one], contacts(things, [one]), 1.0)
    return [(t.contact.start_s, t.moved_m) for t in found]


def test_a_resting_cup_is_taken() -> None:
    ((at_s, moved_m),) = taken(CARRIED, hand(CARRIED, 4.5, 9.6))
    assert at_s == pytest.approx(5.0, abs=0.15)
    assert moved_m == pytest.approx(2.0, abs=0.06)


def test_a_cup_that_is_moved_on_in_the_hand_is_taken_once() -> None:
    """While it is held still no contact is seen: a wrist is 20 cm away. It was in the hand before."""
    places = path((5.0, 0.0), (7.0, 1.0), (10.0, 1.0), (12.0, 2.0))
    things, one = cup(places), hand(places, 4.5, 12.6)
    assert len(contacts(things, [one])) == 2
    assert len(takings(things, [one], contacts(things, [one]), 1.0)) == 1


def test_a_hand_that_only_comes_near_moves_nothing() -> None:
    still = np.tile(TABLE, (len(TIMES), 1))
    # 8 cm above the middle is 3 cm outside the box.
    at = np.where(((TIMES > 5) & (TIMES < 6))[:, None], still + np.array([0, 0, 0.08]), FAR)
    ((at_s, moved_m),) = taken(still, Hand("left", "wrist", TIMES, at, np.arange(len(TIMES))))
    assert at_s == pytest.approx(5.1)
    assert moved_m == 0.0


def test_a_slow_drift_is_no_motion() -> None:
    """0.04 m/s over a second stays under the paper's 0.05 m/s."""
    places = path((5.0, 0.0), (15.0, 0.4))
    assert placements(cup(places), [hand(places, 4.5, 15.5)]) == []
    faster = path((5.0, 0.0), (15.0, 0.6))
    assert len(placements(cup(faster), [hand(faster, 4.5, 15.5)])) == 1
