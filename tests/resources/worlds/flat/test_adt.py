"""The files of ADT sequences: read with plain readers, put together as a reader must."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import av
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from resources.worlds.flat import Flat, FlatSpec, plan_flat
from resources.worlds.flat.adt import write_adt

SPEC = FlatSpec("adt", takes=2, render="small")
# From the formats note: name, columns in order.
HEADERS = {
    "aria_trajectory.csv": "graph_uid,tracking_timestamp_us,utc_timestamp_ns,tx_world_device,ty_world_device",
    "2d_bounding_box.csv": "stream_id,object_uid,timestamp[ns],x_min[pixel],x_max[pixel],y_min[pixel],y_max[pixel],visibility_ratio[%]",
    "3d_bounding_box.csv": "object_uid,timestamp[ns],p_local_obj_xmin[m],p_local_obj_xmax[m]",
    "scene_objects.csv": "object_uid,timestamp[ns],t_wo_x[m],t_wo_y[m],t_wo_z[m],q_wo_w,q_wo_x,q_wo_y,q_wo_z",
    "eyegaze.csv": "tracking_timestamp_us,yaw_rads_cpf,pitch_rads_cpf,depth_m,yaw_low_rads_cpf",
}


@pytest.fixture(scope="module")
def flat() -> Flat:
    return plan_flat(SPEC)


@pytest.fixture(scope="module")
def root(flat: Flat, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("adt")
    told: list[tuple[int, int, str]] = []
    write_adt(flat, folder, lambda *now: told.append(now), workers=1)
    assert [(done, total) for done, total, _ in told] == [(1, 2), (2, 2)]
    return folder


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _numbers(row: dict[str, str], *names: str) -> np.ndarray:
    return np.array([float(row[name]) for name in names])


def test_two_writes_are_equal_under_any_hash_seed(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from resources.worlds.flat.adt import write_adt;"
        "from resources.worlds.flat import FlatSpec;"
        "write_adt(FlatSpec('adt', takes=1, render='small'), Path(sys.argv[1]), workers=1)"
    )
    files = []
    for seed in ("0", "7"):
        env = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", script, str(tmp_path / seed)], env=env, check=True)
        found = (p for p in (tmp_path / seed).rglob("*") if p.is_file())
        files.append({p.relative_to(tmp_path / seed).as_posix(): p.read_bytes() for p in found})
    assert files[0] == files[1]
    assert len(files[0]) == 11


def test_a_kind_that_is_not_adt_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="easg"):
        write_adt(FlatSpec("easg"), tmp_path)


def test_headers_and_names_are_those_of_the_release(root: Path, flat: Flat) -> None:
    for take in flat.takes:
        for name, start in HEADERS.items():
            header = (root / take.take_id / name).read_text().split("\n", 1)[0]
            assert header.startswith(start)
        meta = json.loads((root / take.take_id / "metadata.json").read_text())
        assert meta["dataset_version"] == "2.0"
    stated = [(root / t.take_id / "mps/slam/online_calibration.jsonl").exists() for t in flat.takes]
    assert sorted(stated) == [False, True]


def test_ids_are_whole_numbers_beyond_floats_and_static_things_come_once(
    root: Path, flat: Flat
) -> None:
    folder = root / flat.takes[0].take_id
    known = json.loads((folder / "instances.json").read_text())
    assert all(int(key) == value["instance_id"] > 2**53 for key, value in known.items())
    poses = _rows(folder / "scene_objects.csv")
    still = [r["object_uid"] for r in poses if r["timestamp[ns]"] == "-1"]
    assert sorted(still) == sorted(k for k, v in known.items() if v["motion_type"] == "static")
    frames = len({r["timestamp[ns]"] for r in poses} - {"-1"})
    moving = [
        k
        for k, v in known.items()
        if v["motion_type"] == "dynamic" and v["instance_type"] == "object"
    ]
    assert len(poses) == len(still) + frames * len(moving)
    assert frames == int(flat.takes[0].duration_s * 30)


def _camera(folder: Path) -> tuple[Rotation, np.ndarray, float, np.ndarray]:
    line = json.loads((folder / "mps/slam/online_calibration.jsonl").read_text().split("\n", 1)[0])
    rgb = next(c for c in line["CameraCalibrations"] if c["Label"] == "camera-rgb")
    assert rgb["Projection"]["Name"] == "FisheyeRadTanThinPrism"
    params = rgb["Projection"]["Params"]
    assert len(params) == 15
    assert params[3:] == [0.0] * 12
    w, xyz = rgb["T_Device_Camera"]["UnitQuaternion"]
    # Full sensor 2880 px: 32 px cut on each side, then halved.
    centre = (np.array(params[1:3]) - 32 + 0.5) / 2 - 0.5
    return (
        Rotation.from_quat([*xyz, w]),
        np.array(rgb["T_Device_Camera"]["Translation"]),
        params[0] / 2,
        centre,
    )


def test_boxes_are_where_trajectory_and_calibration_put_the_things(root: Path, flat: Flat) -> None:
    """T_world_device x T_device_camera, r = f theta, against 2D boxes in unrotated sensor pixels."""
    take = flat.takes[0]
    folder = root / take.take_id
    turn, offset, focal, centre = _camera(folder)
    axis = turn.as_matrix()[:, 2]
    assert np.degrees(np.arccos(axis[2])) == pytest.approx(38.9, abs=0.5)  # device is not camera
    poses = {int(r["tracking_timestamp_us"]): r for r in _rows(folder / "aria_trajectory.csv")}
    local = {r["object_uid"]: r for r in _rows(folder / "3d_bounding_box.csv")}
    places = {(r["object_uid"], r["timestamp[ns]"]): r for r in _rows(folder / "scene_objects.csv")}
    gaps, upright = [], []
    for row in _rows(folder / "2d_bounding_box.csv")[::17]:
        uid, stamp = row["object_uid"], row["timestamp[ns]"]
        x0, x1, y0, y1 = _numbers(
            row, "x_min[pixel]", "x_max[pixel]", "y_min[pixel]", "y_max[pixel]"
        )
        assert row["stream_id"] == "214-1"
        assert 0 <= x0 <= x1 <= 1407
        assert 0 <= y0 <= y1 <= 1407
        assert 0 < float(row["visibility_ratio[%]"]) <= 1
        if (
            float(row["visibility_ratio[%]"]) < 0.97
            or x1 - x0 > 160
            or min(x0, y0) == 0
            or max(x1, y1) == 1407
        ):
            continue
        place = places.get((uid, stamp)) or places[(uid, "-1")]
        low_high = _numbers(
            local[uid], *(f"p_local_obj_{a}{e}[m]" for a in "xyz" for e in ("min", "max"))
        )
        middle = low_high.reshape(3, 2).mean(1)
        w, x, y, z = _numbers(place, "q_wo_w", "q_wo_x", "q_wo_y", "q_wo_z")
        point = Rotation.from_quat([x, y, z, w]).apply(middle) + _numbers(
            place, "t_wo_x[m]", "t_wo_y[m]", "t_wo_z[m]"
        )
        pose = poses[int(stamp) // 1000]
        device = Rotation.from_quat(_numbers(pose, *(f"q{a}_world_device" for a in "xyzw")))
        at = device.inv().apply(point - _numbers(pose, *(f"t{a}_world_device" for a in "xyz")))
        cx, cy, cz = turn.inv().apply(at - offset)
        r = focal * np.arctan2(np.hypot(cx, cy), cz) / np.hypot(cx, cy)
        pixel = centre + r * np.array([cx, cy])
        gaps.append(np.abs(pixel - ((x0 + x1) / 2, (y0 + y1) / 2)).max())
        # Upright: x' = 1407 - y. The device's forward axis tells nothing of left and right there.
        t_s = (int(stamp) - 87_551_170_910_700) / 33_333_000 / 30
        name = (
            next(t.instance for t in take.things if t.uid == int(uid))
            if any(t.uid == int(uid) for t in take.things)
            else ""
        )
        if name:
            bearing = take.bearing_deg("ego", take.thing_at(name, t_s).centre, t_s)
            if abs(bearing) > 8:
                upright.append(np.sign(1407 - (y0 + y1) / 2 - 703.5) == np.sign(bearing))
    assert len(gaps) > 40
    assert np.median(gaps) < 4
    assert len(upright) > 20
    assert np.mean(upright) > 0.97


def test_gravity_says_y_up_and_heads_are_at_eye_height(root: Path, flat: Flat) -> None:
    for row in _rows(root / flat.takes[0].take_id / "aria_trajectory.csv")[::200]:
        assert [row[f"gravity_{a}_world"] for a in "xyz"] == ["0", "-9.81", "0"]
        assert float(row["ty_world_device"]) == pytest.approx(1.6, abs=0.05)
        assert np.linalg.norm(
            _numbers(row, *(f"q{a}_world_device" for a in "xyzw"))
        ) == pytest.approx(1, abs=1e-6)


def test_gaze_stamps_are_off_by_three_and_few_depths_are_missing(root: Path, flat: Flat) -> None:
    folder = root / flat.takes[0].take_id
    gaze, poses = _rows(folder / "eyegaze.csv"), _rows(folder / "aria_trajectory.csv")
    gaps = {
        int(p["tracking_timestamp_us"]) - int(g["tracking_timestamp_us"])
        for g, p in zip(gaze, poses, strict=True)
    }
    assert gaps == {3}
    missing = np.mean([float(g["depth_m"]) == 0 for g in gaze])
    assert 0 < missing < 0.1


def test_wrists_are_where_the_hands_are(root: Path, flat: Flat) -> None:
    take = flat.takes[0]
    said = json.loads((root / take.take_id / "Skeleton_F.json").read_text())
    get = next(a for a in take.actions if a.verb == "get")
    at = 87_551_170_910_700 + round(get.contact_s * 30) * 33_333_000
    frame = min(said["frames"], key=lambda one: abs(one["timestamp_ns"] - at))
    assert abs(frame["timestamp_ns"] - at) < 34_000_000
    assert len(frame["joints"]) == 51
    x, y, z = frame["joints"][27 if get.hand == "right" else 8]
    box = take.thing_at(get.object, get.contact_s)
    hand = np.array([x, -z, y])  # y up to z up
    assert np.linalg.norm(np.maximum(np.maximum(box.lo - hand, hand - box.hi), 0)) < 0.08


def test_the_preview_is_upright_at_30_fps(root: Path, flat: Flat) -> None:
    take = flat.takes[0]
    with av.open(str(root / take.take_id / "preview_rgb.mp4")) as container:
        stream = container.streams.video[0]
        assert stream.average_rate == 30
        frames = [f.to_ndarray(format="rgb24") for f in container.decode(stream)]
    assert len(frames) == int(take.duration_s * 30)
    truth = next(iter(take.frames("ego", [2.0])))
    assert np.abs(frames[60].astype(int) - truth).mean() < 12
