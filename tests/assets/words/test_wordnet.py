"""Synonyms by a folder of WordNet: a small one that the test writes, and a real one where one is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assets.words.matching import Synonyms, match_among, match_names, match_texts
from resources.config import load_settings
from resources.wordnet import FILES, WordNet, WordNetUnavailable, open_wordnet, wordnet_version
from tests.assets.words.wordnet_folder import Synset, write_wordnet

SYNSETS = [
    Synset("noun", ["furniture"]),
    Synset("noun", ["sofa", "couch", "lounge"], broader=(0,)),
    Synset("noun", ["lounge", "waiting_room"]),
    Synset("noun", ["cutting_board", "chopping_board"]),
    Synset("noun", ["knife"]),
    Synset("noun", ["cup"]),
    Synset("noun", ["cup", "trophy"]),
    Synset("verb", ["close", "shut"], antonyms=(9,)),
    Synset("verb", ["turn_on", "switch_on"]),
    Synset("verb", ["open"], antonyms=(7,)),
    # A careless entry: two opposites in one synset.
    Synset("verb", ["fold", "unbend"]),
    Synset("verb", ["unbend"], antonyms=(12,)),
    Synset("verb", ["fold"], antonyms=(11,)),
    Synset("adj", ["big", "large"]),
    Synset("adv", ["quickly", "fast"]),
    Synset("noun", ["fast", "fasting"]),
    Synset("verb", ["switch", "swap"]),
]

IRREGULAR = {"noun": {"knives": "knife"}, "verb": {"shutting": "shut"}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wordnet") / "dict"
    return write_wordnet(place, SYNSETS, IRREGULAR)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("sofa", "couch", True),
        ("sofas", "couches", True),
        ("cutting board", "chopping boards", True),
        ("shuts", "close", True),
        ("closed", "shutting", True),
        ("switched on", "turn on", True),
        ("big", "large", True),
        ("quickly", "fast", True),
        ("knives", "knife", True),
        # Only by a later sense.
        ("lounge", "waiting room", False),
        ("cup", "trophy", False),
        # Broader, opposite, unknown.
        ("sofa", "furniture", False),
        ("open", "close", False),
        ("fold", "unbend", False),
        ("sofa", "divan", False),
        ("", "sofa", False),
    ],
)
def test_first_senses(folder: Path, first: str, second: str, same: bool) -> None:
    words = open_wordnet(folder)
    assert words.same_sense(first, second) is same
    assert words.same_sense(second, first) is same


def test_texts_match_by_synsets(folder: Path) -> None:
    known = Synonyms(thesaurus=open_wordnet(folder))
    assert match_texts("shut the lid", "closes a lid", known) == "synset"
    assert match_texts("on the couches", "on the sofa", known) == "synset"
    assert match_texts("couches", "couch", known) == "stem"
    assert match_texts("open the lid", "close the lid", known) is None
    assert match_among("couch", ["sofa", "lounge"], known).ambiguous == (0, 1)
    assert match_among("couch", ["sofa", "furniture"], known).index == 0
    (row,) = match_names(["chopping_board"], ["board", "cutting board"], known)
    assert (row.second, row.step) == ("cutting board", "synset")


def test_a_folder_that_is_not_wordnet(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(WordNetUnavailable, match=r"no file index\.noun"):
        WordNet(tmp_path)
    copy = write_wordnet(tmp_path / "dict", SYNSETS)
    (copy / FILES[-1]).unlink()
    with pytest.raises(WordNetUnavailable, match=rf"no file {FILES[-1]}; install"):
        wordnet_version(copy)


def test_the_version_follows_the_content(tmp_path: Path, folder: Path) -> None:
    one = write_wordnet(tmp_path / "one", SYNSETS, IRREGULAR)
    assert wordnet_version(one) == wordnet_version(folder)
    other = write_wordnet(tmp_path / "other", SYNSETS[:-1])
    assert wordnet_version(other) != wordnet_version(folder)


def test_the_folder_is_configured(tmp_path: Path, folder: Path) -> None:
    write_wordnet(tmp_path / "dict", SYNSETS)
    config = tmp_path / "parallax.toml"
    config.write_text('store = "t"\n')
    assert load_settings(config).words.wordnet == ""
    config.write_text('store = "t"\n[words]\nwordnet = "dict"\n')
    assert load_settings(config).words.wordnet == str(tmp_path / "dict")


REAL = os.environ.get("PARALLAX_WORDNET", "")


@pytest.mark.skipif(
    not REAL, reason="PARALLAX_WORDNET names no folder of WordNet (Debian: /usr/share/wordnet)"
)
def test_wordnet_itself() -> None:
    words = open_wordnet(Path(REAL))
    same = [
        "sofa|couch", "shut|close", "cutting board|chopping boards", "turned on|switch on", "dustbin|trash can",
        "phone|telephone", "tv|television", "put|place", "child|kid", "zucchini|courgette", "begin|start",
    ]  # fmt: skip
    other = [
        "cup|mug", "cup|trophy", "pan|saucepan", "knife|blade", "left|right", "open|close", "turn on|turn off",
        "glass|cup", "plate|dish", "bread|money", "tv|video", "wash|clean", "hot|warm", "day|night", "boy|girl",
        "walk|run", "lime|lemon", "salt|pepper", "table|furniture", "dog|animal", "can|tin", "sit|stand",
    ]  # fmt: skip
    wrong = [pair for pair in same if not words.same_sense(*pair.split("|"))]
    wrong += [pair for pair in other if words.same_sense(*pair.split("|"))]
    assert wrong == []
