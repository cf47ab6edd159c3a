"""Association and skill: directions, ties, groups."""

from __future__ import annotations

import math

import pytest

from assets.scores.metrics import UndefinedMetric, association, skill

LEFT, RIGHT, LEVEL = [2.0, 1.0], [1.0, 2.0], [1.0, 1.0]


def test_directions_by_type_and_by_place() -> None:
    # All questions ask from the exo view.
    asked = ([LEFT, RIGHT], [0, 0], [2, 2])
    assert association.accuracy(*asked) == {"Ego->Exo": None, "Exo->Ego": 50.0, "mean": 50.0}
    assert association.accuracy(*asked, "parity") == {"Ego->Exo": 50.0}
    both = association.accuracy([LEFT, RIGHT, RIGHT], [0, 0, 0], [1, 2, 2])
    assert both == {"Ego->Exo": 100.0, "Exo->Ego": 0.0, "mean": 50.0}
    third = ([LEFT, LEFT, LEFT], [0, 0, 1], [1, 2, 3])
    assert association.accuracy(*third, "parity") == {"Ego->Exo": 100.0, "Exo->Ego": 100.0}
    with pytest.raises(ValueError, match="type 3"):
        association.accuracy(*third)


def test_equal_options() -> None:
    assert association.accuracy([LEVEL], [0], [1])["Ego->Exo"] == 0.0
    assert association.accuracy([LEVEL], [0], [1], "parity") == {"Ego->Exo": 100.0}
    broken = [math.nan, 1.0]
    assert association.accuracy([broken], [0], [1], "parity") == {"Ego->Exo": 100.0}
    assert association.accuracy([broken], [0], [1])["Ego->Exo"] == 0.0
    assert association.accuracy([broken], [1], [1])["Ego->Exo"] == 100.0
    assert association.accuracy([LEFT], [5], [1])["Ego->Exo"] == 0.0


def test_no_question() -> None:
    assert association.accuracy([], [], [], "parity") == {}
    assert association.accuracy([], [], []) == {"Ego->Exo": None, "Exo->Ego": None, "mean": None}
    with pytest.raises(ValueError, match="1 score rows"):
        association.accuracy([LEFT], [0, 1], [1, 1])


def test_no_option() -> None:
    for mode in ("paper", "parity"):
        with pytest.raises(UndefinedMetric, match="no option"):
            association.accuracy([[]], [0], [1], mode)


def test_pairs() -> None:
    assert skill.pair_accuracy([2, 1, 1], [1, 1, 2]) == pytest.approx(1 / 3)
    assert skill.pair_accuracy([math.nan], [0.0]) == 0.0
    assert skill.pair_accuracy([], []) is None
    assert skill.pair_accuracy([], [], "parity") == 0.0
    with pytest.raises(ValueError):
        skill.pair_accuracy([1.0], [1.0, 2.0])


def test_three_ways_of_cutting_are_one_group() -> None:
    actions = ["13", "14", "15", "15", "18", "06"]
    found = skill.score([1, 1, 1, 0, 1, 0], [0, 0, 0, 1, 0, 1], actions)
    assert found.groups == {"Egg Cracking": 1.0, "Peeling": 0.0, "Stir-fry": None, "Cutting": 0.75}
    # Over groups, not over pairs.
    assert found.mean == pytest.approx((1.0 + 0.0 + 0.75) / 3)
    assert found.micro == pytest.approx(4 / 6)
    assert found.n == {"Egg Cracking": 1, "Peeling": 1, "Stir-fry": 0, "Cutting": 4}
    named = skill.score([1], [0], ["Slicing into strips"])
    assert named.groups["Cutting"] == 1.0
    with pytest.raises(ValueError, match="'99'"):
        skill.score([1], [0], ["99"])


def test_action_of_a_clip() -> None:
    assert skill.action_of("13_bee97324-ac78-11ee-819f-80615f12b59e_2540_3220") == "13"
