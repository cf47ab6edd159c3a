"""Files of Aria's machine perception services: the four gaze forms, trajectories, their traps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from assets.scene_graphs.gaze import directions
from assets.sources.aria.mps import at_stamps, read_gaze, read_trajectory, thinned
from assets.sources.aria.world import Turn
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed

MPS = "data/aria-mps"
# File, rows, and yaw, pitch, depth of the first one.
FORMS = [
    ("gen1_mps_sample/eye_gaze/eyegaze.csv", 0.894797, 0.039713, None),
    ("gen1_mps_sample/eye_gaze/generalized_eye_gaze.csv", 0.894797, 0.039713, None),
    (
        "gen2_mps_sample/eye_gaze/general_eye_gaze.csv",
        0.07778378224032466,
        -0.36552523325782504,
        None,
    ),
    ("gen2_mps_sample/eye_gaze/personalized_eye_gaze.csv", 0.0559566282, -0.247608393, None),
    ("aea/mps/eye_gaze/general_eye_gaze.csv", -0.36566, -0.121962, None),
]


@pytest.mark.parametrize(("file", "yaw", "pitch", "depth"), FORMS)
def test_gaze_forms(shared: Path, file: str, yaw: float, pitch: float, depth: float | None) -> None:
    data = (shared / MPS / file).read_bytes()
    reader = RowReader("gaze_rays")
    rows = read_gaze(reader, file, data)
    assert reader.refused == []
    assert rows.height == data.decode().strip().count("\n")
    first = rows.row(0, named=True)
    assert (first["yaw_rad"], first["pitch_rad"]) == pytest.approx((yaw, pitch))
    assert first["depth_m"] == depth


def test_both_eyes_are_joined(shared: Path) -> None:
    file = "gen1_mps_sample/eye_gaze_vergence/generalized_gaze.csv"
    rows = read_gaze(RowReader("gaze_rays"), file, (shared / MPS / file).read_bytes())
    first = rows.row(0, named=True)
    left, right = np.tan(0.801510214805603), np.tan(0.7736955881118774)
    # Both rays meet where 0.0315 + z * left = -0.0315 + z * right, seen from between the eyes.
    z = 0.063 / (right - left)
    assert first["yaw_rad"] == pytest.approx(np.arctan((0.0315 + z * left) / z))
    assert first["depth_m"] == pytest.approx(1.598123690675182)


def test_pitch_of_two_eyes_is_joined() -> None:
    data = (
        b"tracking_timestamp_us,yaw_rads_cpf,left_pitch_rads_cpf,right_pitch_rads_cpf\n"
        b"100,0.1,0.2,0.3\n"
    )
    row = read_gaze(RowReader("gaze_rays"), "g.csv", data).row(0, named=True)
    assert row["pitch_rad"] == pytest.approx(np.arctan((np.tan(0.2) + np.tan(0.3)) / 2))


def test_another_form_is_refused() -> None:
    with pytest.raises(Malformed, match="none of the known gaze columns"):
        read_gaze(RowReader("gaze_rays"), "g.csv", b"tracking_timestamp_us,x,y\n1,2,3\n")


def test_gaze_point_of_the_published_test_vector() -> None:
    # core/mps/test/TestEyeGaze.cpp of projectaria_tools: yaw, pitch and depth to a point.
    ray = directions(np.array([-0.10291049001666]), np.array([-0.288851886987686]))[0]
    want = (-0.116201334110103, -0.334355951558995, 1.12516063)
    assert np.allclose(ray * 1.179526637404006, want, atol=1e-6)


def test_closed_loop_trajectory_by_name(shared: Path) -> None:
    folder = shared / MPS / "gen1_mps_sample/trajectory"
    read = {}
    for name in ("geo_available", "geo_missing"):
        data = (folder / f"closed_loop_trajectory_{name}.csv").read_bytes()
        read[name], turn = read_trajectory(RowReader("camera_poses"), name, data)
        # Columns more or less; this world is z up already.
        assert turn == Turn("z")
    assert read["geo_available"].equals(read["geo_missing"])
    first = read["geo_missing"].row(0, named=True)
    assert (first["tx"], first["stamp_ns"]) == (0.000292, 149202610000)
    assert first["qw"] == pytest.approx(0.523916109, abs=1e-6)


def test_a_kilohertz_is_thinned(shared: Path) -> None:
    data = (shared / MPS / "gen1_mps_sample/trajectory/closed_loop_trajectory.csv").read_bytes()
    rows, _ = read_trajectory(RowReader("camera_poses"), "t.csv", data)
    assert rows.height > 11_000
    few = thinned(rows)
    span = (rows["stamp_ns"].max() - rows["stamp_ns"].min()) / 1e9  # type: ignore[operator]
    assert few.height == pytest.approx(60 * span, abs=2)
    asked = rows["stamp_ns"].gather_every(100).to_list()
    assert at_stamps(rows, [stamp + 3000 for stamp in asked])["stamp_ns"].to_list() == asked


def test_a_stamp_with_nothing_near_has_no_row() -> None:
    rows = pl.DataFrame({"stamp_ns": [0, 33_000_000], "v": [1, 2]})
    assert at_stamps(rows, [2, 90_000_000])["v"].to_list() == [1]


@given(st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 0.1))
def test_turned_rotations_are_those_of_scipy(q: list[float]) -> None:
    unit = np.array(q) / np.linalg.norm(q)
    frame = pl.DataFrame([unit.tolist()], schema=["w", "x", "y", "z"], orient="row")
    made = frame.select(Turn("y").rotation("w", "x", "y", "z")).row(0)
    want = Rotation.from_euler("x", 90, degrees=True) * Rotation.from_quat([*unit[1:], unit[0]])
    got = Rotation.from_quat([*made[1:], made[0]])
    assert (want.inv() * got).magnitude() < 1e-6


def test_a_number_that_is_no_rotation_stays_for_the_contract() -> None:
    frame = pl.DataFrame([[2.0, 0.0, 0.0, 0.0]], schema=["w", "x", "y", "z"], orient="row")
    made = frame.select(Turn("z").rotation("w", "x", "y", "z")).row(0)
    assert made == (2.0, 0.0, 0.0, 0.0)
