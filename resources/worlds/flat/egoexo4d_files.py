"""Files of the Ego-Exo4D release v2 that do not depend on what is done: cameras, clocks, gaze, videos.

Stated sizes are those of the recordings (Aria 1408 px, GoPro 3840 x 2160); the mp4 files are small
copies. Left out: vrs files, audio, SLAM and eye streams, collages. Trajectories have 30 poses a second,
not 1000.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

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
from resources.worlds.flat.files import film, frame_times, write_csv, write_json
from resources.worlds.tools.chance import digest, unit
from resources.worlds.tools.filmed import Filmed

FPS: Final = 30
NATIVE_PX: Final = 3840
EXO: Final = ("cam01", "cam02", "cam03", "cam04")
BEFORE: Final = 90
"""Rows of timesync.csv before a capture's first take and after its last."""
GAP: Final = 150
_GAZE: Final = (
    "tracking_timestamp_us,yaw_rads_cpf,pitch_rads_cpf,yaw_low_rads_cpf,pitch_low_rads_cpf,yaw_high_rads_cpf,"
    "pitch_high_rads_cpf,depth_m,session_uid"
)
_GOPRO: Final = (
    "cam_uid,graph_uid,tx_world_cam,ty_world_cam,tz_world_cam,qx_world_cam,qy_world_cam,qz_world_cam,qw_world_cam,"
    "image_width,image_height,intrinsics_type,intrinsics_0,intrinsics_1,intrinsics_2,intrinsics_3,intrinsics_4,"
    "intrinsics_5,intrinsics_6,intrinsics_7,start_frame_idx,end_frame_idx,quality"
)
_RECORDED_S: Final = 1_689_793_200


@dataclass(frozen=True, slots=True)
class Capture:
    """What was recorded at one go.

    Attributes:
        name: Its folder.
        university: Who recorded it.
        seed: What its keys depend on.
        setting: Number of the physical setting.
        place: `T_capture_world`: captures have worlds of their own, z up.
    """

    name: str
    university: str
    seed: str
    setting: int
    place: Pose

    @property
    def keys(self) -> tuple[str, str]:
        """Keys of the capture and of its clocks."""
        return uuid(self.seed, "capture"), uuid(self.seed, "timesync")

    def record(self) -> dict[str, Any]:
        """Its record in captures.json."""
        uid, timesync = self.keys
        return {
            "root_dir": f"captures/{self.name}", "capture_name": self.name, "capture_uid": uid,
            "university_name": self.university, "origin_capture_id": self.name.split("_", 1)[1],
            "physical_setting_uid": self.setting, "ds_recorded": _RECORDED_S, "has_trajectory": True,
            "has_gaze": True, "has_postsurvey": False, "cameras": _camera_list(),
            "timesync_uid": timesync, "timesync_validated": True, "validated": True,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Session:
    """A take as the release lists it.

    Attributes:
        take: What happens in it.
        capture: What it was cut from.
        uid: Its key in all annotations.
        number: Its number in the capture.
        start: Its first row of the capture's timesync.csv.
        participant: Who performs.
        task: Number and name of the task.
        parent: Number and name of the group of tasks.
        span_s: Start and end of the task in the take.
        best_exo: Camera that sees most.
        key: What else tells it from other takes.
    """

    take: Filmed
    capture: Capture
    uid: str
    number: int
    start: int
    participant: int
    task: tuple[int, str]
    parent: tuple[int, str]
    span_s: tuple[float, float]
    best_exo: str
    key: int

    @property
    def name(self) -> str:
        """Folder of the take."""
        return f"{self.capture.name}_{self.number}"

    @property
    def frames(self) -> int:
        """Frames of each of its videos."""
        return len(frame_times(self.take, FPS))

    def record(self) -> dict[str, Any]:
        """Its record in takes.json."""
        uid, timesync = self.capture.keys
        return {
            "root_dir": f"takes/{self.name}", "take_name": self.name, "participant_uid": self.participant,
            "is_dropped": False, "objects": [], "task_id": self.task[0], "task_name": self.task[1],
            "parent_task_id": self.parent[0], "parent_task_name": self.parent[1], "take_idx": self.number,
            "duration_sec": self.frames / FPS, "best_exo": self.best_exo, "task_start_sec": self.span_s[0],
            "task_end_sec": self.span_s[1], "task_timing_annotation_uid": uuid(self.key, "timing"),
            "is_narrated": True, "capture_uid": uid, "take_uid": self.uid,
            "take_timing_uid": uuid(self.key, "take timing"), "timesync_uid": timesync,
            "timesync_start_idx": self.start, "timesync_end_idx": self.start + self.frames,
            "frame_aligned_videos": _videos(self.key), "vrs_all_streams_relative_path": "aria01.vrs",
            "vrs_relative_path": "aria01_noimagestreams.vrs", "trimmed_eye_gaze_relative_path": "eye_gaze",
            "trimmed_trajectory_relative_path": "trajectory", "has_trimmed_eye_gaze": True,
            "has_trimmed_trajectory": True, "has_trimmed_vrs": False, "university_id": self.capture.university,
            "university_name": self.capture.university, "origin_id": str(self.number),
            "capture": self.capture.record(), "physical_setting_uid": self.capture.setting, "validated": True,
        }  # fmt: skip


def uuid(*keys: object) -> str:
    """A uuid (version 4 in form) that depends on the keys only."""
    text = digest("uuid", *keys).hex()
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:32]}"


def turned_world(*keys: object) -> Pose:
    """A capture's world against the true one: z up, turned about z and moved."""
    yaw = np.pi * (2 * unit(*keys, "capture yaw") - 1)
    turned = looking((0.7, -1.3, 0.4), yaw, 0.0).rotation
    return Pose(
        np.array([0.7, -1.3, 0.4]), np.column_stack([turned[:, 2], -turned[:, 0], -turned[:, 1]])
    )


def stamp_ns(row: int) -> int:
    """Device time of a row of timesync.csv."""
    return START_NS + row * 33_333_000


def starts(takes: Sequence[Filmed]) -> list[int]:
    """Rows of timesync.csv where the takes of one capture start."""
    out, at = [], BEFORE
    for take in takes:
        out.append(at)
        at += len(frame_times(take, FPS)) + GAP
    return out


def _camera_list() -> list[dict[str, Any]]:
    cameras = [("aria01", True, "aria", "vrs"), *((name, False, "hero10", "mp4") for name in EXO)]
    return [
        {
            "cam_id": name, "is_ego": ego, "has_walkaround": ego, "includes_audio": True, "device_type": device,
            "relative_path": f"videos/{name}.{suffix}", "video_artifact_uid": uuid("video", name),
        }
        for name, ego, device, suffix in cameras
    ]  # fmt: skip


def _videos(key: int) -> dict[str, Any]:
    def one(cam: str, stream: str, readable: str, file: str) -> dict[str, Any]:
        return {
            "cam_id": cam, "stream_id": stream, "readable_stream_id": readable, "clip_uid": uuid("clip", key, cam),
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


def video_paths(take_name: str) -> dict[str, str]:
    """Videos of a take as the files about proficiency name them."""
    paths = {"ego": f"takes/{take_name}/frame_aligned_videos/aria01_214-1.mp4"}
    return paths | {
        f"exo{n}": f"takes/{take_name}/frame_aligned_videos/{cam}.mp4"
        for n, cam in enumerate(EXO, 1)
    }


def write_timesync(root: Path, sessions: Sequence[Session]) -> None:
    """Clocks of one capture: a row per frame; a few Aria frames were dropped and have empty cells.

    Args:
        root: Root of the release.
        sessions: All takes of the capture, in time order.
    """
    capture, last = sessions[0].capture, sessions[-1]
    rows = []
    for row in range(last.start + last.frames + BEFORE):
        lost = unit(capture.seed, "dropped", row) < 0.002
        aria = ("", "", "") if lost else (row * 3000, row, stamp_ns(row))
        rows.append((*aria, *(v for n in range(len(EXO)) for v in (row * 3000 + 7 * n, row + n))))
    header = (
        "aria01_214-1_pts,aria01_214-1_frame_number,aria01_214-1_capture_timestamp_ns,"
        + ",".join(f"{cam}_pts,{cam}_frame_number" for cam in EXO)
    )
    write_csv(root / "captures" / capture.name / "timesync.csv", header, rows)


def write_release(
    root: Path, sessions: Sequence[Session], people: Sequence[int], split: Sequence[str],
    benchmarks: Sequence[Sequence[str]],
) -> None:  # fmt: skip
    """Writes the files about all takes: metadata, splits and clocks.

    Args:
        root: Root of the release.
        sessions: All takes, those of one capture next to each other and in time order.
        people: Participants.
        split: Split of each take.
        benchmarks: Benchmarks each take is part of.
    """
    captures: dict[str, list[Session]] = {}
    for session in sessions:
        captures.setdefault(session.capture.name, []).append(session)
    first = sessions[0].capture
    write_json(root / "takes.json", [session.record() for session in sessions])
    write_json(root / "captures.json", [held[0].capture.record() for held in captures.values()])
    persons = [
        {
            "participant_uid": n, "origin_participant_id": f"{n:03d}", "university_id": first.university,
            "university_name": first.university, "collection_date": "2023-07-19", "metadata": "{}",
        }
        for n in people
    ]  # fmt: skip
    write_json(root / "participants.json", persons)
    setting = {
        "origin_physical_setting_id": f"{first.university}01", "video_source_id": 1, "metadata": "{}",
        "univ_name": first.university, "physical_uid": first.setting,
    }  # fmt: skip
    write_json(root / "physical_setting.json", [setting])
    write_json(root / "visual_objects.json", [])
    tasks = {str(n): name for s in sessions for n, name in (s.task, s.parent)}
    said = {"version": "v2", "date": "240325", "tasks": dict(sorted(tasks.items()))}
    write_json(root / "metadata.json", said)
    of = {s.uid: name for s, name in zip(sessions, split, strict=True)}
    lists = {name: [u for u, s in of.items() if s == name] for name in ("train", "val", "test")}
    splits = {
        "take_uid_to_split": of, "split_to_take_uids": lists,
        "take_uid_to_benchmark": {s.uid: list(b) for s, b in zip(sessions, benchmarks, strict=True)},
        "ds": "240325",
    }  # fmt: skip
    write_json(root / "annotations" / "splits.json", splits)
    for held in captures.values():
        write_timesync(root, held)


def _gopros(session: Session, folder: Path) -> None:
    take, rows = session.take, list[Iterable[object]]()
    for name in EXO:
        camera, pose = (
            take.camera(name),
            session.capture.place.compose(take.camera_pose(name, 0.0)),
        )
        scale = NATIVE_PX / camera.width_px
        height = round(camera.height_px * scale)
        w, x, y, z = pose.quaternion
        inner = [camera.focal_px * scale] * 2 + [(NATIVE_PX - 1) / 2, (height - 1) / 2] + [0.0] * 4
        numbers = [f"{v:.6f}" for v in (*pose.position, x, y, z, w)]
        inside = [f"{v:.6f}" for v in inner]
        size = (NATIVE_PX, height, "KANNALABRANDTK3")
        # Cells of the release begin with blanks, too.
        rows.append(
            (f" {name}", uuid(take.spec.seed, "graph"), *numbers, *size, *inside, -1, -1, 1)
        )
    write_csv(folder / "gopro_calibs.csv", _GOPRO, rows)


def _gaze(session: Session, folder: Path, first_us: int) -> None:
    """General gaze at 10 Hz, and its place in the upright 1408 px picture."""
    rays, points = [], []
    take = session.take
    camera, uid = take.camera("ego"), uuid(take.spec.seed, session.key, "gaze")
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
        rays.append((stamp, *wide, "" if lost else f"{depth:.6f}", uid))
        x, y = (camera.project(pose.to_local(target)) + 0.5) * scale - 0.5
        points.append((n * 3, stamp, f"{x:.3f}", f"{y:.3f}"))
    write_csv(folder / "general_eye_gaze.csv", _GAZE, rays)
    write_csv(folder / "general_eye_gaze_2d.csv", "frame_num,tracking_timestamp_us,x,y", points)
    write_json(folder / "summary.json", {"GazeInference": {"status": "SUCCESS", "message": ""}})


def write_session(session: Session, root: Path, poses_hz: int = FPS) -> str:
    """Writes one take's folder: poses, calibrations, gaze, videos; returns the take's name."""
    take, folder = session.take, root / "takes" / session.name
    first_us = stamp_ns(session.start) // 1000
    t_s = frame_times(take, poses_hz)
    stamps = [first_us + round(t * 1e6) for t in t_s.tolist()]
    graph, place = uuid(take.spec.seed, "graph"), session.capture.place
    rows = trajectory_rows(
        motion(take, "ego", t_s), stamps, graph, place, _RECORDED_S * 1_000_000_000
    )
    write_csv(folder / "trajectory" / "closed_loop_trajectory.csv", TRAJECTORY, rows)
    lines = [json.dumps(calibration(take.camera("ego"), at)) for at in stamps[:: 10 * poses_hz]]
    (folder / "trajectory" / "online_calibration.jsonl").write_text(
        "\n".join(lines) + "\n", encoding="utf-8"
    )
    _gopros(session, folder / "trajectory")
    _gaze(session, folder / "eye_gaze", first_us)
    for camera, file in (("ego", "aria01_214-1"), *((name, name) for name in EXO)):
        film(take, camera, folder / "frame_aligned_videos" / f"{file}.mp4", FPS)
    return session.name
