"""Right option of direction prediction: the view that sees the wearer go where the question says (X7).

A question in people's words is right by what they decided: the view that one of them named and another accepted.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from expectations.derivations.clips import check_views, in_recording
from expectations.derivations.geometry import Pose, Vector
from expectations.derivations.narrated_verbs import (
    LABEL_COLUMNS,
    is_way,
    kinds_of_word,
    verbs_read,
)
from expectations.derivations.places import READS as PLACE_READS
from expectations.derivations.places import camera_at
from expectations.gates.base import (
    CannotTell,
    Derivation,
    Derived,
    Margin,
    Question,
    Sight,
    finite,
    span_of,
)
from expectations.gates.statements import Choice, Each, Exact, Number, Quote, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import tokens

_OPTIONS = 4
_FORM = "In which candidate view does the person who filmed the egocentric video move {direction}?"
# Named directions by their bearing: degrees clockwise from straight away from the camera.
_NAMED: Mapping[str, int] = {
    "straight away from the camera, into the background of the picture": 0,
    "diagonally into the background, towards the right side of the picture": 45,
    "straight towards the right side of the picture": 90,
    "diagonally into the foreground, towards the right side of the picture": 135,
    "straight towards the camera, into the foreground of the picture": 180,
    "diagonally into the foreground, towards the left side of the picture": 225,
    "straight towards the left side of the picture": 270,
    "diagonally into the background, towards the left side of the picture": 315,
}
_SECTOR_HALF_DEG = 22.5
_LEAST_INSIDE_DEG = 7.5
_MOST_OFF_DEG = 30.0
# A diagonal way leads to a side too, but a way straight to a side is not diagonal.
_LEAST_OFF_STRAIGHT_DEG = 67.5
_LEAST_OFF_DIAGONAL_DEG = 45.0
_LEAST_M = 0.5
_MOST_ASTRAY = 0.2
_LEAST_SIZE = 0.1
_STEEPEST_DEG = 60.0
_MOST_ROLL_DEG = 20.0
_LEAST_BORDER = 0.03
_REACH_S = 2.0
_SHORTEST_S = 0.6
_SAME_S = 0.05
_LONGEST_HOLE_S = 0.5
_SLACK_S = 0.1
# The way is followed in steps of this length.
_STEP_S = 0.1
# Who stands in a line of sight: half the width of a body, its height, and how far in front of the wearer.
_HALF_WIDTH_M, _BODY_M, _CROWN_M, _CHEST_M, _APART_M = 0.25, 1.6, 0.15, 0.5, 0.5
_MOST_HIDDEN, _SHARE_ROUNDING = 0.5, 0.1
_TRUNK = ("nose", "left_shoulder", "right_shoulder", "left_hip", "right_hip")
_CLEAR, _UNKNOWN = "sight_clear", "sight_unknown"
_POSE_NEAR_S = 0.25
# Two interpolations of one trajectory differ by less.
_ROUNDING_DEG = 0.25
_ROUNDING = 0.005
_ROUNDED_S = 0.05
_ROUNDED_M = 0.06
# A model that polishes people's words may put these in and leave these out.
_IN_ANY_QUESTION = frozenset(
    (
        *("a", "an", "the", "of", "in", "is", "are", "does", "do", "which", "what", "one", "seen"),
        *("candidate", "view", "views", "show", "shows", "move", "moves", "moving", "movement"),
    )
)


@dataclass(frozen=True, slots=True)
class _Seen:
    """How a fixed camera sees the way: its bearings by middle, start, end and by the picture's axis."""

    letter: str
    uid: str
    bearings: tuple[float, ...]

    def off(self, direction: float) -> list[float]:
        return [abs((b - direction + 180.0) % 360.0 - 180.0) for b in self.bearings]


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.check_option_count(question, _OPTIONS)
    if question.keys_of("review_states"):
        _derive_written(question, given, notes)
        return
    _refuse_decided(question, given, notes)
    named = next((words for words in _NAMED if _FORM.format(direction=words) in question.text), "")
    slots = {"direction": Choice((named,) if named else (), tuple(_NAMED))}
    notes.asks.append(Statement("question", (_FORM,), slots, ()))
    check_views(question, given, notes, "ego", "exo")
    query = question.query
    uid, span = str(query["recording_id"]), span_of(query)
    segment = _check_moment(query, given, notes)
    _check_wearer_goes(segment, given, notes)
    _check_synchronous(question, given, notes)
    way = _way(uid, span, given, notes)
    length = _check_way(way, notes)
    seen = [found for x in question.letters if (found := _seen(question, x, way, given, notes))]
    for role in ("query", *(f"option_{x}" for x in question.letters)):
        medium = question.of_role(role)
        if medium is not None:
            notes.rests_on(role, "clocks", [str(medium["recording_id"])])
            notes.rests_on(role, "cameras", [f"{medium['recording_id']}/rgb"])
            _must_be_seen(role, medium, notes)
    notes.rests_on("query", "segments", [str(query["segment_id"])])
    told = _sight_told(uid, span, given)
    for role in (_CLEAR, _UNKNOWN):
        keys = [str(query["segment_id"])] if role == told else []
        notes.rests_on(role, "segments", keys)
    for letter in question.letters:
        _check_sight(question, letter, way, given, notes)
    if not named:
        for letter in question.letters:
            notes.option(letter, None, "the question names no direction that is known")
        return
    _judge(question, seen, named, notes)
    _explain(question, seen, named, length, notes)


# -- what people decided ---------------------------------------------------------------------------


def _refuse_decided(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """What people decided goes before what poses say."""
    row = given.one("review_states", item_id=question.query["segment_id"], item_kind="direction")
    if row is not None and row["state"] == "standing":
        notes.refuse(
            "consistent",
            "decided_otherwise",
            f"people decided on {row['item_id']} ({row['verdict']}), and the question is not theirs",
        )


def _derive_written(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """A question in people's words: one of them wrote the direction, another accepted it."""
    check_views(question, given, notes, "ego", "exo")
    query = question.query
    segment = _check_moment(query, given, notes)
    _check_synchronous(question, given, notes)
    for role in ("query", *(f"option_{x}" for x in question.letters)):
        medium = question.of_role(role)
        if medium is not None:
            notes.rests_on(role, "clocks", [str(medium["recording_id"])])
            _must_be_seen(role, medium, notes)
    key = str(query["segment_id"])
    notes.rests_on("query", "segments", [key])
    notes.rests_on("query", "review_states", [f"{key}/direction"])
    row = given.one("review_states", item_id=key, item_kind="direction")
    if row is None:
        raise CannotTell(f"nobody decided on {key}")
    if row["state"] != "standing" or row["verdict"] != "accept" or row["value"] is None:
        notes.refuse(
            "consistent",
            "not_accepted",
            f"the decision on {key} is {row['verdict']} and {row['state']}: {row['message'] or ''}",
        )
    said = json.loads(row["value"] or "{}")
    moves, direction, view = (str(said.get(n, "")) for n in ("moves", "direction", "view"))
    words = {"moves": Exact(moves), "direction": Exact(direction)}
    if question.is_written:
        _check_polished(question, moves, direction, notes)
    else:
        form = "In which candidate view does {moves} move {direction}?"
        notes.asks.append(Statement("question", (form,), words, ()))
    for letter in question.letters:
        medium = question.shown_of(letter)
        shown = None if medium is None else str(medium["recording_id"])
        notes.option(letter, shown == view, f"it shows {shown}, people named {view}")
    notes.statements += [
        Statement(
            "the moment",
            ('People watched every view of the moment that is described as "{narration}".',),
            {"narration": Quote((str(segment["narration"]),))},
            (f"segments:{key}",),
        ),
        Statement(
            "the answer",
            ("In candidate view {answer} alone, {moves} moves {direction}.",),
            {"answer": Exact(question.answer), **words},
            (f"review_states:{key}/direction",),
        ),
    ]


def _check_polished(question: Question, moves: str, direction: str, notes: Derived) -> None:
    """A model may change words around what people wrote, and neither what moves nor its direction."""
    text = " ".join(_that_tell(question.text))
    left = f" {text} "
    for rule, what, written in (
        ("another_direction", "the direction", direction),
        ("another_mover", "what moves", moves),
    ):
        words = " ".join(_that_tell(written))
        if f" {words} " not in left:
            notes.refuse(
                "consistent", rule, f"people wrote {what} as {written!r}, it asks {question.text!r}"
            )
        left = left.replace(f" {words} ", "  ", 1)
    if left.strip():
        notes.refuse("consistent", "adds_words", f"nobody wrote {left.split()} of the question")
    if not question.text.rstrip().endswith("?"):
        notes.refuse("consistent", "not_a_question", f"it asks nothing: {question.text!r}")
    if any(letter in question.text.replace(",", " ").split()[1:] for letter in question.letters):
        notes.refuse("leak", "names_a_view", f"the question names a view: {question.text!r}")


def _that_tell(text: str) -> list[str]:
    """Words of a text but those that any question about a view may have."""
    return [word for word in tokens(text) if word not in _IN_ANY_QUESTION]


# -- what is shown ---------------------------------------------------------------------------------


def _check_moment(
    query: Mapping[str, Any], given: EvidenceTables, notes: Derived
) -> Mapping[str, Any]:
    """The query shows a described moment that its view shows, and no other description's."""
    segment = given.segment(query["segment_id"])
    uid, (start, end) = str(query["recording_id"]), span_of(query)
    at = float(segment["start_s"])
    if segment["recording_id"] != uid or not start - _SLACK_S <= at <= end + _SLACK_S:
        notes.refuse(
            "consistent",
            "shifted_time",
            f"the query shows {start:.2f}..{end:.2f} s of {uid}, its description is of {at:.2f} s of"
            f" {segment['recording_id']}",
        )
    elif max(at - start, end - at) > _REACH_S + _SLACK_S:
        notes.refuse(
            "consistent",
            "clip_too_wide",
            f"the query reaches {max(at - start, end - at):.2f} s from its description, at most"
            f" {_REACH_S:g} s are shown",
            max(at - start, end - at),
            _REACH_S,
        )
    _check_neighbours(segment, (start, end), given, notes)
    if segment["ego_visible"] is not True:
        notes.refuse(
            "consistent",
            "not_visible",
            f"annotators did not mark {segment['segment_id']} as visible in the ego view",
        )
    notes.margins.append(
        Margin("clip_length", end - start, _SHORTEST_S, "s", "length of the query")
    )
    return segment


def _check_wearer_goes(segment: Mapping[str, Any], given: EvidenceTables, notes: Derived) -> None:
    """The description is of the wearer and names a direction or a way of going."""
    if segment["actor_id"] != "C":
        notes.refuse(
            "consistent",
            "another_actor",
            f"{segment['segment_id']} is of {segment['actor_id']}, not of the wearer",
        )
    goes = [
        row
        for row in verbs_read(str(segment["segment_id"]), given)
        if row["status"] in (None, "done")
        and row["actor_id"] is None
        and ("go" in kinds_of_word(str(row["lemma"] or "")) or is_way(row["direction"]))
    ]
    if not goes:
        notes.refuse(
            "consistent",
            "no_direction",
            f"the description {segment['narration']!r} names no direction and no way of going",
        )


def _check_neighbours(
    segment: Mapping[str, Any],
    span: tuple[float, float],
    given: EvidenceTables,
    notes: Derived,
) -> None:
    """A clip ends half-way to the descriptions before and after."""
    at = float(segment["start_s"])
    for other in given.rows("segments", recording_id=segment["recording_id"]):
        if other["kind"] != "atomic" or not other["narration"]:
            continue
        half = (at + float(other["start_s"])) / 2
        before = other["start_s"] < at and span[0] < half - _SLACK_S
        after = other["start_s"] > at and span[1] > half + _SLACK_S
        if before or after:
            notes.refuse(
                "consistent",
                "another_description",
                f"the query shows {span[0]:.2f}..{span[1]:.2f} s and reaches into the time of"
                f" {other['segment_id']}",
            )


def _check_synchronous(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """Every view shows the query's time, and is called the same."""
    query = question.query
    uid, span = str(query["recording_id"]), span_of(query)
    take = given.recording(uid)["take_id"]
    for letter in question.letters:
        medium = question.shown_of(letter)
        if medium is None:
            continue
        other = str(medium["recording_id"])
        there = in_recording(span, uid, other, given)
        if there is None or given.recording(other)["take_id"] != take:
            notes.refuse("consistent", "another_take", f"option {letter} is of another take")
            continue
        clip = span_of(medium)
        if max(abs(a - b) for a, b in zip(there, clip, strict=True)) > _SAME_S:
            notes.refuse(
                "consistent",
                "shifted_time",
                f"option {letter} shows {clip[0]:.2f}..{clip[1]:.2f} s, the query's time is"
                f" {there[0]:.2f}..{there[1]:.2f} s there",
            )
        clock = given.one("clocks", recording_id=other)
        own = given.one("clocks", recording_id=uid)
        for row in (clock, own):
            if row is not None and row["method"] not in ("frame_aligned", "timesync", "same_index"):
                notes.refuse(
                    "consistent",
                    "not_synchronous",
                    f"the clock of {row['recording_id']} is {row['method']}: nothing says what is"
                    " simultaneous",
                )
    if len({str(o["text"]) for o in question.options}) > 1:
        notes.refuse("leak", "option_text", "the candidate views are called differently")


def _must_be_seen(role: str, medium: Mapping[str, Any], notes: Derived) -> None:
    start, end = span_of(medium)
    quarter = (end - start) / 4
    for part, ends in (("start", (start, start + quarter)), ("end", (end - quarter, end))):
        notes.sights.append(Sight(role, (ends,), 0.0, f"the {part} of the movement"))


# -- the way ---------------------------------------------------------------------------------------


def _way(
    uid: str, span: tuple[float, float], given: EvidenceTables, notes: Derived
) -> list[Vector]:
    """Places of the wearer's camera from the start of a span to its end."""
    rows = given.rows("camera_poses", recording_id=uid)
    if any(row["metric"] is False for row in rows):
        raise CannotTell(f"the places of {uid} are in no unit")
    stamps = sorted(
        float(r["t_s"]) for r in rows if finite(r["t_s"]) and span[0] <= r["t_s"] <= span[1]
    )
    edges = [span[0], *stamps, span[1]]
    hole = max(b - a for a, b in pairwise(edges))
    what = f"time without a pose, below {_LONGEST_HOLE_S:g} s"
    notes.margins.append(Margin("poses_dense", _LONGEST_HOLE_S - hole, 0.0, "s", what))
    if any(row["of"] == "camera" for row in rows):
        raise CannotTell(f"{uid} has a fixed place, and is to be the wearer's")
    steps = max(2, math.ceil((span[1] - span[0]) / _STEP_S))
    return [camera_at(uid, float(t), given).shift for t in np.linspace(*span, steps + 1)]


def _check_way(way: list[Vector], notes: Derived) -> float:
    """Note how long and how straight the way is, and give its length in metres."""
    ahead = way[-1] - way[0]
    length = math.hypot(ahead[0], ahead[1])
    notes.margins.append(Margin("way_length", length, _LEAST_M, "m", "way along the ground"))
    if length < 1e-6:
        raise CannotTell("the wearer stays where they are")
    worst = 0.0
    for place in way:
        x, y, z = (float(v) for v in place - way[0])
        along = (x * ahead[0] + y * ahead[1]) / length
        aside = (x * ahead[1] - y * ahead[0]) / length
        worst = max(worst, abs(aside), -along, along - length, abs(z) / 2)
    what = f"share of its length that the way leaves the straight line by, below {_MOST_ASTRAY:g}"
    left = _MOST_ASTRAY - worst / length + _ROUNDING
    notes.margins.append(Margin("way_straight", left, 0.0, "of it", what))
    return length


def _seen(
    question: Question, letter: str, way: list[Vector], given: EvidenceTables, notes: Derived
) -> _Seen | None:
    """How a view sees the way; what keeps it from being judged is noted."""
    medium = question.shown_of(letter)
    if medium is None:
        notes.option(letter, None, "it has no medium")
        return None
    uid = str(medium["recording_id"])
    poses = given.rows("camera_poses", recording_id=uid)
    if len(poses) != 1 or poses[0]["of"] != "camera" or poses[0]["t_s"] is not None:
        notes.option(letter, None, f"{uid} has no one place: it does not stand still")
        return None
    row = poses[0]
    worlds = {
        r["world_frame_id"]
        for of in (uid, str(question.query["recording_id"]))
        for r in given.rows("camera_poses", recording_id=of)
    }
    if len(worlds) > 1 or row["metric"] is False:
        notes.refuse(
            "consistent", "another_world", f"{uid} and the wearer are placed in {sorted(worlds)}"
        )
    camera = camera_at(uid, 0.0, given)
    _check_upright(uid, camera, notes)
    _check_picture(uid, camera, way, given, notes)
    heading = way[-1] - way[0]
    middle = (way[0] + way[-1]) / 2
    sights = [place - camera.shift for place in (middle, way[0], way[-1])]
    sights.append(camera.turn[:, 2])
    return _Seen(letter, uid, tuple(_clockwise_deg(s, heading) for s in sights))


def _clockwise_deg(sight: Vector, heading: Vector) -> float:
    """Angle on the ground from a line of sight to a heading, clockwise seen from above, 0 to 360."""
    left = sight[0] * heading[1] - sight[1] * heading[0]
    along = sight[0] * heading[0] + sight[1] * heading[1]
    return math.degrees(math.atan2(-left, along)) % 360.0


def _check_upright(uid: str, camera: Pose, notes: Derived) -> None:
    right, down, forward = (float(v) for v in camera.turn[2])
    for rule, value, most, what in (
        ("camera_steep", forward, _STEEPEST_DEG, "angle of the axis to the ground"),
        ("camera_rolled", right, _MOST_ROLL_DEG, "tilt of the picture's rows"),
    ):
        angle = math.degrees(math.asin(min(1.0, abs(value))))
        words = f"{what} of {uid}, below {most:g} deg"
        notes.margins.append(Margin(rule, most - angle, 0.0, "deg", words))
    if down >= 0:
        notes.refuse("consistent", "camera_upside_down", f"{uid} stands on its head")


def _check_picture(
    uid: str, camera: Pose, way: list[Vector], given: EvidenceTables, notes: Derived
) -> None:
    """The wearer's head is in the picture all the way, and the way is large enough there."""
    rows = [r for r in given.rows("cameras", recording_id=uid) if r["sensor"] == "rgb"]
    if len(rows) != 1 or rows[0]["model"] != "kannala_brandt":
        raise CannotTell(f"{uid} has no calibration of a fisheye camera")
    back, border = camera.back(), math.inf
    for place in way:
        border = min(border, _border_share(back.at(place), rows[0]))
    what = f"distance of the wearer to the border of the picture of {uid}"
    notes.margins.append(Margin("in_picture", border + _ROUNDING, _LEAST_BORDER, "of it", what))
    middle = (way[0] + way[-1]) / 2
    length = math.hypot(*(way[-1] - way[0])[:2])
    size = length / math.dist(middle, camera.shift)
    what = f"length of the way over its distance from {uid}"
    notes.margins.append(Margin("way_seen", size + _ROUNDING, _LEAST_SIZE, "of it", what))


def _border_share(point: Vector, row: Mapping[str, Any]) -> float:
    """Distance of a point to the nearest border of the picture, as a share of its side."""
    x, y, z = (float(v) for v in point)
    off = math.hypot(x, y)
    angle = math.atan2(off, z)
    if angle > math.radians(85):
        return -1.0
    bent = angle
    for power, k in enumerate(row["distortion"] or (), 1):
        bent += k * angle ** (2 * power + 1)
    scale = bent / off if off > 1e-9 else 0.0
    u = (row["fx_px"] * x * scale + row["cx_px"] + 0.5) / row["width_px"]
    v = (row["fy_px"] * y * scale + row["cy_px"] + 0.5) / row["height_px"]
    return min(u, 1 - u, v, 1 - v)


# -- who hides the wearer ------------------------------------------------------------------------


def _sight_told(uid: str, span: tuple[float, float], given: EvidenceTables) -> str:
    """Whether poses of the wearer's body say that every fixed camera saw the trunk or the nose."""
    take = given.recording(uid)["take_id"]
    n_cameras = sum(r["view"] == "exo" for r in given.rows("recordings", take_id=take))
    views: dict[float, int] = {}
    for row in given.rows("body_joints", recording_id=uid):
        t_s = float(row["t_s"])
        if row["person_id"] is None and span[0] - _POSE_NEAR_S <= t_s <= span[1] + _POSE_NEAR_S:
            found = int(row["views"] or 0) if row["joint"] in _TRUNK else 0
            views[t_s] = max(views.get(t_s, 0), found)
    clear = sum(n >= n_cameras for n in views.values())
    return _CLEAR if clear > len(views) / 2 else _UNKNOWN


def _check_sight(
    question: Question, letter: str, way: list[Vector], given: EvidenceTables, notes: Derived
) -> None:
    """Nobody else who wears a camera in the take stands in the line of sight most of the time."""
    medium = question.shown_of(letter)
    query = question.query
    own = str(query["recording_id"])
    if medium is None:
        return
    uid, span = str(medium["recording_id"]), span_of(query)
    take = given.recording(own)["take_id"]
    eye = camera_at(uid, 0.0, given).shift
    frame = {r["world_frame_id"] for r in given.rows("camera_poses", recording_id=own)}
    hidden = [False] * len(way)
    for other in given.rows("recordings", take_id=take):
        worn = str(other["recording_id"])
        poses = given.rows("camera_poses", recording_id=worn)
        if other["view"] != "ego" or worn == own or {r["world_frame_id"] for r in poses} != frame:
            continue
        there = in_recording(span, own, worn, given)
        if there is None:
            continue
        for n, t_s in enumerate(np.linspace(*there, len(way))):
            try:
                body = camera_at(worn, float(t_s), given).shift
            except CannotTell:  # somebody whose place is not known hides nobody that we know of
                continue
            chest = way[n] - np.array([0.0, 0.0, _CHEST_M])
            hidden[n] |= all(_in_the_way(eye, point, body) for point in (way[n], chest))
    free = 1.0 - sum(hidden) / len(hidden)
    what = f"share of the way on which no other wearer hides this one from {uid}"
    least = 1.0 - _MOST_HIDDEN - _SHARE_ROUNDING
    notes.margins.append(Margin("in_sight", free, least, "of it", what))


def _in_the_way(eye: Vector, point: Vector, body: Vector) -> bool:
    """Whether an upright body between a camera and a point covers it, by the angles seen from the camera."""
    ahead, aside = (np.asarray(v - eye, dtype=float) for v in (point, body))
    far, near = math.hypot(ahead[0], ahead[1]), math.hypot(aside[0], aside[1])
    if near <= _HALF_WIDTH_M:
        return False
    apart = math.atan2(ahead[1], ahead[0]) - math.atan2(aside[1], aside[0])
    apart = abs(math.remainder(apart, 2 * math.pi))
    if apart > math.asin(_HALF_WIDTH_M / near) or far - near * math.cos(apart) <= _APART_M:
        return False
    height = ahead[2] * near * math.cos(apart) / far
    return aside[2] - _BODY_M < height < aside[2] + _CROWN_M


# -- what is right ---------------------------------------------------------------------------------


def _judge(question: Question, seen: list[_Seen], named: str, notes: Derived) -> None:
    direction = float(_NAMED[named])
    straight = direction % 90 == 0
    least = _LEAST_OFF_STRAIGHT_DEG if straight else _LEAST_OFF_DIAGONAL_DEG
    for one in seen:
        off = one.off(direction)
        right = off[0] <= _SECTOR_HALF_DEG
        degrees = f"{one.uid} sees the way at {one.bearings[0]:.1f} deg, {direction:g} is asked"
        notes.option(one.letter, right, degrees)
        if one.letter == question.answer:
            inside = _SECTOR_HALF_DEG - off[0] + _ROUNDING_DEG
            notes.margins += [
                Margin("sector_border", inside, _LEAST_INSIDE_DEG, "deg", degrees),
                Margin(
                    "judged_otherwise",
                    _MOST_OFF_DEG - max(off) + _ROUNDING_DEG,
                    0.0,
                    "deg",
                    f"angle to the direction asked, however {one.uid} is judged, below"
                    f" {_MOST_OFF_DEG:g} deg",
                ),
            ]
        else:
            notes.margins.append(
                Margin(
                    "looks_alike",
                    min(off) + _ROUNDING_DEG,
                    least,
                    "deg",
                    f"least angle to the direction asked, however {one.uid} is judged",
                )
            )


def _explain(
    question: Question, seen: list[_Seen], named: str, length: float, notes: Derived
) -> None:
    query = question.query
    start, end = span_of(query)
    own = next((one for one in seen if one.letter == question.answer), None)
    if own is None:
        return
    clocks = (f"clocks:{query['recording_id']}", f"segments:{query['segment_id']}")
    others = [one for one in seen if one is not own]
    notes.statements += [
        Statement(
            "the movement",
            (
                "From {start} s to {end} s of {wearer} the wearer moves {length} m along the ground.",
            ),
            {
                "start": Number(start, _ROUNDED_S),
                "end": Number(end, _ROUNDED_S),
                "wearer": Exact(str(query["recording_id"])),
                "length": Number(length, _ROUNDED_M),
            },
            clocks,
        ),
        Statement(
            "the answer",
            (
                "Clockwise from straight away from the camera, candidate view {answer} sees this way at"
                " {bearing} degrees: {direction}.",
            ),
            {
                "answer": Exact(question.answer),
                "bearing": _bearing(own.bearings[0]),
                "direction": Choice((named,), tuple(_NAMED)),
            },
            (f"cameras:{own.uid}/rgb",),
        ),
        Statement(
            "the other views",
            ("The other candidate views see it elsewhere: {others}.",),
            {
                "others": Each(
                    "{letter} at {bearing} degrees",
                    tuple(
                        {"letter": Exact(one.letter), "bearing": _bearing(one.bearings[0])}
                        for one in others
                    ),
                )
            },
            tuple(f"cameras:{one.uid}/rgb" for one in others),
        ),
    ]


def _bearing(degrees: float) -> Choice:
    """A bearing in whole degrees on the ring, of which 360 is 0."""
    whole = range(360)
    near = [n for n in whole if abs((n - degrees + 180) % 360 - 180) <= 0.5 + _ROUNDING_DEG]
    return Choice(tuple(str(n) for n in near), tuple(str(n) for n in whole))


DERIVATION = Derivation(
    benchmark="egoexobench",
    subtasks=("direction_prediction",),
    reads={
        "recordings": ("recording_id", "take_id", "view"),
        "clocks": ("recording_id", "take_id", "offset_s", "rate", "method"),
        "segments": (
            "segment_id",
            "recording_id",
            "kind",
            "start_s",
            "narration",
            "actor_id",
            "ego_visible",
        ),
        "labels": ("recording_id", *LABEL_COLUMNS),
        "review_states": (
            "item_id",
            "item_kind",
            "state",
            "verdict",
            "value",
            "message",
        ),
        "camera_poses": (*PLACE_READS["camera_poses"], "world_frame_id", "metric"),
        "body_joints": ("recording_id", "t_s", "person_id", "joint", "views"),
        "cameras": (
            *PLACE_READS["cameras"],
            "model",
            "width_px",
            "height_px",
            "fx_px",
            "fy_px",
            "cx_px",
            "cy_px",
            "distortion",
        ),
    },
    derive=_derive,
    recipes=("direction_prediction",),
    explained_in=("detailed_answer",),
)
