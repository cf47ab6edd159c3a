"""Class names as English: what a colleague would write, worked out by hand."""

from __future__ import annotations

import pytest

from expectations.action_words import readable_action, readable_name


@pytest.mark.parametrize(
    ("name", "english"),
    [
        ("Turn-on sink using hand", "turn on the sink"),
        ("Turn-off stove using hand", "turn off the stove"),
        ("Get cup from shelf using hand", "get the cup from the shelf"),
        ("Get toy from coffee table using left hand", "get the toy from the coffee table using the left hand"),
        ("Put book to coffee table using hand", "put the book on the coffee table"),
        ("Put bottle to fridge using hand", "put the bottle in the fridge"),
        ("Put bread to plate using hand", "put the bread on the plate"),
        ("Wash kettle using sink, hand", "wash the kettle in the sink"),
        ("Cut watermelon using knife", "cut the watermelon using the knife"),
        ("Cut bread on cutting-board using knife, hand", "cut the bread on the cutting board using the knife"),
        ("Pour from kettle into cup using hand", "pour from the kettle into the cup"),
        ("Get cup, spoon from kitchen-cabinet using hand", "get the cup and the spoon from the kitchen cabinet"),
        ("Clean the_table using towel", "clean the table using the towel"),
        ("Sit on sofa", "sit on the sofa"),
        ("Point-to TV using hand", "point to the TV"),
        ("Wash hand using sink", "wash the hand in the sink"),
        ("Get [cup] from [kitchen table] using [hand]", "get the cup from the kitchen table"),
        ("Put [cup, plate] to [sink] using [left hand]", "put the cup and the plate in the sink using the left hand"),
        ("Get [cup] from [] using [hand]", "get the cup"),
        ("Stand-up", "stand up"),
        ("Look at", "look at"),
        ("  ", ""),
    ],
)  # fmt: skip
def test_actions_read_as_english(name: str, english: str) -> None:
    assert readable_action(name) == english


@pytest.mark.parametrize(
    ("name", "english"),
    [("turn-on", "turn on"), ("pick_up", "pick up"), ("cutting_board", "cutting board"), ("cup", "cup")],
)  # fmt: skip
def test_names_lose_their_marks(name: str, english: str) -> None:
    assert readable_name(name) == english
