"""When the wearer sees a thing, and whether they look at it or touch it, from the source tables."""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from expectations.derivations.facts import fact_end_s
from expectations.derivations.geometry import distance_to_box_m, ray_distance_m
from expectations.derivations.places import centre_at, gaze_rays, object_at
from expectations.gates.base import (
    CannotTell,
    Derived,
    Finding,
    Hidden,
    Question,
    Sight,
    finite,
)
from expectations.gates.statements import Name, Number, Statement
from expectations.gates.tables import EvidenceTables

READS: dict[str, tuple[str, ...]] = {
    "boxes": ("box_id", "recording_id", "object_id", "t_s", "visibility"),
    "gaze_rays": ("recording_id", "t_s", "yaw_rad", "pitch_rad"),
    "hand_joints": ("recording_id", "t_s", "x", "y", "z"),
}
# A thing asked for is out of view for so long before the end of the clip.
UNSEEN_S = 0.5
_LAST_FRAME_S = 0.2
_SEEN_TOLERANCE_S = 0.1
_EVENTS = ("fixation", "contact")
_AHEAD_TOLERANCE_S = 0.1
_VISIBLE_SHARE = 0.1
_FRAMES_VISIBLE = 3
_FIXATION_S = 0.3
_GAZE_SLACK_DEG = 3.0
# Joints are wrists or palms; the hand reaches further than its joint.
_REACH_M = 0.6
# Explanations tell seconds with one decimal.
_ROUNDED_S = 0.05


def note_out_of_view(
    object_id: str,
    given: EvidenceTables,
    notes: Derived,
    recording_id: str,
    clip: tuple[float, float],
) -> None:
    """Note that a thing must be seen in a clip, and that it must be out of view at its end.

    Args:
        object_id: The thing.
        given: The tables.
        notes: Filled in.
        recording_id: Recording that shows it.
        clip: Start and end of the clip.
    """
    start, end = clip
    notes.sights.append(
        Sight("query", ((end, end),), _LAST_FRAME_S, "the moment directions are told from")
    )
    spans = visible_spans(object_id, given, recording_id)
    early = tuple(
        (max(a, start), min(b, end - UNSEEN_S))
        for a, b in spans
        if b >= start and a <= end - UNSEEN_S
    )
    notes.sights.append(Sight("query", early, _SEEN_TOLERANCE_S, "the goal"))
    facts = given.rows("spatial_facts", recording_id=recording_id, object_id=object_id)
    # Where no boxes tell, a thing that projects just beside the picture may be in it.
    near = [(float(f["t_s"]), fact_end_s(f)) for f in facts if f["operator"] == "near_view"]
    late = [(a, b) for a, b in (*spans, *near) if a <= end and b > end - UNSEEN_S + 0.02]
    if late:
        notes.findings.append(
            Finding(
                "leak",
                "goal_in_last_frame",
                f"the goal is in view from {late[0][0]:.2f} to {late[0][1]:.2f} s, the clip ends at"
                f" {end:.2f} s",
            )
        )


def event_ahead(
    object_id: str,
    facts: list[dict[str, Any]],
    given: EvidenceTables,
    notes: Derived,
    recording_id: str,
    end_s: float,
    ahead_s: float,
) -> dict[str, Any] | None:
    """Return the stored fact that the wearer looks at or touches a thing some time after a clip's end.

    Its time is noted where it is another, and the event where gaze or hands do not show it; what
    comes then must not be shown.

    Args:
        object_id: The thing.
        facts: Stored facts that the evidence of the question names.
        given: The tables.
        notes: Filled in.
        recording_id: Recording of the wearer.
        end_s: End of the clip.
        ahead_s: Seconds from there to the event.

    Returns:
        The event; None where there is none, which is noted.
    """
    events = [f for f in facts if f["operator"] in _EVENTS]
    if not events:
        later = given.rows("spatial_facts", recording_id=recording_id, object_id=object_id)
        events = [f for f in later if f["operator"] in _EVENTS and f["t_s"] > end_s]
    if not events:
        notes.refuse("consistent", "no_event", "nobody looks at or touches the goal afterwards")
        return None
    event = min(events, key=lambda f: abs(f["t_s"] - end_s - ahead_s))
    at, what = float(event["t_s"]), str(event["operator"])
    notes.hidden.append(
        Hidden(recording_id, at - 0.5, math.inf, "future_shown", f"the {what} to come")
    )
    if abs(at - end_s - ahead_s) > _AHEAD_TOLERANCE_S:
        notes.refuse(
            "consistent",
            "shifted_time",
            f"the clip ends {at - end_s:.2f} s before the {what}, {ahead_s:g} s is asked",
            at - end_s,
            ahead_s,
        )
    measured = is_gazed_at if what == "fixation" else is_touched
    try:
        supported = measured(object_id, given, recording_id, at)
    except CannotTell:
        return event  # the recording has no gaze or hands to hold it against
    if not supported:
        notes.refuse(
            "consistent", "event_not_in_source", f"no {what} of the goal is measured at {at:.2f} s"
        )
    return event


def visible_spans(
    object_id: str, given: EvidenceTables, recording_id: str
) -> list[tuple[float, float]]:
    """Return start and end, in seconds, of the spans in which a thing's 2D box is visible.

    Stored facts tell them where it has no boxes.

    Args:
        object_id: The thing.
        given: The tables.
        recording_id: Recording that shows it.
    """
    boxes = (
        given.part("boxes", recording_id=recording_id, object_id=object_id).drop_nulls("t_s")
        if given.has("boxes")
        else pl.DataFrame()
    )
    if not boxes.is_empty():
        # Boxes that are all hidden tell that it is never in view.
        shown = boxes.filter(pl.col("visibility").fill_null(1.0) >= _VISIBLE_SHARE - 1e-6)
        times = shown["t_s"].sort().to_list()
        gap = _usual_gap(given, recording_id)
        spans: list[list[float]] = []
        counts: list[int] = []
        for t in times:
            if spans and t - spans[-1][1] <= 1.5 * gap:
                spans[-1][1] = t
                counts[-1] += 1
            else:
                spans.append([t, t])
                counts.append(1)
        return [(a, b) for (a, b), n in zip(spans, counts, strict=True) if n >= _FRAMES_VISIBLE]
    facts = given.rows("spatial_facts", recording_id=recording_id, object_id=object_id)
    return [(float(f["t_s"]), fact_end_s(f)) for f in facts if f["operator"] == "visible"]


def note_last_sight(
    question: Question,
    object_id: str,
    name: Name,
    given: EvidenceTables,
    notes: Derived,
    recording_id: str,
    end_s: float,
) -> None:
    """Note that an explanation tells when a thing was in view last.

    Args:
        question: The question; evidence with the role `seen` is about it.
        object_id: The thing.
        name: Its name in the text.
        given: The tables.
        notes: Filled in.
        recording_id: Recording that shows it.
        end_s: End of the clip.
    """
    spans = visible_spans(object_id, given, recording_id)
    last = max((b for a, b in spans if a <= end_s), default=None)
    if last is not None:
        notes.statements.append(
            Statement(
                "last sight of the goal",
                ("The {goal} was last in view {time} s before the last frame.",),
                {"goal": name, "time": Number(end_s - last, _ROUNDED_S)},
                tuple(f"{e['table']}:{e['key']}" for e in question.evidence if e["role"] == "seen"),
            )
        )


def is_gazed_at(object_id: str, given: EvidenceTables, recording_id: str, at: float) -> bool:
    """Return whether half of the gaze rays of a fixation's first 0.3 s come near a thing's box.

    Args:
        object_id: The thing.
        given: The tables.
        recording_id: Recording of the gaze.
        at: Start of the fixation in seconds.

    Raises:
        CannotTell: There is no gaze then, or the thing has no pose.
    """
    near = 0
    rays = gaze_rays(recording_id, at - 0.02, at + _FIXATION_S, given)
    for t_s, origin, direction in rays:
        row = object_at(recording_id, object_id, t_s, given)
        if ray_distance_m(origin, direction, row) is not None:
            near += 1
            continue
        to = centre_at(recording_id, object_id, t_s, given) - origin
        away = math.degrees(
            math.acos(max(-1.0, min(1.0, float(to @ direction) / max(float(to @ to) ** 0.5, 1e-9))))
        )
        near += away <= _GAZE_SLACK_DEG
    return 2 * near >= len(rays)


def is_touched(object_id: str, given: EvidenceTables, recording_id: str, at: float) -> bool:
    """Return whether a joint of a hand comes within reach of a thing's box.

    Args:
        object_id: The thing.
        given: The tables.
        recording_id: Recording of the hands.
        at: Start of the contact in seconds.

    Raises:
        CannotTell: No hand is measured then, or the thing has no pose.
    """
    joints = given.part("hand_joints", recording_id=recording_id).filter(
        pl.col("t_s").is_between(at - 0.5, at + 1.0)
    )
    if joints.is_empty():
        raise CannotTell("no hand is measured then")
    row = object_at(recording_id, object_id, at, given)
    points = joints.select("x", "y", "z").to_numpy()
    return any(distance_to_box_m(p, row) <= _REACH_M for p in points)


def _usual_gap(given: EvidenceTables, recording_id: str) -> float:
    """Seconds between pictures in which things were boxed."""
    memo: dict[str, float] = given.memo.setdefault("usual_gap", {})
    if recording_id not in memo:
        stamps = given.part("boxes", recording_id=recording_id)["t_s"].drop_nulls().unique().sort()
        gap = stamps.diff().drop_nulls().median()
        memo[recording_id] = float(gap) if finite(gap) else 0.1  # type: ignore[arg-type]
    return memo[recording_id]
