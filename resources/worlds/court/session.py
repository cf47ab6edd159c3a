"""Preparing a training session: from station to station, in orders that differ by take.

Each keystep is done with both hands at a place of its own. Of two pairs of steps either may come first, so
that a chain with one pair has two valid orders and a chain with both has four; two steps are done almost at
the same place, so that no direction leads from one to the other. A last take does other things.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from resources.worlds.court.performer import DOWN, Performer
from resources.worlds.court.take import Court, Take, TaskName, take_of_one
from resources.worlds.court.truth import CourtSpec, Step

SESSION: Final[TaskName] = "Preparing a Training Session"
_PACE: Final = 1.6
_REACH_M: Final = 0.5
_HEIGHT_M: Final = 0.7
_WORK_S: Final = 2.6
_TAIL_S: Final = 0.6


@dataclass(frozen=True)
class Station:
    """A keystep and where it is done.

    Attributes:
        name: Name of the keystep.
        spot: Where the hands are, x and y.
        side: Where the wearer looks meanwhile, in quarter turns counterclockwise from the east.
    """

    name: str
    spot: tuple[float, float]
    side: int


STATIONS: Final = {
    station.name: station
    for station in (
        Station("Unlock the equipment box", (-3.2, 1.9), 1),
        Station("Sign the booking sheet", (-3.0, -0.4), 2),
        Station("Pump up the balls", (-1.2, -1.6), 3),
        Station("Fill the water bottles", (-0.6, 1.2), 1),
        Station("Chalk the starting line", (1.0, -0.3), 0),
        Station("Tie the goal net", (3.2, 1.0), 0),
        Station("Rake the penalty spot", (2.2, -1.9), 3),
        Station("Start the scoreboard", (0.4, 2.1), 1),
        Station("Test the scoreboard", (0.5, 2.2), 1),
        Station("Fold the bibs", (-2.0, 0.6), 1),
        Station("Hang up the whistle", (-3.4, -1.8), 3),
        Station("Wipe the bench", (-1.4, 2.0), 1),
        Station("Empty the bin", (2.6, 2.1), 0),
        Station("Sweep the corner", (3.2, -2.0), 0),
        Station("Check the first aid kit", (1.4, 1.3), 1),
    )
}
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


def plan_session(spec: CourtSpec) -> Court:
    """All takes; equal specs give equal courts in every process."""
    return Court(spec, tuple(_take(spec, n, order) for n, order in enumerate(ORDERS)))


def _take(spec: CourtSpec, n: int, order: tuple[int, ...]) -> Take:
    c = Performer("C", (-2.4, 0.2), 1.6)
    c.wait(0.4)
    steps = tuple(_work(c, STATIONS[NAMES[number]]) for number in order)
    c.wait(0.4)
    return take_of_one(spec, n, "session", SESSION, c, _TAIL_S, steps)


def _work(c: Performer, station: Station) -> Step:
    """Go to a station and work there with both hands; the step lasts while they are there."""
    x, y = station.spot
    dx, dy = ((1, 0), (0, 1), (-1, 0), (0, -1))[station.side]
    c.go((x - dx * _REACH_M, y - dy * _REACH_M), _PACE)
    c.look(1.570796 * station.side, DOWN, 0.4)
    c.wait(0.4)
    c.both((x, y, _HEIGHT_M), 0.4)
    c.wait(0.4)
    begun = c.t
    c.wait(_WORK_S)
    ended = c.t
    first, *rest = station.name.split()
    c.note(f"{first.lower()}s {' '.join(rest)} with both hands", "both hands", begun, (begun + ended) / 2, ended)  # fmt: skip
    c.rest()
    c.wait(0.3)
    return Step(station.name, begun, ended)
