"""EgoProx's relative intention: in which direction the wearer must look to see a goal."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.spatial.transform import Rotation

from tests.derivations.narrated import AWAY, add_narration, move_hand, narrate, retell
from tests.derivations.world import (
    EXPLAINED,
    WORDS,
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

DEVICE_CAMERA = Rotation.from_euler("y", 37.0, degrees=True)


EYE_HEIGHT_M = 1.6


GOAL = (0.0, -3.0, 1.0)  # to the right of a wearer who faces +x


EVENT_S, END_S = 11.0, 10.0


def heading_deg(t_s: float) -> float:
    """Where the camera points, clockwise from +x: at the goal, then away, then back."""
    return float(np.interp(t_s, [0.0, 4.0, 5.5, 10.2, 11.0, 13.0], [90, 90, 0, 0, 90, 90]))


@cache
def camera_turn(t_s: float) -> Rotation:
    ahead = Rotation.from_matrix(np.array([[0, 0, 1], [-1, 0, 0], [0, -1, 0]], dtype=float))
    return Rotation.from_euler("z", -heading_deg(t_s), degrees=True) * ahead


def quaternion(turn: Rotation) -> Row:
    x, y, z, w = turn.as_quat()
    return {"qw": float(w), "qx": float(x), "qy": float(y), "qz": float(z)}


def kitchen() -> World:
    """The kettle was seen until 4 s, is to the right at 10 s, and is looked at from 11 s."""
    tables: dict[str, list[Row]] = {
        n: []
        for n in (
            "recordings camera_poses cameras calibrations objects_3d boxes gaze_rays hand_joints"
            " spatial_facts"
        ).split()
    }
    place = {"tx": 0.0, "ty": 0.0, "tz": 0.0}
    for uid in ("ADT1", "ADT2"):
        tables["recordings"].append(recording(uid, "ego", 13.0))
        eyes = DEVICE_CAMERA * Rotation.from_euler("z", 180.0, degrees=True)
        for sensor, turn in (("rgb", DEVICE_CAMERA), ("cpf", eyes)):
            tables["cameras"].append(
                {"source": "s", "recording_id": uid, "sensor": sensor, **place, **quaternion(turn)}
            )
        for i, t in enumerate(seconds(13.0)):
            device = camera_turn(t) * DEVICE_CAMERA.inv()
            tables["camera_poses"].append(
                {
                    "source": "s",
                    "recording_id": uid,
                    "of": "device",
                    "pose": i,
                    "t_s": t,
                    **place,
                    "tz": EYE_HEIGHT_M,
                    **quaternion(device),
                }
            )
            tables["gaze_rays"].append(
                {
                    "source": "s",
                    "recording_id": uid,
                    "sample": i,
                    "t_s": t,
                    "yaw_rad": 0.0,
                    "pitch_rad": float(np.arctan2(GOAL[2] - EYE_HEIGHT_M, 3.0)),
                }
            )
            if t <= 4.5:
                tables["boxes"].append(
                    {
                        "source": "s",
                        "recording_id": uid,
                        "box_id": f"{uid}/k/{i}",
                        "object_id": "k",
                        "t_s": t,
                        "visibility": 0.9,
                        "x_min": 0.4,
                        "y_min": 0.4,
                        "x_max": 0.6,
                        "y_max": 0.6,
                    }
                )
            tables["boxes"].append(
                {
                    "source": "s",
                    "recording_id": uid,
                    "box_id": f"{uid}/m/{i}",
                    "object_id": "m",
                    "t_s": t,
                    "visibility": 0.9,
                }
            )
        for key, name, (x, y, z) in (
            ("k", "Kettle_1", GOAL),
            ("m", "RedMug", (-3.0, 0.0, 1.0)),
        ):
            tables["objects_3d"].append(
                {
                    "source": "s",
                    "recording_id": uid,
                    "object_id": key,
                    "pose": 0,
                    "name": name,
                    "motion": "static",
                    "tx": x,
                    "ty": y,
                    "tz": z - 0.1,
                    **quaternion(Rotation.identity()),
                    **{f"{a}_{e}_m": v for a in "xy" for e, v in (("min", -0.1), ("max", 0.1))},
                    "z_min_m": 0.0,
                    "z_max_m": 0.2,
                }
            )
            shown = name.split("_")[0].lower() if key == "k" else "red mug"
            # The goal is 90 degrees to the right, 3 m away on the ground and 0.6 m below the eyes.
            for operator, t, end, plane, value in (
                ("visible", 0.0, 4.5, "image", 0.9),
                ("fixation", EVENT_S, 11.8, "none", None),
                ("bearing", END_S, None, "ground", 90.0),
                ("distance", END_S, None, "none", 3.059412),
            ):
                tables["spatial_facts"].append(
                    {
                        "source": "s",
                        "recording_id": uid,
                        "fact_id": f"{uid}/{operator}/{key}",
                        "operator": operator,
                        "object_id": key,
                        "object_name": shown,
                        "t_s": t,
                        "end_s": end,
                        "plane": plane,
                        "value": value,
                    }
                )
    sectors = ("left", "front", "right", "back", "back-right")
    numbers = {"front": 0, "right": 2, "back-right": 3, "back": 4, "left": 6}
    options = [
        option(x, s, s == "right", value=str(numbers[s]))
        for x, s in zip("ABCDE", sectors, strict=True)
    ]
    row = question(
        "egoprox",
        "intention_relative",
        options,
        [medium("query", "ADT1", 2.0, END_S, sampling="endpoints(8)")],
        text="Seen from above and relative to the person's viewpoint in the last frame, in which"
        " direction does the person need to look to see the kettle?",
        answer_text="right",
        evidence=[
            {"table": "spatial_facts", "key": "ADT1/fixation/k", "role": "event"},
            {"table": "spatial_facts", "key": "ADT1/bearing/k", "role": "answer"},
            {"table": "spatial_facts", "key": "ADT1/visible/k", "role": "seen"},
            {"table": "spatial_facts", "key": "ADT1/distance/k", "role": "distance"},
        ],
        detailed_answer="The kettle was last in view 5.5 s before the last frame. In the last frame"
        " its bearing on the ground plane is 90 degrees to the right of the camera's forward axis, at"
        " 3.1 m: right. 1.0 s later the person looks at it.",
    )
    return World(
        row,
        tables,
        frozenset({WORDS, EXPLAINED}),
        frame_times={u: seconds(13.0) for u in ("ADT1", "ADT2")},
        seen_s=(0.0, 4.9),
        optional_evidence=frozenset({("spatial_facts", "distance")}),
    )


def hand_at_the_goal(t_s: float) -> tuple[float, float, float]:
    """At the kettle around the narrated instant."""
    return GOAL if abs(t_s - EVENT_S) < 0.45 else AWAY


def told(w: World) -> World:
    """The same kettle where only a narration and a hand tell of it: it is touched."""
    story = [(EVENT_S, "touch", "C touches the kettle with the right hand.")]
    narrate(w, story, hand_at_the_goal)
    for row in w.tables["spatial_facts"]:
        if row["operator"] == "fixation":
            row["operator"] = "contact"
    explain(w, "looks at", "touches")
    w.rehash()
    return w


TOLD = ("intention_relative_narrated", "intention_approximate_narrated")
WORLDS = {"intention_relative": kitchen, TOLD[0]: lambda: told(kitchen())}
# Subtasks that ask about a goal out of view; their worlds are this room or one made of it.
LOOKS = ("intention_relative", "intention_approximate")
GOALS = (*LOOKS, "exploration_relative", "exploration_approximate")
FAULTS: list[Fault] = []
fault = collect(FAULTS)


@fault(LOOKS, "explanation", "contradicted")
def explanation_turns_the_bearing_around(w: World) -> None:
    explain(w, "to the right of", "to the left of")


@fault(LOOKS, "explanation", "contradicted")
def explanation_tells_another_bearing(w: World) -> None:
    explain(w, "90 degrees", "95 degrees")


@fault(LOOKS, "explanation", "contradicted")
def explanation_tells_another_distance(w: World) -> None:
    explain(w, "3.1 m", "1.3 m")


@fault(LOOKS, "explanation", "contradicted")
def explanation_names_another_goal(w: World) -> None:
    explain(w, "kettle", "red mug")


@fault(LOOKS, "explanation", "contradicted")
def explanation_takes_a_look_for_a_touch(w: World) -> None:
    explain(w, "looks at", "touches")


@fault(LOOKS, "explanation", "contradicted")
def explanation_forgets_a_later_sight(w: World) -> None:
    w.question["detailed_answer"] = w.question["detailed_answer"].replace("5.5 s", "6.5 s")


@fault(LOOKS, "consistent", "fact_differs")
def stored_bearing_of_other_geometry(w: World) -> None:
    w.row("spatial_facts", fact_id="ADT1/bearing/k")["value"] = 53.0


@fault(LOOKS, "consistent", "fact_differs")
def stored_bearing_is_the_angle_in_the_picture(w: World) -> None:
    # Not on the ground plane: from the picture's lower edge to the goal, which is lower than the eyes.
    angle = np.degrees(np.arctan2(3.0, EYE_HEIGHT_M - GOAL[2]))
    w.row("spatial_facts", fact_id="ADT1/bearing/k")["value"] = float(angle)


def goal_at(w: World, x: float, y: float, object_id: str = "k") -> None:
    for row in w.tables["objects_3d"]:
        if row["object_id"] == object_id:
            row.update(tx=x, ty=y)


@fault(("intention_relative", "exploration_relative"), "answer", "wrong_key")
def mirrored_sector(w: World) -> None:
    key_to(w, next(o["letter"] for o in w.options if o["text"] == "left"))


@fault("intention_relative", "answer", "wrong_key")
def device_taken_for_the_camera(w: World) -> None:
    # 37 degrees beside: without the calibration the goal would be one sector further.
    option = next(o for o in w.options if o["text"] == "back-right")
    key_to(w, option["letter"])


@fault(GOALS, "answer", "wrong_key")
def opposite_sector_by_a_quaternion_of_the_wrong_order(w: World) -> None:
    for row in w.tables["camera_poses"]:
        row["qw"], row["qx"], row["qy"], row["qz"] = row["qx"], row["qy"], row["qz"], row["qw"]


@fault(LOOKS, "answer", "wrong_key")
def left_handed_world(w: World) -> None:
    goal_at(w, 0.0, 3.0)


@fault(GOALS, "answer", "wrong_key")
def calibration_changed(w: World) -> None:
    for row in w.tables["cameras"]:
        if row["sensor"] == "rgb":
            row.update(qw=1.0, qx=0.0, qy=0.0, qz=0.0)


@fault("intention_relative", "margin", "sector_border")
def bearing_near_a_border(w: World) -> None:
    goal_at(w, -1.0, -3.0 * 0.87)  # 111 degrees right: the border lies at 112.5


@fault(GOALS, "margin", "axis_vertical")
def camera_looks_at_the_floor(w: World) -> None:
    down = Rotation.from_euler("x", -80.0, degrees=True)
    for row in w.tables["camera_poses"]:
        row.update(quaternion(camera_turn(row["t_s"]) * down * DEVICE_CAMERA.inv()))


@fault("intention_relative", "margin", "neighbours")
def both_neighbours_among_the_options(w: World) -> None:
    option = next(o for o in w.options if o["text"] == "back")
    option.update(text="front-right", value="1")


@fault(GOALS, "distractors", "second_right")
def twin_in_another_direction(w: World) -> None:
    for row in w.tables["objects_3d"]:
        if row["object_id"] == "m":
            row["name"] = "Kettle_2"  # it stands behind


@fault(LOOKS, "distractors", "second_right")
def longer_name_of_the_same_kind(w: World) -> None:
    for row in w.tables["objects_3d"]:
        if row["object_id"] == "m":
            row["name"] = "RedKettle"


@fault(LOOKS, "consistent", "evidence_of_another_object")
def other_twin_in_evidence(w: World) -> None:
    for row in w.question["evidence"]:
        row["key"] = row["key"][:-1] + "m"


@fault(GOALS, "consistent", "evidence_of_another_object")
def text_names_another_goal(w: World) -> None:
    reword(w, "kettle", "toaster")


@fault(LOOKS, "consistent", "shifted_time")
def clip_ends_too_early(w: World) -> None:
    w.query["start_s"] -= 1.0
    w.query["end_s"] -= 1.0


@fault(LOOKS, "leak", "future_shown")
def future_shown(w: World) -> None:
    w.query["start_s"] += 1.5
    w.query["end_s"] += 1.5


@fault(GOALS, "leak", "goal_in_last_frame")
def goal_still_in_view(w: World) -> None:
    row = w.row("boxes", object_id="k")
    w.tables["boxes"] += [{**row, "box_id": f"late{t}", "t_s": t} for t in seconds(13.0)]


@fault(GOALS, "seen_by_sampling", "never_there")
def goal_never_in_view(w: World) -> None:
    w.tables["boxes"] = [r for r in w.tables["boxes"] if r["object_id"] != "k"]
    for row in w.tables["spatial_facts"]:
        if row["operator"] == "visible":
            row["t_s"], row["end_s"] = 0.0, 1.0


@fault(GOALS, "seen_by_sampling", "never_there")
def goal_hidden_by_something_else(w: World) -> None:
    for row in w.tables["boxes"]:
        if row["object_id"] == "k":
            row["visibility"] = 0.0


@fault(GOALS, "seen_by_sampling", "not_seen")
def goal_seen_between_the_frames_only(w: World) -> None:
    # endpoints(8) of 2..10 s sends 2.0, 3.14, ...: 2.4 to 2.7 s falls between.
    w.tables["boxes"] = [
        r for r in w.tables["boxes"] if r["object_id"] != "k" or 2.35 <= r["t_s"] <= 2.75
    ]


@fault(GOALS, "seen_by_sampling", "not_seen")
def sampling_without_the_last_frame(w: World) -> None:
    w.query["sampling"] = "midpoints(8)"


@fault(LOOKS, "consistent", "event_not_in_source")
def wearer_looks_elsewhere(w: World) -> None:
    for row in w.tables["gaze_rays"]:
        row["yaw_rad"] = -row["yaw_rad"] + 0.6


@fault(LOOKS, "consistent", "event_not_in_source")
def gaze_in_degrees_is_taken_for_radians(w: World) -> None:
    for row in w.tables["gaze_rays"]:
        row["pitch_rad"] = float(np.degrees(row["pitch_rad"]))


@fault(LOOKS, "consistent", "no_event")
def nobody_ever_looks_there(w: World) -> None:
    w.tables["spatial_facts"] = [
        r for r in w.tables["spatial_facts"] if r["operator"] != "fixation"
    ]
    w.question["evidence"] = w.question["evidence"][1:]


@fault(GOALS, "consistent", "clip_length")
def clip_of_two_seconds(w: World) -> None:
    w.query["start_s"] = 8.0


@fault(GOALS, "consistent", "swapped_view")
def observers_camera(w: World) -> None:
    w.row("recordings", recording_id="ADT1")["view"] = "exo"


# -- a goal that a narration and a hand tell of -------------------------------------------------------


@fault(TOLD, "answer", "wrong_key")
def hand_touches_it_on_the_other_side(w: World) -> None:
    move_hand(w, 10.5, 11.5, lambda _: (0.0, 3.0, 1.0))


@fault(TOLD, "answer", "wrong_key")
def narrated_hand_is_the_other_one(w: World) -> None:
    retell(w, EVENT_S, "right hand", "left hand")


@fault(TOLD, "answer", "wrong_key")
def narrated_goal_seen_from_the_device(w: World) -> None:
    for row in w.tables["cameras"]:
        if row["sensor"] == "rgb":
            row.update(qw=1.0, qx=0.0, qy=0.0, qz=0.0)


@fault(TOLD[0], "margin", "sector_border")
def hand_moves_while_it_touches(w: World) -> None:
    for row in w.tables["hand_joints"]:
        if row["hand_side"] == "right" and abs(row["t_s"] - EVENT_S) < 0.35:
            row["x"] += 1.2 if row["sample"] % 2 else -1.2


@fault(TOLD[1], "margin", "turn_edge")
def hand_moves_during_the_touch(w: World) -> None:
    hand_moves_while_it_touches(w)


@fault(TOLD, "distractors", "second_right")
def narrated_twin_in_another_direction(w: World) -> None:
    add_narration(w, "ADT1", 5.0, "touch", "C touches the red kettle with the right hand.")
    move_hand(w, 4.6, 5.4, lambda _: (-3.0, 0.0, 1.0))
    row = {**w.tables["spatial_facts"][0], "object_id": "red_kettle", "object_name": "red kettle"}
    w.tables["spatial_facts"].append({**row, "fact_id": "ADT1/visible/red_kettle"})


@fault(TOLD, "leak", "goal_in_last_frame")
def goal_just_beside_the_picture(w: World) -> None:
    """Nothing boxed it; its place projects beside the picture, and it may be in it."""
    row = next(r for r in w.tables["spatial_facts"] if r["operator"] == "visible")
    near = {"operator": "near_view", "t_s": END_S - 0.3, "end_s": END_S + 0.5}
    w.tables["spatial_facts"].append({**row, **near, "fact_id": "ADT1/near_view/kettle"})


@fault(TOLD, "consistent", "fact_differs")
def stored_bearing_of_another_hand(w: World) -> None:
    for row in w.tables["spatial_facts"]:
        if row["operator"] == "bearing":
            row["value"] = 53.0


@fault(TOLD, "consistent", "shifted_time")
def clip_ends_long_before_the_touch(w: World) -> None:
    clip_ends_too_early(w)


@fault(TOLD, "leak", "future_shown")
def clip_shows_the_touch(w: World) -> None:
    future_shown(w)


@fault(TOLD, "consistent", "evidence_of_another_object")
def text_names_what_nobody_touches(w: World) -> None:
    text_names_another_goal(w)


@fault(TOLD, "margin", "axis_vertical")
def camera_looks_down_before_the_touch(w: World) -> None:
    camera_looks_at_the_floor(w)


@fault(TOLD, "explanation", "contradicted")
def explanation_takes_a_touch_for_a_look(w: World) -> None:
    explain(w, "touches", "looks at")


@fault(TOLD, "explanation", "contradicted")
def explanation_turns_the_touched_bearing_around(w: World) -> None:
    explanation_turns_the_bearing_around(w)
