"""Rotations and poses against scipy, which shares no code with them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from assets.scene_graphs.rotation import (
    Pose,
    conjugate,
    from_axes,
    from_vector,
    matrix,
    product,
    rotate,
)

UNIT = st.integers(0, 2**32 - 1).map(lambda seed: Rotation.random(rng=np.random.default_rng(seed)))
POINT = st.tuples(*[st.floats(-5, 5)] * 3).map(np.array)


def ours(r: Rotation) -> np.ndarray:
    x, y, z, w = r.as_quat()
    return np.array([w, x, y, z])


def same(q: np.ndarray, r: Rotation) -> bool:
    return (Rotation.from_quat([*q[1:], q[0]]).inv() * r).magnitude() < 1e-7


@given(UNIT, UNIT, POINT)
def test_products_and_turns(a: Rotation, b: Rotation, p: np.ndarray) -> None:
    assert same(product(ours(a), ours(b)), a * b)
    assert np.allclose(rotate(ours(a), p), a.apply(p))
    assert np.allclose(rotate(conjugate(ours(a)), p), a.inv().apply(p))
    assert np.allclose(matrix(ours(a)), a.as_matrix())


@given(UNIT)
def test_axes_and_vectors(a: Rotation) -> None:
    m = a.as_matrix()
    assert same(from_axes(m[:, 1], m[:, 2]), a)
    assert same(from_vector(a.as_rotvec()), a)


def test_no_turn_is_a_vector_of_nothing() -> None:
    assert from_vector([0, 0, 0]).tolist() == [1, 0, 0, 0]


@given(UNIT, UNIT, POINT, POINT, POINT)
def test_poses_compose_and_invert(
    a: Rotation, b: Rotation, s: np.ndarray, t: np.ndarray, p: np.ndarray
) -> None:
    one, two = Pose(s, ours(a)), Pose(t, ours(b))
    assert np.allclose(one.then(two).apply(p), a.apply(b.apply(p) + t) + s)
    assert np.allclose(one.inverse().apply(one.apply(p)), p)
    assert np.allclose(one.apply(one.inverse().apply(p)), p)


def test_many_poses_are_as_each() -> None:
    turns = Rotation.random(7, rng=np.random.default_rng(1))
    q = np.array([ours(r) for r in turns])
    t = np.arange(21.0).reshape(7, 3)
    many, points = Pose(t, q), np.ones((7, 3))
    assert np.allclose(many.apply(points), [Pose(t[i], q[i]).apply(points[i]) for i in range(7)])
    inner = Pose.of([1, 2, 3], [1, 1, 0, 0])
    assert np.allclose(many.then(inner)[3].q, Pose(t[3], q[3]).then(inner).q)


def test_lists_are_normalised() -> None:
    assert np.linalg.norm(Pose.of([0, 0, 0], [2, 0, 0, 2]).q) == pytest.approx(1)
