"""The files of an Ego-Exo4D capture: read with plain readers, put together as a reader must."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from resources.worlds.flat import Flat, FlatSpec, plan_flat
from resources.worlds.flat.egoexo4d import write_egoexo4d

SPEC = FlatSpec("egoexo4d", takes=2, render="small")


@pytest.fixture(scope="module")
def flat() -> Flat:
    return plan_flat(SPEC)


@pytest.fixture(scope="module")
def root(flat: Flat, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("egoexo4d")
    write_egoexo4d(flat, folder, workers=1)
    return folder


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _takes(root: Path, flat: Flat) -> Iterator[tuple[dict, Path]]:
    for row, _ in zip(json.loads((root / "takes.json").read_text()), flat.takes, strict=True):
        yield row, root / row["root_dir"]


def test_two_writes_are_equal(root: Path, flat: Flat, tmp_path: Path) -> None:
    write_egoexo4d(FlatSpec("egoexo4d", takes=2, render="none"), tmp_path, workers=2)
    files = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    other = {p.relative_to(root): p.read_bytes() for p in root.rglob("*") if p.is_file()}
    assert files == {k: v for k, v in other.items() if k.suffix != ".mp4"}
    assert sum(k.suffix == ".mp4" for k in other) == 10


def test_takes_lie_in_their_capture_s_clock(root: Path, flat: Flat) -> None:
    rows = _rows(root / "captures/flat_cooking01/timesync.csv")
    end = 0
    for row, folder in _takes(root, flat):
        start, stop = row["timesync_start_idx"], row["timesync_end_idx"]
        assert start > end
        end = stop
        assert row["duration_sec"] == pytest.approx((stop - start) / 30)
        for cam, streams in row["frame_aligned_videos"].items():
            for stream in streams.values():
                if cam == "best_exo":
                    assert stream["relative_path"] is None
                    continue
                with av.open(str(folder / stream["relative_path"])) as container:
                    frames = sum(1 for _ in container.decode(video=0))
                assert frames == stop - start
        stamps = [r["aria01_214-1_capture_timestamp_ns"] for r in rows[start:stop]]
        first = next(int(s) for s in stamps if s)
        pose = _rows(folder / "trajectory/closed_loop_trajectory.csv")[0]
        assert abs(int(pose["tracking_timestamp_us"]) * 1000 - first) < 1000
    assert any(not r["aria01_214-1_capture_timestamp_ns"] for r in rows)


def test_cameras_and_trajectory_share_a_world_in_which_the_wearer_is_seen(
    root: Path, flat: Flat
) -> None:
    """The wearer's head, from the trajectory, lands in each GoPro's picture where people are drawn."""
    hits = []
    for (row, folder), take in zip(_takes(root, flat), flat.takes, strict=True):
        poses = _rows(folder / "trajectory/closed_loop_trajectory.csv")
        assert {r["gravity_z_world"] for r in poses} == {"-9.81"}
        for cal in _rows(folder / "trajectory/gopro_calibs.csv"):
            name = cal["cam_uid"].strip()
            assert cal["intrinsics_type"] == "KANNALABRANDTK3"
            assert (cal["image_width"], cal["image_height"]) == ("3840", "2160")
            turn = Rotation.from_quat([float(cal[f"q{a}_world_cam"]) for a in "xyzw"])
            at = np.array([float(cal[f"t{a}_world_cam"]) for a in "xyz"])
            fx, _, cx, cy = (float(cal[f"intrinsics_{n}"]) for n in range(4))
            for pose in poses[60::120]:  # every four seconds
                head = np.array([float(pose[f"t{a}_world_device"]) for a in "xyz"])
                x, y, z = turn.inv().apply(head - at)
                r = fx * np.arctan2(np.hypot(x, y), z) / np.hypot(x, y)
                camera = take.camera(name)
                scale = camera.width_px / 3840
                px, py = (cx + r * x + 0.5) * scale - 0.5, (cy + r * y + 0.5) * scale - 0.5
                if z < 0.1 or not (2 < px < camera.width_px - 3 and 2 < py < camera.height_px - 3):
                    continue
                t_s = (
                    int(pose["tracking_timestamp_us"]) - int(poses[0]["tracking_timestamp_us"])
                ) / 1e6
                owners = take.picture(name, t_s).owners
                patch = owners[round(py) - 2 : round(py) + 3, round(px) - 2 : round(px) + 3]
                hits.append((patch == take.owner("P1")).any())
    assert len(hits) > 20
    assert np.mean(hits) > 0.85
    assert flat.spec.kind == "egoexo4d"


def test_annotations_say_what_happened(root: Path, flat: Flat) -> None:
    notes = json.loads((root / "annotations/atomic_descriptions_val.json").read_text())[
        "annotations"
    ]
    steps = json.loads((root / "annotations/keystep_val.json").read_text())
    for (row, _), take in zip(_takes(root, flat), flat.takes, strict=True):
        first, refused = notes[row["take_uid"]]
        assert refused["rejected"]
        assert refused["descriptions"] == []
        said = first["descriptions"]
        assert [d["timestamp"] for d in said] == pytest.approx(
            [a.contact_s for a in take.actions], abs=1e-4
        )
        assert all(
            d.get("subject", d.get("narration_subject")) in d["text"].split()[0] for d in said
        )
        for segment in steps["annotations"][row["take_uid"]]["segments"]:
            assert 0 <= segment["start_time"] < segment["end_time"] <= row["duration_sec"]
            assert steps["vocabulary"][str(segment["step_unique_id"])] == segment["step_name"]
            node = steps["taxonomy"][take.task][str(segment["step_id"])]
            assert node["unique_id"] == segment["step_unique_id"]
    both = [a.actor for a in flat.takes[1].actions]
    assert set(both) == {"P1", "P2"}
    kinds = {type(d["ego_visible"]) for one in notes.values() for d in one[0]["descriptions"]}
    assert kinds == {bool, str}


def test_gaze_in_the_upright_picture_is_on_what_is_looked_at(root: Path, flat: Flat) -> None:
    (_, folder), take = next(zip(_takes(root, flat), flat.takes, strict=True))
    points, rays = (
        _rows(folder / "eye_gaze/general_eye_gaze_2d.csv"),
        _rows(folder / "eye_gaze/general_eye_gaze.csv"),
    )
    assert len(points) == len(rays)
    assert any(r["depth_m"] == "" for r in rays)
    camera, hits = take.camera("ego"), []
    for point in points:
        t_s = int(point["frame_num"]) / 30
        looked, _ = take.gaze_target(t_s)
        if (
            looked in take.instances
            and looked not in ("cupboard", "fridge")
            and looked.endswith("_1")
        ):
            scale = camera.width_px / 1408
            x, y = (round((float(point[a]) + 0.5) * scale - 0.5) for a in "xy")
            if 1 <= x < camera.width_px - 1 and 1 <= y < camera.height_px - 1:
                patch = take.picture("ego", t_s).owners[y - 1 : y + 2, x - 1 : x + 2]
                hits.append(
                    (patch == take.owner(looked)).any()
                    or (patch > take.owner(take.instances[-1])).any()
                )
    assert len(hits) > 10
    assert np.mean(hits) > 0.9
