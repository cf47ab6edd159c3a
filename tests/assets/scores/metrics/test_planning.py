"""Edit distance of plans: lengths, samples, readings."""

from __future__ import annotations

import math

import pytest

from assets.scores.metrics import UndefinedMetric
from assets.scores.metrics.planning import score


def test_least_of_the_samples_for_each_length_apart() -> None:
    # The first sample is right at first, the second later on.
    found = score([[[1, 9, 9], [2, 2, 3]]], [[1, 2, 3]], "parity")
    assert found.ed == pytest.approx((0.0, 0.5, 1 / 3))
    assert found.aued == pytest.approx((0.25 + (0.5 + 1 / 3) / 2) / 2)
    assert found.official() == {
        "action_AUED": found.aued,
        "action_ED_0": found.ed[0],
        "action_ED_1": found.ed[1],
        "action_ED_2": found.ed[2],
    }
    assert found.testing_score == pytest.approx(1 - (found.aued or 0))


def test_neighbours_exchanged() -> None:
    assert score([[[2, 1]]], [[1, 2]]).ed == (1.0, 0.5)
    assert score([[[2, 1]]], [[1, 2]], "parity").ed == (1.0, 1.0)
    assert score([[[2, 1]]], [[1, 2]], transpositions=False).ed == (1.0, 1.0)


def test_items_without_an_observation() -> None:
    samples, labels = [[[1, 2]], [[3, 4]]], [[1, 2], [-1, -1]]
    paper, parity = score(samples, labels), score(samples, labels, "parity")
    assert (paper.ed, paper.n, paper.n_unknown) == ((0.0, 0.0), 1, 1)
    assert (parity.ed, parity.n, parity.n_unknown) == ((0.5, 0.5), 2, 0)


def test_parity_tells_actions_apart_by_their_hash() -> None:
    # -1 and -2 have the same in Python, and in the library the released code calls.
    assert score([[[-1, -2]]], [[-2, -1]], "parity").ed == (0.0, 0.0)


def test_nothing_to_score() -> None:
    assert score([[[1]]], [[1]]).aued is None
    assert math.isnan(score([[[1]]], [[1]], "parity").aued or 0.0)
    assert score([[[1, 2]]], [[-1, -1]]).ed == (None, None)
    assert score([], []).n == 0
    assert score([[]], [[1, 2]]).n_unknown == 1
    with pytest.raises(UndefinedMetric) as caught:
        score([[]], [[1, 2]], "parity")
    assert caught.value.official.startswith("ValueError: min()")
    with pytest.raises(UndefinedMetric, match="at least one array"):
        score([[[]]], [[]], "parity")


@pytest.mark.parametrize(
    ("samples", "labels"),
    [([[[1, 2]]], [[1, 2], [1, 2]]), ([[1, 2]], [[1, 2]]), ([[[0.5, 1.0]]], [[1, 2]])],
)
def test_what_is_refused(samples: list, labels: list) -> None:
    with pytest.raises(ValueError):
        score(samples, labels)
