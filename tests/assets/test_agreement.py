"""Agreement of annotators, against krippendorff, scikit-learn and NLTK, and where nothing can be said."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import krippendorff
import numpy as np
import pytest
from nltk.metrics.agreement import AnnotationTask
from sklearn.metrics import cohen_kappa_score

from assets.agreement import ONE_LABEL, Agreement, Judgement, agreement

LABELS = ("first", "second", "neither")


def judgements(*annotators: str) -> list[Judgement]:
    """Judgements out of one text per annotator, a letter per item; a dot where nothing is said."""
    return [
        Judgement(f"a{number}", f"i{at}", letter)
        for number, said in enumerate(annotators)
        for at, letter in enumerate(said)
        if letter != "."
    ]


def of(rows: Sequence[Judgement], clusters: int = 10_000) -> Agreement:
    return agreement(rows, {row.item: [str(int(row.item[1:]) % clusters)] for row in rows})


def drawn(seed: int, annotators: int, items: int, missing: float) -> list[Judgement]:
    draw = random.Random(seed)
    truth = [draw.choice(LABELS) for _ in range(items)]
    return [
        Judgement(f"a{a}", f"i{i}", truth[i] if draw.random() < 0.7 else draw.choice(LABELS))
        for a in range(annotators)
        for i in range(items)
        if draw.random() >= missing
    ]


def matrix(rows: Sequence[Judgement]) -> np.ndarray:
    """Labels as numbers [annotators, items], NaN where nothing is said."""
    annotators = sorted({row.annotator for row in rows})
    items = sorted({row.item for row in rows})
    labels = sorted({row.label for row in rows})
    found = np.full((len(annotators), len(items)), np.nan)
    for row in rows:
        found[annotators.index(row.annotator), items.index(row.item)] = labels.index(row.label)
    return found


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("missing", [0.0, 0.3, 0.6])
def test_alpha_is_that_of_krippendorff(seed: int, missing: float) -> None:
    rows = drawn(seed, annotators=4, items=25, missing=missing)
    expected = krippendorff.alpha(matrix(rows), level_of_measurement="nominal")
    assert of(rows).alpha == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_kappa_is_that_of_scikit_learn(seed: int, missing: float) -> None:
    rows = drawn(seed, annotators=3, items=30, missing=missing)
    table = matrix(rows)
    kappas = []
    for first, second in ((0, 1), (0, 2), (1, 2)):
        both = ~np.isnan(table[first]) & ~np.isnan(table[second])
        kappas.append(cohen_kappa_score(table[first, both], table[second, both]))
    assert of(rows).kappa == pytest.approx(np.mean(kappas), abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("annotators", [2, 3, 5])
def test_multi_kappa_is_that_of_nltk(seed: int, annotators: int) -> None:
    rows = drawn(seed, annotators=annotators, items=30, missing=0.0)
    assert of(rows).multi_kappa == pytest.approx(AnnotationTask(rows).multi_kappa(), abs=1e-12)


def test_multi_kappa_by_hand() -> None:
    """Observed agreement 3/4, 3/4 and 1/2 of pairs; by chance 1/2 each."""
    found = of(judgements("xxyy", "xxyx", "xyyy"))
    chance = np.mean([0.5 * 0.75 + 0.5 * 0.25, 0.5 * 0.25 + 0.5 * 0.75, 0.75 * 0.25 + 0.25 * 0.75])
    assert found.multi_kappa == pytest.approx((2 / 3 - chance) / (1 - chance), abs=1e-12)
    two = of(judgements("xxyy", "xxyx"))
    assert two.multi_kappa == pytest.approx(two.kappa)
    # Only items that all judged count.
    more = of(judgements("xxyyx..", "xxyx.y.", "xyyy..y"))
    assert more.multi_kappa == found.multi_kappa


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ((), "no annotator judged anything"),
        (("xyx",), "only one annotator judged anything"),
        (("x..", ".y.", "..x"), "no item was judged by two annotators"),
        (("xxx", "xxx"), ONE_LABEL),
        # Two labels, and only one on the items that two judged.
        (("xxy.", "xx.y"), ONE_LABEL),
    ],
)
def test_nothing_is_said_where_nothing_is_defined(said: tuple[str, ...], reason: str) -> None:
    found = of(judgements(*said))
    assert found.agreement_reason == reason
    assert (
        found.columns()
        == Agreement(found.n_annotators, found.n_items, agreement_reason=reason).columns()
    )


def test_a_kappa_that_is_not_defined_is_left_out_with_a_reason() -> None:
    # Every two share items of one label alone.
    found = of(judgements("xx.", "x.y", ".xy"))
    assert found.alpha == 1.0
    assert found.kappa is None and found.multi_kappa is None
    assert found.agreement_reason is not None
    assert "kappa: every two annotators" in found.agreement_reason
    assert "multi-kappa: no item was judged by all 3" in found.agreement_reason


def test_perfect_agreement_and_disagreement() -> None:
    found = of(judgements("xyxy", "xyxy"))
    assert (found.alpha, found.kappa, found.multi_kappa) == (1.0, 1.0, 1.0)
    # Leaving any recording out changes nothing: that is not a certainty.
    assert (found.alpha_low, found.agreement_reason) == (None, "interval: recordings do not differ")
    assert of(judgements("xyxy", "yxyx")).kappa == -1.0


def test_the_interval_leaves_out_each_recording() -> None:
    rows = drawn(3, annotators=3, items=40, missing=0.2)
    found = of(rows, clusters=8)
    left = []
    for cluster in range(8):
        rest = [row for row in rows if int(row.item[1:]) % 8 != cluster]
        left.append(krippendorff.alpha(matrix(rest), level_of_measurement="nominal"))
    error = math.sqrt(7 / 8 * ((np.array(left) - np.mean(left)) ** 2).sum())
    assert found.alpha is not None and found.alpha_low is not None and found.alpha_high is not None
    # Student's t, seven degrees of freedom, 97.5 %.
    assert found.alpha - found.alpha_low == pytest.approx(2.364624 * error, rel=1e-5)
    assert found.alpha_low < found.alpha < found.alpha_high <= 1
    assert of(rows, clusters=1).alpha_low is None
    narrow = of(rows)
    assert narrow.alpha == found.alpha and narrow.alpha_low != found.alpha_low


def test_an_item_of_two_recordings_leaves_with_either() -> None:
    rows = drawn(5, annotators=3, items=12, missing=0.0)
    pairs = {f"i{i}": (str(i % 4), str((i + 1) % 4)) for i in range(12)}
    found = agreement(rows, pairs)
    left = [
        krippendorff.alpha(
            matrix([row for row in rows if str(cluster) not in pairs[row.item]]),
            level_of_measurement="nominal",
        )
        for cluster in range(4)
    ]
    error = math.sqrt(3 / 4 * ((np.array(left) - np.mean(left)) ** 2).sum())
    assert found.alpha is not None and found.alpha_low is not None
    assert found.alpha_low == pytest.approx(max(-1, found.alpha - 3.182446 * error), rel=1e-5)


def test_order_and_names_make_no_difference() -> None:
    rows = drawn(1, annotators=4, items=15, missing=0.3)
    assert of(rows[::-1]) == of(rows) == of([*rows, rows[0]])
    renamed = [row._replace(annotator="zyxw"[int(row.annotator[1:])]) for row in rows]
    assert of(renamed).alpha == of(rows).alpha


def test_two_judgements_of_one_annotator_are_refused() -> None:
    with pytest.raises(ValueError, match="annotator 'a0' judges item 'i0' as 'x' and as 'y'"):
        of([Judgement("a0", "i0", "x"), Judgement("a0", "i0", "y")])
