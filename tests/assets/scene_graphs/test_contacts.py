"""Contacts by hand: a cup that is carried, one that is only reached over, a table."""

from __future__ import annotations

import numpy as np
import pytest

from assets.scene_graphs.contacts import Contact, Hand, contacts
from assets.scene_graphs.rotation import Pose
from assets.scene_graphs.tracks import Thing, Track

TIMES = np.arange(0, 10, 0.1)


def thing(places: np.ndarray, moves: bool = True) -> Thing:
    q = np.tile([1.0, 0, 0, 0], (len(TIMES), 1))
    track = Track(TIMES, Pose(places, q), np.arange(len(TIMES)))
    return Thing("cup", "cup", moves, np.full(3, -0.05), np.full(3, 0.05), track)


def still() -> np.ndarray:
    return np.tile([1.0, 0.0, 0.8], (len(TIMES), 1))


def carried(speed: float = 0.2) -> np.ndarray:
    """Stands until 4 s, moves along x until 6 s, stands."""
    places = still()
    places[:, 0] += speed * np.clip(TIMES - 4, 0, 2)
    return places


def hand(places: np.ndarray, side: str = "left") -> Hand:
    return Hand(side, "wrist", TIMES, places, np.arange(len(TIMES)))


FAR = np.tile([0.0, -1.0, 1.0], (len(TIMES), 1))


def of(cup: Thing, *hands: Hand) -> list[Contact]:
    return contacts({"cup": cup}, list(hands))


def test_a_cup_that_is_carried() -> None:
    # The wrist is 20 cm from a cup that the fingers hold.
    found = of(thing(carried()), hand(np.add(carried(), [0, 0, 0.25])), hand(FAR, "right"))
    assert [c.side for c in found] == ["left"]
    assert found[0].start_s == pytest.approx(4, abs=0.15)
    assert found[0].end_s == pytest.approx(6, abs=0.15)
    assert found[0].keys[-1].endswith("/left/wrist")


def test_motion_without_a_hand_near_is_none() -> None:
    assert of(thing(carried()), hand(FAR)) == []


def test_without_any_hand_motion_tells() -> None:
    found = of(thing(carried()))
    assert [(c.side, round(c.start_s)) for c in found] == [(None, 4)]


@pytest.mark.parametrize(("speed", "count"), [(0.04, 0), (0.1, 1)])
def test_slow_drift_is_no_motion(speed: float, count: int) -> None:
    assert len(of(thing(carried(speed)))) == count


def test_a_hand_at_the_box_touches() -> None:
    near = np.where(
        (TIMES >= 3)[:, None] & (TIMES <= 5)[:, None], np.add(still(), [0.09, 0, 0]), FAR
    )
    found = of(thing(still()), hand(near, "right"))
    assert [(c.side, c.start_s, c.end_s) for c in found] == [
        ("right", pytest.approx(3), pytest.approx(5))
    ]
    aside = np.where(
        (TIMES >= 3)[:, None] & (TIMES <= 5)[:, None], np.add(still(), [0.12, 0, 0]), FAR
    )
    assert of(thing(still()), hand(aside)) == []


def test_both_hands() -> None:
    both = (hand(still(), "left"), hand(still(), "right"))
    assert [c.side for c in of(thing(still()), *both)] == ["both"]


def test_what_cannot_move_is_not_used() -> None:
    assert of(thing(still(), moves=False), hand(still())) == []


def test_a_short_pause_does_not_end_a_contact_and_a_touch_of_0_1_s_is_none() -> None:
    at = (TIMES >= 2) & (TIMES <= 4) & ~((TIMES > 2.95) & (TIMES < 3.15))
    found = of(thing(still()), hand(np.where(at[:, None], still(), FAR)))
    assert len(found) == 1
    brief = (TIMES >= 1.99) & (TIMES <= 2.11)
    assert of(thing(still()), hand(np.where(brief[:, None], still(), FAR))) == []
