"""Files of Aria's machine perception services: the maker's own reader finds the same."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.spatial.transform import Rotation

from assets.scene_graphs.projection import Camera
from assets.sources.aria.mps import read_calibration, read_gaze, read_trajectory
from assets.sources.reading.row_reader import RowReader
from tests.conftest import missing

TRAJECTORY = "gen1_mps_sample/trajectory/closed_loop_trajectory.csv"
CALIBRATION = "gen1_mps_sample/trajectory/online_calibration.jsonl"
GAZE = (
    "gen1_mps_sample/eye_gaze/eyegaze.csv",
    "gen1_mps_sample/eye_gaze/generalized_eye_gaze.csv",
    "gen1_mps_sample/eye_gaze_vergence/generalized_gaze.csv",
    "gen2_mps_sample/eye_gaze/general_eye_gaze.csv",
    "gen2_mps_sample/eye_gaze/personalized_eye_gaze.csv",
    "aea/mps/eye_gaze/general_eye_gaze.csv",
)


@pytest.fixture(scope="module")
def mps() -> Any:
    """The reader that the maker publishes."""
    try:
        return import_module("projectaria_tools.core.mps")
    except ImportError:
        return missing("projectaria-tools", "pip install --no-deps projectaria-tools==2.3.0")


@pytest.fixture
def home(shared: Path) -> Path:
    return shared / "data/aria-mps"


def _ns(stamp: Any) -> int:
    return round(stamp.total_seconds() * 1e6) * 1000


def test_a_trajectory(mps: Any, home: Path) -> None:
    theirs = mps.read_closed_loop_trajectory(str(home / TRAJECTORY))
    ours, turn = read_trajectory(
        RowReader("camera_poses"), TRAJECTORY, (home / TRAJECTORY).read_bytes()
    )
    assert turn.up == "z"
    assert len(theirs) == ours.height == 11_517
    assert ours["stamp_ns"].to_list() == [_ns(p.tracking_timestamp) for p in theirs]
    # Theirs in one row: w, x, y, z, then the place.
    said = np.stack([p.transform_world_device.to_quat_and_translation()[0] for p in theirs])
    places = ours.select("tx", "ty", "tz").to_numpy()
    assert np.abs(places - said[:, 4:]).max() < 1e-9
    turns = Rotation.from_quat(ours.select("qx", "qy", "qz", "qw").to_numpy())
    apart = (turns.inv() * Rotation.from_quat(said[:, [1, 2, 3, 0]])).magnitude()
    assert apart.max() < 1e-6
    assert ours["quality"].to_list() == pytest.approx([p.quality_score for p in theirs])


@pytest.mark.parametrize("file", GAZE)
def test_gaze(mps: Any, home: Path, file: str) -> None:
    theirs = mps.read_eyegaze(str(home / file))
    ours = read_gaze(RowReader("gaze_rays"), file, (home / file).read_bytes())
    assert len(theirs) == ours.height > 3
    assert ours["stamp_ns"].to_list() == [_ns(g.tracking_timestamp) for g in theirs]
    # They keep single precision.
    assert ours["yaw_rad"].to_list() == pytest.approx([g.yaw for g in theirs], abs=1e-5)
    assert ours["pitch_rad"].to_list() == pytest.approx([g.pitch for g in theirs], abs=1e-5)
    both = [(a, g.depth) for a, g in zip(ours["depth_m"], theirs, strict=True) if a is not None]
    assert [a for a, _ in both] == pytest.approx([b for _, b in both], abs=1e-4)


SENSORS = {"rgb": "camera-rgb", "slam_left": "camera-slam-left", "slam_right": "camera-slam-right"}


@pytest.mark.parametrize("sensor", SENSORS)
def test_a_camera(mps: Any, home: Path, sensor: str) -> None:
    theirs = mps.read_online_calibration(str(home / CALIBRATION))[0].get_camera_calib(
        SENSORS[sensor]
    )
    if sensor == "rgb":
        # As it is recorded: a border cut off, then halved.
        theirs = theirs.rescale([1408, 1408], 0.5, [32.0, 32.0])
    rows = read_calibration(
        RowReader("cameras"), CALIBRATION, (home / CALIBRATION).read_bytes(), "it", "r"
    )
    ours = pl.DataFrame(rows).row(by_predicate=pl.col("sensor") == sensor, named=True)
    size = theirs.get_image_size()
    assert (ours["width_px"], ours["height_px"]) == tuple(size)
    focal, centre = theirs.get_focal_lengths(), theirs.get_principal_point()
    assert (ours["fx_px"], ours["fy_px"]) == pytest.approx(tuple(focal))
    assert (ours["cx_px"], ours["cy_px"]) == pytest.approx(tuple(centre))
    place = theirs.get_transform_device_camera()
    want = place.to_quat_and_translation()[0]
    found = [ours[k] for k in ("qw", "qx", "qy", "qz", "tx", "ty", "tz")]
    assert found == pytest.approx(want.tolist(), abs=1e-7)
    keys = ("model", "image_space", "width_px", "height_px", "fx_px", "fy_px", "cx_px", "cy_px")
    camera = Camera(*(ours[k] for k in keys), distortion=tuple(ours["distortion"]))
    x, y = np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-1, 1, 9))
    points = np.stack([x, y, np.full_like(x, 1.3)], axis=-1).reshape(-1, 3)
    pixels, front = camera.project(points)
    assert front.all()
    wanted = np.stack([theirs.project_no_checks(p) for p in points])
    assert np.abs(pixels - wanted).max() < 1e-3
