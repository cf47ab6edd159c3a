"""Metrics over classes: anticipation, EPIC's recall, recognition; ties, empty classes, NaN."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.scores.metrics import UndefinedMetric, anticipation
from assets.scores.metrics.multilabel import average_precisions, macro_map, many_hot
from assets.scores.metrics.recall import mean_topk_recall
from assets.scores.metrics.recognition import top_accuracy
from assets.scores.metrics.top import top_classes

SIX = [[6.0, 5.0, 4.0, 3.0, 2.0, 1.0]]


def test_a_class_without_an_item() -> None:
    # Class 5 is never among the five; classes 2 to 4 occur nowhere.
    scores, labels = SIX * 2, [[0], [1, 5]]
    paper, parity = (anticipation.score(scores, labels, mode) for mode in ("paper", "parity"))
    assert paper.macro_recall == pytest.approx(100 * 2 / 3) and paper.n_classes == 3
    assert parity.macro_recall == pytest.approx(100 * 2 / 6) and parity.n_classes == 6
    assert paper.micro_recall == parity.micro_recall == pytest.approx(100 * 2 / 3)
    assert paper.sample_recall == parity.sample_recall == 75.0
    # Five classes were chosen twice, two of them right once.
    assert paper.macro_precision == pytest.approx(100 * 1 / 5)
    assert parity.macro_precision == pytest.approx(100 * 1 / 6)


def test_an_item_without_a_label() -> None:
    paper, parity = (anticipation.score(SIX * 2, [[0], []], mode) for mode in ("paper", "parity"))
    assert (paper.sample_recall, parity.sample_recall) == (100.0, 50.0)
    none = anticipation.score(SIX, [[]])
    assert (none.macro_recall, none.micro_recall, none.sample_recall, none.map_macro) == (None,) * 4
    zero = anticipation.score(SIX, [[]], "parity")
    assert (zero.macro_recall, zero.micro_recall, zero.sample_recall) == (0.0, 0.0, 0.0)
    assert math.isnan(zero.map_macro or 0.0)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(6, 40))
def test_top_classes_hold_the_highest(seed: int, k: int, classes: int) -> None:
    scores = np.random.default_rng(seed).integers(-3, 4, (4, classes)).astype(np.float32)
    for mode in ("paper", "parity"):
        chosen = top_classes(scores, k, mode)
        assert (chosen.sum(axis=1) == k).all()
        for row, mask in zip(scores, chosen, strict=True):
            assert row[mask].min() >= row[~mask].max()


def test_ties_as_torch_breaks_them() -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    tables = [np.zeros((1, 19), dtype=np.float32)]
    tables += [rng.integers(-2, 3, (20, c)).astype(np.float32) for c in (19, 31, 97)]
    for table in tables:
        there = torch.from_numpy(table).topk(5)[1].numpy()
        mask = np.zeros(table.shape, dtype=bool)
        np.put_along_axis(mask, there, True, axis=1)
        assert (top_classes(table, 5, "parity") == mask).all()


def test_scores_that_are_not_numbers() -> None:
    scores = np.array([[np.nan, 1.0, 2.0]])
    assert top_classes(scores, 1).tolist() == [[False, False, True]]
    assert top_classes(scores, 3).tolist() == [[False, True, True]]
    assert top_classes(scores, 1, "parity").tolist() == [[True, False, False]]
    lowest = np.array([[np.nan, -np.inf, 0.0]])
    assert top_classes(lowest, 2).tolist() == [[False, True, True]]
    with pytest.raises(UndefinedMetric, match="out of range"):
        top_classes(scores, 4, "parity")
    with pytest.raises(UndefinedMetric, match="empty input"):
        anticipation.score([], [], "parity")


def slow_precision(scores: np.ndarray, right: np.ndarray) -> float:
    """Mean over right items of the precision among all items at least as high, ties together."""
    total, before = 0.0, 0
    for threshold in sorted(set(scores.tolist()), reverse=True):
        found = int(right[scores >= threshold].sum())
        total += (found - before) * found / int((scores >= threshold).sum())
        before = found
    return total / before


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=15))
def test_average_precision(items: list[tuple[int, bool]]) -> None:
    scores = np.array([[float(score)] for score, _ in items])
    right = np.array([[hit] for _, hit in items])
    found = average_precisions(scores, right)[0]
    if right.any():
        assert found == pytest.approx(slow_precision(scores[:, 0], right[:, 0]))
    else:
        assert math.isnan(found) and macro_map(scores, right) is None


def test_equal_infinities_share_no_threshold_in_parity() -> None:
    scores = [[-math.inf], [-math.inf], [1.0], [math.inf], [math.inf]]
    labels = [[0], [], [0], [], [0]]
    # What the released functions gave.
    assert macro_map(scores, labels, "parity") == pytest.approx(100 * 0.7555555555555556)
    assert macro_map(scores, labels) == pytest.approx(100 * (1 / 2 + 2 / 3 + 3 / 5) / 3)


TABLE = [[1, 0, 1], [0, 0, 1]]


@pytest.mark.parametrize(
    "labels",
    [
        np.array(TABLE),
        np.array(TABLE, dtype=float),
        TABLE,
        [[bool(x) for x in row] for row in TABLE],
        [[float(x) for x in row] for row in TABLE],
        [np.array(row) for row in TABLE],
        [[0, 2], [2]],
        [{0, 2}, (2,)],
        [np.array([0, 2]), np.array([2])],
    ],
)
def test_forms_of_labels(labels: list) -> None:
    assert many_hot(labels, 3).tolist() == [[True, False, True], [False, False, True]]


def test_labels_of_torch() -> None:
    torch = pytest.importorskip("torch")
    for kind in (torch.int64, torch.float32, torch.bool):
        assert (
            many_hot(torch.tensor(TABLE, dtype=kind), 3).tolist() == np.array(TABLE, bool).tolist()
        )


def test_labels_of_few_classes_or_items() -> None:
    assert many_hot([[0], [0]], 1).tolist() == [[True], [True]]
    assert many_hot([[1], [0]], 1).tolist() == [[True], [False]]
    assert many_hot([], 3).shape == many_hot(np.zeros(0), 3).shape == (0, 3)


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([0, 1, 0], "one flat list"),
        (np.array([0, 1, 0]), "one flat list"),
        (["0"], "one flat list"),
        (np.array([[0, 2, 1]]), "0 and 1 alone"),
        ([[0.5, 0.0, 0.0]], "0 and 1 alone"),
        ([[True, False]], "labels of 2 classes, scores of 3"),
        (np.zeros((1, 1, 3)), "a row per item"),
        ([[3]], "class 3"),
    ],
)
def test_labels_that_are_refused(labels: list, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        many_hot(labels, 3)


def test_epic_recall() -> None:
    scores = [[3.0, 2.0, 1.0], [1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]
    # Class 0: one of two among the first one; class 2: none.
    assert mean_topk_recall(scores, [0, 0, 2], k=1) == pytest.approx((0.5 + 0) / 2)
    assert mean_topk_recall(scores, [0, 0, 2], k=1, classes=[0, 1]) == 0.5
    # Equal scores: the lower class here, the higher one there.
    level = [[1.0, 1.0]]
    assert (
        mean_topk_recall(level, [0], 1) == 1.0
        and mean_topk_recall(level, [0], 1, None, "parity") == 0.0
    )
    assert mean_topk_recall(level, [7], 1) == 0.0
    assert mean_topk_recall([[math.nan, 0.0]], [0], 2) == 0.0
    assert mean_topk_recall(level, [0], classes=[1]) is None
    with pytest.raises(UndefinedMetric, match="ZeroDivisionError: division by zero"):
        mean_topk_recall(level, [0], classes=[1], mode="parity")


def test_recognition_and_its_bound() -> None:
    scores = [[0.9, 0.5, 0.1], [0.1, 0.5, 0.9]]
    # Items with 1 and 3 labels: four pairs. Rank 1 can hold one label of each item.
    found = top_accuracy(scores, [[0], [0, 1, 2]], ks=(1, 2))
    assert found.accuracy == {1: 50.0, 2: 75.0} and found.oracle == {1: 50.0, 2: 75.0}
    missed = top_accuracy(scores, [[2], []], ks=(1,))
    assert missed.accuracy == {1: 0.0} and (missed.n, missed.n_items) == (1, 1)
    assert top_accuracy(scores, [[], []]).oracle == {1: None, 5: None}


@pytest.mark.parametrize(
    ("scores", "labels"),
    [(SIX, [[6]]), (SIX, [[-1]]), (SIX, [[0], [1]]), ([1.0, 2.0], [[0]]), (SIX, np.zeros((1, 5)))],
)
def test_what_is_refused(scores: list, labels: list) -> None:
    with pytest.raises(ValueError):
        anticipation.score(scores, labels)
    with pytest.raises(ValueError):
        macro_map(scores, labels)
