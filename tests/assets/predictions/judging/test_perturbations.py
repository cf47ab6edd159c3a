"""Faults planted in reference rationales change what is said, and nothing else."""

from __future__ import annotations

import pytest

from assets.predictions.judging.perturbations import (
    exchanged_times,
    later,
    other_hand,
    other_option,
)

STEPS = (
    "1. From 1.0 s to 2.5 s of the clip, the camera wearer takes the cup with the left hand.\n"
    "2. From 3.0 s to 4.25 s of the clip, the camera wearer wipes the pan with the right hand.\n"
    "3. So the order is the cup, the pan."
)


def test_hands_are_exchanged_and_other_sides_stay() -> None:
    changed = other_hand(STEPS)
    assert changed == STEPS.replace("left hand", "L").replace("right hand", "left hand").replace(
        "L.", "right hand."
    )
    assert other_hand("1. The left hand takes the left cup; both hands turn right.") == (
        "1. The right hand takes the left cup; both hands turn right."
    )
    assert other_hand("1. It is on the left of the pan.") is None


def test_all_times_are_later_by_as_much_and_keep_their_decimals() -> None:
    assert later("1. At 9.5 s, not 9.55 s, of 16 s: 3 cups at [0.10, 0.20].") == (
        "1. At 14.5 s, not 14.55 s, of 21 s: 3 cups at [0.10, 0.20]."
    )
    assert later("1. 3 spoons lie there.") is None


def test_times_of_the_first_two_steps_in_order_are_exchanged() -> None:
    lines = (exchanged_times(STEPS) or "").split("\n")
    assert lines[0].startswith("1. From 3.0 s to 4.25 s") and "the cup" in lines[0]
    assert lines[1].startswith("2. From 1.0 s to 2.5 s") and "the pan" in lines[1]
    assert lines[2] == STEPS.split("\n")[2]


def test_steps_of_one_time_do_not_hide_a_later_order() -> None:
    steps = "1. At 2.0 s this.\n2. At 2.0 s that.\n3. At 5.0 s the rest."
    assert exchanged_times(steps) == "1. At 5.0 s this.\n2. At 2.0 s that.\n3. At 2.0 s the rest."


@pytest.mark.parametrize(
    "steps",
    [
        "1. At 2.0 s the cup is taken.\n2. At 2.0 s the pan is not.",
        "1. From 1.0 s to 3.0 s this.\n2. From 2.0 s to 4.0 s that.",
        "1. At 2.0 s this.\n2. From 3.0 s to 4.0 s that.",
        "1. This.\n2. That.",
    ],
    ids=["same time", "overlap", "other number of times", "no times"],
)
def test_without_an_order_in_time_nothing_is_exchanged(steps: str) -> None:
    assert exchanged_times(steps) is None


def options(right: str, *wrong: str) -> list[dict[str, object]]:
    return [{"text": right, "is_answer": True}, *({"text": x, "is_answer": False} for x in wrong)]


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        ("the cup", "the pan", "1. The pan stands by the cupboard.\n2. So it is the pan."),
        ("The cup", "a bread knife", "1. a bread knife stands by the cupboard.\n2. So it is a bread knife."),
    ],
)  # fmt: skip
def test_what_only_the_right_option_names_is_replaced(
    right: str, wrong: str, expected: str
) -> None:
    steps = "1. The cup stands by the cupboard.\n2. So it is the cup."
    assert other_option(steps, options(right, wrong)) == expected


def test_the_first_option_whose_difference_the_steps_name_is_taken() -> None:
    steps = "1. The drawer is open.\n2. The lid is closed."
    found = other_option(
        steps,
        options(
            "the drawer is open and the lid is closed",
            "the drawer is closed and the lid is open",
            "the drawer is closed and the lid is closed",
        ),
    )
    assert found == "1. The drawer is closed.\n2. The lid is closed."


def test_without_options_or_words_of_them_nothing_is_replaced() -> None:
    assert other_option("1. A step.", []) is None
    assert other_option("1. A step.", options("the cup", "the pan")) is None
    withheld = [{"text": "the cup", "is_answer": None}, {"text": "a step", "is_answer": None}]
    assert other_option("1. A step with the cup.", withheld) is None
