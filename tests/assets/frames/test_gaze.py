"""Gaze registration against a slow oracle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.frames.gaze import MAX_PER_TICK, register

STEP = 40_000_000

times = st.one_of(
    st.integers(-3 * STEP, 9 * STEP),
    st.integers(-6, 18).map(lambda n: n * STEP // 2),  # ticks and ties
    st.integers(-6, 18).map(lambda n: n * STEP // 2 + 1),
)
samples = st.lists(
    st.tuples(
        times,
        st.one_of(st.floats(0, 1), st.sampled_from([math.nan, math.inf])),
        st.floats(0, 1),
        st.booleans(),
    ),
    max_size=60,
)


@given(samples, st.integers(0, 6))
def test_registration(rows: list[tuple[int, float, float, bool]], ticks: int) -> None:
    got = register(
        np.array([r[0] for r in rows], dtype=np.int64),
        np.array([r[1] for r in rows], dtype=np.float64),
        np.array([r[2] for r in rows], dtype=np.float64),
        np.array([r[3] for r in rows], dtype=bool),
        ticks=ticks,
        step_ns=STEP,
    )
    members: dict[int, list[tuple[int, float, float, bool]]] = {k: [] for k in range(ticks)}
    left_out = 0
    for row in rows:
        order = sorted(range(ticks), key=lambda k: (abs(row[0] - k * STEP), k))
        if not order or abs(row[0] - order[0] * STEP) > STEP // 2:
            left_out += 1
        else:
            members[order[0]].append(row)
    assert got.unregistered == left_out
    for k in range(ticks):
        used = [r for r in members[k] if r[3] and math.isfinite(r[1]) and math.isfinite(r[2])]
        assert got.samples[k] == len(members[k])
        assert got.valid[k] == len(used)
        if not used:
            assert np.isnan([got.x[k], got.y[k], got.residual_ms[k]]).all()
            continue
        assert got.x[k] == pytest.approx(math.fsum(r[1] for r in used) / len(used), rel=1e-6)
        assert got.y[k] == pytest.approx(math.fsum(r[2] for r in used) / len(used), rel=1e-6)
        apart = sum(abs(r[0] - k * STEP) for r in used) / len(used) / 1e6
        assert got.residual_ms[k] == pytest.approx(apart, rel=1e-6)


def test_an_invalid_sample_counts_but_does_not_weigh() -> None:
    got = register(
        np.array([1, 2, 3], dtype=np.int64),
        np.array([0.2, 0.9, 0.4]),
        np.array([0.2, 0.9, 0.4]),
        np.array([True, False, True]),
        ticks=2,
        step_ns=STEP,
    )
    assert got.samples.tolist() == [3, 0]
    assert got.valid.tolist() == [2, 0]
    assert got.x[0] == pytest.approx(0.3)
    assert np.isnan(got.x[1])  # nothing is carried forward


def test_a_tick_that_overflows_is_refused_not_wrapped() -> None:
    n = MAX_PER_TICK + 1
    got = register(
        np.zeros(n + 1, dtype=np.int64) + np.r_[np.zeros(n, dtype=np.int64), STEP],
        np.full(n + 1, 0.5),
        np.full(n + 1, 0.5),
        np.ones(n + 1, dtype=bool),
        ticks=2,
        step_ns=STEP,
    )
    assert got.crowded == n
    assert got.samples.tolist() == [0, 1]
    assert got.valid.tolist() == [0, 1]


@pytest.mark.parametrize(("dtype", "step"), [(np.float64, STEP), (np.int64, 3), (np.int64, 0)])
def test_wrong_input_is_an_error(dtype: type, step: int) -> None:
    with pytest.raises(ValueError):
        register(
            np.zeros(1, dtype=dtype),
            np.zeros(1),
            np.zeros(1),
            np.ones(1, bool),
            ticks=1,
            step_ns=step,
        )
