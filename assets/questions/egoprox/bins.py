"""Turns and distances as intervals a person can tell apart, and options made of them (EgoProx 3.1, C.4).

The paper "discretizes the transformation into intervals that are interpretable by humans" and asks
for wrong options without minor differences; it prints no intervals. Here turns are binned by 30
degrees, the first bin centred on straight ahead, and distances by edges that widen with distance.

Five turns are a rotation of a pattern on the ring in which the right one takes any place; pairs of a turn
and a distance have such turns, and distances that occur as right ones. Which rotation and which distances
are shown is chosen by `Balance`: each turn and each distance is offered about five times as often as it is
right, because an interval that is often wrong and never right helps whoever sees no video.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from assets.pairs.choice import stable_hash
from assets.questions.kit.directions import RING, turned

TURN_WIDTH_DEG = 30
TURNS = 12
TURN_MARGIN_DEG = 3.0
"""Least distance of a turn to its bin's edge."""
DISTANCE_EDGES_M = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0)
DISTANCES = len(DISTANCE_EDGES_M) - 1
DISTANCE_MARGIN_SHARE = 0.1
"""Least distance of a distance to its bin's edges, as a share of the bin's width."""
OPTIONS = 5
# All ways to place five turns on the ring two bins or more apart, not counting rotations.
_TURN_PATTERNS = ((0, 2, 4, 6, 8), (0, 2, 4, 6, 9), (0, 2, 4, 7, 9))
_DRAWN = 24


# -- bins ------------------------------------------------------------------------------------------


def turn_bin(turn_deg: float) -> int:
    """Bin of a turn, 0 to 11 on the ring clockwise; bin n is centred on 30 n degrees to the right.

    Args:
        turn_deg: Degrees, right positive.
    """
    return math.floor(turn_deg / TURN_WIDTH_DEG + 0.5) % TURNS


def turn_margin_deg(turn_deg: float) -> float:
    """Degrees from a turn to the nearest edge of its bin, 0 to 15."""
    beside = turn_deg - TURN_WIDTH_DEG * math.floor(turn_deg / TURN_WIDTH_DEG + 0.5)
    return TURN_WIDTH_DEG / 2 - abs(beside)


def turn_text(number: int) -> str:
    """A bin of turns in words: `15 to 45 degrees to the right`.

    Args:
        number: Bin, 0 to 11 (see `turn_bin`).
    """
    half = TURN_WIDTH_DEG // 2
    if number == 0:
        return f"at most {half} degrees to either side"
    if number == TURNS // 2:
        return f"at least {180 - half} degrees to either side"
    steps, side = (number, "right") if number < TURNS // 2 else (TURNS - number, "left")
    middle = steps * TURN_WIDTH_DEG
    return f"{middle - half} to {middle + half} degrees to the {side}"


def turn_value(number: int) -> str:
    """Ends of a bin of turns in degrees, right positive: `15 to 45 deg`.

    Args:
        number: Bin, 0 to 11; that behind reaches from 165 to 195.
    """
    middle = TURN_WIDTH_DEG * (number if number <= TURNS // 2 else number - TURNS)
    half = TURN_WIDTH_DEG // 2
    return f"{middle - half} to {middle + half} deg"


def distance_bin(distance_m: float) -> int | None:
    """Bin of a distance, 0 to 7 with rising distance; None beyond the last edge.

    Args:
        distance_m: Metres, not negative.
    """
    for number, (low, high) in enumerate(pairwise(DISTANCE_EDGES_M)):
        if low <= distance_m < high:
            return number
    return None


def distance_margin_share(distance_m: float) -> float:
    """Distance to the nearer edge of a distance's bin, as a share of the bin's width; 0 beyond the last.

    The edge at 0 m does not count: nothing lies below it.
    """
    number = distance_bin(distance_m)
    if number is None:
        return 0.0
    low, high = DISTANCE_EDGES_M[number], DISTANCE_EDGES_M[number + 1]
    nearer = high - distance_m if number == 0 else min(distance_m - low, high - distance_m)
    return nearer / (high - low)


def turn_is_clear(turn_deg: float, off_deg: float) -> bool:
    """Whether a turn lies far enough from its bin's edges.

    Args:
        turn_deg: Degrees, right positive.
        off_deg: How far off it may be.
    """
    return turn_margin_deg(turn_deg) - off_deg >= TURN_MARGIN_DEG


def distance_is_clear(distance_m: float, off_m: float) -> bool:
    """Whether a distance lies far enough from its bin's edges.

    Args:
        distance_m: Metres, not negative.
        off_m: How far off it may be.
    """
    number = distance_bin(distance_m)
    if number is None:
        return False
    width_m = DISTANCE_EDGES_M[number + 1] - DISTANCE_EDGES_M[number]
    return distance_margin_share(distance_m) - off_m / width_m >= DISTANCE_MARGIN_SHARE


def distance_text(number: int) -> str:
    """A bin of distances in words: `1.5 to 2 m`.

    Args:
        number: Bin, 0 to 7 (see `distance_bin`).
    """
    low, high = DISTANCE_EDGES_M[number], DISTANCE_EDGES_M[number + 1]
    return f"{low:g} to {high:g} m"


# -- options ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shown:
    """Options that might be shown for a question.

    Attributes:
        options: Bins, or pairs of them.
        looks: What can be seen of each option without video, as values to be balanced.
        right: Looks of the right option that depend on the options beside it.
    """

    options: tuple[Any, ...]
    looks: tuple[Hashable, ...]
    right: tuple[Hashable, ...] = ()


class Balance:
    """Chooses options so that nothing is offered much oftener, or more seldom, than it is right.

    Args:
        right: Looks of the right options of all questions of a recording, known before any options
            are chosen: their bins.
    """

    def __init__(self, right: Iterable[Hashable]) -> None:
        self._left = Counter({look: OPTIONS * n for look, n in Counter(right).items()})

    def choose(self, candidates: Sequence[Shown], *identity: str) -> Shown:
        """The candidate that brings each look nearest to being right in one of five options.

        Args:
            candidates: What might be shown.
            identity: Id of the question; decides between equal candidates.
        """

        def rank(number: int) -> tuple[int, str]:
            change = self._change(candidates[number])
            cost = sum(n * (n + 2 * self._left[look]) for look, n in change.items())
            return cost, stable_hash("options", *identity, str(number))

        chosen = candidates[min(range(len(candidates)), key=rank)]
        self._left.update(self._change(chosen))
        return chosen

    def _change(self, shown: Shown) -> Counter[Hashable]:
        change: Counter[Hashable] = Counter(dict.fromkeys(shown.right, OPTIONS))
        change.subtract(shown.looks)
        return change


def turn_options(truth: int, balance: Balance, identity: str) -> list[int]:
    """Five bins of turns, each two or more from the others; ascending.

    Args:
        truth: Bin of the right turn.
        balance: Of the bins `("turn", bin)` of the recording's questions.
        identity: Id of the question.
    """
    candidates = []
    for pattern in _TURN_PATTERNS:
        for place in pattern:
            turns = turned(pattern, truth - place, TURNS)
            gaps = {turn: _gaps(turns, turn) for turn in turns}
            looks = [look for turn in turns for look in (("turn", turn), gaps[turn])]
            candidates.append(Shown(tuple(turns), tuple(looks), (gaps[truth],)))
    return list(balance.choose(candidates, identity).options)


def turn_and_distance_options(
    turn: int, distance: int, distances: Sequence[int], balance: Balance, identity: str
) -> list[tuple[int, int]]:
    """Five pairs of a turn and a distance, the right one first; each has a turn of its own.

    Args:
        turn: Bin of the right turn.
        distance: Bin of the right distance.
        distances: Bins that occur as right ones.
        balance: Of the bins `("turn", bin)` and `("distance", bin)` of the questions that are drawn
            together.
        identity: Id of the question.
    """
    others = [t for t in turn_options(turn, balance, identity) if t != turn]
    candidates = []
    for n in range(_DRAWN):
        drawn = [
            min(
                distances, key=lambda d, t=t, n=n: stable_hash("distance", identity, str((n, t, d)))
            )
            for t in others
        ]
        shown = (distance, *drawn)
        looks: list[Hashable] = [("distance", d) for d in shown]
        # How many options tell the same distance must not tell which is right.
        looks += [("same", shown.count(d)) for d in shown]
        candidates.append(Shown(shown, tuple(looks), (("same", shown.count(distance)),)))
    chosen = balance.choose(candidates, "distance", identity).options
    return list(zip((turn, *others), chosen, strict=True))


def _gaps(turns: Sequence[int], turn: int) -> tuple[str, int, int]:
    """Bins from a turn to the next ones on either side, the smaller number first."""
    after = min((other - turn) % TURNS for other in turns if other != turn)
    before = min((turn - other) % TURNS for other in turns if other != turn)
    return "gaps", min(after, before), max(after, before)


# -- values ----------------------------------------------------------------------------------------

_INTERVAL = re.compile(r"(-?\d+) to (-?\d+) deg(?:, ([\d.]+) to ([\d.]+) m)?")


@dataclass(frozen=True, slots=True)
class Interval:
    """What the value of an option names.

    Attributes:
        low_deg: Least turn, right positive.
        high_deg: Greatest turn; beyond 180 where the interval lies across what is behind.
        low_m: Least distance; None where it names none.
        high_m: Greatest distance.
    """

    low_deg: float
    high_deg: float
    low_m: float | None = None
    high_m: float | None = None


def interval(value: str) -> Interval | None:
    """Turns, and distances, that an option's value names; None if it names none.

    Args:
        value: A sector's number, or a value made by `turn_value`, alone or with `distance_text`.
    """
    if value.isdigit() and int(value) < RING:
        middle = int(value) * 360.0 / RING
        return Interval(middle - 180.0 / RING, middle + 180.0 / RING)
    found = _INTERVAL.fullmatch(value)
    if found is None:
        return None
    low_deg, high_deg, low_m, high_m = (None if n is None else float(n) for n in found.groups())
    assert low_deg is not None
    assert high_deg is not None
    return Interval(low_deg, high_deg, low_m, high_m)
