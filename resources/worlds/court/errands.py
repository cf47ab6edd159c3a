"""Errands on the court: things are taken from one place and put at another, while the wearer looks elsewhere.

Before each reach the wearer stands near the thing, or the place it is put at, and looks aside, so that the thing,
or its way, leads in a direction that goes round the circle from errand to errand. Often it is out of view then. The
ground on which they stand is as free, and their arms are as long, as that needs.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from resources.worlds.court.ground import SMALL_THINGS
from resources.worlds.court.performer import Performer
from resources.worlds.court.take import Court, Take, TaskName, take_of_one
from resources.worlds.court.truth import CourtSpec, Prop
from resources.worlds.flat.places import EYE_M
from resources.worlds.flat.tracks import GRIP_M, ThingKey, ThingTrack
from resources.worlds.flat.truth import Side

ERRANDS: Final[TaskName] = "Tidying Up a Court"
SPOTS: Final = (
    (-2.8, -1.6), (-0.6, 1.7), (2.2, 1.4), (2.6, -1.2), (0.4, -1.9),
    (-3.0, 1.2), (-1.0, -0.4), (1.2, 0.2), (3.2, 0.3), (-1.8, 0.6),
)  # fmt: skip
"""Where things may stand, x and y."""
TURNS_DEG: Final = (0, -45, 90, 150, -135, -90, 45, 180, 135, 30, -120, 60, -60, 120, -30, -150)
"""In which direction each reach, or the way of the thing in the hand, leads, to the right of where the wearer
looks: middles of sectors, and of intervals.
"""
_PACE: Final = 1.3
_AWAY_M: Final = 1.72
_WAY_M: Final = 1.25
"""How far a thing is from the eyes before it is taken, and how far it has to go before it is put down."""
_CARRY: Final[dict[Side, tuple[float, float, float]]] = {
    "left": (0.3, 0.18, 0.7),
    "right": (0.3, -0.18, 0.7),
}
_AHEAD: Final = -0.25
"""Pitch of the head."""
_LOOKS_S: Final = 1.6
_REACH_S: Final = 0.4
_STAYS_S: Final = 0.4
"""How long the hand stays at a thing before and after it takes it or lets go."""
_TAIL_S: Final = 0.4


def plan_errands(spec: CourtSpec, takes: int = 3, errands: int = 10) -> Court:
    """Takes of people who tidy up; equal arguments give equal courts.

    Args:
        spec: The court.
        takes: Takes, each by another player; at most six.
        errands: Things that are moved in each.
    """
    return Court(spec, tuple(_take(spec, n, errands) for n in range(takes)))


def _take(spec: CourtSpec, n: int, errands: int) -> Take:
    c = Performer("C", (-1.8, -0.9), 0.4)
    where = {prop.instance: SPOTS[place] for place, prop in enumerate(SMALL_THINGS)}
    keys = {name: [ThingKey(0.0, (*spot, 0.0))] for name, spot in where.items()}
    free = list(SPOTS[len(SMALL_THINGS) :])
    c.wait(0.5)
    for number in range(errands):
        prop = SMALL_THINGS[(number * 2 + n) % len(SMALL_THINGS)]
        hand: Side = "left" if (number + n) % 2 else "right"
        spot = free.pop(0)
        free.append(where[prop.instance])
        turn = number + errands * n
        turns = [TURNS_DEG[(turn + step) % len(TURNS_DEG)] for step in (0, len(TURNS_DEG) // 2)]
        _grasp(c, prop, where[prop.instance], hand, turns[0], keys[prop.instance])
        _put(c, prop, spot, hand, turns[1], keys[prop.instance])
        where[prop.instance] = spot
    c.wait(0.8)
    heights = {prop.instance: prop.size_m[2] for prop in SMALL_THINGS}
    props = {name: ThingTrack(tuple(positions), heights[name]) for name, positions in keys.items()}
    return take_of_one(spec, n, "errands", ERRANDS, c, _TAIL_S, props=props)


def _reach(
    c: Performer, prop: Prop, spot: tuple[float, float], hand: Side, ahead: tuple[float, float]
) -> float:
    """Go near a place, look aside, and bring a hand there.

    Args:
        c: Who.
        prop: The thing.
        spot: The place.
        hand: The hand.
        ahead: Where the place then is, forward and to the left, from where the wearer stands and looks.

    Returns:
        When the hand grasps, or lets go.
    """
    x, y = spot
    away = math.atan2(c.xy[1] - y, c.xy[0] - x)
    near_m = math.hypot(*ahead)
    c.pitch = _AHEAD
    c.go((x + near_m * math.cos(away), y + near_m * math.sin(away)), _PACE)
    c.wait(0.3)
    c.look(away + math.pi - math.atan2(ahead[1], ahead[0]), _AHEAD, 0.5)
    c.wait(_LOOKS_S)
    c.hand(hand, (x, y, prop.size_m[2] + GRIP_M), _REACH_S)
    c.wait(_REACH_S + _STAYS_S)
    contact_s = c.t
    c.look(away + math.pi, _AHEAD, 0.4)
    c.wait(_STAYS_S)
    return contact_s


def _on_ground(length_m: float, drop_m: float, turn_deg: float) -> tuple[float, float]:
    """Forward and left parts of a way that drops and leads to the right by some turn."""
    ground_m = math.sqrt(length_m**2 - drop_m**2)
    turn = math.radians(turn_deg)
    return ground_m * math.cos(turn), -ground_m * math.sin(turn)


def _grasp(
    c: Performer,
    prop: Prop,
    spot: tuple[float, float],
    hand: Side,
    turn_deg: float,
    keys: list[ThingKey],
) -> None:
    drop_m = EYE_M - prop.size_m[2] - GRIP_M
    contact_s = _reach(c, prop, spot, hand, _on_ground(_AWAY_M, drop_m, turn_deg))
    keys.append(ThingKey(c.t, (0.0, 0.0, 0.0), "C", (hand,)))
    c.note(f"picks up the {prop.instance} with the {hand} hand", f"{hand} hand", contact_s - _REACH_S - _STAYS_S, contact_s, c.t + 0.4, prop.instance)  # fmt: skip
    c.hand_by(hand, _CARRY[hand], 0.4)
    c.wait(0.5)


def _put(
    c: Performer,
    prop: Prop,
    spot: tuple[float, float],
    hand: Side,
    turn_deg: float,
    keys: list[ThingKey],
) -> None:
    forward, left, height = _CARRY[hand]
    way = _on_ground(_WAY_M, height - prop.size_m[2] - GRIP_M, turn_deg)
    contact_s = _reach(c, prop, spot, hand, (forward + way[0], left + way[1]))
    keys.append(replace(keys[0], t_s=contact_s, at=(*spot, 0.0)))
    c.note(f"puts the {prop.instance} on the ground with the {hand} hand", f"{hand} hand", contact_s - _REACH_S - _STAYS_S, contact_s, c.t + 0.4, prop.instance)  # fmt: skip
    c.rest()
    c.wait(0.5)
