"""The Aria Digital Twin test sequence: counts and values taken from the files by hand."""

from __future__ import annotations

import csv
import json
import shutil
from hashlib import sha256
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.spatial.transform import Rotation

from assets.options import Options, silent
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import Settings, SourceConfig
from resources.store.tables import TableStore

SEQ = "Apartment_release_work_skeleton_seq107"
# A quarter turn about x: y up to z up. (x, y, z) becomes (x, -z, y).
UPRIGHT = Rotation.from_euler("x", 90, degrees=True)


class Sequence:
    def __init__(self, root: Path, home: Path) -> None:
        self.root, self.settings = (
            root,
            Settings(
                home,
                TableStore(str(home / "store")),
                home / "page.html",
                {"it": SourceConfig("it", "adt", str(root))},
            ),
        )

    def ingest(self) -> None:
        SOURCES.refresh(self.settings, "it", Options(), silent)

    def rows(self, table: str) -> pl.DataFrame:
        return self.settings.store.read(TABLES[table])

    def rules(self) -> set[tuple[str, str]]:
        return set(self.rows("quarantine").select("file", "rule").iter_rows())


def copied(shared: Path, home: Path, name: str = SEQ) -> Sequence:
    folder = home / "root" / name
    shutil.copytree(shared / "data/adt", folder, copy_function=shutil.copyfile)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return Sequence(home / "root", home)


@pytest.fixture(scope="module")
def sequence(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Sequence:
    made = copied(shared, tmp_path_factory.mktemp("adt"))
    made.ingest()
    return made


@pytest.fixture
def copy(shared: Path, tmp_path: Path) -> Sequence:
    return copied(shared, tmp_path)


def test_counts(sequence: Sequence) -> None:
    counted = {name: sequence.rows(name).height for name in (
        "recordings", "camera_poses", "gaze_rays", "hand_joints", "boxes", "annotated_frames", "frame_stamps"
    )}  # fmt: skip
    assert counted == {
        "recordings": 1,
        "camera_poses": 6,
        "gaze_rays": 6,
        "hand_joints": 12,
        "boxes": 544,
        "annotated_frames": 6,
        "frame_stamps": 1,
    }
    objects = sequence.rows("objects_3d")
    # 304 that stand still, 45 that may move, at six frames.
    assert objects.height == 304 + 45 * 6
    assert objects.filter(pl.col("t_s").is_null())["object_id"].n_unique() == 304
    assert objects["object_id"].n_unique() == 349
    assert SOURCES.is_fresh(sequence.settings, "it", Options())


def test_recording_without_pixels_says_so(sequence: Sequence) -> None:
    row = sequence.rows("recordings").row(0, named=True)
    assert (row["recording_id"], row["media"], row["media_paths"]) == (SEQ, "missing", [])
    assert (row["device"], row["scene"], row["scenario"]) == ("aria", "apartment", "work skeleton")
    assert sequence.rules() == {(f"{SEQ}/video.vrs", "pixels_not_read")}


def test_world_is_turned_z_up(sequence: Sequence, shared: Path) -> None:
    first = next(csv.DictReader((shared / "data/adt/aria_trajectory.csv").open()))
    p = UPRIGHT.apply([float(first[f"t{a}_world_device"]) for a in "xyz"])
    q = UPRIGHT * Rotation.from_quat([float(first[f"q{a}_world_device"]) for a in "xyzw"])
    row = sequence.rows("camera_poses").sort("pose").row(0, named=True)
    assert np.allclose([row[f"t{a}"] for a in "xyz"], p)
    ours = Rotation.from_quat([row[f"q{a}"] for a in "xyzw"])
    assert (ours.inv() * q).magnitude() < 1e-9
    # A head is 1.5 m above the floor, on which the scene stands.
    assert 1.2 < row["tz"] < 1.9
    assert row["of"] == "device"


def test_objects_have_w_first_and_boxes_of_their_own(sequence: Sequence, shared: Path) -> None:
    rows = {r["object_id"]: r for r in sequence.rows("objects_3d").iter_rows(named=True)}
    sizes = {
        r["object_uid"]: r for r in csv.DictReader((shared / "data/adt/3d_bounding_box.csv").open())
    }
    for said in csv.DictReader((shared / "data/adt/scene_objects.csv").open()):
        if said["timestamp[ns]"] != "-1":
            continue
        row = rows[said["object_uid"]]
        q = Rotation.from_quat([float(said[f"q_wo_{a}"]) for a in "xyzw"])
        ours = Rotation.from_quat([row[f"q{a}"] for a in "xyzw"])
        assert (ours.inv() * UPRIGHT * q).magnitude() < 1e-6
        assert np.allclose(
            [row[f"t{a}"] for a in "xyz"],
            UPRIGHT.apply([float(said[f"t_wo_{a}[m]"]) for a in "xyz"]),
        )
        size = sizes[said["object_uid"]]
        assert row["x_max_m"] == float(size["p_local_obj_xmax[m]"])
        assert row["z_min_m"] == float(size["p_local_obj_zmin[m]"])


def test_ids_are_text_and_names_are_known(sequence: Sequence, shared: Path) -> None:
    named = json.loads((shared / "data/adt/instances.json").read_text())
    boxes = sequence.rows("boxes")
    assert set(boxes["object_id"]) <= set(named)
    for uid, name in boxes.select("object_id", "class_name").unique().iter_rows():
        assert named[uid]["instance_name"] == name
    # 16 digits do not survive a float that is written and read again.
    assert all(len(uid) >= 15 for uid in boxes["object_id"])


def test_boxes_lie_in_the_upright_picture(sequence: Sequence) -> None:
    # 214-1,4213328128795167,87551170910700,519,564,721,800: x 519..564, y 721..800 on the sensor.
    row = sequence.rows("boxes").filter(
        pl.col("box_id") == f"{SEQ}|214-1|87551170910700|4213328128795167"
    ).row(0, named=True)  # fmt: skip
    assert row["raw"] == [519.0, 564.0, 721.0, 800.0]
    assert (row["image_space"], row["raw_form"], row["clipped"]) == ("sensor", "xxyy_px", False)
    # Turned a quarter clockwise: the pixel (x, y) comes to (1407 - y, x).
    assert row["x_min"] * 1408 == pytest.approx(1407 - 800)
    assert row["x_max"] * 1408 == pytest.approx(1407 - 721 + 1)
    assert row["y_min"] * 1408 == pytest.approx(519)
    assert row["y_max"] * 1408 == pytest.approx(564 + 1)
    assert row["visibility"] == pytest.approx(0.991078)
    assert row["source_frame"] == 0


def test_ten_boxes(sequence: Sequence, shared: Path) -> None:
    """Of the 1,438 boxes of three cameras those of the RGB camera; ten of them by another reader."""
    with (shared / "data/adt/2d_bounding_box.csv").open(newline="") as file:
        listed = list(csv.DictReader(file))
    assert len(listed) == 1_438
    own = {
        f"{SEQ}|214-1|{row['timestamp[ns]']}|{row['object_uid']}": row
        for row in listed
        if row["stream_id"] == "214-1"
    }
    rows = {row["box_id"]: row for row in sequence.rows("boxes").iter_rows(named=True)}
    assert rows.keys() == own.keys()
    for key in sorted(own, key=lambda k: sha256(k.encode()).digest())[:10]:
        row, said = rows[key], own[key]
        left, right, top, bottom = (
            float(said[f"{edge}[pixel]"]) for edge in ("x_min", "x_max", "y_min", "y_max")
        )
        # By corners: each pixel is a square, and the picture is turned about its own corner.
        corners = np.array([(left, top), (right + 1, bottom + 1)])
        turned = np.stack([1408 - corners[:, 1], corners[:, 0]], axis=1) / 1408
        edges = [row[n] for n in ("x_min", "y_min", "x_max", "y_max")]
        assert edges == pytest.approx([*turned.min(0), *turned.max(0)])
        assert row["visibility"] == pytest.approx(float(said["visibility_ratio[%]"]))
        assert row["object_id"] == said["object_uid"]


def test_only_the_cameras_own_boxes(sequence: Sequence) -> None:
    assert sequence.rows("boxes")["source_key"].str.starts_with("214-1|").all()


def test_gaze_depth_zero_is_none_and_stamps_match_nearest(sequence: Sequence) -> None:
    gaze = sequence.rows("gaze_rays").sort("sample")
    assert gaze["depth_m"].to_list() == [None, 0.511755, 0.688866, 0.682519, 0.67864, 0.677456]
    # 3 us before the frames; nothing is lost for want of equality.
    poses = sequence.rows("camera_poses").sort("pose")
    apart = (gaze["t_s"] - poses["t_s"]).abs()
    assert apart.max() == pytest.approx(3e-6, abs=1e-9)


def test_hands_are_the_wearers(sequence: Sequence) -> None:
    hands = sequence.rows("hand_joints")
    assert hands["person_id"].null_count() == hands.height
    left = hands.filter(pl.col("hand_side") == "left").sort("t_s").row(0, named=True)
    # Joint 8 of the first frame is (0.28, 1.21, 2.29) with y up.
    assert (round(left["x"], 2), round(left["y"], 2), round(left["z"], 2)) == (0.28, -2.29, 1.21)


def test_stamps_are_the_rgb_frames(sequence: Sequence) -> None:
    stamps = sequence.rows("frame_stamps").row(0, named=True)["frame_stamps_ns"]
    assert stamps[0] == 87551170910700
    assert np.diff(stamps).tolist() == [33328000] * 5


# -- broken and odd sequences ----------------------------------------------------------------------


def test_a_missing_skeleton_is_no_fault(copy: Sequence) -> None:
    for name in ("Skeleton_T.json", "skeleton_aria_association.json"):
        (copy.root / SEQ / name).unlink()
    copy.ingest()
    assert copy.rows("hand_joints").is_empty()
    assert copy.rows("camera_poses").height == 6
    assert copy.rules() == {(f"{SEQ}/video.vrs", "pixels_not_read")}


def test_another_persons_skeleton_is_named(copy: Sequence) -> None:
    path = copy.root / SEQ / "skeleton_aria_association.json"
    path.write_text(path.read_text().replace("1WM103600M1292", "NONE"))
    copy.ingest()
    assert copy.rows("hand_joints")["person_id"].unique().to_list() == ["Skeleton_T"]


def test_gravity_decides_which_way_is_up(copy: Sequence) -> None:
    path = copy.root / SEQ / "aria_trajectory.csv"
    path.write_text(path.read_text().replace(",0,-9.81,0,", ",0,0,-9.81,"))
    first = next(csv.DictReader(path.open()))
    copy.ingest()
    row = copy.rows("camera_poses").sort("pose").row(0, named=True)
    assert row["ty"] == float(first["ty_world_device"])
    still = copy.rows("objects_3d").filter(pl.col("object_id") == "5691266090916432")
    assert still["tz"][0] == pytest.approx(-0.001297323245375)


@pytest.mark.parametrize("gravity", [",9.81,0,0,", ",0,9.81,0,", ",0,-7,-7,"])
def test_gravity_along_no_axis_is_refused(copy: Sequence, gravity: str) -> None:
    path = copy.root / SEQ / "aria_trajectory.csv"
    path.write_text(path.read_text().replace(",0,-9.81,0,", gravity))
    copy.ingest()
    assert copy.rows("camera_poses").is_empty()
    assert copy.rows("objects_3d").is_empty()
    assert (f"{SEQ}/aria_trajectory.csv", "unreadable_file") in copy.rules()
    assert (f"{SEQ}/scene_objects.csv", "no_gravity") in copy.rules()
    assert copy.rows("boxes").height == 544


def test_a_corrupt_sequence_is_refused_by_name(shared: Path, tmp_path: Path) -> None:
    made = copied(shared, tmp_path, "Apartment_release_clean_seq139_M1292")
    made.ingest()
    assert made.rows("recordings").is_empty()
    assert ("Apartment_release_clean_seq139_M1292/metadata.json", "known_corrupt") in made.rules()


def test_version_one_is_refused_by_name(copy: Sequence) -> None:
    folder = copy.root / SEQ
    (folder / "metadata.json").rename(folder / "gt-metadata.json")
    copy.ingest()
    assert copy.rows("recordings").is_empty()
    assert (f"{SEQ}/gt-metadata.json", "old_version") in copy.rules()


def test_columns_are_found_by_name(copy: Sequence, sequence: Sequence) -> None:
    path = copy.root / SEQ / "2d_bounding_box.csv"
    rows = list(csv.reader(path.open()))
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(row[::-1] for row in rows)
    copy.ingest()
    names = ["box_id", "x_min", "y_min", "x_max", "y_max", "visibility"]
    ours, theirs = (s.rows("boxes").select(names).sort("box_id") for s in (copy, sequence))
    assert ours.equals(theirs)


def test_a_bad_row_costs_one_row(copy: Sequence) -> None:
    path = copy.root / SEQ / "2d_bounding_box.csv"
    lines = path.read_text().splitlines()
    assert lines[1].startswith("214-1,")
    lines[1] = lines[1].replace(",519,", ",many,")
    path.write_text("\n".join(lines))
    copy.ingest()
    assert copy.rows("boxes").height == 543
    said = copy.rows("quarantine").filter(pl.col("rule") == "unreadable_row").row(0, named=True)
    assert (said["row"], said["value"]) == ("2", "many")


def test_a_picture_beside_the_files_is_read(copy: Sequence) -> None:
    (copy.root / SEQ / "preview_rgb.mp4").write_bytes(b"not a video, which later stages say")
    copy.ingest()
    row = copy.rows("recordings").row(0, named=True)
    assert (row["media"], row["media_paths"]) == ("present", [f"{SEQ}/preview_rgb.mp4"])


def test_an_empty_depth_is_none(copy: Sequence) -> None:
    (copy.root / SEQ / "eyegaze.csv").unlink()
    copy.ingest()
    gaze = copy.rows("gaze_rays").sort("sample")
    # The file of the machine perception services has no depth.
    assert gaze["depth_m"].to_list() == [None] * 6
    assert gaze["yaw_rad"][0] == 0.069013


def test_a_stated_calibration_is_read(copy: Sequence, shared: Path) -> None:
    slam = copy.root / SEQ / "mps/slam"
    slam.mkdir(parents=True)
    stated = "data/aria-mps/gen1_mps_sample/trajectory/online_calibration.jsonl"
    shutil.copyfile(shared / stated, slam / "online_calibration.jsonl")
    copy.ingest()
    row = copy.rows("cameras").filter(pl.col("sensor") == "rgb").row(0, named=True)
    # 1220.02 px on the full sensor, of which 32 px are cut on each side and the rest is halved.
    assert row["fx_px"] == pytest.approx(1220.01943882295 / 2)
    assert row["cx_px"] == pytest.approx((1461.091249679011 - 32 + 0.5) / 2 - 0.5)
    assert row["qw"] == pytest.approx(0.941575995616059)
    assert len(row["distortion"]) == 12
