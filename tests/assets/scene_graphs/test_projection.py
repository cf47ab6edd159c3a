"""Camera models against their published formulas, written out here number by number."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assets.scene_graphs.projection import Camera

KB = (0.04, -0.04, 0.12, -0.28)
ARIA = (-0.0269, 0.102, -0.0718, 0.01246, 0.00124, -0.000415, 0.00055, 0.00058, -0.00123, -0.00039, -0.0006, 0.00001)  # fmt: skip


def camera(model: str, distortion: tuple[float, ...] = (), space: str = "upright") -> Camera:
    return Camera(model, space, 640, 480, 242.0, 242.0, 319.8, 240.9, distortion)


@pytest.mark.parametrize("point", [(1.0, 1.0, 5.0), (-2.0, 0.5, 3.0), (0.1, -4.0, 3.0), (0, 0, 1)])
def test_fisheye624(point: tuple[float, float, float]) -> None:
    x, y, z = point
    a, b = x / z, y / z
    r = math.hypot(a, b)
    th = math.atan(r)
    bent = th * (1 + sum(k * th ** (2 * i + 2) for i, k in enumerate(ARIA[:6])))
    xr, yr = (a * bent / r, b * bent / r) if r else (0.0, 0.0)
    p0, p1, s0, s1, s2, s3 = ARIA[6:]
    rd2 = xr * xr + yr * yr
    u = xr + (2 * xr * xr + rd2) * p0 + 2 * xr * yr * p1 + s0 * rd2 + s1 * rd2**2
    v = yr + (2 * yr * yr + rd2) * p1 + 2 * xr * yr * p0 + s2 * rd2 + s3 * rd2**2
    pixels, front = camera("fisheye624", ARIA).project(point)
    assert front
    assert pixels == pytest.approx((242 * u + 319.8, 242 * v + 240.9))


def test_kannala_brandt() -> None:
    th = math.atan2(math.hypot(1, 2), 4)
    bent = th + sum(k * th ** (2 * i + 3) for i, k in enumerate(KB))
    way = math.atan2(2, 1)
    pixels, _ = camera("kannala_brandt", KB).project([1, 2, 4])
    assert pixels == pytest.approx(
        (242 * bent * math.cos(way) + 319.8, 242 * bent * math.sin(way) + 240.9)
    )


def test_pinhole_and_rational_without_coefficients_agree() -> None:
    want = (242 * 0.25 + 319.8, 242 * -0.5 + 240.9)
    for model in ("pinhole", "opencv_rational"):
        assert camera(model).project([1, -2, 4])[0] == pytest.approx(want)


def test_rational_distortion() -> None:
    k = (0.1, 0.02, 0.001, 0.002, 0.003, 0.01, 0.02, 0.03)
    x, y = 0.25, -0.5
    r2 = x * x + y * y
    radial = (1 + 0.1 * r2 + 0.02 * r2**2 + 0.003 * r2**3) / (
        1 + 0.01 * r2 + 0.02 * r2**2 + 0.03 * r2**3
    )
    u = x * radial + 2 * 0.001 * x * y + 0.002 * (r2 + 2 * x * x)
    v = y * radial + 0.001 * (r2 + 2 * y * y) + 2 * 0.002 * x * y
    assert camera("opencv_rational", k).project([1, -2, 4])[0] == pytest.approx(
        (242 * u + 319.8, 242 * v + 240.9)
    )


@pytest.mark.parametrize("point", [(0, 0, -1), (1, 0, 0), (3, 0, 0.1), (0, 0, 0)])
def test_what_lies_behind_is_in_no_picture(point: tuple[float, float, float]) -> None:
    made = camera("kannala_brandt", KB)
    assert point == (0, 0, 0) or not made.project(point)[1]
    if point != (0, 0, 0):
        assert not made.seen(point)[1]


def test_a_sensor_on_its_side_is_turned_clockwise() -> None:
    aria = Camera("kannala_brandt", "sensor", 1408, 1408, 610, 610, 703.5, 703.5, KB)
    # The sensor's left edge is the upright picture's top; its top edge is the right.
    assert aria.upright([0, 703.5])[1] == pytest.approx(0.5 / 1408)
    assert aria.upright([703.5, 0])[0] == pytest.approx(1 - 0.5 / 1408)
    # Up in the upright picture is minus x of the sensor.
    place, inside = aria.seen([-0.3, 0.0, 1.0])
    assert inside and place[1] < 0.5 and place[0] == pytest.approx(0.5)
    # Right in the upright picture is minus y of the sensor.
    place, _ = aria.seen([0.0, -0.3, 1.0])
    assert place[0] > 0.5 and place[1] == pytest.approx(0.5)


def test_the_border_counts() -> None:
    made = camera("pinhole")
    near_edge = [(620 - 319.8) / 242, 0.0, 1.0]
    assert made.seen(near_edge)[1]
    assert not made.seen(near_edge, 0.05)[1]


@pytest.mark.parametrize(
    ("model", "k"), [("fisheye624", (0.1,)), ("magic", ()), ("pinhole", (1.0,))]
)
def test_unknown_models_are_refused(model: str, k: tuple[float, ...]) -> None:
    with pytest.raises(ValueError):
        camera(model, k).project(np.array([0.0, 0.0, 1.0]))
