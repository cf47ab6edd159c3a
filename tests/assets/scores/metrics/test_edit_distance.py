"""Edit distance against the textbook recursion."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assets.scores.metrics.edit_distance import levenshtein, prefix_distances

LABELS = st.lists(st.integers(0, 3), max_size=9)


def slow(one: tuple[int, ...], other: tuple[int, ...], transpositions: bool = False) -> int:
    @cache
    def to(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        best = min(
            to(i - 1, j) + 1, to(i, j - 1) + 1, to(i - 1, j - 1) + (one[i - 1] != other[j - 1])
        )
        swapped = i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]
        return min(best, to(i - 2, j - 2) + 1) if swapped and transpositions else best

    return to(len(one), len(other))


@given(LABELS, LABELS)
def test_equals_the_recursion(one: list[int], other: list[int]) -> None:
    assert levenshtein(one, other) == slow(tuple(one), tuple(other))


def test_a_true_sequence_of_another_length() -> None:
    guess = np.array([[[1, 2, 3, 300]]])
    assert prefix_distances(guess, np.array([[1, 9]]))[:, 0, 0].tolist() == [0, 1, 2, 3]
    assert prefix_distances(guess, np.array([[1, 2, 3, 300, 5, 6]]))[:, 0, 0].tolist() == [0] * 4
    assert prefix_distances(guess, np.zeros((1, 0), dtype=np.int64))[:, 0, 0].tolist() == [
        1,
        2,
        3,
        4,
    ]
    long = np.arange(200)[None, None]
    assert prefix_distances(long, long[0] + 1000)[:, 0, 0].tolist() == list(range(1, 201))


def test_longer_than_a_machine_word() -> None:
    one = [n % 7 for n in range(300)]
    other = one[:100] + [9] * 5 + one[120:]
    # 20 labels became 5: five exchanges and fifteen deletions.
    assert levenshtein(one, other) == 20
    assert levenshtein(one, []) == levenshtein([], one) == 300
    assert levenshtein([1, 2, 3, 3, 4, 5], [6, 2, 3, 3, 2, 5, 7]) == 3


@given(
    st.integers(1, 4).flatmap(
        lambda z: st.lists(
            st.tuples(
                st.lists(
                    st.lists(st.integers(-1, 2), min_size=z, max_size=z), min_size=2, max_size=2
                ),
                st.lists(st.integers(-1, 2), min_size=z, max_size=z),
            ),
            min_size=1,
            max_size=3,
        )
    ),
    st.booleans(),
)
def test_all_prefixes_at_once(
    items: list[tuple[list[list[int]], list[int]]], transpositions: bool
) -> None:
    guess = np.array([samples for samples, _ in items])
    truth = np.array([labels for _, labels in items])
    found = prefix_distances(guess, truth, transpositions)
    for n, (samples, labels) in enumerate(items):
        for k, sample in enumerate(samples):
            for z in range(1, len(labels) + 1):
                wanted = slow(tuple(sample[:z]), tuple(labels[:z]), transpositions)
                assert found[z - 1, n, k] == wanted
