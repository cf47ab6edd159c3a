"""Words and vectors of the gates, against values from outside."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from expectations.derivations import geometry as vectors
from expectations.gates import words
from tests.derivations.egoprox.intention_relative import quaternion

ANGLES = st.floats(-179.0, 179.0)


@given(ANGLES, ANGLES, ANGLES)
@settings(max_examples=60, deadline=None)
def test_a_quaternion_turns_as_scipy_says(a: float, b: float, c: float) -> None:
    turn = Rotation.from_euler("xyz", [a, b, c], degrees=True)
    q = quaternion(turn)
    made = vectors.matrix(q["qw"], q["qx"], q["qy"], q["qz"])
    assert np.allclose(made, turn.as_matrix(), atol=1e-9)
    scaled = vectors.matrix(*(-3.0 * q[c] for c in ("qw", "qx", "qy", "qz")))
    assert np.allclose(scaled, made, atol=1e-9)


def camera(heading: float, pitch: float = 0.0) -> vectors.Pose:
    """A camera at eye height, heading clockwise from +x, pitched up."""
    ahead = np.array([[0, 0, 1], [-1, 0, 0], [0, -1, 0]], dtype=float)
    turn = Rotation.from_euler("z", -heading, degrees=True).as_matrix() @ ahead
    turn = turn @ Rotation.from_euler("x", pitch, degrees=True).as_matrix()
    return vectors.Pose(turn, np.array([0.0, 0.0, 1.6]))


@given(ANGLES, st.floats(-60, 60), ANGLES, st.floats(-1, 3))
@settings(max_examples=60, deadline=None)
def test_a_bearing_is_the_angle_on_the_ground(
    heading: float, pitch: float, to: float, height: float
) -> None:
    at = math.radians(-to)
    point = np.array([2 * math.cos(at), 2 * math.sin(at), height])
    measured = vectors.bearing_deg(camera(heading, pitch), point)
    assert -180 < measured <= 180
    away = (measured - (to - heading) + 180) % 360 - 180
    assert away == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("bearing", "sector", "margin"),
    [
        (0, 0, 22.5),
        (22, 0, 0.5),
        (23, 1, 0.5),
        (90, 2, 22.5),
        (-90, 6, 22.5),
        (180, 4, 22.5),
        (-170, 4, 12.5),
        (157, 3, 0.5),
        (158, 4, 0.5),
        (-30, 7, 7.5),
    ],
)
def test_sectors_go_round_clockwise(bearing: float, sector: int, margin: float) -> None:
    assert vectors.sector_and_margin(bearing) == (sector, pytest.approx(margin))


def test_a_ray_hits_what_is_before_it() -> None:
    box = {"tx": 0.0, "ty": -3.0, "tz": 1.0, **quaternion(Rotation.from_euler("z", 0.7))}
    box |= {f"{a}_{e}_m": v for a in "xyz" for e, v in (("min", -0.5), ("max", 0.5))}
    eye = np.array([0.0, 0.0, 1.0])
    hit = vectors.ray_distance_m(eye, np.array([0.0, -1.0, 0.0]), box)
    assert hit is not None
    assert 2.2 < hit < 2.55
    assert vectors.ray_distance_m(eye, np.array([0.0, 1.0, 0.0]), box) is None
    assert vectors.ray_distance_m(eye, np.array([1.0, 0.0, 0.0]), box) is None
    assert vectors.distance_to_box_m(np.array([0.0, -3.0, 1.0]), box) == 0.0
    assert vectors.distance_to_box_m(np.array([0.0, -3.0, 2.0]), box) == pytest.approx(0.5)
    assert np.allclose(vectors.box_centre(box), [0.0, -3.0, 1.0])


@pytest.mark.parametrize(
    ("text", "sector"),
    [
        ("front", 0),
        ("Front-Right", 1),
        ("to the right", 2),
        ("behind, to the right", 3),
        ("back", 4),
        ("back_left", 5),
        ("LEFT", 6),
        ("front\u2011left", 7),
        ("3", 3),
        ("8", None),
        ("left or right", None),
        ("front and back", None),
        ("up", None),
        (None, None),
    ],
)
def test_words_name_sectors(text: str | None, sector: int | None) -> None:
    assert words.sector_of(text) == sector


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("top-left", (0, 0)),
        ("top center", (0, 1)),
        ("center", (1, 1)),
        ("middle", (1, 1)),
        ("center-right", (1, 2)),
        ("centre_left", (1, 0)),
        ("Bottom\u2013Right", (2, 2)),
        ("lower right", (2, 2)),
        ("left-right", None),
        ("nowhere", None),
        (None, None),
    ],
)
def test_words_name_cells(text: str | None, cell: tuple[int, int] | None) -> None:
    assert words.cell_of(text) == cell


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("around timestamp 3.33s?", [3.33]),
        ("At 8.0 s, the last moment", [8.0]),
        ("between 2 seconds and 12.5 sec", [2.0, 12.5]),
        ("the 2nd cup in 3 steps", []),
        ("at 12:30", []),
    ],
)
def test_times_in_texts(text: str, times: list[float]) -> None:
    assert words.times_in(text) == times


def test_names_and_looks() -> None:
    assert words.name_words("BlackBowl_1") == ("black", "bowl", "1")
    assert words.bare_name("BlackBowl_1") == ("black", "bowl")
    assert words.name_words("the cup:0") == ("cup",)
    assert words.plain("Tор\u200b \u2014 LEFT") == words.plain("top - left")
    assert words.holds("operated by the surgeon's left hand", "surgeon left hand")
    assert not words.holds("a cupboard", "cup")
