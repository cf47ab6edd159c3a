"""What the camera wearer does, in English."""

from __future__ import annotations

import pytest

from assets.questions.egocot.wording import described, done, in_third_person, without_article


@pytest.mark.parametrize(
    ("verb", "says"),
    [
        ("open", "opens"),
        ("Pick-up", "picks up"),
        ("turn_off", "turns off"),
        ("wash", "washes"),
        ("fix", "fixes"),
        ("press", "presses"),
        ("squeeze", "squeezes"),
        ("dry", "dries"),
        ("play", "plays"),
        ("do", "does"),
        ("have", "has"),
        ("bring out", "brings out"),
        ("feed", "feeds"),
    ],
)
def test_a_verb_is_put_into_the_third_person(verb: str, says: str) -> None:
    assert in_third_person(verb) == says


@pytest.mark.parametrize(
    "verb",
    [
        "holding",
        "opened",
        "takes",
        "put into",
        "put-on",
        "drink-with",
        "in hand",
        "öffnen",
        "3d",
        "",
    ],
)
def test_what_may_be_no_verb_or_need_another_thing_is_quoted(verb: str) -> None:
    assert in_third_person(verb) is None


@pytest.mark.parametrize(
    ("verb", "hands", "says"),
    [
        ("take", [], "takes the cup"),
        ("take", ["hand"], "takes the cup"),
        ("take", ["left hand"], "takes the cup with the left hand"),
        ("take", ["right hand", "left hand"], "takes the cup with both hands"),
        ("take", ["both hands"], "takes the cup with both hands"),
        ("put", ["right hand"], "puts the cup somewhere with the right hand"),
        ("put-down", ["right hand"], "puts down the cup with the right hand"),
        ("put-on", ["right hand"], "puts the cup on something with the right hand"),
        ("pour into", [], "pours the cup into something"),
        ("take_from", ["left hand"], "takes the cup from something with the left hand"),
        (
            "drink-with",
            ["left hand"],
            'performs the action "drink with" on the cup with the left hand',
        ),
    ],
)
def test_what_is_done_is_told_with_its_hands(verb: str, hands: list[str], says: str) -> None:
    assert done(verb, "cup", hands) == says


def test_an_option_names_the_action_and_its_thing() -> None:
    assert described("turn-on", "tap") == "turn on the tap"
    assert described("Put", "lid") == "Put the lid somewhere"
    assert described("put-on", "lid") == "put the lid on something"
    assert described("pour-into", "bottle") == "pour the bottle into something"


def test_garments_are_put_on_and_particles_stay() -> None:
    assert described("put-on", "oven glove") == "put on the oven glove"
    assert done("put-on", "glove", []) == 'performs the action "put on" on the glove'
    assert described("turn-on", "tap") == "turn on the tap"
    assert described("look-into", "fridge") == "look into the fridge"


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("the bottle", "bottle"),
        ("A cup", "cup"),
        ("an apple", "apple"),
        ("theatre", "theatre"),
        ("the", "the"),
        ("a", "a"),
        ("and the cup", "and the cup"),
    ],
)
def test_an_article_is_left_out_where_a_text_has_its_own(name: str, read: str) -> None:
    assert without_article(name) == read
