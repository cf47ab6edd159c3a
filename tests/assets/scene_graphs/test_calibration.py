"""Calibrations fitted to made boxes: what comes out is what went in, or nothing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from assets.scene_graphs.aria import DEVICE_CPF, DEVICE_RGB
from assets.scene_graphs.calibration import Matches, estimate, stated
from assets.scene_graphs.projection import Camera
from assets.scene_graphs.rotation import Pose, rotate

TRUE = Camera("kannala_brandt", "sensor", 1408, 1408, 640, 640, 712, 698, (0.05, -0.01))


def made(place: Pose, count: int, noise_px: float = 0.0) -> Matches:
    """Small cubes before a camera, and the middles of their projections."""
    rng = np.random.default_rng(7)
    centres = np.stack([*rng.uniform(-0.7, 0.7, (2, count)), np.ones(count)], axis=-1)
    centres *= rng.uniform(1, 5, (count, 1))
    cube = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.03
    corners = centres[:, None, :] + cube
    shown, _ = TRUE.project(corners)
    middles = (shown.min(axis=1) + shown.max(axis=1)) / 2
    middles += rng.normal(0, 1, (count, 2)) * noise_px
    return Matches(place.apply(corners), middles, "sensor", 1408, 1408)


TURNS = [
    # Near the nominal rotation, and far from it: another device, another way round.
    Rotation.from_rotvec([0.05, -0.04, 0.06]),
    Rotation.from_euler("z", 170, degrees=True),
    Rotation.from_euler("zyx", [90, 40, -20], degrees=True),
]


@pytest.mark.parametrize("turn", TURNS)
def test_what_went_in_comes_out(turn: Rotation) -> None:
    nominal = Rotation.from_quat([*DEVICE_RGB.q[1:], DEVICE_RGB.q[0]])
    if turn.magnitude() > 1:
        nominal = Rotation.identity()
    x, y, z, w = (nominal * turn).as_quat()
    place = Pose.of(DEVICE_RGB.t, [w, x, y, z])
    found = estimate(made(place, 120, noise_px=1.0))
    assert found is not None
    got = Rotation.from_quat([*found.device_camera.q[1:], found.device_camera.q[0]])
    assert np.degrees((got.inv() * nominal * turn).magnitude()) < 0.5
    assert found.camera.fx_px == pytest.approx(640, rel=0.02)
    assert found.residual_px == pytest.approx(1.2, abs=0.3)


def test_too_few_boxes_are_no_calibration() -> None:
    assert estimate(made(DEVICE_RGB, 29)) is None


def test_boxes_of_other_things_are_no_calibration() -> None:
    right = made(DEVICE_RGB, 80)
    assert estimate(Matches(right.points, right.pixels[::-1], "sensor", 1408, 1408)) is None


def row(**more: object) -> dict:
    numbers = {
        "width_px": 1408,
        "height_px": 1408,
        "fx_px": 640.0,
        "fy_px": 640.0,
        "cx_px": 712.0,
        "cy_px": 698.0,
    }
    place = dict(
        zip(("tx", "ty", "tz", "qw", "qx", "qy", "qz"), [*DEVICE_RGB.t, *DEVICE_RGB.q], strict=True)
    )
    return {
        "model": "kannala_brandt",
        "image_space": "sensor",
        "distortion": [0.05, -0.01],
        **numbers,
        **place,
    } | more


def test_a_stated_calibration_is_measured_too() -> None:
    found = stated(row(), "device", made(DEVICE_RGB, 50))
    assert found is not None
    assert (found.method, found.boxes_used) == ("stated", 50)
    assert found.residual_px == pytest.approx(0, abs=1e-6)
    assert found.row()["axis_angle_deg"] == pytest.approx(37.6, abs=0.05)


def test_a_device_pose_needs_the_cameras_place_in_it() -> None:
    nowhere = row(qw=None, tx=None)
    assert stated(nowhere, "device", None) is None
    camera = stated(nowhere, "camera", None)
    assert camera is not None and camera.device_camera.q.tolist() == [1, 0, 0, 0]
    assert stated(row(model="none"), "device", None) is None
    assert stated(row(fx_px=None), "device", None) is None


def test_nominal_frames_of_the_drawings() -> None:
    # Ahead of the wearer (z of CPF) is up to the left SLAM camera's outward lean: its axis is
    # turned outward and the RGB camera looks 7.5 degrees down.
    ahead = rotate(DEVICE_CPF.q, [0, 0, 1])
    rgb = rotate(DEVICE_RGB.q, [0, 0, 1])
    assert np.degrees(np.arccos(ahead @ rgb)) == pytest.approx(7.5, abs=0.01)
    # The left SLAM camera, the device's origin, is 7 cm to the left of the eyes' middle.
    assert DEVICE_CPF.inverse().t == pytest.approx([0.0702, 0.002372, 0.008854])
