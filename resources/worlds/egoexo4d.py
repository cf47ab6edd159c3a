"""Writes flats in the layout of the Ego-Exo4D release v2 (see the formats note for every file).

All takes belong to one capture, hence one world, which is turned and moved against the flat's.
Stated sizes are those of the recordings (Aria 1408 px, GoPro 3840 x 2160); the mp4 files are small
copies. Left out: vrs files, audio, SLAM and eye streams, collages, body and hand pose. The
trajectory has 100 poses a second, not 1000.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from resources.worlds.chance import digest, unit
from resources.worlds.flat.aria import (
    SENSOR_PX,
    START_NS,
    TRAJECTORY,
    calibration,
    gaze_in_cpf,
    motion,
    trajectory_rows,
)
from resources.worlds.flat.camera import Pose, looking
from resources.worlds.flat.files import (
    Progress,
    each_take,
    film,
    frame_times,
    write_csv,
    write_json,
)
from resources.worlds.flat.plan import plan_flat
from resources.worlds.flat.take import Flat, Take
from resources.worlds.flat.truth import Action, FlatSpec

FPS: Final = 30
NATIVE_PX: Final = 3840
CAPTURE: Final = "flat_cooking01"
LEVELS: Final = ("Novice", "Late Expert", "Early Expert", "Intermediate Expert")
EXO: Final = ("cam01", "cam02", "cam03", "cam04")
_BEFORE: Final = 90
_GAP: Final = 150
_GAZE: Final = (
    "tracking_timestamp_us,yaw_rads_cpf,pitch_rads_cpf,yaw_low_rads_cpf,pitch_low_rads_cpf,yaw_high_rads_cpf,"
    "pitch_high_rads_cpf,depth_m,session_uid"
)
_GOPRO: Final = (
    "cam_uid,graph_uid,tx_world_cam,ty_world_cam,tz_world_cam,qx_world_cam,qy_world_cam,qz_world_cam,qw_world_cam,"
    "image_width,image_height,intrinsics_type,intrinsics_0,intrinsics_1,intrinsics_2,intrinsics_3,intrinsics_4,"
    "intrinsics_5,intrinsics_6,intrinsics_7,start_frame_idx,end_frame_idx,quality"
)
_SAYS: Final = {
    "get": "picks up the {object} from the {source}", "put": "puts the {object} on the {target}",
    "open": "opens the {object}", "close": "closes the {object}", "turn on": "turns on the {object}",
    "turn off": "turns off the {object}", "cut": "cuts the {object} with the {tool}",
    "pour": "pours from the {object} into the {target}", "wash": "washes the {object} in the {target}",
    "wipe": "wipes the {object} with the {tool}",
}  # fmt: skip


def uuid(*keys: object) -> str:
    """A uuid (version 4 in form) that depends on the keys only."""
    text = digest("uuid", *keys).hex()
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:32]}"


def take_name(index: int) -> str:
    """Folder of a take: its capture and its number there (odd numbers were test runs)."""
    return f"{CAPTURE}_{2 * index + 2}"


def take_uid(flat: FlatSpec, index: int) -> str:
    """The take's key in all annotations."""
    return uuid(flat.seed, "take", index)


def world(spec: FlatSpec) -> Pose:
    """`T_capture_flat`: the capture's world is z up, turned about z and moved."""
    yaw = np.pi * (2 * unit(spec.seed, "capture yaw") - 1)
    turned = looking((0.7, -1.3, 0.4), yaw, 0.0).rotation
    return Pose(
        np.array([0.7, -1.3, 0.4]), np.column_stack([turned[:, 2], -turned[:, 0], -turned[:, 1]])
    )


def _frames(take: Take) -> int:
    return len(frame_times(take, FPS))


def _starts(flat: Flat) -> list[int]:
    """Row of timesync.csv where each take starts."""
    out, at = [], _BEFORE
    for take in flat.takes:
        out.append(at)
        at += _frames(take) + _GAP
    return out


def _stamp_ns(row: int) -> int:
    return START_NS + row * 33_333_000


def phrase(take: Take, action: Action) -> str:
    """What an annotator would write, without the subject."""
    words = {
        slot: take.name_of(value) if (value := getattr(action, slot)) else ""
        for slot in ("object", "source", "target", "tool")
    }
    hands = "both hands" if action.hand == "both" else f"the {action.hand} hand"
    return (
        f"{_SAYS[action.verb].format(**words)} with {hands}"
        if action.verb in ("get", "put")
        else _SAYS[action.verb].format(**words)
    )


def _camera_list() -> list[dict[str, Any]]:
    cameras = [("aria01", True, "aria", "vrs"), *((name, False, "hero10", "mp4") for name in EXO)]
    return [
        {
            "cam_id": name, "is_ego": ego, "has_walkaround": ego, "includes_audio": True, "device_type": device,
            "relative_path": f"videos/{name}.{suffix}", "video_artifact_uid": uuid("video", name),
        }
        for name, ego, device, suffix in cameras
    ]  # fmt: skip


def _capture(spec: FlatSpec) -> dict[str, Any]:
    return {
        "root_dir": f"captures/{CAPTURE}", "capture_name": CAPTURE, "capture_uid": uuid(spec.seed, "capture"),
        "university_name": "flat", "origin_capture_id": "cooking01", "physical_setting_uid": 1,
        "ds_recorded": 1_689_793_200, "has_trajectory": True, "has_gaze": True, "has_postsurvey": False,
        "cameras": _camera_list(), "timesync_uid": uuid(spec.seed, "timesync"), "timesync_validated": True,
        "validated": True,
    }  # fmt: skip


def _videos(index: int) -> dict[str, Any]:
    def one(cam: str, stream: str, readable: str, file: str) -> dict[str, Any]:
        return {
            "cam_id": cam, "stream_id": stream, "readable_stream_id": readable, "clip_uid": uuid("clip", index, cam),
            "is_collage": False, "relative_path": f"frame_aligned_videos/{file}.mp4",
        }  # fmt: skip

    out: dict[str, Any] = {"aria01": {"rgb": one("aria01", "214-1", "rgb", "aria01_214-1")}}
    out |= {name: {"0": one(name, "0", "0", name)} for name in EXO}
    # As in a third of the release, the best view is named but has no file of its own.
    none = {
        "clip_uid": None,
        "stream_id": "0",
        "readable_stream_id": "0",
        "is_collage": True,
        "relative_path": None,
    }
    return out | {"best_exo": {"0": none}}


def _take_row(flat: Flat, index: int, start: int) -> dict[str, Any]:
    take = flat.takes[index]
    frames = _frames(take)
    return {
        "root_dir": f"takes/{take_name(index)}", "take_name": take_name(index), "participant_uid": 1 + index,
        "is_dropped": False, "objects": [], "task_id": 1001 + index % 2, "task_name": take.task,
        "parent_task_id": 1000, "parent_task_name": "Cooking", "take_idx": 2 * index + 2,
        "duration_sec": frames / FPS, "best_exo": "cam03", "task_start_sec": take.actions[0].start_s,
        "task_end_sec": max(a.end_s for a in take.actions), "task_timing_annotation_uid": uuid(index, "timing"),
        "is_narrated": True, "capture_uid": uuid(flat.spec.seed, "capture"), "take_uid": take_uid(flat.spec, index),
        "take_timing_uid": uuid(index, "take timing"), "timesync_uid": uuid(flat.spec.seed, "timesync"),
        "timesync_start_idx": start, "timesync_end_idx": start + frames, "frame_aligned_videos": _videos(index),
        "vrs_all_streams_relative_path": "aria01.vrs", "vrs_relative_path": "aria01_noimagestreams.vrs",
        "trimmed_eye_gaze_relative_path": "eye_gaze", "trimmed_trajectory_relative_path": "trajectory",
        "has_trimmed_eye_gaze": True, "has_trimmed_trajectory": True, "has_trimmed_vrs": False,
        "university_id": "flat", "university_name": "flat", "origin_id": str(2 * index + 2),
        "capture": _capture(flat.spec), "physical_setting_uid": 1, "validated": True,
    }  # fmt: skip


def _timesync(flat: Flat, root: Path) -> None:
    """One row per frame of the capture; a few Aria frames were dropped and have empty cells."""
    rows = []
    for row in range(_starts(flat)[-1] + _frames(flat.takes[-1]) + _BEFORE):
        lost = unit(flat.spec.seed, "dropped", row) < 0.002
        aria = ("", "", "") if lost else (row * 3000, row, _stamp_ns(row))
        rows.append((*aria, *(v for n in range(len(EXO)) for v in (row * 3000 + 7 * n, row + n))))
    header = (
        "aria01_214-1_pts,aria01_214-1_frame_number,aria01_214-1_capture_timestamp_ns,"
        + ",".join(f"{cam}_pts,{cam}_frame_number" for cam in EXO)
    )
    write_csv(root / "captures" / CAPTURE / "timesync.csv", header, rows)


def _descriptions(flat: Flat) -> dict[str, Any]:
    """Points in time; the two spellings of the subject's key and of truth values both occur."""
    out: dict[str, Any] = {}
    for index, take in enumerate(flat.takes):
        key = "subject" if index % 2 else "narration_subject"
        said = []
        for n, action in enumerate(take.actions):
            wearer = action.actor == "P1"
            who = "C" if wearer else "O"
            seen = (
                take.visible_share("ego", action.object, take.picture_time(action.contact_s)) > 0.1
            )
            said.append(
                {
                    "text": f"{who} {phrase(take, action)}.", "timestamp": round(action.contact_s, 5), key: who,
                    "ego_visible": seen if n % 3 else str(int(seen)), "best_exo": {"raw_cam_id": "3", "cam_id": "cam03"},
                    "unsure": False if n % 2 else "0",
                }
            )  # fmt: skip
        note = {
            "annotation_uid": uuid(index, "atomic"), "annotator_id": "1071", "rejected": False, "reject_reason": None,
            "descriptions": said,
        }  # fmt: skip
        empty = note | {
            "annotation_uid": uuid(index, "refused"),
            "rejected": True,
            "reject_reason": "bad quality",
            "descriptions": [],
        }
        out[take_uid(flat.spec, index)] = [note, empty]
    return {"annotations": out}


def steps_of(take: Take) -> list[tuple[int, str, float, float]]:
    """Steps of the wearer: number, name, start, end; the last action names a step."""
    out = []
    for step in sorted({a.step for a in take.actions if a.actor == "P1"}):
        mine = [a for a in take.actions if a.actor == "P1" and a.step == step]
        last = mine[-1]
        name = f"{last.verb} {take.name_of(last.object)}".capitalize()
        out.append((step, name, mine[0].start_s, max(a.end_s for a in mine)))
    return out


def _keysteps(flat: Flat) -> dict[str, Any]:
    names = sorted({(t.task, name) for t in flat.takes for _, name, _, _ in steps_of(t)})
    unique = {pair: 300 + n for n, pair in enumerate(names)}
    taxonomy: dict[str, Any] = {}
    for (task, name), number in unique.items():
        nodes = taxonomy.setdefault(
            task,
            {
                "1": {
                    "id": 1,
                    "is_leafnode": False,
                    "name": task,
                    "parent_id": None,
                    "parent_name": None,
                }
            },
        )
        node = number - 290
        nodes[str(node)] = {
            "id": node, "is_leafnode": True, "name": name, "parent_id": 1, "parent_name": task, "unique_id": number,
        }  # fmt: skip
    notes: dict[str, Any] = {}
    for index, take in enumerate(flat.takes):
        segments = [
            {
                "start_time": round(start, 5), "end_time": round(end, 5), "step_id": unique[take.task, name] - 290,
                "step_name": name, "step_description": name, "is_essential": step < 4,
                "step_unique_id": unique[take.task, name],
            }
            for step, name, start, end in steps_of(take)
        ]  # fmt: skip
        uid = take_uid(flat.spec, index)
        notes[uid] = {
            "take_uid": uid, "take_name": take_name(index), "scenario": take.task,
            "annotation_meta": {"annotation_uid": uuid(index, "keystep")}, "segments": segments,
        }  # fmt: skip
    vocabulary = {str(number): name for (_, name), number in unique.items()}
    return {"annotations": notes, "taxonomy": taxonomy, "vocabulary": vocabulary}


def _proficiency(flat: Flat) -> list[dict[str, Any]]:
    paths = {
        f"exo{n}": f"takes/{{}}/frame_aligned_videos/{cam}.mp4" for n, cam in enumerate(EXO, 1)
    }
    paths["ego"] = "takes/{}/frame_aligned_videos/aria01_214-1.mp4"
    return [
        {
            "task_id": 1001 + index % 2, "task_name": take.task, "scenario_name": "Cooking", "university_id": "flat",
            "origin_participant_id": str(index + 1), "take_uid": take_uid(flat.spec, index),
            "video_paths": {key: path.format(take_name(index)) for key, path in sorted(paths.items())},
            "proficiency_score": LEVELS[index % len(LEVELS)],
        }
        for index, take in enumerate(flat.takes)
    ]  # fmt: skip


def _shared(flat: Flat, root: Path) -> None:
    """Files about all takes: metadata, annotations, the capture's clocks."""
    starts = _starts(flat)
    notes = root / "annotations"
    uids = [take_uid(flat.spec, n) for n in range(len(flat.takes))]
    write_json(root / "takes.json", [_take_row(flat, n, start) for n, start in enumerate(starts)])
    write_json(root / "captures.json", [_capture(flat.spec)])
    people = [
        {
            "participant_uid": n + 1, "origin_participant_id": f"{n + 1:03d}", "university_id": "flat",
            "university_name": "flat", "collection_date": "2023-07-19", "metadata": "{}",
        }
        for n in range(len(flat.takes))
    ]  # fmt: skip
    write_json(root / "participants.json", people)
    setting = {
        "origin_physical_setting_id": "flat01", "video_source_id": 1, "metadata": "{}", "univ_name": "flat",
        "physical_uid": 1,
    }  # fmt: skip
    write_json(root / "physical_setting.json", [setting])
    write_json(root / "visual_objects.json", [])
    tasks = {str(1001 + n % 2): take.task for n, take in enumerate(flat.takes)} | {
        "1000": "Cooking"
    }
    write_json(
        root / "metadata.json",
        {"version": "v2", "date": "240325", "tasks": dict(sorted(tasks.items()))},
    )
    splits = {
        "take_uid_to_split": dict.fromkeys(uids, "val"), "split_to_take_uids": {"train": [], "val": uids, "test": []},
        "take_uid_to_benchmark": {u: ["keystep", "proficiency_demonstrator"] for u in uids}, "ds": "240325",
    }  # fmt: skip
    write_json(notes / "splits.json", splits)
    write_json(notes / "atomic_descriptions_val.json", _descriptions(flat))
    write_json(notes / "keystep_val.json", _keysteps(flat))
    write_json(notes / "proficiency_demonstrator_val.json", _proficiency(flat))
    _timesync(flat, root)


def _gopros(take: Take, folder: Path, place: Pose, graph: str) -> None:
    rows: list[Iterable[object]] = []
    for name in EXO:
        camera, pose = take.camera(name), place.compose(take.camera_pose(name, 0.0))
        scale = NATIVE_PX / camera.width_px
        height = round(camera.height_px * scale)
        w, x, y, z = pose.quaternion
        numbers = [f"{v:.6f}" for v in (*pose.position, x, y, z, w)]
        inner = [camera.focal_px * scale] * 2 + [(NATIVE_PX - 1) / 2, (height - 1) / 2] + [0.0] * 4
        # Cells of the release begin with blanks, too.
        rows.append(
            (
                f" {name}",
                graph,
                *numbers,
                NATIVE_PX,
                height,
                "KANNALABRANDTK3",
                *(f"{v:.6f}" for v in inner),
                -1,
                -1,
                1,
            )
        )
    write_csv(folder / "gopro_calibs.csv", _GOPRO, rows)


def _gaze(take: Take, folder: Path, first_us: int, session: str) -> None:
    """General gaze at 10 Hz, and its place in the upright 1408 px picture."""
    rays, points = [], []
    camera = take.camera("ego")
    scale = SENSOR_PX / camera.width_px
    for n, t in enumerate(frame_times(take, 10).tolist()):
        pose = take.camera_pose("ego", t)
        _, target = take.gaze_target(t)
        yaw, pitch, depth = gaze_in_cpf(pose, target)
        stamp = first_us + round(t * 1e6)
        wide = [
            f"{v:.6f}" for v in (yaw, pitch, yaw - 0.02, pitch - 0.02, yaw + 0.02, pitch + 0.02)
        ]
        lost = unit(take.take_id, "depth", n) < 0.05
        rays.append((stamp, *wide, "" if lost else f"{depth:.6f}", session))
        x, y = (camera.project(pose.to_local(target)) + 0.5) * scale - 0.5
        points.append((n * 3, stamp, f"{x:.3f}", f"{y:.3f}"))
    write_csv(folder / "general_eye_gaze.csv", _GAZE, rays)
    write_csv(folder / "general_eye_gaze_2d.csv", "frame_num,tracking_timestamp_us,x,y", points)
    write_json(folder / "summary.json", {"GazeInference": {"status": "SUCCESS", "message": ""}})


def write_take(take: Take, root: Path, order: dict[str, tuple[int, int]]) -> str:
    """Writes one take's folder; returns the take's name.

    `order` maps take_id to (index, first row of timesync.csv).
    """
    index, start = order[take.take_id]
    folder = root / "takes" / take_name(index)
    place, graph = world(take.spec), uuid(take.spec.seed, "graph")
    first_us = _stamp_ns(start) // 1000
    t_s = frame_times(take, 100)
    stamps = [first_us + round(t * 1e6) for t in t_s.tolist()]
    rows = trajectory_rows(
        motion(take, "ego", t_s), stamps, graph, place, 1_689_793_200_000_000_000
    )
    write_csv(folder / "trajectory" / "closed_loop_trajectory.csv", TRAJECTORY, rows)
    lines = [json.dumps(calibration(take.camera("ego"), at)) for at in stamps[::1000]]
    (folder / "trajectory" / "online_calibration.jsonl").write_text(
        "\n".join(lines) + "\n", encoding="utf-8"
    )
    _gopros(take, folder / "trajectory", place, graph)
    _gaze(take, folder / "eye_gaze", first_us, uuid(take.spec.seed, index, "gaze"))
    for camera, file in (("ego", "aria01_214-1"), *((name, name) for name in EXO)):
        film(take, camera, folder / "frame_aligned_videos" / f"{file}.mp4", FPS)
    return take_name(index)


def write_egoexo4d(
    spec_or_flat: FlatSpec | Flat, root: Path, progress: Progress | None = None, workers: int = 2
) -> None:
    """Writes a capture under `root` in the release's layout; equal specs give equal bytes.

    Args:
        spec_or_flat: what to write, of kind `egoexo4d`; the truth itself is never written.
        root: folder to create or fill. Files of other takes in it are not removed.
        progress: called with (takes done, takes in all, name) in no particular order.
        workers: processes that draw; 1 draws in this process.
    """
    flat = spec_or_flat if isinstance(spec_or_flat, Flat) else plan_flat(spec_or_flat)
    if flat.spec.kind != "egoexo4d":
        raise ValueError(f"kind={flat.spec.kind!r}: write_egoexo4d needs a flat of kind 'egoexo4d'")
    root.mkdir(parents=True, exist_ok=True)
    _shared(flat, root)
    order = {
        take.take_id: (n, start)
        for n, (take, start) in enumerate(zip(flat.takes, _starts(flat), strict=True))
    }
    each_take(partial(write_take, order=order), flat.takes, root, progress, workers)
