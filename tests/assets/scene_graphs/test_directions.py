"""Bearings and sectors by hand: a camera at the origin that looks north, things around it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from assets.scene_graphs.directions import direction, of_bearing, tilt_deg
from assets.scene_graphs.rotation import Pose


def looking(heading_deg: float, pitch_deg: float = 0.0, roll_deg: float = 0.0) -> Pose:
    """A camera at the origin; heading clockwise from north (+y), pitch up, roll about its axis."""
    # Camera x right, y down, z forward to world x east, y north, z up, looking north.
    north = Rotation.from_matrix(np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]], dtype=float))
    turned = (
        Rotation.from_euler("z", -heading_deg, degrees=True)
        * Rotation.from_euler("x", pitch_deg, degrees=True)
        * north
        * Rotation.from_euler("z", roll_deg, degrees=True)
    )
    x, y, z, w = turned.as_quat()
    return Pose.of([0, 0, 0], [w, x, y, z])


CASES = [
    # Where the thing is, seen from a camera that looks north: east is right.
    ((0, 3, 0), 0, 0),
    ((3, 0, 0), 90, 2),
    ((0, -3, 0), 180, 4),
    ((-3, 0, 0), -90, 6),
    ((2, 2, 0), 45, 1),
    ((2, -2, 5), 135, 3),
    ((-2, -2, 0), -135, 5),
    ((-2, 2, -1), -45, 7),
]


@pytest.mark.parametrize(("place", "bearing", "sector"), CASES)
@pytest.mark.parametrize("roll", [0, 90, -90, 180])
def test_sectors(
    place: tuple[float, float, float], bearing: float, sector: int, roll: float
) -> None:
    found = direction(looking(0, -30, roll), np.array(place, dtype=float))
    assert found is not None
    assert found.bearing_deg == pytest.approx(bearing)
    assert (found.sector, found.margin_deg) == (sector, pytest.approx(22.5))


@given(st.floats(-180, 180), st.floats(-60, 60), st.floats(-180, 180), st.floats(0.5, 9))
def test_bearing_is_where_it_is_less_where_one_looks(
    heading: float, pitch: float, place: float, far: float
) -> None:
    point = far * np.array([np.sin(np.radians(place)), np.cos(np.radians(place)), 0.3])
    found = direction(looking(heading, pitch), point)
    assert found is not None
    apart = (found.bearing_deg - (place - heading) + 180) % 360 - 180
    assert abs(apart) < 1e-6
    assert -180 < found.bearing_deg <= 180


@pytest.mark.parametrize(
    ("pitch", "known"), [(-69, True), (-71, False), (-90, False), (69, True), (71, False)]
)
def test_who_looks_at_the_floor_has_no_heading(pitch: float, known: bool) -> None:
    assert (direction(looking(10, pitch), np.array([1.0, 1, 0])) is not None) is known
    assert tilt_deg(looking(10, pitch)) == pytest.approx(90 - abs(pitch))


def test_what_lies_below_is_in_no_direction() -> None:
    assert direction(looking(0), np.array([0.05, 0.05, -1.5])) is None


@pytest.mark.parametrize(("to", "bearing", "sector"), CASES)
@pytest.mark.parametrize("heading", [0.0, 100.0, -170.0])
def test_a_way_has_the_direction_it_would_have_from_the_camera(
    to: tuple[float, float, float], bearing: float, sector: int, heading: float
) -> None:
    """Wherever the way begins; only the heading of the camera matters."""
    origin = np.array([7.0, -4.0, 2.0])
    found = direction(looking(heading), origin + np.array(to), origin)
    same = direction(looking(heading), np.array(to, dtype=float))
    assert found is not None
    assert same is not None
    assert found.bearing_deg == pytest.approx(same.bearing_deg)
    assert (bearing - heading - found.bearing_deg) % 360 == pytest.approx(0, abs=1e-6) or (
        (bearing - heading - found.bearing_deg) % 360 == pytest.approx(360, abs=1e-6)
    )
    assert heading != 0.0 or found.sector == sector


def test_what_is_lifted_goes_in_no_direction() -> None:
    origin = np.array([1.0, 1.0, 0.5])
    assert direction(looking(0), origin + np.array([0.05, 0.05, 1.0]), origin) is None


@pytest.mark.parametrize(
    ("bearing", "turned", "sector", "margin"),
    [
        (22.4, 22.4, 0, 0.1),
        (22.6, 22.6, 1, 0.1),
        (-22.4, -22.4, 0, 0.1),
        (-22.6, -22.6, 7, 0.1),
        (180, 180, 4, 22.5),
        (-180, 180, 4, 22.5),
        (540, 180, 4, 22.5),
        (181, -179, 4, 21.5),
        (-157.6, -157.6, 4, 0.1),
        (-157.4, -157.4, 5, 0.1),
    ],
)
def test_borders(bearing: float, turned: float, sector: int, margin: float) -> None:
    found = of_bearing(bearing)
    assert (found.bearing_deg, found.sector) == (pytest.approx(turned), sector)
    assert found.margin_deg == pytest.approx(margin)
