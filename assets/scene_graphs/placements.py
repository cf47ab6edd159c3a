"""When a resting thing is taken, and when a thing is put down (EgoProx C.2, *afford* and *place*).

A thing rests where it does not move (`contacts.moving_mask`) for at least half a second. What is held
still rests in a hand, so no hand may be near for half a second of the rest; without hands in 3D (a
sequence without a skeleton) every rest counts. From one rest to the next a thing that is put down
was moved by 0.3 m. The paper states neither limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from assets.scene_graphs.contacts import NEAR_M, Contact, Hand, hand_distance, moving_mask
from assets.scene_graphs.projection import Mask
from assets.scene_graphs.rotation import Array
from assets.scene_graphs.tracks import Thing, runs

REST_S = 0.5
MOVED_M = 0.3
Span = tuple[int, int]
"""First and last index of the times of a thing's track."""


@dataclass(frozen=True, slots=True)
class Taking:
    """A contact with a thing that rested before.

    Attributes:
        contact: The contact.
        moved_m: Furthest the thing is from where it rested while the contact lasts.
        keys: Rows it rests on.
    """

    contact: Contact
    moved_m: float
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Placement:
    """A thing that was taken from one place and put at another.

    Attributes:
        object_id: Thing.
        picked_s: Until when it rested at its first place.
        placed_s: From when it rests at the second one.
        until_s: Until when it does.
        start: Middle of its box at the first place, shape (3,), metres.
        end: Middle of its box at the second place.
        keys: Rows it rests on.
        uncertain_m: How far off the second place may be; None where it was annotated.
    """

    object_id: str
    picked_s: float
    placed_s: float
    until_s: float
    start: Array
    end: Array
    keys: tuple[str, ...]
    uncertain_m: float | None = None

    @property
    def moved_m(self) -> float:
        """Straight distance between the two places."""
        return float(np.linalg.norm(self.end - self.start))


def rests(times_s: Array, centres: Array, near: Mask) -> list[Span]:
    """Stretches in which a thing does not move for half a second, half a second of it without a hand.

    Args:
        times_s: Ascending, shape (n,).
        centres: In the world, shape (n, 3), metres.
        near: Where a hand is near it, shape (n,).
    """
    still = ~moving_mask(times_s, centres)
    return [
        (first, last)
        for first, last in runs(still)
        if any(
            times_s[first + b] - times_s[first + a] >= REST_S
            for a, b in runs(~near[first : last + 1])
        )
    ]


def takings(
    things: Mapping[str, Thing], hands: Sequence[Hand], contacts: Iterable[Contact], lead_s: float
) -> list[Taking]:
    """Contacts with things that rest some time before.

    Args:
        things: Things of the recording by id.
        hands: Joints of the hands.
        contacts: When hands use things.
        lead_s: How long before the contact the thing must rest, in seconds.
    """
    found: list[Taking] = []
    spans: dict[str, list[Span]] = {}
    for contact in contacts:
        name = contact.object_id
        thing = things[name]
        if name not in spans:
            spans[name] = _rests_of(thing, hands)
        times = thing.track.times_s
        before_s = contact.start_s - lead_s
        rest = next((s for s in spans[name] if times[s[0]] <= before_s <= times[s[1]]), None)
        if rest is None:
            continue
        at = int(np.searchsorted(times, before_s))
        during = np.flatnonzero((times >= contact.start_s) & (times <= contact.end_s))
        moved = np.linalg.norm(thing.centre(during) - thing.centre(at), axis=-1)
        found.append(Taking(contact, float(moved.max(initial=0.0)), (thing.row(at), *contact.keys)))
    return found


def placements(things: Mapping[str, Thing], hands: Sequence[Hand]) -> list[Placement]:
    """Everything that is put down in a recording, by thing and time.

    Args:
        things: Things of the recording by id.
        hands: Joints of the hands.
    """
    return [
        placement
        for name in sorted(things)
        if things[name].moves and len(things[name].track.times_s) >= 2
        for placement in _placements_of(things[name], hands)
    ]


def _placements_of(thing: Thing, hands: Sequence[Hand]) -> Iterator[Placement]:
    times = thing.track.times_s
    for (_, left), (first, last) in pairwise(_rests_of(thing, hands)):
        # In the middle of the rest it is no longer turned or pushed into place.
        settled = (first + last) // 2
        keys = [thing.row(at) for at in (left, settled)]
        placement = Placement(
            thing.object_id,
            float(times[left]),
            float(times[first]),
            float(times[last]),
            thing.centre(left),
            thing.centre(settled),
            tuple(keys),
        )
        if placement.moved_m >= MOVED_M:
            yield placement


def _rests_of(thing: Thing, hands: Sequence[Hand]) -> list[Span]:
    times = thing.track.times_s
    near = np.zeros(len(times), dtype=bool)
    for hand in hands:
        near |= hand_distance(thing, times, hand) <= NEAR_M
    return rests(times, thing.centre(np.arange(len(times))), near)
