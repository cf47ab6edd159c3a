"""When a hand uses an object: it is at its box, or the object moves with a hand near."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from assets.scene_graphs.projection import Mask
from assets.scene_graphs.rotation import Array
from assets.scene_graphs.tracks import Index, Thing, nearest, runs

REACH_M = 0.05
"""How far outside its box a hand still touches an object."""
NEAR_M = 0.3
"""How far a wrist may be from an object that moves in its hand."""
SPEED_M_S = 0.05
WINDOW_S = 1.0
_START_M = 0.005
_SHORTEST_S = 0.2
_JOIN_S = 0.3
_HAND_S = 0.05


@dataclass(frozen=True, slots=True)
class Hand:
    """One joint of one hand over time.

    Attributes:
        side: `left` or `right`.
        joint: Which joint.
        times_s: Ascending.
        places: In the world, shape (n, 3).
        samples: The source's number of each sample.
    """

    side: str
    joint: str
    times_s: Array
    places: Array
    samples: Index


@dataclass(frozen=True, slots=True)
class Contact:
    """A span in which an object is used.

    Attributes:
        object_id: Object.
        start_s: Start.
        end_s: End.
        side: `left`, `right`, `both`, or None where no hand is known.
        keys: Rows it rests on.
    """

    object_id: str
    start_s: float
    end_s: float
    side: str | None
    keys: tuple[str, ...]


def contacts(things: Mapping[str, Thing], hands: list[Hand]) -> list[Contact]:
    """Contacts with objects that can move (a table with hands above it is not used).

    Without hands (a sequence without a skeleton) only motion tells.
    """
    found = []
    for name in sorted(things):
        thing = things[name]
        if thing.moves and len(thing.track.times_s) >= 2:
            found.extend(_of(thing, hands))
    return found


def _of(thing: Thing, hands: list[Hand]) -> list[Contact]:
    times = thing.track.times_s
    moving = moving_mask(times, thing.centre(np.arange(len(times))))
    used = {hand.side: np.zeros(len(times), dtype=bool) for hand in hands}
    for hand in hands:
        far = hand_distance(thing, times, hand)
        used[hand.side] |= (far <= REACH_M) | (moving & (far <= NEAR_M))
    touched = np.any(list(used.values()), axis=0) if hands else moving
    found = []
    for first, last in _spans(times, touched):
        inside = slice(first, last + 1)
        # The hand that acts is there for at least half of the span.
        sides = [side for side, mask in used.items() if mask[inside].mean() >= 0.5]
        if hands and not sides:
            sides = [max(sorted(used), key=lambda side, i=inside: float(used[side][i].mean()))]
        keys = [thing.row(at) for at in (first, last)]
        for hand in hands:
            at = int(nearest(hand.times_s, times[first], _HAND_S))
            if hand.side in sides and at >= 0:
                keys.append(f"hand_joints:{hand.samples[at]}/{hand.side}/{hand.joint}")
        side = None if not sides else ("both" if len(sides) > 1 else sides[0])
        found.append(
            Contact(thing.object_id, float(times[first]), float(times[last]), side, tuple(keys))
        )
    return found


def hand_distance(thing: Thing, times: Array, hand: Hand) -> Array:
    """Distance of a hand to an object's box at the object's times; infinite where it is unknown."""
    at = nearest(hand.times_s, times, _HAND_S)
    local = thing.track.poses.inverse().apply(hand.places[at])
    beyond = np.maximum(np.maximum(thing.low - local, local - thing.high), 0.0)
    return np.where(at >= 0, np.linalg.norm(beyond, axis=-1), np.inf)


def moving_mask(times: Array, centres: Array) -> Mask:
    """Where an object moves: over the second around faster than the limit, trimmed to its motion."""
    before = np.maximum(np.searchsorted(times, times - WINDOW_S / 2), 0)
    after = np.minimum(
        np.searchsorted(times, times + WINDOW_S / 2, side="right") - 1, len(times) - 1
    )
    took = np.maximum(times[after] - times[before], 1e-9)
    moved = np.linalg.norm(centres[after] - centres[before], axis=-1)
    # At the ends of a recording the window is cut; half of it must be there.
    fast = (moved / took > SPEED_M_S) & (took >= WINDOW_S / 2)
    trimmed = np.zeros(len(times), dtype=bool)
    for first, last in runs(fast):
        path = centres[first : last + 1]
        left = np.flatnonzero(np.linalg.norm(path - path[0], axis=-1) > _START_M)
        came = np.flatnonzero(np.linalg.norm(path - path[-1], axis=-1) > _START_M)
        if len(left) and len(came):
            trimmed[first + left[0] : first + came[-1] + 1] = True
    return trimmed


def _spans(times: Array, mask: Mask) -> list[tuple[int, int]]:
    """First and last index of each span: short pauses bridged, then short spans left out."""
    spans: list[tuple[int, int]] = []
    for first, last in runs(mask):
        if spans and times[first] - times[spans[-1][1]] <= _JOIN_S:
            spans[-1] = (spans[-1][0], last)
        else:
            spans.append((first, last))
    return [s for s in spans if times[s[1]] - times[s[0]] >= _SHORTEST_S]
