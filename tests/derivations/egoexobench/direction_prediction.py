"""EgoExoBench's direction prediction: four cameras round somebody who walks two metres to the east.

The cameras stand four metres from the middle of the way, in the north, east, south and west, and look at it at the
height of the head: the camera in the south sees the way lead to the right, that in the north to the left.
"""

from __future__ import annotations

import json
import math
from typing import Any

from tests.derivations.world import (
    EXPLAINED,
    Fault,
    Row,
    World,
    collect,
    explain,
    key_to,
    medium,
    option,
    question,
    recording,
    reword,
    seconds,
)

RIGHT = "straight towards the right side of the picture"
LEFT = "straight towards the left side of the picture"
TEXT = f"In which candidate view does the person who filmed the egocentric video move {RIGHT}?"
EXPLANATION = (
    "From 4.0 s to 6.0 s of take|aria the wearer moves 2.0 m along the ground. Clockwise from straight"
    f" away from the camera, candidate view B sees this way at 90 degrees: {RIGHT}. The other candidate"
    " views see it elsewhere: A at 270 degrees, C at 0 degrees, D at 180 degrees."
)
WORN = "take|aria"
# What people wrote of a movement that no table measures.
MOVES, GOES = "the red ball", "slowly to the far corner, past the man's feet"
WALK = (4.0, 6.0)
CLEAR, UNKNOWN = "sight_clear", "sight_unknown"
SIDE_M, HEAD_M = 4.0, 1.6
# Where each camera stands, from the middle of the way, and the option that it is.
STANDS = {"A": (0.0, 1.0), "B": (0.0, -1.0), "C": (-1.0, 0.0), "D": (1.0, 0.0)}
READ = {
    "C looks around.": ("look", "around"),
    "C walks forward.": ("walk", "forward"),
    "C stops.": ("stop", None),
}
"""Verb and direction of each description."""
DESCRIBED = {1.0: "C looks around.", 5.0: "C walks forward.", 9.0: "C stops."}
# The camera sits 2 cm beside the device's origin and looks 37 degrees down from its axis.
ON_DEVICE = (math.cos(math.radians(18.5)), math.sin(math.radians(18.5)), 0.0, 0.0)


def times(quaternion: tuple[float, ...], other: tuple[float, ...]) -> tuple[float, ...]:
    """Product of two quaternions, w first."""
    (a, b, c, d), (e, f, g, h) = quaternion, other
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )


def turn(axis: int, degrees: float) -> tuple[float, ...]:
    """Quaternion of a turn about a camera's own axis: 0 right, 1 down, 2 forward."""
    half = math.radians(degrees) / 2
    return (math.cos(half), *(math.sin(half) * (axis == n) for n in range(3)))


def looking(yaw_deg: float) -> tuple[float, ...]:
    """Quaternion of a level camera that looks so many degrees counterclockwise from the east."""
    # Right, down and forward on -y, -z and x look to the east; then about the world's vertical.
    half = math.radians(yaw_deg) / 2
    return times((math.cos(half), 0.0, 0.0, math.sin(half)), (0.5, -0.5, 0.5, -0.5))


def pose(uid: str, of: str, at: tuple[float, ...], q: tuple[float, ...], **more: Any) -> Row:
    place = dict(zip(("tx", "ty", "tz"), at, strict=True))
    turned = dict(zip(("qw", "qx", "qy", "qz"), q, strict=True))
    row = {"source": "s", "recording_id": uid, "of": of, "pose": 0, "t_s": None}
    return {**row, "world_frame_id": "court", **place, **turned, "metric": None, **more}


def _walker(t_s: float) -> float:
    return 2.0 * min(max((t_s - WALK[0]) / (WALK[1] - WALK[0]), 0.0), 1.0) - 1.0


def _stand(letter: str, metres: float = SIDE_M, swing_deg: float = 0.0) -> tuple[float, ...]:
    """Place of a camera, swung counterclockwise round the middle of the way."""
    x, y = STANDS[letter]
    angle = math.atan2(y, x) + math.radians(swing_deg)
    return metres * math.cos(angle), metres * math.sin(angle), HEAD_M


def _camera(letter: str, metres: float = SIDE_M, swing_deg: float = 0.0) -> Row:
    at = _stand(letter, metres, swing_deg)
    yaw = math.degrees(math.atan2(-at[1], -at[0]))
    return pose(f"take|{letter}", "camera", at, looking(yaw))


def _lens(uid: str, **more: Any) -> Row:
    row = {"source": "s", "recording_id": uid, "sensor": "rgb", "model": "kannala_brandt"}
    size = {"image_space": "stored", "width_px": 3840, "height_px": 2160}
    rays = {"fx_px": 2000.0, "fy_px": 2000.0, "cx_px": 1919.5, "cy_px": 1079.5}
    return {**row, **size, **rays, "distortion": [0.0] * 4, **more}


def _verb(segment: Row) -> Row:
    """The verb of a description, as a parse reads it."""
    lemma, direction = READ[segment["narration"]]
    shared = {"source": "s", "recording_id": segment["recording_id"], "reader": "open"}
    shared |= {"segment_id": segment["segment_id"], "clause": 0, "kind": "verb", "status": "done"}
    read = {"lemma": lemma, "class_label": lemma, "term": lemma, "direction": direction}
    return (
        shared | read | {"body_part": "none", "span_start": 2, "span_end": 7, "rule": "open;ROOT"}
    )


def by_the_way_seen() -> World:
    uids = {x: f"take|{x}" for x in "ABCD"}
    recordings = [recording(WORN, "ego", 12.0, take_id="take")]
    recordings += [recording(uid, "exo", 12.0, take_id="take") for uid in uids.values()]
    recordings.append(recording("other|aria", "ego", 12.0, take_id="other"))
    clocks = [
        {
            "source": "s",
            "recording_id": r["recording_id"],
            "take_id": r["take_id"],
            "offset_s": 0.0,
            "rate": 1.0,
            "method": "frame_aligned",
        }
        for r in recordings
    ]
    segments = [
        {
            "source": "s",
            "segment_id": f"{uid.partition('|')[0]}|{t}",
            "recording_id": uid,
            "kind": "atomic",
            "is_point": True,
            "start_s": t,
            "end_s": t,
            "narration": words,
            "actor_id": "C",
            "ego_visible": True,
        }
        for uid in (WORN, "other|aria")
        for t, words in DESCRIBED.items()
    ]
    # The head's camera is at the height of the others; the device is where its own turn puts it.
    track = [
        pose(WORN, "device", (_walker(t), 0.02, HEAD_M), (1.0, 0.0, 0.0, 0.0), pose=n, t_s=t)
        for n, t in enumerate(seconds(12.0))
    ]
    on_device = dict(zip(("qw", "qx", "qy", "qz"), ON_DEVICE, strict=True))
    worn = _lens(WORN, model="fisheye624", image_space="sensor", tx=0.0, ty=-0.02, tz=0.0)
    tables = {
        "recordings": recordings,
        "clocks": clocks,
        "segments": segments,
        "labels": [_verb(s) for s in segments],
        "cameras": [{**worn, **on_device}, *(_lens(uid) for uid in uids.values())],
        "camera_poses": [*track, *(_camera(x) for x in "ABCD")],
        "body_joints": [],
        "review_states": [_decision("other|5.0", "reject", None)],
    }
    media = [medium("query", WORN, *WALK, segment_id="take|5.0")]
    media += [medium(f"option_{x}", uid, *WALK) for x, uid in uids.items()]
    evidence = [
        {"table": "segments", "key": "take|5.0", "role": role} for role in ("query", UNKNOWN)
    ]
    for role, uid in (("query", WORN), *((f"option_{x}", uid) for x, uid in uids.items())):
        evidence.append({"table": "clocks", "key": uid, "role": role})
        evidence.append({"table": "cameras", "key": f"{uid}/rgb", "role": role})
    row = question(
        "egoexobench",
        "direction_prediction",
        [option(x, "a view of the same moment", x == "B") for x in "ABCD"],
        media,
        text=TEXT,
        detailed_answer=EXPLANATION,
        evidence=evidence,
    )
    return World(
        row,
        tables,
        frozenset({EXPLAINED}),
        frame_times={r["recording_id"]: seconds(12.0) for r in recordings},
        seen_s=(4.0, 4.5),
    )


def _decision(item: str, verdict: str, value: str | None, **more: Any) -> Row:
    row = {"source": "s", "item_kind": "direction", "item_id": item, "recording_id": WORN}
    held = {"state": "standing", "verdict": verdict, "value": value, "reviewer": "dee"}
    return {**row, **held, "round": 2, "decided_at": None, "stale": False, "message": None, **more}


def by_what_people_wrote() -> World:
    w = by_the_way_seen()
    said = {"direction": GOES, "moves": MOVES, "view": "take|B"}
    w.tables["review_states"].append(_decision("take|5.0", "accept", json.dumps(said)))
    # Nobody needs to have measured where the wearer or a camera is.
    w.tables["camera_poses"] = []
    w.tables["cameras"] = []
    w.tables["body_joints"] = []
    row = w.question
    row["text"] = f"In which candidate view does {MOVES} move {GOES}?"
    row["detailed_answer"] = (
        'People watched every view of the moment that is described as "C walks forward.". In'
        f" candidate view B alone, {MOVES} moves {GOES}."
    )
    row["evidence"] = [
        e for e in row["evidence"] if e["table"] != "cameras" and e["role"] != UNKNOWN
    ]
    decided = {"table": "review_states", "key": "take|5.0/direction", "role": "query"}
    row["evidence"].insert(1, decided)
    w.rehash()
    w.tables["labels"] = []  # what people wrote counts without a parse
    return w


WORLDS = {
    "direction_prediction": by_the_way_seen,
    "direction_prediction_written": by_what_people_wrote,
}
ONE, WRITTEN = WORLDS
BOTH = (ONE, WRITTEN)
FAULTS: list[Fault] = []
fault = collect(FAULTS)


def _place(w: World, letter: str) -> Row:
    return w.row("camera_poses", recording_id=f"take|{letter}")


def _swing(w: World, letter: str, degrees: float, metres: float = SIDE_M) -> None:
    """Let a camera stand elsewhere on its ring, still looking at the middle of the way."""
    _place(w, letter).update(_camera(letter, metres, degrees))


def _turn(w: World, letter: str, axis: int, degrees: float) -> None:
    row = _place(w, letter)
    turned = times(tuple(row[f"q{a}"] for a in "wxyz"), turn(axis, degrees))
    row.update(zip(("qw", "qx", "qy", "qz"), turned, strict=True))


def _walk(w: World) -> list[Row]:
    """Poses of the wearer while they walk."""
    return [
        r for r in w.tables["camera_poses"] if r["t_s"] is not None and WALK[0] < r["t_s"] < WALK[1]
    ]


def _describe(w: World) -> Row:
    return w.row("segments", segment_id="take|5.0")


@fault(ONE, "answer", "wrong_key")
def asks_for_the_opposite_direction(w: World) -> None:
    reword(w, RIGHT, LEFT)


@fault(BOTH, "answer", "wrong_key")
def key_of_the_opposite_view(w: World) -> None:
    key_to(w, "A")


@fault(ONE, "answer", "wrong_key")
def wearer_walks_back_instead(w: World) -> None:
    for row in w.tables["camera_poses"]:
        if row["recording_id"] == WORN:
            row["tx"] = -row["tx"]


@fault(ONE, "answer", "wrong_key")
def cameras_of_two_views_exchanged(w: World) -> None:
    a, b = _place(w, "A"), _place(w, "B")
    for key in ("tx", "ty", "tz", "qw", "qx", "qy", "qz"):
        a[key], b[key] = b[key], a[key]


@fault(ONE, "distractors", "second_right")
def another_camera_stands_beside_the_right_one(w: World) -> None:
    _swing(w, "C", 80.0)


@fault(ONE, "margin", "looks_alike")
def another_view_looks_nearly_alike(w: World) -> None:
    """It sees the way at 35 degrees from the direction asked: in the next sector, and hard to tell."""
    _swing(w, "C", 55.0)


@fault(ONE, "margin", "looks_alike")
def another_view_goes_to_the_right_as_well_diagonally(w: World) -> None:
    """It sees the way lead into the background and to the right: to the right, if not straight."""
    _swing(w, "C", 35.0)


@fault(ONE, "margin", "looks_alike")
def another_view_looks_alike_by_its_last_picture(w: World) -> None:
    """From near by, the line of sight turns while the wearer passes."""
    _swing(w, "C", 42.0, 1.6)


@fault(ONE, "margin", "sector_border")
def direction_near_a_sectors_border(w: World) -> None:
    _swing(w, "B", 17.0)


@fault(ONE, "margin", "judged_otherwise")
def right_view_looks_past_the_wearer(w: World) -> None:
    """By the picture's own axis the way leads into the background."""
    _turn(w, "B", 1, 33.0)


@fault(ONE, "margin", "way_length")
def wearer_hardly_moves(w: World) -> None:
    for row in w.tables["camera_poses"]:
        if row["recording_id"] == WORN:
            row["tx"] *= 0.2


@fault(ONE, "margin", "way_straight")
def wearer_goes_in_a_bow(w: World) -> None:
    for row in _walk(w):
        row["ty"] += 0.8 * (1 - row["tx"] ** 2)


@fault(ONE, "margin", "way_straight")
def wearer_goes_back_and_forth(w: World) -> None:
    for row in _walk(w):
        row["tx"] += 1.2 * math.sin(math.pi * row["tx"])


@fault(ONE, "margin", "way_straight")
def wearer_climbs(w: World) -> None:
    for row in _walk(w):
        row["tz"] += row["tx"] + 1


@fault(ONE, "margin", "poses_dense")
def poses_lost_on_the_way(w: World) -> None:
    for row in [r for r in _walk(w) if 4.5 < r["t_s"] < 5.3]:
        w.tables["camera_poses"].remove(row)


@fault(ONE, "margin", "in_picture")
def wearer_leaves_a_picture(w: World) -> None:
    w.row("cameras", recording_id="take|A").update(fx_px=9000.0, fy_px=9000.0)


@fault(ONE, "margin", "in_picture")
def camera_looks_the_other_way(w: World) -> None:
    _turn(w, "D", 1, 180.0)


@fault(ONE, "margin", "way_seen")
def camera_far_away(w: World) -> None:
    _swing(w, "A", 0.0, 25.0)


@fault(ONE, "margin", "camera_steep")
def camera_looks_straight_down(w: World) -> None:
    _place(w, "A").update(tx=0.0, ty=0.0, tz=6.0)
    _turn(w, "A", 0, -90.0)


@fault(ONE, "margin", "camera_rolled")
def camera_lies_on_its_side(w: World) -> None:
    _turn(w, "A", 2, 30.0)


@fault(ONE, "consistent", "camera_upside_down")
def camera_stands_on_its_head(w: World) -> None:
    _turn(w, "B", 2, 180.0)


@fault(ONE, "consistent", "another_world")
def camera_placed_in_another_world(w: World) -> None:
    _place(w, "C")["world_frame_id"] = "another capture"


@fault(ONE, "consistent", "another_actor")
def somebody_else_moves(w: World) -> None:
    _describe(w)["actor_id"] = "O"


@fault(BOTH, "consistent", "not_visible")
def movement_not_visible_to_the_wearer(w: World) -> None:
    _describe(w)["ego_visible"] = False


@fault(ONE, "consistent", "no_direction")
def description_names_no_direction(w: World) -> None:
    _describe(w)["narration"] = "C lifts the left hand."
    row = w.row("labels", segment_id="take|5.0")
    row.update(lemma="lift", direction=None, body_part="left_hand")


@fault(ONE, "consistent", "no_direction")
def the_wearer_fails_to_walk(w: World) -> None:
    w.row("labels", segment_id="take|5.0")["status"] = "attempted"


@fault(ONE, "consistent", "no_direction")
def somebody_else_walks(w: World) -> None:
    w.row("labels", segment_id="take|5.0")["actor_id"] = "man"


@fault(BOTH, "consistent", "shifted_time")
def a_view_shows_another_time(w: World) -> None:
    w.medium("option_A").update(start_s=4.5, end_s=6.5)


@fault(BOTH, "consistent", "shifted_time")
def a_clock_is_off_by_a_second(w: World) -> None:
    w.row("clocks", recording_id="take|B")["offset_s"] = 1.0


@fault(BOTH, "consistent", "shifted_time")
def query_of_another_description(w: World) -> None:
    w.query["segment_id"] = "take|9.0"


@fault(BOTH, "consistent", "not_synchronous")
def clock_joined_by_hand(w: World) -> None:
    w.row("clocks", recording_id="take|D")["method"] = "stated"


@fault(BOTH, "consistent", "another_take")
def view_of_another_take(w: World) -> None:
    w.row("clocks", recording_id="take|D")["take_id"] = "other"


@fault(BOTH, "consistent", "clip_too_wide")
def clips_reach_far_beyond_the_description(w: World) -> None:
    for shown in w.question["media"]:
        shown["end_s"] = 8.0


@fault(BOTH, "consistent", "another_description")
def clips_reach_into_another_description(w: World) -> None:
    w.row("segments", segment_id="take|9.0")["start_s"] = 6.2


@fault(BOTH, "consistent", "swapped_view")
def query_filmed_from_outside(w: World) -> None:
    w.row("recordings", recording_id=WORN)["view"] = "exo"


@fault(BOTH, "margin", "clip_length")
def clips_too_short_to_see_a_movement(w: World) -> None:
    for shown in w.question["media"]:
        shown.update(start_s=4.8, end_s=5.2)


@fault(BOTH, "leak", "option_text")
def right_view_is_called_the_best(w: World) -> None:
    w.answer["text"] = "the best view of the moment"


@fault(BOTH, "seen_by_sampling", "not_seen")
def end_of_the_movement_lacks_frames_in_the_right_view(w: World) -> None:
    w.frame_times["take|B"] = [t for t in w.frame_times["take|B"] if t < 5.4]


def somebody_beside(w: World, at: tuple[float, float], head_m: float = HEAD_M) -> None:
    """Let a second wearer stand still in the take, so far east and north of the middle of the way."""
    uid = "take|second"
    w.tables["recordings"].append(recording(uid, "ego", 12.0, take_id="take"))
    clock = dict(w.row("clocks", recording_id=WORN), recording_id=uid)
    w.tables["clocks"].append(clock)
    w.tables["cameras"].append({**w.row("cameras", recording_id=WORN), "recording_id": uid})
    w.tables["camera_poses"] += [
        pose(uid, "device", (at[0], at[1] + 0.02, head_m), (1.0, 0.0, 0.0, 0.0), pose=n, t_s=t)
        for n, t in enumerate(seconds(12.0))
    ]


def poses_found_from(w: World, views: int | None, joint: str = "nose") -> None:
    """Let poses of the wearer's body tell from how many cameras a joint was found."""
    shared = {"source": "s", "recording_id": WORN, "world_frame_id": "court", "person_id": None}
    at = {"x": 0.0, "y": 0.0, "z": HEAD_M, "annotation": "manual"}
    w.tables["body_joints"] = [
        {**shared, **at, "sample": n, "t_s": t, "joint": joint, "views": views}
        for n, t in enumerate((4.5, 5.5))
    ]


@fault(ONE, "margin", "in_sight")
def another_wearer_stands_before_a_camera(w: World) -> None:
    somebody_beside(w, (3.2, 0.0))


@fault(ONE, "margin", "in_sight")
def another_wearer_stands_before_the_right_view(w: World) -> None:
    somebody_beside(w, (0.0, -3.4))


@fault(ONE, "consistent", "evidence_left_out")
def poses_tell_that_all_cameras_see_the_wearer(w: World) -> None:
    poses_found_from(w, 4)


@fault(ONE, "consistent", "evidence_left_out")
def sight_is_called_clear_without_a_pose(w: World) -> None:
    _call_clear(w)


@fault(ONE, "consistent", "evidence_left_out")
def sight_is_called_clear_though_one_camera_lacks_the_wearer(w: World) -> None:
    poses_found_from(w, 3)
    _call_clear(w)


def _call_clear(w: World) -> None:
    (said,) = (e for e in w.question["evidence"] if e["role"] == UNKNOWN)
    said["role"] = CLEAR


@fault(ONE, "consistent", "evidence_left_out")
def calibration_of_a_view_not_named(w: World) -> None:
    evidence = w.question["evidence"]
    evidence.remove({"table": "cameras", "key": "take|C/rgb", "role": "option_C"})


@fault(ONE, "explanation", "contradicted")
def explanation_with_another_bearing(w: World) -> None:
    explain(w, "at 90 degrees", "at 93 degrees")


@fault(ONE, "explanation", "contradicted")
def explanation_with_another_direction(w: World) -> None:
    explain(w, RIGHT, LEFT)


@fault(ONE, "explanation", "contradicted")
def explanation_with_another_length(w: World) -> None:
    explain(w, "moves 2.0 m", "moves 3.0 m")


@fault(ONE, "explanation", "contradicted")
def explanation_confuses_the_other_views(w: World) -> None:
    explain(w, "C at 0 degrees, D at 180 degrees", "C at 180 degrees, D at 0 degrees")


@fault(ONE, "consistent", "decided_otherwise")
def people_rejected_the_moment(w: World) -> None:
    w.tables["review_states"].append(_decision("take|5.0", "reject", None))


def _state(w: World) -> Row:
    return w.row("review_states", item_id="take|5.0")


def _say(w: World, **changes: str) -> None:
    _state(w)["value"] = json.dumps(json.loads(_state(w)["value"]) | changes)


@fault(WRITTEN, "answer", "wrong_key")
def people_named_another_view(w: World) -> None:
    _say(w, view="take|C")


@fault(WRITTEN, "distractors", "second_right")
def people_named_the_view_of_another_option(w: World) -> None:
    _say(w, view="take|D")


@fault(WRITTEN, "consistent", "text")
def people_wrote_another_direction(w: World) -> None:
    _say(w, direction="to the near corner")


@fault(WRITTEN, "consistent", "text")
def people_wrote_of_something_else(w: World) -> None:
    _say(w, moves="the blue ball")


@fault(WRITTEN, "consistent", "not_accepted")
def nobody_else_accepted_the_direction(w: World) -> None:
    _state(w).update(state="unusable", message="nobody but ann has judged this direction")


@fault(WRITTEN, "consistent", "not_accepted")
def reviewers_disagree(w: World) -> None:
    _state(w).update(state="conflict", verdict=None, value=None)


@fault(WRITTEN, "consistent", "not_accepted")
def the_moment_has_changed_since(w: World) -> None:
    _state(w).update(state="stale", stale=True)


@fault(WRITTEN, "consistent", "not_accepted")
def the_last_word_is_a_correction(w: World) -> None:
    _state(w)["verdict"] = "correct"


@fault(WRITTEN, "consistent", "evidence_left_out")
def the_decision_is_not_named(w: World) -> None:
    """The question passes for one that was measured, and nothing was."""
    key = {"table": "review_states", "key": "take|5.0/direction", "role": "query"}
    w.question["evidence"][w.question["evidence"].index(key)]["role"] = "option_A"


@fault(WRITTEN, "explanation", "contradicted")
def explanation_quotes_another_description(w: World) -> None:
    explain(w, "C walks forward.", "C walks back.")


@fault(WRITTEN, "explanation", "contradicted")
def explanation_names_another_view(w: World) -> None:
    explain(w, "In candidate view B alone", "In candidate view A alone")
