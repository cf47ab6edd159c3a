"""Texts that mean the same, texts that only look as if they did, and the step that tells."""

from __future__ import annotations

import pytest

from assets.words.matching import (
    EXACT,
    STEPS,
    Match,
    NameMatch,
    Synonyms,
    class_map,
    match_among,
    match_names,
    match_texts,
)


class Senses:
    """Synonyms that are stated, in place of WordNet."""

    def __init__(self, *groups: str) -> None:
        self.groups = [set(group.split("|")) for group in groups]

    def same_sense(self, first: str, second: str) -> bool:
        return any({first, second} <= group for group in self.groups)


KNOWN = Synonyms(
    class_map(
        {
            "cupboard": ["cupboard", "kitchen cabinet", "cabinet"],
            "tap": ["tap", "faucet"],
            "pan": ["pan", "frying pan"],
            "pot": ["pot", "pan"],
            "switch": ["turn on", "turn off", "open", "close", "cover", "uncover"],
        }
    ),
    Senses(
        "sofa|couch", "close|shut", "cutting board|chopping board", "turn on|turn off", "left|right"
    ),
)


@pytest.mark.parametrize(
    ("given", "truth", "step"),
    [
        ("knife", "knife", "equal"),
        (" knife ", "knife", "equal"),
        ("The pot.", "a pot", "normalised"),
        ("cutting_board", "cutting board", "normalised"),
        ("CUTTING-BOARD", "cutting board", "normalised"),
        ("ｋｎｉｆｅ", "knife", "normalised"),
        ("The person’s cup", "person's cup", "normalised"),
        ("two", "2", "number"),
        ("two cups", "2 cups", "number"),
        ("1.0", "1", "number"),
        ("1,000", "1000", "number"),
        ("0.5", "1/2", "number"),
        ("twenty-five", "25", "number"),
        ("twenty five", "25", "number"),
        ("seventy-one", "71", "number"),
        ("the third drawer", "3rd drawer", "number"),
        ("30 s", "30 seconds", "unit"),
        ("30s", "thirty sec", "unit"),
        ("2 minutes", "120 s", "unit"),
        ("half", "half", "equal"),
        ("0.5 l", "500 ml", "unit"),
        ("50 %", "50 percent", "unit"),
        ("180 °C", "180 degrees Celsius", "unit"),
        ("2 tbsp of oil", "two tablespoons of oil", "unit"),
        ("knives", "knife", "stem"),
        ("the boxes", "a box", "stem"),
        ("cherries", "cherry", "stem"),
        ("opens the drawer", "opening the drawers", "stem"),
        ("cut", "cutting", "stem"),
        ("opening", "open", "stem"),
        ("slicing", "sliced", "stem"),
        ("took the cup", "take the cup", "stem"),
        ("two knives", "2 knife", "stem"),
        ("women", "woman", "stem"),
        ("faucets", "faucet", "stem"),
        ("pasted", "paste", "stem"),
        ("adds", "add", "stem"),
        ("rugs", "rug", "stem"),
        ("evenings", "evening", "stem"),
    ],
)
def test_texts_that_match(given: str, truth: str, step: str) -> None:
    assert match_texts(given, truth) == step
    assert match_texts(truth, given) == step


@pytest.mark.parametrize(
    ("given", "truth"),
    [
        # Nothing to compare.
        ("", ""),
        ("", "knife"),
        ("the", "a"),
        ("...", "!!!"),
        # Numbers.
        ("2", "3"),
        ("-2", "2"),
        ("3.5", "3 5"),
        ("3.5", "35"),
        ("50%", "50"),
        ("1,5", "15"),
        ("3:30", "330"),
        ("third", "three"),
        ("second", "two"),
        ("2 s", "2 minutes"),
        ("2 minutes", "2"),
        ("5 m", "5 minutes"),
        ("180 °C", "180 °F"),
        ("1 cup", "cup"),
        ("two knives", "knife"),
        ("video1", "video 1"),
        ("A4", "4"),
        # What turns a sentence round.
        ("not open", "open"),
        ("the door is not open", "the door is now open"),
        ("with salt", "without salt"),
        ("nothing", "something"),
        ("left hand", "right hand"),
        ("lefts", "left"),
        ("turn on", "turn off"),
        ("put up", "put down"),
        ("before washing", "after washing"),
        ("his cup", "her cup"),
        ("the first cup", "the last cup"),
        ("all cups", "some cups"),
        ("can open", "can't open"),
        ("covered", "uncovered"),
        ("plugged", "unplugged"),
        ("useful", "useless"),
        # Other words.
        ("clothes", "cloth"),
        ("glasses", "glass"),
        ("handful", "hand"),
        ("organ", "organization"),
        ("past", "paste"),
        ("universe", "university"),
        ("container", "contain"),
        ("opener", "opened"),
        ("bedding", "bed"),
        ("dressing", "dress"),
        ("building", "build"),
        ("news", "new"),
        ("string", "stringing"),
        ("larger", "large"),
        ("important", "import"),
        ("general", "generate"),
        ("pepper", "peppermint"),
        ("washer", "wash"),
        ("freezer", "freeze"),
        ("plan", "plane"),
        ("tap", "tape"),
        ("tapped", "tape"),
        ("hoped", "hopped"),
        ("rating", "rat"),
        ("caring", "car"),
        ("staring", "star"),
        ("lefts", "leave"),
        ("seed", "see"),
        ("being", "bee"),
        ("past", "pasted"),
        ("ad", "added"),
        ("even", "evening"),
        ("rug", "rugged"),
        ("unit", "united"),
        ("singe", "singing"),
        ("suite", "suited"),
        ("ground", "grounds"),
        ("fifty", "fifties"),
        # Words left over, or in another order.
        ("knife and fork", "knife"),
        ("knife or fork", "knife"),
        ("the red cup", "the cup"),
        ("the cup on the table", "the table on the cup"),
        ("man bites dog", "dog bites man"),
        # Synonyms that nothing here knows.
        ("sofa", "couch"),
        ("cup", "mug"),
    ],
)
def test_texts_that_do_not_match(given: str, truth: str) -> None:
    assert match_texts(given, truth) is None
    assert match_texts(truth, given) is None


@pytest.mark.parametrize(
    ("given", "truth", "step"),
    [
        ("sofa", "couch", "synset"),
        ("the sofa", "a couch", "synset"),
        ("sits on the sofa", "sits on the couch", "synset"),
        ("shut the drawer", "close the drawer", "synset"),
        ("wash the chopping board", "wash the cutting board", "synset"),
        ("open the kitchen cabinet", "open the cupboard", "class_map"),
        ("the cupboard", "cabinet", "class_map"),
        ("opens the faucet", "open the tap", "class_map"),
        ("shut the cabinet", "close the cupboard", "synset"),
        ("two cabinets", "2 cabinets", "number"),
    ],
)
def test_synonyms(given: str, truth: str, step: str) -> None:
    assert match_texts(given, truth, KNOWN) == step
    assert match_texts(truth, given, KNOWN) == step


@pytest.mark.parametrize(
    ("given", "truth"),
    [
        # Stated as synonyms above, and opposites all the same.
        ("turn on", "turn off"),
        ("left", "right"),
        ("open", "close"),
        ("cover", "uncover"),
        # `pan` is a term of two classes.
        ("pan", "pot"),
        ("pan", "frying pan"),
        ("sofa", "couch table"),
        ("cup", "mug"),
        ("2", "sofa"),
    ],
)
def test_no_synonyms(given: str, truth: str) -> None:
    assert match_texts(given, truth, KNOWN) is None
    assert match_texts(truth, given, KNOWN) is None


def test_long_texts_are_compared_as_they_stand() -> None:
    long = "cup " * 1_000
    assert match_texts(long, long) == "equal"
    assert match_texts(long, long + "cup") is None
    words = " ".join(["cups"] * 30)
    assert match_texts(words, words.upper()) == "normalised"
    assert match_texts(words, " ".join(["cup"] * 30)) is None


def test_an_option_is_named_by_one_match_alone() -> None:
    options = ["a sofa", "an armchair", "two knives"]
    assert match_among("couch", options, KNOWN) == Match(0, "synset")
    assert match_among("2 knives", options, KNOWN) == Match(2, "number")
    assert match_among("table", options, KNOWN) == Match()
    assert match_among("couch", ["sofa", "the sofa"], KNOWN) == Match(ambiguous=(0, 1))
    # Forms of one word as two options: only the word itself tells them apart.
    assert match_among("knife", ["knife", "knives"]) == Match(0, "equal")
    assert match_among("The knife", ["knife", "knives"]) == Match(0, "normalised")
    assert match_among("knifes", ["a knife", "knives"]).index is None
    # One option by its stem, the other as a synonym.
    assert match_among("couches", ["couch", "sofa"], KNOWN) == Match(0, "stem")
    both = Synonyms(thesaurus=Senses("sofa|couch|couches"))
    assert match_among("couches", ["couch", "sofa"], both) == Match(ambiguous=(0, 1))


def test_names_of_two_vocabularies() -> None:
    first = ["knife", "sofa", "cabinet", "pan", "spoons"]
    second = ["Knives", "couch", "cupboard", "spoon", "spoon", "lid"]
    assert match_names(first, list(dict.fromkeys(second)), KNOWN) == [
        NameMatch("knife", "Knives", "stem"),
        NameMatch("sofa", "couch", "synset"),
        NameMatch("cabinet", "cupboard", "class_map"),
        NameMatch("pan", None, None),
        NameMatch("spoons", "spoon", "stem"),
    ]


def test_no_name_is_matched_twice() -> None:
    (row,) = match_names(["knife"], ["knives", "Knife"])
    assert row == NameMatch("knife", "Knife", "normalised")
    (row,) = match_names(["couch"], ["sofa", "Sofa"], KNOWN)
    assert (row.second, row.ambiguous) == (None, ("sofa", "Sofa"))
    # The stricter match of another name goes first.
    rows = match_names(["spoons", "spoon"], ["Spoon"])
    assert [row.second for row in rows] == [None, "Spoon"]


def test_terms_of_several_classes_name_none() -> None:
    assert class_map({"a": ["Pan", "the tap"], "b": ["pan"], "c": [""]}) == {"tap": "a"}


def test_steps_are_in_order() -> None:
    assert STEPS[:2] == tuple(sorted(EXACT)) == ("equal", "normalised")
