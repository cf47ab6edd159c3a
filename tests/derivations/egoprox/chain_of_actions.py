"""EgoProx's chain of actions: the next three keysteps, two of which may change places."""

from __future__ import annotations

import json
from collections.abc import Callable

from scipy.spatial.transform import Rotation

from tests.derivations.egoprox.intention_relative import DEVICE_CAMERA, camera_turn, quaternion
from tests.derivations.world import (
    EXPLAINED,
    SEQUENCES,
    Fault,
    Row,
    World,
    collect,
    explain,
    medium,
    recording,
    reword,
    seconds,
)

GOAL = "Setting the table"
STEPS = (
    "Fetch the cloth", "Wipe the table", "Spread the cloth", "Place the plates", "Place the glasses",
    "Fold the napkins", "Light the candle", "Boil the water", "Fill the pot", "Warm the milk", "Cut the bread",
    "Feed the cat",
)  # fmt: skip
SPOTS = {4: (0.0, 0.0), 5: (2.0, 0.0), 6: (2.0, 2.0)}
"""Places of the chain: to the right of 4 lies 5, and ahead of 5 lies 6, for a wearer who faces +y."""
TAKES = {
    "T1": (1, 2, 3, 4, 5, 6, 7),
    "T2": (1, 2, 3, 4, 5, 6, 7),
    "T3": (1, 2, 3, 5, 4, 6, 7),
    "T4": (8, 9, 10, 11, 12),
}
OFFERED = (8, 4, 1, 6, 9, 5, 2, 10, 3, 11)
END_S = 14.0
LENGTH_S = 36.0


def spans(uid: str) -> list[tuple[int, float, float]]:
    """Keysteps of a take: 3 s each, 5 s apart."""
    return [(step, 5.0 * n + 1.0, 5.0 * n + 4.0) for n, step in enumerate(TAKES[uid])]


def table() -> World:
    """After the cloth is spread, plates and glasses come in any order, then the napkins."""
    tables: dict[str, list[Row]] = {
        n: [] for n in "recordings segments hand_joints camera_poses cameras calibrations".split()
    }
    facing = Rotation.from_euler("z", 90.0, degrees=True) * camera_turn(10.0)
    origin = {"tx": 0.0, "ty": 0.0, "tz": 0.0}
    for uid in TAKES:
        more = {"scenario": GOAL}
        tables["recordings"].append(recording(uid, "ego", LENGTH_S, **more))
        base = {"source": "s", "recording_id": uid}
        tables["cameras"].append(base | {"sensor": "rgb"} | origin | quaternion(DEVICE_CAMERA))
        for i, t in enumerate(seconds(LENGTH_S)):
            device = quaternion(facing * DEVICE_CAMERA.inv())
            tables["camera_poses"].append(
                base
                | {"of": "device", "pose": i, "t_s": t, "world_frame_id": "w"}
                | origin
                | device
            )
        for step, start, end in spans(uid):
            tables["segments"].append(
                base
                | {
                    "segment_id": f"{uid}/{step}",
                    "kind": "keystep",
                    "start_s": start,
                    "end_s": end,
                    "class_id": step,
                    "class_name": STEPS[step - 1],
                }
            )
            x, y = SPOTS.get(step, (float(step), 5.0))
            for t in (start + 0.5, start + 1.5, start + 2.5):
                for side, beside in (("left", -0.15), ("right", 0.15)):
                    tables["hand_joints"].append(
                        base
                        | {
                            "sample": int(t * 10),
                            "t_s": t,
                            "hand_side": side,
                            "joint": "wrist",
                            "world_frame_id": "w",
                            "x": x + beside,
                            "y": y,
                            "z": 0.8,
                        }
                    )
    names = [STEPS[step - 1] for step in OFFERED]
    shown = " ".join(f"\n{n}: {name}" for n, name in enumerate(names, 1))
    row = {
        "benchmark": "egoprox",
        "source": "s",
        "pool": "s/chain_of_actions@1/unit",
        "subtask": "chain_of_actions",
        "recipe": "chain_of_actions@1",
        "question_id": "id-1",
        "split": "val",
        "recording_id": "T1",
        "text": f"Goal: {GOAL}\nCandidate keysteps (id: description, total = 10):{shown}",
        "options": [],
        "media": [medium("query", "T1", 0.0, END_S, sampling="endpoints")],
        "answer": None,
        "answer_text": '[[2, 6, 4], ["A", "C"]]\n[[6, 2, 4], ["B", "E"]]',
        "chance": 2 / (720 * 64),
        "media_present": True,
        "detailed_answer": "Valid orders: 2, 6, 4; 6, 2, 4."
        " From step 2 to step 6: 2.0 m, 90 degrees to the right of the camera's forward axis, right."
        " From step 6 to step 4: 2.0 m, 0 degrees to the right of the camera's forward axis, front."
        " From step 6 to step 2: 2.0 m, 90 degrees to the left of the camera's forward axis, left."
        " From step 2 to step 4: 2.8 m, 45 degrees to the right of the camera's forward axis, front-right.",
        "rationale": [],
        "licence": "MIT",
        "evidence": [
            {"table": "segments", "key": f"T1/{step}", "role": role}
            for step, role in ((3, "done"), (4, "answer"), (5, "answer"), (6, "answer"))
        ],
        "answer_kind": "sequences",
        "candidates": [
            {"number": n, "text": STEPS[step - 1], "value": str(step)}
            for n, step in enumerate(OFFERED, 1)
        ],
    }
    return World(
        row,
        tables,
        frozenset({EXPLAINED, SEQUENCES}),
        frame_times={uid: seconds(LENGTH_S) for uid in TAKES},
        seen_s=(1.0, 14.0),
    )


WORLDS = {"chain_of_actions": table}
FAULTS: list[Fault] = []
fault = collect(FAULTS)
_NAME = "chain_of_actions"


def key(w: World, *chains: str) -> None:
    """Make other chains the key, with the chance that follows."""
    w.question["answer_text"] = "\n".join(chains)
    w.question["chance"] = len(chains) / (720 * 64)


def swap(w: World, *orders: tuple[str, tuple[int, ...]]) -> None:
    """Let takes do their keysteps in other orders, at the same times."""
    for uid, order in orders:
        for step, (_, start, end) in zip(order, spans(uid), strict=True):
            row = w.row("segments", segment_id=f"{uid}/{step}")
            row["start_s"], row["end_s"] = start, end


def move(w: World, step: int, change: Callable[[Row], object]) -> None:
    """Change the hands during a keystep of the take asked about."""
    row = w.row("segments", segment_id=f"T1/{step}")
    for joint in w.tables["hand_joints"]:
        if joint["recording_id"] == "T1" and row["start_s"] <= joint["t_s"] <= row["end_s"]:
            change(joint)


@fault(_NAME, "answer", "wrong_key")
def another_step_in_the_key(w: World) -> None:
    key(w, '[[2, 6, 1], ["A", "C"]]', '[[6, 2, 4], ["B", "E"]]')


@fault(_NAME, "answer", "wrong_key")
def steps_in_an_order_that_no_take_shows(w: World) -> None:
    key(w, '[[4, 2, 6], ["A", "C"]]', '[[6, 2, 4], ["B", "E"]]')


@fault(_NAME, "answer", "wrong_key")
def mirrored_directions(w: World) -> None:
    key(w, '[[2, 6, 4], ["B", "C"]]', '[[6, 2, 4], ["A", "F"]]')


@fault(_NAME, "answer", "incomplete_key")
def one_of_two_valid_orders_left_out(w: World) -> None:
    key(w, '[[2, 6, 4], ["A", "C"]]')


@fault(_NAME, "answer", "wrong_key")
def chain_device_taken_for_the_camera(w: World) -> None:
    for row in w.tables["cameras"]:
        row.update(quaternion(Rotation.from_euler("y", 90.0, degrees=True)))


@fault(_NAME, "answer", "wrong_key")
def poses_with_the_scalar_last(w: World) -> None:
    for row in w.tables["camera_poses"]:
        row["qw"], row["qx"], row["qy"], row["qz"] = row["qx"], row["qy"], row["qz"], row["qw"]


@fault(_NAME, "answer", "wrong_key")
def chain_left_handed_world(w: World) -> None:
    for row in w.tables["hand_joints"]:
        row["x"] = -row["x"]


@fault(_NAME, "answer", "wrong_key")
def second_order_is_shown_by_nobody(w: World) -> None:
    swap(w, ("T3", TAKES["T1"]))


@fault(_NAME, "answer", "order_unknown")
def only_one_take_shows_the_order(w: World) -> None:
    w.tables["segments"] = [s for s in w.tables["segments"] if s["recording_id"] in ("T1", "T4")]


@fault(_NAME, "answer", "too_many_orders")
def chain_with_six_valid_orders(w: World) -> None:
    swap(w, ("T2", (1, 2, 3, 6, 4, 5, 7)), ("T3", (1, 2, 3, 5, 6, 4, 7)))


@fault(_NAME, "answer", "step_not_offered")
def step_of_the_chain_is_no_candidate(w: World) -> None:
    w.question["candidates"][1].update(value="12", text=STEPS[11])


@fault(_NAME, "distractors", "second_right")
def candidate_that_is_still_to_be_done(w: World) -> None:
    w.question["candidates"][0].update(value="7", text=STEPS[6])


@fault(_NAME, "distractors", "repeated_step")
def step_that_is_done_twice(w: World) -> None:
    w.row("segments", segment_id="T1/7").update(class_id=4, class_name=STEPS[3])


@fault(_NAME, "margin", "edge_length")
def two_places_a_hand_apart(w: World) -> None:
    move(w, 5, lambda joint: joint.update(x=joint["x"] - 1.8))


@fault(_NAME, "margin", "sector_border")
def move_near_a_border(w: World) -> None:
    move(w, 5, lambda joint: joint.update(y=0.75))


@fault(_NAME, "margin", "place_spread")
def hands_carry_something_across_the_room(w: World) -> None:
    move(w, 6, lambda joint: joint.update(y=2.0 + 2.0 * (joint["t_s"] - 27.5)))


@fault(_NAME, "margin", "axis_vertical")
def chain_camera_looks_at_the_floor(w: World) -> None:
    down = Rotation.from_euler("x", -80.0, degrees=True)
    for row in w.tables["camera_poses"]:
        row.update(quaternion(camera_turn(10.0) * down * DEVICE_CAMERA.inv()))


@fault(_NAME, "leak", "future_shown")
def clip_shows_the_first_step(w: World) -> None:
    w.query["end_s"] = 19.0


@fault(_NAME, "leak", "sequence_told")
def text_ends_with_the_numbers(w: World) -> None:
    w.question["text"] += " Hint: 2, 6, 4"


@fault(_NAME, "consistent", "shifted_time")
def clip_ends_between_two_steps(w: World) -> None:
    w.query["end_s"] = 12.0


@fault(_NAME, "consistent", "clip_length")
def clip_of_four_seconds(w: World) -> None:
    w.query["start_s"] = 10.0


@fault(_NAME, "consistent", "swapped_view")
def chain_observers_camera(w: World) -> None:
    w.row("recordings", recording_id="T1")["view"] = "exo"


@fault(_NAME, "consistent", "sparse")
def steps_minutes_apart(w: World) -> None:
    w.row("recordings", recording_id="T1")["duration_s"] = 200.0
    for step in (6, 7):
        row = w.row("segments", segment_id=f"T1/{step}")
        row.update(start_s=row["start_s"] + 45.0, end_s=row["end_s"] + 45.0)
    move(w, 6, lambda joint: None)
    w.tables["hand_joints"] += [
        {**joint, "t_s": joint["t_s"] + 45.0, "sample": joint["sample"] + 450}
        for joint in w.tables["hand_joints"]
        if joint["recording_id"] == "T1" and 26.0 <= joint["t_s"] <= 29.0
    ]


@fault(_NAME, "consistent", "candidate_text")
def candidate_named_after_another_step(w: World) -> None:
    w.question["candidates"][4]["text"] = "Polish the spoons"
    reword(w, STEPS[8], "Polish the spoons")


@fault(_NAME, "consistent", "text")
def goal_of_another_task(w: World) -> None:
    reword(w, GOAL, "Washing the dishes")


@fault(_NAME, "consistent", "text")
def candidate_missing_from_the_text(w: World) -> None:
    reword(w, "\n5: Fill the pot", "")


@fault(_NAME, "consistent", "evidence_role")
def evidence_of_a_later_step(w: World) -> None:
    w.question["evidence"][1]["key"] = "T1/7"


@fault(_NAME, "well_formed", "candidate_twice")
def two_equal_candidates(w: World) -> None:
    w.question["candidates"][0].update(text=STEPS[8])


@fault(_NAME, "well_formed", "numbers")
def candidates_numbered_from_nought(w: World) -> None:
    for candidate in w.question["candidates"]:
        candidate["number"] -= 1


@fault(_NAME, "well_formed", "moves")
def move_too_few(w: World) -> None:
    key(w, '[[2, 6, 4], ["A"]]', '[[6, 2, 4], ["B", "E"]]')


@fault(_NAME, "well_formed", "moves")
def move_in_words(w: World) -> None:
    key(w, '[[2, 6, 4], ["right", "front"]]', '[[6, 2, 4], ["B", "E"]]')


@fault(_NAME, "well_formed", "sequence_numbers")
def candidate_that_is_not_offered(w: World) -> None:
    key(w, '[[2, 6, 11], ["A", "C"]]', '[[6, 2, 4], ["B", "E"]]')


@fault(_NAME, "well_formed", "too_many_valid")
def four_valid_sequences(w: World) -> None:
    chains = [[[2, 6, 4], ["A", letter]] for letter in "ABCD"]
    key(w, *map(json.dumps, chains))


@fault(_NAME, "well_formed", "sequence_unreadable")
def key_in_words(w: World) -> None:
    w.question["answer_text"] = "first 2, then 6, then 4"


@fault(_NAME, "well_formed", "chance")
def chance_of_one_order(w: World) -> None:
    w.question["chance"] = 1 / (720 * 64)


@fault(_NAME, "seen_by_sampling", "not_seen")
def chain_sampling_without_the_last_frame(w: World) -> None:
    w.query["sampling"] = "midpoints(8)"


@fault(_NAME, "explanation", "contradicted")
def chain_explanation_tells_another_bearing(w: World) -> None:
    explain(w, "45 degrees", "75 degrees")


@fault(_NAME, "explanation", "contradicted")
def chain_explanation_tells_another_distance(w: World) -> None:
    explain(w, "2.8 m", "1.3 m")


@fault(_NAME, "explanation", "left_out")
def explanation_forgets_a_way(w: World) -> None:
    first = w.question["detailed_answer"].index(" From step 2 to step 4")
    w.question["detailed_answer"] = w.question["detailed_answer"][:first]
