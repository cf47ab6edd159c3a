"""Options that are intervals of a turn, of a distance or of both, read from their words.

An option is right if the measured value lies in its interval, whatever bins its builder uses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from expectations.derivations.wording import options_said
from expectations.gates.base import Derived, Margin, Question

TURN_MARGIN_DEG = 3.0
TURN_GAP_DEG = 30.0
"""Least angle between two turns that are offered, from end to end."""
DISTANCE_MARGIN_SHARE = 0.1
"""Least distance to an interval's end, as a share of its length."""

_NUMBER = r"-?\d+(?:\.\d+)?"
_SPAN = rf"(?P<low>{_NUMBER}) to (?P<high>{_NUMBER})"
_SIDED = re.compile(rf"{_SPAN} degrees to the (?P<side>left|right)")
_AHEAD = re.compile(rf"at most (?P<most>{_NUMBER}) degrees to either side")
_BEHIND = re.compile(rf"at least (?P<least>{_NUMBER}) degrees to either side")
_SIGNED = re.compile(rf"{_SPAN} deg(?![a-z])")
_METRES = re.compile(rf"{_SPAN} m\b")


@dataclass(frozen=True, slots=True)
class Arc:
    """Turns between two angles, clockwise from the first.

    Attributes:
        low_deg: First angle, right positive.
        high_deg: Second angle; above 180 where the arc lies behind.
    """

    low_deg: float
    high_deg: float

    def margin_deg(self, turn_deg: float) -> float:
        """Degrees from a turn to the nearer end: positive inside, negative outside."""
        middle, half = (self.low_deg + self.high_deg) / 2, (self.high_deg - self.low_deg) / 2
        return half - abs((turn_deg - middle + 180.0) % 360.0 - 180.0)

    def gap_deg(self, other: Arc) -> float:
        """Degrees between two arcs; negative where they overlap."""
        middle = (other.low_deg + other.high_deg) / 2
        return -self.margin_deg(middle) - (other.high_deg - other.low_deg) / 2


@dataclass(frozen=True, slots=True)
class Span:
    """Distances between two ends, in metres."""

    low_m: float
    high_m: float

    def margin_share(self, distance_m: float) -> float:
        """Distance to the nearer end as a share of the length: positive inside; 0 m is not an end."""
        below = self.high_m - distance_m
        nearer = below if self.low_m == 0 else min(below, distance_m - self.low_m)
        return nearer / (self.high_m - self.low_m)


def arc_of(text: str | None) -> Arc | None:
    """Return the arc of turns that a text names, in words (`15 to 45 degrees to the left`) or signed.

    Args:
        text: Text or value of an option; `-45 to -15 deg` is the signed form.
    """
    text = text or ""
    if found := _SIDED.search(text):
        low, high = float(found["low"]), float(found["high"])
        return Arc(low, high) if found["side"] == "right" else Arc(-high, -low)
    if found := _AHEAD.search(text):
        return Arc(-float(found["most"]), float(found["most"]))
    if found := _BEHIND.search(text):
        return Arc(float(found["least"]), 360.0 - float(found["least"]))
    found = _SIGNED.search(text)
    return Arc(float(found["low"]), float(found["high"])) if found else None


def span_of_distance(text: str | None) -> Span | None:
    """Return the span of distances that a text names: `1.5 to 2 m`.

    Args:
        text: Text or value of an option.
    """
    found = _METRES.search(text or "")
    if found is None or not float(found["low"]) < float(found["high"]):
        return None
    return Span(float(found["low"]), float(found["high"]))


def turn_and_distance(text: str | None) -> tuple[Arc, Span] | None:
    """Return the arc and the span that a text names; None if it lacks one of them.

    Args:
        text: Text or value of an option.
    """
    arc, span = arc_of(text), span_of_distance(text)
    return None if arc is None or span is None else (arc, span)


def judge_turns(
    question: Question,
    turn_deg: float,
    notes: Derived,
    *,
    namesakes: Sequence[tuple[float, float, str]] = (),
    off_deg: float = 0.0,
) -> None:
    """Note for each option whether a turn lies in its arc, and the margin.

    Args:
        question: The question; its options are arcs in words.
        turn_deg: The turn, right positive.
        notes: Filled in.
        namesakes: Turn, distance and name of things that the question's words name as well.
        off_deg: How far off the turn may be, which adds to the margin.
    """
    arcs = dict(options_said(question, notes, arc_of, "interval of turns"))
    for letter, arc in arcs.items():
        holds, said = arc.margin_deg(turn_deg) >= 0, f"the turn is {turn_deg:.1f} deg"
        for turn, _, name in namesakes if letter != question.answer else ():
            if arc.margin_deg(turn) >= 0:
                holds, said = True, f"there is {name}, of the same name"
        notes.option(letter, holds, said)
    _note_turn_margin(question, list(arcs.values()), turn_deg, off_deg, notes)
    _check_turns_apart(list(arcs.values()), notes)


def judge_turns_and_distances(
    question: Question,
    turn_deg: float,
    distance_m: float,
    notes: Derived,
    *,
    namesakes: Sequence[tuple[float, float, str]] = (),
    off: tuple[float, float] = (0.0, 0.0),
) -> None:
    """Note for each option whether a turn and a distance lie in its intervals, and both margins.

    Each option has turns of its own; their distances may touch.

    Args:
        question: The question; each of its options names an arc and a span.
        turn_deg: The turn, right positive.
        distance_m: The distance.
        notes: Filled in.
        namesakes: Turn, distance and name of things that the question's words name as well.
        off: How far off the turn, in degrees, and the distance, in metres, may be; both add to the margins.
    """
    pairs = dict(options_said(question, notes, turn_and_distance, "turn and distance"))
    for letter, (arc, span) in pairs.items():
        said = f"the turn is {turn_deg:.1f} deg, then {distance_m:.2f} m"
        holds = arc.margin_deg(turn_deg) >= 0 and span.margin_share(distance_m) >= 0
        for turn, distance, name in namesakes if letter != question.answer else ():
            if arc.margin_deg(turn) >= 0 and span.margin_share(distance) >= 0:
                holds, said = True, f"there is {name}, of the same name"
        notes.option(letter, holds, said)
    _check_own_turns([arc for arc, _ in pairs.values()], notes)
    arcs = list(dict.fromkeys(arc for arc, _ in pairs.values()))
    spans = list(dict.fromkeys(span for _, span in pairs.values()))
    _note_turn_margin(question, arcs, turn_deg, off[0], notes)
    _check_turns_apart(arcs, notes)
    span = max(spans, key=lambda span: span.margin_share(distance_m), default=Span(0.0, 1.0))
    inside = span.margin_share(distance_m) if spans else 0.0
    least = 0.0
    if not question.as_paper:
        least = DISTANCE_MARGIN_SHARE + off[1] / (span.high_m - span.low_m)
    words = f"{distance_m:.2f} m to the end of its interval"
    notes.margins.append(Margin("distance_edge", inside, least, "of it", words))


def _note_turn_margin(
    question: Question, arcs: list[Arc], turn_deg: float, off_deg: float, notes: Derived
) -> None:
    inside = max((arc.margin_deg(turn_deg) for arc in arcs), default=0.0)
    words = f"turn {turn_deg:.1f} to the end of its interval"
    # The paper states no margin.
    least = 0.0 if question.as_paper else TURN_MARGIN_DEG + off_deg
    notes.margins.append(Margin("turn_edge", inside, least, "deg", words))


def _check_own_turns(arcs: list[Arc], notes: Derived) -> None:
    """Refuse options of the same turns, where distances may touch."""
    if len({*arcs}) < len(arcs):
        notes.refuse("margin", "intervals_touch", "two options differ by their distances alone")


def _check_turns_apart(arcs: list[Arc], notes: Derived) -> None:
    """Refuse turns with less than a bin between them: their difference is a minor one."""
    for one, other in combinations(arcs, 2):
        gap = one.gap_deg(other)
        if gap < TURN_GAP_DEG - 1e-6:
            notes.refuse(
                "margin",
                "intervals_touch",
                f"{one.low_deg:g} to {one.high_deg:g} and {other.low_deg:g} to {other.high_deg:g}"
                f" degrees lie {gap:g} degrees apart, at least {TURN_GAP_DEG:g} are needed",
                gap,
                TURN_GAP_DEG,
            )
