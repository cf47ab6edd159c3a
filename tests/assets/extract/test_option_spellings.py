"""Options that a reply spells in another way, or names and says nothing else about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.extract.letters import read_reply
from assets.extract.option_spellings import spell_options


@pytest.mark.parametrize(
    ("reply", "texts", "letter"),
    [
        ("It must have been the raincoat.", ["T-shirt", "rain coat", "vest"], "B"),
        ("The last item folded is the tshirt.", ["T-shirt", "sweater", "rain jacket"], "A"),
        ("He sits down in the arm chair.", ["sofa", "armchair", "stool"], "B"),
        ("The distance is roughly two metres.", ["0.5 m", "1 m", "2 m", "5 m"], "C"),
        ("He does not open it.", ["He opens it", "He doesn't open it"], "B"),
        ("She takes a doughnut.", ["donut", "bagel", "muffin"], "A"),
        ("He stops at the theatre.", ["museum", "theater", "station"], "B"),
        ("The colour changer is used.", ["color changer", "grinder", "press"], "A"),
    ],
)
def test_another_spelling_is_read_as_the_option(reply: str, texts: list[str], letter: str) -> None:
    reading = read_reply(reply, "ABCDE"[: len(texts)], texts)
    assert (reading.status, reading.letter) == ("parsed", letter)


@pytest.mark.parametrize(
    ("reply", "texts"),
    [
        # Joined words that are no option's: "art shirt" holds the characters of "T-shirt".
        ("The art shirts hang there.", ["T-shirt", "sweater"]),
        ("It is 12 m long.", ["2 m", "5 m"]),
        ("He does not use the rain coat.", ["raincoat", "vest"]),
        # Two options in other spellings decide nothing.
        ("A tshirt or a raincoat.", ["T-shirt", "rain coat", "vest"]),
        # Spelled the same once joined: neither can be told.
        ("The pickup leaves.", ["pick-up", "pick up", "van"]),
    ],
)
def test_what_is_no_option_stays_open(reply: str, texts: list[str]) -> None:
    assert read_reply(reply, "ABCDE"[: len(texts)], texts).letter is None


def test_the_own_text_of_an_option_is_left_as_it_is() -> None:
    assert spell_options("On the table, then a pot.", ["On the table.", "In a pot"]) == (
        "On the table, then a pot."
    )
    assert spell_options("in grey", ["gray"]) == "in gray"


@given(st.text(max_size=200), st.lists(st.text(max_size=30), max_size=5))
def test_any_text_is_spelled_without_an_error_and_only_once(text: str, texts: list[str]) -> None:
    once = spell_options(text, texts)
    if once == text:
        return
    assert any(one.strip(" .") in once for one in texts if one.strip(" ."))


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("A knife is lying in the sink, next to the sponge.", "C"),
        ("The person brings the knife over to his friend.", "C"),
        ("A knife is not lying in the sink.", None),
        ("A knife is lying in the sink, or a fork.", None),
        ("Is a knife lying in the sink?", None),
        ("It depends on whether the knife is lying there.", None),
    ],
)
def test_the_only_option_a_short_reply_names(reply: str, letter: str | None) -> None:
    texts = ["A spoon", "A fork", "A knife"]
    assert read_reply(reply, "ABC", texts).letter == letter
