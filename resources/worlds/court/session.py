"""Preparing a training session: from station to station, in orders that differ by take.

Each keystep is done with both hands at a place of its own. Of two pairs of steps either may come first, so
that a chain with one pair has two valid orders and a chain with both has four; two steps are done almost at
the same place, so that no direction leads from one to the other. A last take does other things.

A circuit is longer. Its stations bear numbers by which pictures show in which order they are visited, and after
each the wearer looks back over the court.
"""

from __future__ import annotations

import math
from typing import Final

from resources.worlds.court.performer import DOWN, Performer
from resources.worlds.court.stations import STATIONS, Station, scenery
from resources.worlds.court.take import Court, Take, TaskName, take_of_one
from resources.worlds.court.truth import CourtSpec, Step

SESSION: Final[TaskName] = "Preparing a Training Session"
_PACE: Final = 1.6
_REACH_M: Final = 0.5
_HEIGHT_M: Final = 0.7
_WORK_S: Final = 2.6
_TAIL_S: Final = 0.6


NAMES: Final = tuple(STATIONS)
FREE: Final = ((2, 3), (5, 6))
"""Pairs of steps of which either may come first."""
SAME_PLACE: Final = (7, 8)
"""Two steps that are done a hand's breadth apart."""
ORDERS: Final = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8),
    (0, 1, 3, 2, 4, 5, 6, 7, 8),
    (0, 1, 2, 3, 4, 6, 5, 7, 8),
    (0, 1, 3, 2, 4, 6, 5, 7, 8),
    (0, 9, 10, 11, 12, 13, 14),
)
"""Steps of each take; the last one alone does what nobody else does."""
CIRCUIT: Final = (
    (0, 9, 1, 3, 2, 11, 4, 6, 13, 12, 14),
    (0, 9, 1, 2, 3, 11, 4, 6, 13, 12, 14),
    (0, 9, 1, 3, 2, 11, 4, 13, 6, 12, 14),
    (0, 9, 1, 2, 3, 11, 4, 13, 6, 12, 14),
    (0, 5, 7, 10),
)
"""Steps of each take of a circuit, with two free pairs; each leads clearly in one of eight directions."""
CIRCUIT_FREE: Final = ((2, 3), (6, 13))
_LOOKS_S, _CIRCUIT_WORK_S = 0.9, 1.8
_AHEAD: Final = -0.25
"""Pitch of a head that looks over the court."""


def plan_session(spec: CourtSpec) -> Court:
    """All takes; equal specs give equal courts in every process."""
    return Court(spec, tuple(_take(spec, n, order) for n, order in enumerate(ORDERS)))


def plan_circuit(spec: CourtSpec) -> Court:
    """All takes of a circuit; equal specs give equal courts in every process."""
    return Court(spec, tuple(_take(spec, n, order, True) for n, order in enumerate(CIRCUIT)))


def circuit_numbers() -> dict[str, int]:
    """Number of each station of a circuit: what may be done in either order has the same number."""
    numbers: dict[str, int] = {}
    for before, step in zip((None, *CIRCUIT[0]), CIRCUIT[0], strict=False):
        same = before is not None and tuple(sorted((before, step))) in CIRCUIT_FREE
        numbers[NAMES[step]] = max(numbers.values(), default=0) + (0 if same else 1)
    return numbers


def _take(spec: CourtSpec, n: int, order: tuple[int, ...], circuit: bool = False) -> Take:
    c = Performer("C", (-2.4, 0.2), 1.6)
    c.wait(0.4)
    steps = tuple(_work(c, STATIONS[NAMES[number]], circuit) for number in order)
    c.wait(0.4)
    scene = scenery(circuit_numbers() if circuit else {})
    return take_of_one(spec, n, "session", SESSION, c, _TAIL_S, steps, scenery=scene)


def _work(c: Performer, station: Station, circuit: bool) -> Step:
    """Go to a station and work there with both hands; the step lasts while they are there."""
    x, y = station.spot
    dx, dy = station.ahead
    if circuit:
        c.pitch = _AHEAD
    c.go((x - dx * _REACH_M, y - dy * _REACH_M), _PACE)
    c.look(1.570796 * station.side, DOWN, 0.4)
    c.wait(0.4)
    c.both((x, y, _HEIGHT_M), 0.4)
    c.wait(0.4)
    begun = c.t
    c.wait(_CIRCUIT_WORK_S if circuit else _WORK_S)
    ended = c.t
    first, *rest = station.name.split()
    c.note(f"{first.lower()}s {' '.join(rest)} with both hands", "both hands", begun, (begun + ended) / 2, ended)  # fmt: skip
    c.rest()
    c.wait(0.3)
    if circuit:
        c.look(math.atan2(-c.xy[1], -c.xy[0]), _AHEAD, 0.4)
        c.wait(0.4 + _LOOKS_S)
    return Step(station.name, begun, ended)
