"""Names: which point at one thing."""

from __future__ import annotations

import pytest

from assets.questions.kit.names import distinct, is_goal, is_thing, points_at_one, words


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("red mug", ("red", "mug")),
        ("BlackCeramicMug_2", ("black", "ceramic", "mug")),
        ("wooden_bowl", ("wooden", "bowl")),
        ("TVRemote", ("tv", "remote")),
        ("TABLE", ("table",)),
        ("42", ()),
    ],
)
def test_words_are_what_a_viewer_reads(name: str, said: tuple[str, ...]) -> None:
    assert words(name) == said


@pytest.mark.parametrize(
    ("name", "others", "alone"),
    [
        ("mug", ["bowl", "plate"], True),
        ("mug", ["Mug_2"], False),
        ("mug", ["red mug"], False),
        ("red mug", ["mug"], True),
        ("red mug", ["blue mug"], True),
        ("table", ["table lamp"], True),
    ],
)
def test_a_name_points_at_one_thing(name: str, others: list[str], alone: bool) -> None:
    assert points_at_one(name, others) is alone


@pytest.mark.parametrize(
    ("name", "thing", "goal"),
    [
        ("left hand", False, False),
        ("kitchen wall", True, False),
        ("mug", True, True),
        ("7", False, False),
    ],
)
def test_hands_are_no_things_and_walls_no_goals(name: str, thing: bool, goal: bool) -> None:
    assert (is_thing(name), is_goal(name)) == (thing, goal)


def test_things_whose_names_may_be_confused_are_not_kept_together() -> None:
    names = ["red mug", "mug", "cover", "cover lid", "pan"]
    assert distinct(names, str, "mug") == ["cover", "pan"]
    assert distinct(names, str) == ["red mug", "cover", "pan"]
