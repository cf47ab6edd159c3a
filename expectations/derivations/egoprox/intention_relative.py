"""Right option of intention (relative): the sector of the goal's bearing when the clip ends (P9).

Camera pose, goal and gaze are composed here from the source tables; of the stored facts only the
identity of the goal and the time of the event are read, and both are held against the sources.
"""

from __future__ import annotations

import math
from typing import Any

from expectations.derivations.attention import fact_end_s, is_gazed_at, is_touched, visible_spans
from expectations.derivations.geometry import axis_from_vertical_deg, bearing_deg, sector_and_margin
from expectations.derivations.places import camera_at, centre_at
from expectations.derivations.things import namesakes, phrase_in, thing_asked, thing_names
from expectations.derivations.wording import options_said
from expectations.gates.base import (
    CannotTell,
    Derivation,
    Derived,
    Finding,
    Hidden,
    Margin,
    Question,
    Sight,
    span_of,
)
from expectations.gates.statements import Choice, Meaning, Name, Number, Slot, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import (
    SECTORS,
    sector_of,
)

_AHEAD_S = 1.0
_AHEAD_TOLERANCE_S = 0.1
_SHORTEST_S, _LONGEST_S = 4.0, 8.0
_MARGIN_DEG = 7.5
_VERTICAL_DEG = 20.0
_UNSEEN_S = 0.5
_LAST_FRAME_S = 0.2
_SEEN_TOLERANCE_S = 0.1
_EVENTS = ("fixation", "contact")
# Stored facts are measured apart from this module; they may differ by rounding only.
_SAME_BEARING_DEG = 0.5
_SAME_DISTANCE_M = 0.02
_SAME_INSTANT_S = 0.01
# Explanations tell degrees whole, metres and seconds with one decimal.
_ROUNDED_DEG = 0.5 + _SAME_BEARING_DEG
_ROUNDED_M = 0.05 + _SAME_DISTANCE_M
_ROUNDED_S = 0.05
_SIDES = ("to the left of", "to the right of")
_VERBS = {"fixation": "looks at", "contact": "touches"}


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    query = question.query
    recording = str(query["recording_id"])
    start, end = span_of(query)
    if given.recording(recording)["view"] != "ego":
        notes.refuse("consistent", "swapped_view", f"{recording} is no wearer's camera")
    if not _SHORTEST_S - 0.05 <= end - start <= _LONGEST_S + 0.05:
        notes.refuse(
            "consistent",
            "clip_length",
            f"the clip lasts {end - start:.2f} s, 4 to 8 s are asked",
            end - start,
        )
    facts = [
        row
        for key in question.keys_of("spatial_facts")
        for row in given.rows("spatial_facts", fact_id=key)
        if row["recording_id"] == recording
    ]
    goal = thing_asked(question, facts, given, notes, recording)
    # In the paper the goal is only seen before; nobody needs to look at it afterwards.
    event = None if question.as_paper else _check_event(goal, facts, given, notes, recording, end)
    _note_sights(goal, given, notes, recording, start, end)
    camera = camera_at(recording, end, given)
    if axis_from_vertical_deg(camera) < _VERTICAL_DEG:
        notes.margins.append(
            Margin(
                "axis_vertical",
                axis_from_vertical_deg(camera),
                _VERTICAL_DEG,
                "deg",
                "camera axis to the vertical",
            )
        )
    bearing = bearing_deg(camera, centre_at(recording, goal, end, given))
    sector, margin = sector_and_margin(bearing)
    least = 0.0 if question.as_paper else _MARGIN_DEG
    notes.margins.append(
        Margin("sector_border", margin, least, "deg", f"bearing {bearing:.1f} to its border")
    )
    centre = centre_at(recording, goal, end, given)
    distance = math.dist(camera.shift, centre)
    _rest_on(goal, event, (start, end), bearing, distance, given, notes, recording)
    _explain(question, goal, event, bearing, distance, given, notes)
    twins = _twin_sectors(question, goal, given, recording, end)
    _judge_options(question, notes, sector, bearing, twins)


def _rest_on(
    goal: str,
    event: dict[str, Any] | None,
    clip: tuple[float, float],
    bearing: float,
    distance: float,
    given: EvidenceTables,
    notes: Derived,
    recording: str,
) -> None:
    """Note the facts the evidence may name, and stored ones that differ from what is measured here."""
    start, end = clip
    facts = given.rows("spatial_facts", recording_id=recording, object_id=goal)
    now = [f for f in facts if abs(f["t_s"] - end) <= _SAME_INSTANT_S]
    if event is not None:
        notes.rests_on("event", "spatial_facts", [event["fact_id"]])
    bearings = [f for f in now if f["operator"] == "bearing" and f["plane"] == "ground"]
    notes.rests_on("answer", "spatial_facts", [f["fact_id"] for f in bearings], "one")
    distances = [f for f in now if f["operator"] == "distance"]
    notes.rests_on("distance", "spatial_facts", [f["fact_id"] for f in distances], "none")
    seen = [
        f["fact_id"]
        for f in facts
        if f["operator"] == "visible" and f["t_s"] <= end - _UNSEEN_S and fact_end_s(f) >= start
    ]
    notes.rests_on("seen", "spatial_facts", seen, "one")
    for fact in (*bearings, *distances):
        measured, within = (
            (bearing, _SAME_BEARING_DEG)
            if fact["operator"] == "bearing"
            else (distance, _SAME_DISTANCE_M)
        )
        value = fact["value"]
        apart = math.inf if value is None else abs(value - measured)
        if fact["operator"] == "bearing":
            apart = min(apart, abs(360.0 - apart))
        if apart > within:
            notes.refuse(
                "consistent",
                "fact_differs",
                f"spatial_facts:{fact['fact_id']} holds {value}, the poses give {measured:.2f}",
                apart,
                within,
            )


def _explain(
    question: Question,
    goal: str,
    event: dict[str, Any] | None,
    bearing: float,
    distance: float,
    given: EvidenceTables,
    notes: Derived,
) -> None:
    """An explanation tells when the goal was last seen, where it is, and what happens next."""
    recording = str(question.query["recording_id"])
    end = span_of(question.query)[1]
    phrase = phrase_in(question.text, thing_names(goal, given, recording))
    rows = {e["role"]: f"{e['table']}:{e['key']}" for e in question.evidence}
    seen = tuple(f"{e['table']}:{e['key']}" for e in question.evidence if e["role"] == "seen")
    last = max((b for a, b in visible_spans(goal, given, recording) if a <= end), default=None)
    name = Name((" ".join(phrase),))
    notes.asks.append(
        Statement(
            "question",
            (
                "Seen from above and relative to the person's viewpoint in the last frame, in which"
                " direction does the person need to look to see the {goal}?",
            ),
            {"goal": name},
            (f"objects_3d:{goal}",),
        )
    )
    if last is not None:
        notes.statements.append(
            Statement(
                "last sight of the goal",
                ("The {goal} was last in view {time} s before the last frame.",),
                {"goal": name, "time": Number(end - last, _ROUNDED_S)},
                seen,
            )
        )
    sides = [side for side, sign in zip(_SIDES, (-1, 1), strict=True) if sign * bearing >= 0]
    if min(abs(bearing), 180.0 - abs(bearing)) <= _SAME_BEARING_DEG:
        sides = list(_SIDES)
    slots: dict[str, Slot] = {
        "bearing": Number(abs(bearing), _ROUNDED_DEG),
        "side": Choice(tuple(sides), _SIDES),
        "distance": Number(distance, _ROUNDED_M),
        "direction": Meaning(
            sector_and_margin(bearing)[0], sector_of, SECTORS[sector_and_margin(bearing)[0]]
        ),
    }
    notes.statements.append(
        Statement(
            "bearing of the goal",
            (
                "In the last frame its bearing on the ground plane is {bearing} degrees {side} the"
                " camera's forward axis[, at {distance} m]: {direction}.",
            ),
            slots,
            tuple(rows[r] for r in ("answer", "distance") if r in rows),
        )
    )
    if event is not None:
        operator = str(event["operator"])
        notes.statements.append(
            Statement(
                "event",
                ("{time} s later the person {verb} it.",),
                {
                    "time": Number(event["t_s"] - end, _ROUNDED_S),
                    "verb": Choice((_VERBS[operator],), tuple(_VERBS.values())),
                },
                (f"spatial_facts:{event['fact_id']}",),
            )
        )


def _judge_options(
    question: Question, notes: Derived, sector: int, bearing: float, twins: dict[int, str]
) -> None:
    neighbours = 0
    for letter, said in options_said(question, notes, sector_of, "direction"):
        neighbours += (said - sector) % 8 in (1, 7)
        if said == sector:
            notes.option(letter, True, f"the bearing is {bearing:.1f} deg, {SECTORS[sector]}")
        elif letter != question.answer and said in twins:
            notes.option(letter, True, f"there is {twins[said]}, of the same name")
        else:
            notes.option(letter, False, f"the bearing is {bearing:.1f} deg, {SECTORS[sector]}")
    if neighbours > 1:
        notes.refuse(
            "margin",
            "neighbours",
            f"{neighbours} options lie beside the right one, one may",
            neighbours,
            1,
        )


def _twin_sectors(
    question: Question, goal: str, given: EvidenceTables, recording: str, t_s: float
) -> dict[int, str]:
    """Sectors in which another thing lies that the question's words name as well."""
    camera = camera_at(recording, t_s, given)
    sectors: dict[int, str] = {}
    for other, name in namesakes(question.text, goal, given, recording):
        try:
            there = centre_at(recording, other, t_s, given)
        except CannotTell:
            continue
        sectors[sector_and_margin(bearing_deg(camera, there))[0]] = f"{name} ({other})"
    return sectors


def _check_event(
    goal: str,
    facts: list[dict[str, Any]],
    given: EvidenceTables,
    notes: Derived,
    recording: str,
    end: float,
) -> dict[str, Any] | None:
    """The clip ends 1 s before the wearer looks at or touches the goal: the event, if there is one."""
    events = [f for f in facts if f["operator"] in _EVENTS]
    if not events:
        later = given.rows("spatial_facts", recording_id=recording, object_id=goal)
        events = [f for f in later if f["operator"] in _EVENTS and f["t_s"] > end]
    if not events:
        notes.refuse("consistent", "no_event", "nobody looks at or touches the goal afterwards")
        return None
    event = min(events, key=lambda f: abs(f["t_s"] - end - _AHEAD_S))
    at = float(event["t_s"])
    notes.hidden.append(
        Hidden(recording, at - 0.5, math.inf, "future_shown", f"the {event['operator']} to come")
    )
    if abs(at - end - _AHEAD_S) > _AHEAD_TOLERANCE_S:
        notes.refuse(
            "consistent",
            "shifted_time",
            f"the clip ends {at - end:.2f} s before the {event['operator']}, 1 s is asked",
            at - end,
            _AHEAD_S,
        )
    try:
        supported = (is_gazed_at if event["operator"] == "fixation" else is_touched)(
            goal, given, recording, at
        )
    except CannotTell:
        return event  # the recording has no gaze or hands to hold it against
    if not supported:
        notes.refuse(
            "consistent",
            "event_not_in_source",
            f"no {event['operator']} of the goal is measured at {at:.2f} s",
        )
    return event


def _note_sights(
    goal: str, given: EvidenceTables, notes: Derived, recording: str, start: float, end: float
) -> None:
    """The goal is seen earlier in the clip and is out of view at its end."""
    notes.sights.append(
        Sight("query", ((end, end),), _LAST_FRAME_S, "the moment directions are told from")
    )
    spans = visible_spans(goal, given, recording)
    early = tuple(
        (max(a, start), min(b, end - _UNSEEN_S))
        for a, b in spans
        if b >= start and a <= end - _UNSEEN_S
    )
    notes.sights.append(Sight("query", early, _SEEN_TOLERANCE_S, "the goal"))
    late = [(a, b) for a, b in spans if a <= end and b > end - _UNSEEN_S + 0.02]
    if late:
        notes.findings.append(
            Finding(
                "leak",
                "goal_in_last_frame",
                f"the goal is in view from {late[0][0]:.2f} to {late[0][1]:.2f} s, the clip ends at"
                f" {end:.2f} s",
            )
        )


_POSE = ("tx", "ty", "tz", "qw", "qx", "qy", "qz")
DERIVATION = Derivation(
    benchmark="egoprox",
    subtasks=("intention_relative",),
    reads={
        "camera_poses": ("recording_id", "of", "t_s", *_POSE),
        "cameras": ("recording_id", "sensor", *_POSE),
        "calibrations": ("recording_id", *_POSE),
        "objects_3d": (
            "recording_id",
            "object_id",
            "pose",
            "t_s",
            "name",
            "category",
            *_POSE,
            *(f"{a}_{e}_m" for a in "xyz" for e in ("min", "max")),
        ),
        "boxes": ("box_id", "recording_id", "object_id", "t_s", "visibility"),
        "gaze_rays": ("recording_id", "t_s", "yaw_rad", "pitch_rad"),
        "hand_joints": ("recording_id", "t_s", "x", "y", "z"),
        "spatial_facts": (
            "fact_id",
            "recording_id",
            "operator",
            "object_id",
            "object_name",
            "t_s",
            "end_s",
            "plane",
            "value",
        ),
    },
    derive=_derive,
    recipes=("intention_relative",),
    explained_in=("detailed_answer",),
)
