"""What the wearer is about to take or to put down, and where that is, from the source tables.

Of the stored facts only the identity of the thing, the time of the event and when a place was in view
are read; that the thing rests, moves and comes to rest is measured here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from expectations.derivations import attention, directions, facts, places
from expectations.derivations.clips import check_length_between
from expectations.derivations.directions import Direction
from expectations.derivations.facts import SAME_BEARING_DEG, SAME_DISTANCE_M, fact_end_s
from expectations.derivations.geometry import Pose, Vector, axis_from_vertical_deg, bearing_deg
from expectations.derivations.places import camera_at, centre_at
from expectations.derivations.reads import merge_reads
from expectations.derivations.things import phrase_in, thing_asked, thing_names
from expectations.gates.base import CannotTell, Derived, Hidden, Margin, Question, Sight, span_of
from expectations.gates.statements import Choice, Name, Number, Slot, Statement
from expectations.gates.tables import EvidenceTables

READS = merge_reads(places.READS, attention.READS, facts.READS)
_AHEAD_S, _AHEAD_TOLERANCE_S = 1.0, 0.1
_SHORTEST_S, _LONGEST_S = 4.0, 8.0
_VERTICAL_DEG = 20.0
_TAKEN_M = 0.05
_WAY_M = 0.3
# A thing at rest: poses are measured to a millimetre or two.
_STILL_M = 0.02
_SETTLED_S = 0.4
# A hand may hold a thing at its place for a while before the narrated instant.
_NARRATED_S = 1.0
_WIDEST_DEG = 75.0
_SEEN_TOLERANCE_S = 0.1
_LAST_FRAME_S = 0.2
_ROUNDED_S = 0.05
_SIDES = ("to the left of", "to the right of")
_OPERATORS = {"afford": ("bearing", "distance"), "place": ("displacement_bearing", "displacement")}


@dataclass(frozen=True, slots=True)
class Use:
    """A thing that is about to be taken (`afford`) or put down (`place`).

    Attributes:
        kind: `afford` or `place`.
        direction: Where it is from the camera, or where it goes to from where it is.
        event: Fact that it is taken or put down; None where there is none.
    """

    kind: str
    direction: Direction
    event: dict[str, Any] | None


def use_asked(question: Question, given: EvidenceTables, notes: Derived) -> Use:
    """Return what a question asks about, and note what must be seen, hidden and named for it.

    Args:
        question: The question.
        given: The tables.
        notes: Filled in.

    Raises:
        CannotTell: The text tells neither kind, or a pose is not known.
    """
    recording = str(question.query["recording_id"])
    start, end = clip = span_of(question.query)
    if given.recording(recording)["view"] != "ego":
        notes.refuse("consistent", "swapped_view", f"{recording} is not a wearer's camera")
    check_length_between(notes, clip, _SHORTEST_S, _LONGEST_S)
    kind = _kind_asked(question.text)
    named = facts.facts_in_evidence(question, given)
    goal = thing_asked(question, named, given, notes, recording)
    event = _event(kind, goal, named, given, notes, recording, end)
    camera = camera_at(recording, end, given)
    vertical = axis_from_vertical_deg(camera)
    if vertical < _VERTICAL_DEG:
        words = "camera axis to the vertical"
        notes.margins.append(Margin("axis_vertical", vertical, _VERTICAL_DEG, "deg", words))
    now = centre_at(recording, goal, end, given)
    off = places.off_m(recording, goal, end, given)
    if kind == "afford":
        origin, target = camera.shift, now
        if event is not None:
            _check_taken(question, goal, event, given, notes, recording, end)
    else:
        if event is None:
            raise CannotTell("nothing says where the thing is put")
        origin = now
        target, rest_off = _check_placed(goal, event, given, notes, recording)
        off = math.hypot(off, rest_off)
        way = math.dist(now, target)
        if not question.as_paper:
            words = f"{way:.2f} m from where it is to where it is put"
            notes.margins.append(Margin("way_left", way, _WAY_M, "m", words))
        _note_place_seen(event, target, clip, given, notes, recording)
    direction = Direction(
        recording,
        goal,
        end,
        bearing_deg(Pose(camera.turn, origin), target),
        math.dist(origin, target),
        places.off_deg(off, target - origin),
        off,
    )
    facts.rest_on_direction(
        goal, recording, end, direction.bearing_deg, direction.distance_m, given, notes,
        _OPERATORS[kind],
    )  # fmt: skip
    facts.rest_on_sight(goal, recording, start, end, given, notes)
    notes.sights.append(
        Sight("query", ((end, end),), _LAST_FRAME_S, "the moment directions are told from")
    )
    seen = attention.visible_spans(goal, given, recording)
    inside = tuple((max(a, start), min(b, end)) for a, b in seen if b >= start and a <= end)
    notes.sights.append(Sight("query", inside, _SEEN_TOLERANCE_S, "the thing"))
    return Use(kind, direction, event)


def note_wording(
    question: Question,
    use: Use,
    asks: dict[str, str],
    explained: dict[str, str],
    slots: dict[str, Slot],
    given: EvidenceTables,
    notes: Derived,
) -> None:
    """Note what the text must ask and what an explanation may say.

    Args:
        question: The question.
        use: What it asks about.
        asks: The question of each kind, with `goal`.
        explained: Sentence about direction and distance of each kind.
        slots: What may stand in that sentence beside `goal`, `bearing`, `side` and `distance`.
        given: The tables.
        notes: Filled in.
    """
    there = use.direction
    names = thing_names(there.thing, given, there.recording)
    name = Name((" ".join(phrase_in(question.text, names)),))
    notes.asks.append(
        Statement("question", (asks[use.kind],), {"goal": name}, (f"objects_3d:{there.thing}",))
    )
    bearing = there.bearing_deg
    sides = [side for side, sign in zip(_SIDES, (-1, 1), strict=True) if sign * bearing >= 0]
    if min(abs(bearing), 180.0 - abs(bearing)) <= SAME_BEARING_DEG:
        sides = list(_SIDES)
    keys = {e["role"]: f"{e['table']}:{e['key']}" for e in question.evidence}
    said: dict[str, Slot] = {
        "goal": name,
        "bearing": Number(abs(bearing), 0.5 + SAME_BEARING_DEG),
        "side": Choice(tuple(sides), _SIDES),
        "distance": Number(there.distance_m, 0.05 + SAME_DISTANCE_M),
        **slots,
    }
    rows = tuple(keys[role] for role in ("answer", "distance") if role in keys)
    notes.statements.append(Statement("direction", (explained[use.kind],), said, rows))
    if use.event is not None:
        verbs = {"afford": "takes it", "place": "puts it down"}
        notes.statements.append(
            Statement(
                "event",
                ("{time} s later the person {verb}.",),
                {
                    "time": Number(use.event["t_s"] - there.at_s, _ROUNDED_S),
                    "verb": Choice((verbs[use.kind],), tuple(verbs.values())),
                },
                (f"spatial_facts:{use.event['fact_id']}",),
            )
        )


def namesake_directions(
    question: Question, use: Use, given: EvidenceTables
) -> list[tuple[float, float, str]]:
    """Return bearing, distance and name of things that the words of a question name as well.

    Args:
        question: The question.
        use: What it asks about; what is put down is in the hand, whatever else has its name.
        given: The tables.
    """
    if use.kind != "afford":
        return []
    return directions.namesake_directions(question, use.direction, given)


def _kind_asked(text: str) -> str:
    if "about to put" in text:
        return "place"
    if "about to take" in text:
        return "afford"
    raise CannotTell("the text tells neither that a thing is taken nor that it is put down")


def _event(
    kind: str,
    goal: str,
    named: list[dict[str, Any]],
    given: EvidenceTables,
    notes: Derived,
    recording: str,
    end: float,
) -> dict[str, Any] | None:
    """The stored fact of the kind, one second after the clip; what is not so is noted."""
    events = [f for f in named if f["operator"] == kind and str(f["object_id"]) == goal]
    if not events:
        later = given.rows("spatial_facts", recording_id=recording, object_id=goal)
        events = [f for f in later if f["operator"] == kind and f["t_s"] > end]
    if not events:
        notes.refuse("consistent", "no_event", f"the thing is not used so ({kind}) after the clip")
        return None
    event = min(events, key=lambda f: abs(f["t_s"] - end - _AHEAD_S))
    notes.rests_on("event", "spatial_facts", [event["fact_id"]])
    ahead = float(event["t_s"]) - end
    notes.hidden.append(
        Hidden(recording, event["t_s"] - 0.5, math.inf, "future_shown", "what is to come")
    )
    if abs(ahead - _AHEAD_S) > _AHEAD_TOLERANCE_S:
        notes.refuse(
            "consistent",
            "shifted_time",
            f"the clip ends {ahead:.2f} s before the hand is there, {_AHEAD_S:g} s is asked",
            ahead,
            _AHEAD_S,
        )
    return event


def _check_taken(
    question: Question,
    goal: str,
    event: dict[str, Any],
    given: EvidenceTables,
    notes: Derived,
    recording: str,
    end: float,
) -> None:
    """A thing that is taken rests when the clip ends, is in reach of a hand then, and moves away."""
    now = centre_at(recording, goal, end, given)
    before = centre_at(recording, goal, max(end - _SETTLED_S, 0.0), given)
    if math.dist(before, now) > _STILL_M:
        notes.refuse(
            "consistent", "already_moving", "the thing moves before the clip ends: it is in a hand"
        )
    at = float(event["t_s"])
    try:
        touched = attention.is_touched(goal, given, recording, at)
    except CannotTell:
        touched = True  # nothing to hold it against
    last = fact_end_s(event)
    times = np.linspace(at, last, 2 + int(min(last - at, 30.0) * 5))
    moved = max(math.dist(_centre_near(recording, goal, t, given, now), now) for t in times)
    if not touched or (moved < _TAKEN_M and not question.as_paper):
        notes.refuse(
            "consistent",
            "event_not_in_source",
            f"no hand takes the thing at {at:.2f} s: it is moved by {moved:.2f} m",
        )


def _check_placed(
    goal: str, event: dict[str, Any], given: EvidenceTables, notes: Derived, recording: str
) -> tuple[Vector, float]:
    """Where a thing that is put down rests, and how far off that may be; that it comes to rest is noted."""
    at, last = float(event["t_s"]), fact_end_s(event)
    rest = centre_at(recording, goal, (at + last) / 2, given)
    begun = centre_at(recording, goal, at + 0.1, given)
    settled = _SETTLED_S if places.is_annotated(recording, given) else _NARRATED_S
    before = centre_at(recording, goal, max(at - settled, 0.0), given)
    if math.dist(begun, rest) > 2 * _STILL_M or math.dist(before, rest) <= _STILL_M:
        notes.refuse(
            "consistent", "event_not_in_source", f"the thing does not come to rest at {at:.2f} s"
        )
    return rest, places.off_m(recording, goal, (at + last) / 2, given)


def _note_place_seen(
    event: dict[str, Any],
    place: Vector,
    clip: tuple[float, float],
    given: EvidenceTables,
    notes: Derived,
    recording: str,
) -> None:
    """The place must be in a frame; a stored span in which the camera looks elsewhere is noted."""
    start, end = clip
    mine = [
        f
        for f in given.rows("spatial_facts", recording_id=recording, object_id=event["object_id"])
        if f["operator"] == "place_visible"
        and f["t_s"] <= end
        and fact_end_s(f) >= start
        and f["fact_id"].endswith(f"|{round(event['t_s'] * 1000)}")
    ]
    notes.rests_on("place", "spatial_facts", [f["fact_id"] for f in mine], "one")
    spans = []
    for fact in mine:
        low, high = max(float(fact["t_s"]), start), min(fact_end_s(fact), end)
        camera = camera_at(recording, (low + high) / 2, given)
        to = place - camera.shift
        cosine = float(to @ camera.turn[:, 2]) / max(float(np.linalg.norm(to)), 1e-9)
        away = math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
        if away > _WIDEST_DEG:
            notes.refuse(
                "consistent",
                "place_not_in_view",
                f"spatial_facts:{fact['fact_id']} says that the place is in the picture; it lies"
                f" {away:.0f} degrees from where the camera looks",
                away,
                _WIDEST_DEG,
            )
        spans.append((low, high))
    notes.sights.append(Sight("query", tuple(spans), _SEEN_TOLERANCE_S, "the place"))


def _centre_near(
    recording: str, goal: str, t_s: float, given: EvidenceTables, otherwise: Vector
) -> Vector:
    try:
        return centre_at(recording, goal, t_s, given)
    except CannotTell:
        return otherwise
