"""Surface forms against the dictionary."""

from __future__ import annotations

import pytest

from assets.labels.words import plurals, term_words, tokenise, verb_forms


@pytest.mark.parametrize(
    ("verb", "base", "s", "ing", "past"),
    [
        ("cut", "cut", "cuts", "cutting", {"cut"}),
        ("chop", "chop", "chops", "chopping", {"chopped"}),
        ("slice", "slice", "slices", "slicing", {"sliced"}),
        ("fry", "fry", "fries", "frying", {"fried"}),
        ("stir", "stir", "stirs", "stirring", {"stirred"}),
        ("hold", "hold", "holds", "holding", {"held"}),
        ("take", "take", "takes", "taking", {"took", "taken"}),
        ("leave", "leave", "leaves", "leaving", {"left"}),
        ("wash", "wash", "washes", "washing", {"washed"}),
        ("tie", "tie", "ties", "tying", {"tied"}),
        ("knead", "knead", "kneads", "kneading", {"kneaded"}),
        ("open", "open", "opens", "opening", {"opened"}),
        ("play", "play", "plays", "playing", {"played"}),
        ("mix", "mix", "mixes", "mixing", {"mixed"}),
    ],
)
def test_verb_forms(verb: str, base: str, s: str, ing: str, past: set[str]) -> None:
    forms = verb_forms(verb)
    assert forms[base] == "base"
    assert forms[s] == "s"
    assert forms[ing] == "ing"
    assert past <= set(forms)
    assert all(forms[p] == "participle" for p in past - {base})


@pytest.mark.parametrize(
    ("noun", "plural"),
    [
        ("onion", "onions"),
        ("knife", "knives"),
        ("potato", "potatoes"),
        ("dish", "dishes"),
        ("berry", "berries"),
        ("tray", "trays"),
        ("leaf", "leaves"),
    ],
)
def test_plurals(noun: str, plural: str) -> None:
    assert plurals(noun) == {plural}


def test_terms_read_underscores_and_hyphens_as_blanks() -> None:
    assert term_words("chopping_board") == ("chopping", "board")
    assert term_words("five-spice powder") == ("five", "spice", "powder")


def test_words_keep_their_places_and_hyphens() -> None:
    text = "Stir-fry the Tofu, well."
    words = tokenise(text)
    assert [w.text for w in words] == ["stir", "fry", "the", "tofu", ",", "well", "."]
    assert [w.hyphened for w in words] == [False, True, False, False, False, False, False]
    assert all(text[w.start : w.end].lower() == w.text for w in words)


def test_places_survive_letters_that_change_length() -> None:
    text = "İ cut the onion"  # lower case of the first letter is two characters
    word = next(w for w in tokenise(text) if w.text == "onion")
    assert text[word.start : word.end] == "onion"
