"""Writes flats in the layout of Aria Digital Twin v2.0 (see the formats note for every file).

The export is y up, as the release is; pixels lie in an upright `preview_rgb.mp4` of about 256 px,
since the release's own `video.vrs` is a format nothing here reads. Boxes, calibration and gaze are
those of the 1408 px sensor. Left out: markers (the skeleton keeps its 51 joints, at 10 Hz), depth,
segmentation, SLAM streams.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import numpy as np

from resources.worlds.flat.aria import (
    FRAME_NS,
    START_NS,
    TRAJECTORY,
    calibration,
    gaze_in_cpf,
    motion,
    sensor_box,
    trajectory_rows,
)
from resources.worlds.flat.camera import Floats, Pose, quaternion
from resources.worlds.flat.files import (
    Progress,
    each_take,
    film,
    frame_times,
    short,
    write_csv,
    write_json,
)
from resources.worlds.flat.places import EYE_M, furniture
from resources.worlds.flat.plan import plan_flat, uid_of
from resources.worlds.flat.take import Box, Flat, Sight, Take
from resources.worlds.flat.tracks import SIDES
from resources.worlds.flat.truth import FlatSpec
from resources.worlds.tools.chance import digest, unit
from resources.worlds.tools.slips import Slip

FPS: Final = 30
SERIAL: Final = "1WM103600M1292"
SKELETON: Final = "Skeleton_F"
# Sequence and instance that annotators name so as to tell a direction, and that name.
_TELLING_NAME: Final = ("Flat_release_seq131", "NavyLamp_1", "FrontDoorLamp")
_SKELETON_EVERY: Final = 3
"""Frames from one pose of the skeleton to the next: 10 Hz, the release has 120, for the size."""
_RESTING: Final = 2
"""Things with a pose for every frame though nobody moves them: hands come near, and no more."""
# World of the release: x as here, y up, z = -y.
Y_UP: Final = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
_GAZE: Final = (
    "tracking_timestamp_us,yaw_rads_cpf,pitch_rads_cpf,depth_m,yaw_low_rads_cpf,pitch_low_rads_cpf,"
    "yaw_high_rads_cpf,pitch_high_rads_cpf"
)
_OBJECTS: Final = (
    "object_uid,timestamp[ns],t_wo_x[m],t_wo_y[m],t_wo_z[m],q_wo_w,q_wo_x,q_wo_y,q_wo_z"
)
_BOX3: Final = (
    "object_uid,timestamp[ns],p_local_obj_xmin[m],p_local_obj_xmax[m],p_local_obj_ymin[m],"
    "p_local_obj_ymax[m],p_local_obj_zmin[m],p_local_obj_zmax[m]"
)
_BOX2: Final = "stream_id,object_uid,timestamp[ns],x_min[pixel],x_max[pixel],y_min[pixel],y_max[pixel],visibility_ratio[%]"


def stamp_ns(frame: int) -> int:
    """Device time of an RGB frame; the nanoseconds do not fit microseconds, as in the release."""
    return START_NS + frame * FRAME_NS


def uid(take: Take, instance: str) -> int:
    """Object id of an instance; the same in every sequence."""
    return uid_of(take.spec.seed, instance)


def planned_slips(flat: Flat) -> tuple[Slip, ...]:
    """What annotators got wrong in a flat's sequences."""
    if not flat.spec.slips:
        return ()
    return (
        Slip(
            "telling name",
            flat.takes[0].take_id,
            "A lamp is named after a place: where it lies in front, its name tells the answer.",
            gates=("leak", "blind"),
            things=("front door lamp",),
        ),
    )


def prototype(take: Take, instance: str) -> tuple[str, str, str]:
    """Instance name, prototype name, category."""
    if take.spec.slips and (take.take_id, instance) == _TELLING_NAME[:2]:
        return f"{_TELLING_NAME[2]}_1", _TELLING_NAME[2], take.thing(instance).kind.category
    if instance in furniture():
        name = "".join(word.capitalize() for word in instance.split())
        return f"{name}_1", name, furniture()[instance].category
    kind = take.thing(instance).kind
    return instance, kind.prototype, kind.category


def _frame_of(take: Take, instance: str, box: Box) -> Pose:
    """Object frame in the z-up world: y up, turned by a number of quarters that is the object's own."""
    quarter = digest("quarter", take.spec.seed, instance)[0] % 4
    c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter]
    axes = np.column_stack([(c, s, 0), (0, 0, 1), (s, -c, 0)]).astype(float)
    return Pose(np.array([*box.centre[:2], box.lo[2]]), axes)


def _pose_row(pose: Pose) -> tuple[str, ...]:
    place, turn = Y_UP @ pose.position, quaternion(Y_UP @ pose.rotation)
    # A tenth of a millimetre, a microradian.
    return (*(short(v, 4) for v in place), *(short(v, 6) for v in turn))


def followed(take: Take) -> frozenset[str]:
    """Instances with a pose for every frame: what is moved, and what hands come nearest to.

    As in the release, most things of a sequence are static ones.
    """
    moved = {name for name, track in take.tracks.items() if len(track.keys) > 1}
    resting = sorted(take.tracks.keys() - moved)
    middles = np.array([take.thing_at(name, 0.0).centre for name in resting]).reshape(-1, 1, 3)
    times = frame_times(take, 5).tolist()
    hands = np.array([take.hand_at("P1", side, t) for side in SIDES for t in times]).reshape(-1, 3)
    nearest = np.round(np.linalg.norm(middles - hands, axis=2).min(1), 6).tolist()
    order = sorted(zip(nearest, resting, strict=True))
    return frozenset(moved.union(name for _, name in order[:_RESTING]))


def _objects(take: Take, folder: Path, t_s: Floats) -> None:
    boxes, poses, known = [], [], {}
    dynamic = followed(take)
    for instance in take.instances:
        still = instance not in dynamic
        number = uid(take, instance)
        box = take.thing_at(instance, 0.0)
        frame = _frame_of(take, instance, box)
        corners = frame.to_local(np.stack([box.lo, box.hi]))
        low, high = corners.min(0), corners.max(0)
        boxes.append(
            (number, -1, *(f"{v:.9f}" for pair in zip(low, high, strict=True) for v in pair))
        )
        name, proto, category = prototype(take, instance)
        known[str(number)] = {
            "instance_id": number, "instance_name": name, "prototype_name": proto, "category": category,
            "category_uid": int.from_bytes(digest("category", category)[:2], "big"),
            "motion_type": "static" if still else "dynamic", "instance_type": "object", "rigidity": "rigid",
            "rotational_symmetry": {"is_annotated": False},
            "canonical_pose": {"up_vector": [0, 1, 0], "front_vector": [0, 0, 1]},
        }  # fmt: skip
        if still:
            poses.append((number, -1, *_pose_row(frame)))
            continue
        row, since = _pose_row(frame), 0.0
        for n, t in enumerate(t_s.tolist()):
            if take.holder_of(instance, t)[0] or take.tracks[instance].key(t).t_s != since:
                row = _pose_row(_frame_of(take, instance, take.thing_at(instance, t)))
                since = take.tracks[instance].key(t).t_s
            poses.append((number, stamp_ns(n), *row))
    person = uid_of(take.spec.seed, "person")
    known[str(person)] = {
        "instance_id": person, "instance_name": SKELETON, "prototype_name": SKELETON, "category": "human",
        "category_uid": 0, "motion_type": "dynamic", "instance_type": "human", "rigidity": "deformable",
        "rotational_symmetry": {"is_annotated": False}, "canonical_pose": {"up_vector": [0, 1, 0], "front_vector": [0, 0, 1]},
    }  # fmt: skip
    write_csv(folder / "3d_bounding_box.csv", _BOX3, boxes)
    # Still objects first, then frame by frame, as the release's file goes.
    poses.sort(key=lambda row: row[1])
    write_csv(folder / "scene_objects.csv", _OBJECTS, poses)
    write_json(folder / "instances.json", known, indent=2)
    write_json(
        folder / "skeleton_aria_association.json",
        {
            "SkeletonMetadata": [
                {"AssociatedDeviceSerial": SERIAL, "SkeletonId": person, "SkeletonName": SKELETON}
            ]
        },
        indent=4,
    )


class _Boxes:
    """2D boxes frame by frame: outline of the 3D box cut at the border; share of the picture shown."""

    def __init__(self, take: Take) -> None:
        self.take, self.rows = take, list[tuple[object, ...]]()
        self.shown, self.sights = -1.0, dict[str, Sight]()
        self.uids = {instance: uid(take, instance) for instance in take.instances}

    def note(self, n: int, t: float) -> None:
        """Adds the boxes of frame `n`."""
        take, camera = self.take, self.take.camera("ego")
        if take.picture_time(t) != self.shown:
            self.shown = take.picture_time(t)
            sights = take.sights("ego", self.shown)
            self.sights = {
                i: sights[i] for i in take.instances if i in sights and sights[i].share >= 5e-4
            }
        last = camera.width_px - 1
        outer = take.bounds("ego", list(self.sights), t)
        for (instance, sight), bounds in zip(self.sights.items(), outer.tolist(), strict=True):
            x0, y0, x1, y1 = bounds
            if x0 != x0:  # partly behind the camera: what is seen of it
                x0, y0, x1, y1 = (
                    sight.x_min - 0.5,
                    sight.y_min - 0.5,
                    sight.x_max - 0.5,
                    sight.y_max - 0.5,
                )
            if x1 >= 0 and y1 >= 0 and x0 <= last and y0 <= last:
                box = sensor_box(camera, (x0, y0, x1, y1))
                self.rows.append(
                    ("214-1", self.uids[instance], stamp_ns(n), *box, short(sight.share, 4))
                )


def _gaze(take: Take, folder: Path, t_s: Floats) -> None:
    rows = []
    for n, t in enumerate(t_s):
        _, target = take.gaze_target(t)
        yaw, pitch, depth = gaze_in_cpf(take.camera_pose("ego", t), target)
        lost = unit(take.take_id, "depth", n) < 0.03
        spread = 0.02
        stamp = stamp_ns(n) // 1000 - 3
        angles = (yaw, pitch), (yaw - spread, pitch - spread), (yaw + spread, pitch + spread)
        (a, b), (c, d), (e, f) = ((f"{v:.6f}" for v in pair) for pair in angles)
        rows.append((stamp, a, b, 0 if lost else f"{depth:.6f}", c, d, e, f))
    write_csv(folder / "eyegaze.csv", _GAZE, rows)


def _arm(side: int) -> list[tuple[float, float, float]]:
    return [
        (0.0, 0.08 * side, 1.4),
        (0.0, 0.2 * side, 1.38),
        (0.1, 0.24 * side, 1.15),
        *([(0.0, 0.0, 0.0)] * 16),
    ]


def _leg(side: int) -> list[tuple[float, float, float]]:
    return [
        (0.0, 0.1 * side, 0.9),
        (0.0, 0.1 * side, 0.5),
        (0.0, 0.1 * side, 0.08),
        (0.12, 0.1 * side, 0.03),
    ]


# 51 joints in body axes (forward, left, height) in the order of the motion capture skeleton; hands
# and fingers (8 to 23 on the left, 27 to 42 on the right) go where the hand is.
_TRUNK: Final = [
    (0.0, 0.0, 0.95),
    (0.0, 0.0, 1.1),
    (0.0, 0.0, 1.25),
    (0.0, 0.0, 1.45),
    (0.05, 0.0, EYE_M),
]
_BODY: Final = np.array([*_TRUNK, *_arm(1), *_arm(-1), *_leg(1), *_leg(-1)])


def _joints(take: Take, t: float) -> list[list[float]]:
    """Joints at a time, y up."""
    track = take.bodies["P1"]
    (x, y), yaw = track.place(t), track.body(t)
    c, s = np.cos(yaw), np.sin(yaw)
    points = _BODY @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1.0]]) + (x, y, 0.0)
    points[8:24], points[27:43] = take.hand_at("P1", "left", t), take.hand_at("P1", "right", t)
    return np.round(points @ Y_UP.T, 3).tolist()


def _skeleton(take: Take, folder: Path, t_s: Floats) -> None:
    frames = [
        {"markers": [], "joints": _joints(take, t), "timestamp_ns": stamp_ns(n)}
        for n, t in list(enumerate(t_s))[::_SKELETON_EVERY]
    ]
    write_json(
        folder / f"{SKELETON}.json",
        {"dt_optitrack_minus_device_ns": {SERIAL: 2_138_633_358_000_000}, "frames": frames},
        dense=True,
    )


def _meta(folder: Path) -> None:
    write_json(
        folder / "metadata.json",
        {
            "serial": SERIAL, "gt_creation_time": "05/30/2023-14:09:26", "scene": "Flat",
            "is_multi_person": False, "num_skeletons": 1, "timecode_enabled": 0,
            "gt_time_domain": "DEVICE_CAPTURE", "concurrent_sequence": "", "dataset_name": "ADT_2023",
            "dataset_version": "2.0",
        },
        indent=4,
    )  # fmt: skip


def has_calibration(take: Take) -> bool:
    """Whether the sequence comes with its calibration: every second one does."""
    return int(take.take_id.rpartition("seq")[2]) % 2 == 1


def write_sequence(take: Take, root: Path) -> str:
    """Writes one sequence; returns its name."""
    folder = root / take.take_id
    t_s = frame_times(take, FPS)
    stamps = [stamp_ns(n) // 1000 for n in range(len(t_s))]
    graph = "f2705772-c4a9-36ba-a9af-cbea45a340b3"
    _meta(folder)
    write_csv(
        folder / "aria_trajectory.csv",
        TRAJECTORY,
        trajectory_rows(motion(take, "ego", t_s), stamps, graph, Pose(np.zeros(3), Y_UP), -1),
    )
    _objects(take, folder, t_s)
    _gaze(take, folder, t_s)
    _skeleton(take, folder, t_s)
    if has_calibration(take):
        lines = [json.dumps(calibration(take.camera("ego"), at)) for at in stamps[:: FPS * 10]]
        path = folder / "mps" / "slam" / "online_calibration.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    boxes = _Boxes(take)
    film(take, "ego", folder / "preview_rgb.mp4", FPS, boxes.note)
    write_csv(folder / "2d_bounding_box.csv", _BOX2, boxes.rows)
    return take.take_id


def write_adt(
    spec_or_flat: FlatSpec | Flat, root: Path, progress: Progress | None = None, workers: int = 2
) -> None:
    """Writes sequences under `root`, one folder each; equal specs give equal bytes.

    Args:
        spec_or_flat: what to write, of kind `adt`; the truth itself is never written.
        root: folder to create or fill. Files of other sequences in it are not removed.
        progress: called with (sequences done, sequences in all, name) in no particular order.
        workers: processes that draw; 1 draws in this process.
    """
    flat = spec_or_flat if isinstance(spec_or_flat, Flat) else plan_flat(spec_or_flat)
    if flat.spec.kind != "adt":
        raise ValueError(f"kind={flat.spec.kind!r}: write_adt needs a flat of kind 'adt'")
    root.mkdir(parents=True, exist_ok=True)
    each_take(write_sequence, flat.takes, root, progress, workers)
