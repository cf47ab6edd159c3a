"""Writes takes of a flat as HD-EPIC: narrations, recipes, object movements, gaze, questions."""

from __future__ import annotations

import json
import pickle
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from resources.worlds.flat import Action, Flat, FlatSpec, Take, plan_flat
from resources.worlds.flat.aria import (
    FRAME_NS,
    START_NS,
    TRAJECTORY,
    calibration,
    gaze_in_cpf,
    motion,
    trajectory_rows,
)
from resources.worlds.flat.camera import Pose
from resources.worlds.flat.files import (
    Progress,
    each_take,
    film,
    frame_times,
    write_csv,
    write_json,
)
from resources.worlds.flat.kitchen_words import SOUNDS, clock, noun_rows, other_of, told, verb_rows
from resources.worlds.flat.places import furniture
from resources.worlds.tools.chance import digest

FPS: Final = 30
SIDE_PX: Final = 1408
ABSENT: Final = ("P03-20240301-090000", 245.4)
"""A video that is listed and does not lie here."""
_GAZE: Final = (
    "tracking_timestamp_us,left_yaw_rads_cpf,right_yaw_rads_cpf,pitch_rads_cpf,depth_m,"
    "tx_left_eye_cpf,ty_left_eye_cpf,tz_left_eye_cpf,tx_right_eye_cpf,ty_right_eye_cpf,"
    "tz_right_eye_cpf,session_uid"
)
_POSE_HZ: Final = 10
_LEAST_PX: Final = 12
_GRAPH: Final = "3c5ef6b6-8f0a-3b1e-9d44-5b8f7d4f0a11"
_HANDS: Final = {"left": ["left hand"], "right": ["right hand"], "both": ["both hands"]}


@dataclass(frozen=True, slots=True)
class Move:
    """A thing carried from one place to another."""

    instance: str
    start_s: float
    end_s: float
    start_place: str
    end_place: str


def video_of(index: int) -> str:
    """Video of a take: two participants take turns."""
    return f"P{1 + index % 2:02d}-202402{2 + index // 2:02d}-1102{index:02d}"


def recipe_of(index: int) -> str:
    """Recipe cooked in a take."""
    return f"{video_of(index)[:3]}_R{1 + index // 2:02d}"


def moves_of(take: Take) -> Iterator[Move]:
    """Every carry of a thing, from the touch to the release."""
    held: dict[str, Action] = {}
    for action in take.actions:
        if action.verb == "get":
            held[action.object] = action
        elif action.verb == "put" and action.object in held:
            first = held.pop(action.object)
            yield Move(action.object, first.contact_s, action.contact_s, first.source,
                       action.target)  # fmt: skip


def _key(take: Take, *what: object) -> str:
    return digest("hd-epic", take.spec.seed, take.take_id, *what)[:8].hex()


# -- narrations ------------------------------------------------------------------------------------


def narrations(flat: Flat) -> list[dict[str, Any]]:
    """Rows of the narrations, the last one broken: it ends before its start."""
    rows: list[dict[str, Any]] = []
    for index, take in enumerate(flat.takes):
        video = video_of(index)
        for number, action in enumerate(take.actions, 1):
            said = told(take, action)
            verb = said.verb.replace("-", " ")
            nouns = [take.name_of(action.object)]
            if other_of(action):
                nouns.append(take.name_of(other_of(action)))
            by = _HANDS[action.hand]
            hand = by[0] if action.hand == "both" else f"the {by[0]}"
            main = (said.verb_class, said.noun_classes[0])
            rows.append(
                {
                    "unique_narration_id": f"{video}-{number}",
                    "participant_id": video[:3],
                    "video_id": video,
                    "narration": f"{said.text.capitalize()} using {hand}.",
                    "start_timestamp": round(action.start_s, 2),
                    "end_timestamp": round(action.end_s, 2),
                    "nouns": nouns,
                    "verbs": [verb],
                    "pairs": [(verb, nouns[0])],
                    "main_actions": [(verb, nouns[0])],
                    "verb_classes": [said.verb_class],
                    "noun_classes": list(said.noun_classes),
                    "pair_classes": [main],
                    "main_action_classes": [main],
                    "hands": list(by),
                    "narration_timestamp": round(action.contact_s, 2),
                }
            )
    rows[-1] |= {"start_timestamp": 9.0, "end_timestamp": 8.0}
    return rows


def frame_bytes(rows: list[dict[str, Any]]) -> bytes:
    """Rows as the release has them: a pickled pandas table of objects and floats."""
    import pandas as pd

    columns = {}
    for name in rows[0]:
        values = [row[name] for row in rows]
        if isinstance(values[0], float):
            columns[name] = pd.Series(values, dtype="float64")
        else:
            held = np.empty(len(values), dtype=object)
            held[:] = values
            columns[name] = pd.Series(held, dtype=object)
    frame = pd.DataFrame(columns)
    frame.columns = pd.Index(list(columns), dtype=object)
    return pickle.dumps(frame, protocol=5)


def _narrations(flat: Flat, root: Path) -> None:
    folder = root / "narrations-and-action-segments"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "HD_EPIC_Narrations.pkl").write_bytes(frame_bytes(narrations(flat)))
    header = "id,key,instances,category"
    write_csv(folder / "HD_EPIC_verb_classes.csv", header, verb_rows())
    write_csv(folder / "HD_EPIC_noun_classes.csv", header, noun_rows())
    rows = [
        (video[:3], video, clock(a.contact_s, 3), clock(a.end_s, 3), round(a.contact_s * 48000),
         round(a.end_s * 48000), SOUNDS[a.verb][1], SOUNDS[a.verb][0])
        for index, take in enumerate(flat.takes)
        for video in [video_of(index)]
        for a in take.actions
        if a.verb in SOUNDS
    ]  # fmt: skip
    write_csv(
        root / "audio-annotations/HD_EPIC_Sounds.csv",
        "participant_id,video_id,start_timestamp,stop_timestamp,start_sample,stop_sample,class,class_id",
        rows,
    )


# -- recipes ---------------------------------------------------------------------------------------


def steps_of(take: Take) -> dict[int, list[Action]]:
    """Actions of each step of a take's task."""
    found: dict[int, list[Action]] = defaultdict(list)
    for action in take.actions:
        found[action.step].append(action)
    return dict(sorted(found.items()))


def step_text(take: Take, actions: list[Action]) -> str:
    """A step in words."""
    return ", then ".join(told(take, action).text for action in actions).capitalize()


def _recipe(take: Take, index: int) -> dict[str, Any]:
    uid, video = recipe_of(index), video_of(index)
    steps, times, prepared = {}, {}, {}
    for number, actions in steps_of(take).items():
        step = f"{uid}_S{number:02d}"
        steps[step] = step_text(take, actions)
        span = {"video": video, "start": round(actions[0].start_s, 3),
                "end": round(actions[-1].end_s, 3)}  # fmt: skip
        times[step] = [span]
        # What is fetched for a step is its preparation.
        first = actions[0]
        prepared[step] = (
            [{"video": video, "start": round(first.start_s, 3), "end": round(first.end_s, 3)}]
            if first.verb == "get" and len(actions) > 1
            else []
        )
    added = [a for a in take.actions if a.verb == "pour"]
    unknown = dict.fromkeys(("amount", "amount_unit", "calories", "carbs", "fat", "protein"), "N/A")
    ingredients = {
        f"{uid}_I{n:02d}": {
            "name": f"what is in the {take.name_of(a.object)}", **unknown, "weigh": [],
            "add": [{"video": video, "start": round(a.contact_s, 3), "end": round(a.end_s, 3)}],
        }
        for n, a in enumerate(added, 1)
    }  # fmt: skip
    return {
        "participant": video[:3], "name": take.task.capitalize(), "type": "own", "source": "",
        "steps": steps,
        "captures": [{"videos": [video], "ingredients": ingredients, "step_times": times,
                      "prep_times": prepared}],
    }  # fmt: skip


def _recipes(flat: Flat, root: Path) -> None:
    folder = root / "high-level"
    recipes, rows = {}, defaultdict(list)
    for index, take in enumerate(flat.takes):
        video, recipe = video_of(index), recipe_of(index)
        recipes[recipe] = _recipe(take, index)
        short = recipe.partition("_")[2]
        half = steps_of(take)[2][0].start_s
        rows[video[:3]] += [
            (video, short, f"Start to {take.task}", 0.0, float(int(half))),
            (video, short, f"Go on to {take.task}", float(int(half)), "end"),
        ]
    # As in the release: one row without a length, one of a video whose id is misspelt.
    rows["P01"].append((video_of(0), "", "Clean up", 7.0, 7.0))
    rows["P01"].append(("P01-2024202-110200", "", "Clean up", 1.0, 7.0))
    write_json(folder / "complete_recipes.json", recipes)
    header = "video_id,recipe_id,high_level_activity_label,start_time,end_time"
    for who, made in rows.items():
        write_csv(folder / "activities" / f"{who}_recipe_timestamps.csv", header, made)


# -- objects ---------------------------------------------------------------------------------------


def frame_at(t_s: float) -> int:
    """Frame of the video, from 0."""
    return int(t_s * FPS + 1e-6)


def _place(video: str, name: str) -> str:
    return f"{video[:3]}_{name.replace(' ', '_')}.001"


def _objects(flat: Flat, root: Path) -> None:
    associations: dict[str, Any] = {}
    masks: dict[str, Any] = {}
    for index, take in enumerate(flat.takes):
        video, scale = video_of(index), SIDE_PX / take.camera("ego").width_px
        held: dict[str, Any] = {}
        masks[video] = {}
        for number, move in enumerate(moves_of(take)):
            names = []
            ends = ((move.start_s, move.start_place), (move.end_s, move.end_place))
            for edge, (t_s, place) in enumerate(ends):
                frame = frame_at(t_s)
                at_s = take.picture_time(frame / FPS)
                sight = take.sights("ego", at_s).get(move.instance)
                if sight is None or sight.pixels < _LEAST_PX:
                    continue
                names.append(_key(take, "mask", number, edge))
                corners = (sight.x_min, sight.y_min, sight.x_max, sight.y_max)
                masks[video][names[-1]] = {
                    "frame_number": frame,
                    "3d_location": [round(v, 4) for v in take.thing_at(move.instance, t_s).centre],
                    "bbox": [round(v * scale, 3) for v in corners],
                    "fixture": _place(video, place) if place in furniture() else None,
                }
            one = held.setdefault(
                _key(take, "association", move.instance),
                {"name": take.name_of(move.instance), "tracks": []},
            )
            grid = [frame_at(move.start_s) / FPS, frame_at(move.end_s) / FPS]
            one["tracks"].append(
                {"track_id": _key(take, "track", number), "time_segment": grid, "masks": names}
            )
        associations[video] = held
    folder = root / "scene-and-object-movements"
    write_json(folder / "assoc_info.json", associations)
    write_json(folder / "mask_info.json", masks)


def _priming(flat: Flat, root: Path) -> None:
    """Whether the thing was looked at in the ten seconds before it was touched."""
    document: dict[str, Any] = {}
    for index, take in enumerate(flat.takes):
        held: dict[str, Any] = {}
        for number, move in enumerate(moves_of(take)):
            frame = frame_at(move.start_s)
            looked = [
                f.start_s for f in take.fixations["P1"]
                if f.instance == move.instance and move.start_s - 10 < f.start_s < move.start_s
            ]  # fmt: skip
            primed = frame_at(looked[0]) if looked else -1
            start = {
                "frame": frame,
                "3d_location": list(take.thing_at(move.instance, move.start_s).centre),
                "prime_stats": {
                    "prime_window_start": max(0, frame - 10 * FPS), "frame_primed": primed,
                    "prime_gap": (frame - primed) / FPS if looked else 0.0,
                },
            }  # fmt: skip
            end = {"frame": frame_at(move.end_s), "3d_location": start["3d_location"],
                   "prime_stats": {"prime_window_start": frame, "frame_primed": -2}}  # fmt: skip
            held[str(number)] = {"start": start, "end": end}
        document[video_of(index)] = held
    write_json(root / "eye-gaze-priming/priming_info.json", document)


# -- questions -------------------------------------------------------------------------------------


def questions(flat: Flat) -> dict[str, dict[str, Any]]:
    """Released questions by prototype: how often something moved, and in which order."""
    moved: dict[str, Any] = {}
    ordered: dict[str, Any] = {}
    for index, take in enumerate(flat.takes):
        video, moves = video_of(index), list(moves_of(take))
        first = moves[0]
        count = sum(m.instance == first.instance for m in moves)
        at = frame_at(first.start_s) / FPS
        minutes, seconds = divmod(at, 60)
        # Minutes and seconds inside the text have no leading zero.
        said = f"00:{int(minutes):02d}:{seconds:.3f}".rstrip("0").rstrip(".")
        sight = take.sights("ego", take.picture_time(at)).get(first.instance)
        scale = SIDE_PX / take.camera("ego").width_px
        box = (0.0, 0.0, 0.0, 0.0) if sight is None else (
            sight.x_min * scale, sight.y_min * scale, sight.x_max * scale, sight.y_max * scale
        )  # fmt: skip
        text = " ".join(f"{v:.3f}" for v in box)
        right = (index + count) % 5
        moved[f"object_motion_object_movement_counting_{index}"] = {
            "inputs": {"video 1": {"id": video}, "image 1": {"time": clock(at, 3), "id": video}},
            "question": f"How many times did the object <BBOX {text}> seen at <TIME {said} video 1>"
            " change locations in the video?",
            "choices": [str(count + n - right if n >= right or count > right - n
                            else count + 5 + n) for n in range(5)],
            "correct_idx": right,
        }  # fmt: skip
        names = list(dict.fromkeys(take.name_of(m.instance) for m in moves))[:3]
        orders = [names[n:] + names[:n] for n in range(len(names))]
        orders += [list(reversed(one)) for one in orders]
        choices = list(dict.fromkeys(map(tuple, orders)))[:5]
        choices = choices[-(index % len(choices)) :] + choices[: -(index % len(choices))]
        ordered[f"ingredient_ingredients_order_{index}"] = {
            "inputs": {"video 1": {"id": video, "start_time": clock(0, 3),
                                   "end_time": clock(take.duration_s, 3)}},
            "question": "What is the order in which things are put down in this video?",
            "choices": [list(one) for one in choices],
            "correct_idx": choices.index(tuple(names)),
        }  # fmt: skip
    return {
        "object_motion_object_movement_counting": moved,
        "ingredient_ingredients_order": ordered,
    }


# -- one video -------------------------------------------------------------------------------------


def stamp_ns(frame: int) -> int:
    """Device time of a frame."""
    return START_NS + frame * FRAME_NS


def _write(take: Take, root: Path) -> str:
    """Writes pixels, stamps, gaze and poses of one take."""
    index = int(take.take_id.rpartition("_")[2]) - 1
    video = video_of(index)
    folder = root / "Videos" / video[:3]
    t_s = frame_times(take, FPS)
    film(take, "ego", folder / f"{video}.mp4", FPS)
    write_csv(
        folder / f"{video}_mp4_to_vrs_time_ns.csv",
        "mp4_time_ns,relative_vrs_device_time_ns,vrs_device_time_ns",
        ((round(n * 1e9 / FPS), n * FRAME_NS, stamp_ns(n)) for n in range(len(t_s))),
    )
    home = root / "SLAM-and-Gaze" / video[:3] / "GAZE_HAND" / f"mps_{video}_vrs"
    rows: list[tuple[object, ...]] = []
    every = FPS // _POSE_HZ
    for n, t in list(enumerate(t_s.tolist()))[::every]:
        _, target = take.gaze_target(t)
        yaw, pitch, depth = gaze_in_cpf(take.camera_pose("ego", t), target)
        rows.append((stamp_ns(n) // 1000 - 3, *(f"{v:.6f}" for v in (yaw, yaw, pitch, depth)),
                     0.0315, 0, 0, -0.0315, 0, 0, "flat"))  # fmt: skip
    write_csv(home / "eye_gaze" / "general_eye_gaze.csv", _GAZE, rows)
    stamps = [stamp_ns(n) // 1000 for n in range(0, len(t_s), every)]
    identity = Pose(np.zeros(3), np.eye(3))
    write_csv(
        home / "slam" / "closed_loop_trajectory.csv",
        TRAJECTORY,
        trajectory_rows(motion(take, "ego", t_s[::every]), stamps, _GRAPH, identity, -1),
    )
    line = json.dumps(calibration(take.camera("ego"), stamps[0]))
    (home / "slam" / "online_calibration.jsonl").write_text(line + "\n", encoding="utf-8")
    return video


def write_hd_epic(
    spec: FlatSpec, root: Path, progress: Progress | None = None, workers: int = 2
) -> None:
    """Writes takes of kind `easg`, one wearer each, in this layout (see `side_by_side.Writer`)."""
    flat = plan_flat(spec, "easg")
    _narrations(flat, root)
    _recipes(flat, root)
    _objects(flat, root)
    _priming(flat, root)
    for name, made in questions(flat).items():
        write_json(root / "vqa-benchmark" / f"{name}.json", made)
    listed = [(video_of(n), "https://youtu.be/none", f"{len(frame_times(take, FPS)) / FPS:.6f}")
              for n, take in enumerate(flat.takes)]  # fmt: skip
    listed.append((ABSENT[0], "https://youtu.be/none", f"{ABSENT[1]:.6f}"))
    write_csv(
        root / "youtube-links/HD_EPIC_YouTube_URLs.csv", "video_id,youtube_url,duration", listed
    )
    each_take(_write, flat.takes, root, progress, workers)
