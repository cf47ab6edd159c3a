"""Facts of a room by hand: a wearer at its middle, a cup to the right, gaze, a hand, a camera."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.spatial.transform import Rotation

from assets.scene_graphs.aria import DEVICE_CPF, DEVICE_RGB
from assets.scene_graphs.facts import Facts, measure
from assets.scene_graphs.rotation import Pose, rotate
from expectations.contracts import check
from expectations.schemas import TABLES

KEY = {"source": "it", "recording_id": "r"}
TIMES = np.arange(0, 6, 0.1)
# Where the wearer looks: north until 2 s, then quickly to what is asked for.
TURN_S = 2.0
NORTH = Rotation.from_matrix(np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]], dtype=float))


def quaternion(r: Rotation) -> np.ndarray:
    x, y, z, w = r.as_quat()
    return np.array([w, x, y, z])


def rgb_upright(heading_deg: float, pitch_deg: float = -10.0) -> Pose:
    """Upright camera at 1.6 m that looks at a heading clockwise from north."""
    turned = (
        Rotation.from_euler("z", -heading_deg, degrees=True)
        * Rotation.from_euler("x", pitch_deg, degrees=True)
        * NORTH
    )
    return Pose(np.array([0.0, 0.0, 1.6]), quaternion(turned))


# The sensor lies on its side: its x axis points down in the upright picture, its y axis left.
UPRIGHT_SENSOR = Pose(np.zeros(3), quaternion(Rotation.from_euler("z", 90, degrees=True)))


def device_at(heading_deg: float, pitch_deg: float = -10.0) -> Pose:
    return rgb_upright(heading_deg, pitch_deg).then(UPRIGHT_SENSOR).then(DEVICE_RGB.inverse())


def columns(pose: Pose) -> dict:
    return dict(zip(("tx", "ty", "tz"), pose.t.tolist(), strict=True)) | dict(
        zip(("qw", "qx", "qy", "qz"), pose.q.tolist(), strict=True)
    )


def cup_at(bearing_deg: float, far: float = 2.0, up: float = 1.2) -> np.ndarray:
    angle = np.radians(bearing_deg)
    return np.array([far * np.sin(angle), far * np.cos(angle), up])


def room(
    bearing_deg: float, *, camera: Pose = DEVICE_RGB, pitch_deg: float = -10.0, **replaced: Any
) -> dict:
    """Tables of a wearer who looks north and from 2 s on gazes at a cup at a bearing."""
    cup = cup_at(bearing_deg)
    poses, gaze = [], []
    for at, t in enumerate(TIMES):
        device = device_at(0 if t < TURN_S else bearing_deg, pitch_deg)
        world_cpf = device.then(DEVICE_CPF)
        point = world_cpf.inverse().apply(cup) if t >= TURN_S else np.array([0.0, 0.9, 1.0])
        angles = {
            "yaw_rad": np.arctan2(point[0], point[2]),
            "pitch_rad": np.arctan2(point[1], point[2]),
        }
        poses.append(
            KEY | columns(device) | {"of": "device", "pose": at, "t_s": t, "world_frame_id": "w"}
        )
        gaze.append(
            KEY | {"sample": at, "t_s": t + 3e-6} | {k: float(v) for k, v in angles.items()}
        )
    size = {f"{a}_{e}_m": s * 0.1 for a in "xyz" for e, s in (("min", -1), ("max", 1))}
    thing = {
        "object_id": "17",
        "pose": 0,
        "name": "RedCup_1",
        "motion": "static",
        "method": "annotated",
    }
    place = columns(Pose(cup, np.array([1.0, 0, 0, 0])))
    said: dict[str, list[dict]] = {
        "recordings": [KEY | {"device": "aria"}],
        "cameras": [
            KEY
            | columns(camera)
            | {
                "sensor": "rgb",
                "model": "kannala_brandt",
                "image_space": "sensor",
                "distortion": [],
            }
            | {
                "width_px": 1408,
                "height_px": 1408,
                "fx_px": 610.0,
                "fy_px": 610.0,
                "cx_px": 703.5,
                "cy_px": 703.5,
            }
        ],
        "camera_poses": poses,
        "objects_3d": [KEY | thing | size | place | {"world_frame_id": "w"}],
        "boxes": [],
        "annotated_frames": [],
        "gaze_rays": gaze,
        "hand_joints": [],
    } | replaced
    return {name: TABLES[name].frame(rows) for name, rows in said.items()}


def facts(tables: dict) -> Facts:
    made = measure("it", "r", tables)
    for name in ("calibrations", "spatial_facts"):
        rows = TABLES[name].frame(getattr(made, name))
        assert check(TABLES[name], rows, {}).refused == []
    return made


def of(made: Facts, operator: str) -> list[dict]:
    return [f for f in made.spatial_facts if f["operator"] == operator]


@pytest.mark.parametrize(
    ("bearing", "sector"), [(90, 2), (-90, 6), (50, 1), (-140, 5), (170, 4), (5, 0)]
)
def test_direction_a_second_before_the_eyes_arrive(bearing: float, sector: int) -> None:
    made = facts(room(bearing))
    (fixation,) = of(made, "fixation")
    assert (fixation["object_name"], fixation["t_s"]) == (
        "red cup 1",
        pytest.approx(TURN_S, abs=1e-3),
    )
    (way,) = of(made, "bearing")
    assert way["t_s"] == pytest.approx(TURN_S - 1, abs=1e-3)
    assert (way["value"], way["sector"]) == (pytest.approx(bearing, abs=1e-3), sector)
    assert (way["frame"], way["plane"], way["calibration"]) == ("camera", "ground", "stated")
    (far,) = of(made, "distance")
    assert far["value"] == pytest.approx(np.hypot(2.0, 0.4))
    kinds = [key.partition(":")[0] for key in way["evidence"]]
    assert kinds == ["camera_poses", "objects_3d", "calibrations", "spatial_facts"]
    assert way["evidence"][3] == f"spatial_facts:{fixation['fact_id']}"
    assert way["evidence"][0] == "camera_poses:device/10"


@pytest.mark.parametrize(
    ("mistake", "camera"),
    [
        ("device for camera", Pose.identity()),
        ("turned back", DEVICE_RGB.inverse()),
        ("conjugate", Pose(DEVICE_RGB.t, DEVICE_RGB.q * [1, -1, -1, -1])),
    ],
)
def test_a_wrong_camera_moves_the_answer(mistake: str, camera: Pose) -> None:
    (way,) = of(facts(room(90, camera=camera)), "bearing")
    assert abs(way["value"] - 90) > 20, mistake


def test_a_mirrored_world_moves_the_answer() -> None:
    tables = room(90)
    mirrored = tables["objects_3d"].with_columns(-pl.col("tx"))
    seen = facts({**tables, "objects_3d": mirrored})
    # Gaze no longer meets it; had it, the answer would be on the other side.
    assert of(seen, "fixation") == []


def test_who_looks_at_the_floor_gets_no_direction_but_a_distance() -> None:
    made = facts(room(90, pitch_deg=-75))
    assert of(made, "bearing") == []
    assert len(of(made, "distance")) == 1


def test_without_a_calibration_there_is_no_direction_and_it_is_said() -> None:
    made = facts(room(90, cameras=[]))
    assert of(made, "bearing") == []
    assert len(of(made, "fixation")) == 1
    assert [one["rule"] for one in made.refused] == ["no_calibration"]
    assert made.calibrations == []


def test_gaze_of_an_unknown_device_starts_nowhere() -> None:
    assert of(facts(room(90, recordings=[KEY | {"device": "other"}])), "fixation") == []


def test_a_stated_pupil_frame_counts() -> None:
    tables = room(90, recordings=[KEY | {"device": "other"}])
    cpf = KEY | columns(DEVICE_CPF) | {"sensor": "cpf", "model": "none", "image_space": "sensor"}
    tables["cameras"] = pl.concat([tables["cameras"], TABLES["cameras"].frame([cpf])])
    assert len(of(facts(tables), "fixation")) == 1


def test_objects_of_another_world_are_in_no_direction() -> None:
    tables = room(90)
    elsewhere = tables["objects_3d"].with_columns(pl.lit("mps").alias("world_frame_id"))
    assert facts({**tables, "objects_3d": elsewhere}).spatial_facts == []


def test_another_persons_hand_touches_nothing() -> None:
    tables = room(90)
    moving = [
        row | {"pose": at, "t_s": float(t), "motion": "dynamic"}
        for at, t in enumerate(TIMES)
        for row in tables["objects_3d"].rows(named=True)
    ]
    x, y, z = cup_at(90)
    hand = {"hand_side": "right", "joint": "wrist", "world_frame_id": "w", "x": x, "y": y, "z": z}
    for person, count in ((None, 1), ("Skeleton_B", 0)):
        joints = [
            KEY | hand | {"sample": at, "t_s": float(t), "person_id": person}
            for at, t in enumerate(TIMES)
        ]
        made = facts(
            {
                **tables,
                "objects_3d": TABLES["objects_3d"].frame(moving),
                "hand_joints": TABLES["hand_joints"].frame(joints),
            }
        )
        assert len(of(made, "contact")) == count


def test_visible_by_projection_where_nothing_is_boxed() -> None:
    made = facts(room(90))
    # To the right and out of the picture until the wearer turns.
    (span,) = of(made, "visible")
    assert (span["t_s"], span["end_s"]) == (pytest.approx(2.0), pytest.approx(5.9))
    assert span["calibration"] == "stated"
    assert len(of(facts(room(20)), "visible")) == 1
    assert of(facts(room(20)), "visible")[0]["t_s"] == 0


def test_the_sensor_lies_on_its_side() -> None:
    # What is right of the wearer is right of the axis in the upright camera.
    pose = device_at(0).then(DEVICE_RGB)
    right_of_it = rotate(pose.q, [0, -1, 0])
    assert right_of_it == pytest.approx([1, 0, 0], abs=1e-9)
