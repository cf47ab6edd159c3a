"""The reviewed list of kinds of words."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import expectations.word_kinds as word_kinds
from expectations.derivations.narrated_verbs import kinds_of_word
from expectations.word_kinds import (
    BEFORE,
    DIRECTION,
    NOUN,
    VERB,
    kinds_of_any,
    verb_kinds,
    words_of,
)

with Path(word_kinds.__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as _file:
    ROWS = list(csv.DictReader(_file))

PARTS = (VERB, NOUN, BEFORE, DIRECTION)


def test_the_list_is_in_order_and_says_nothing_twice() -> None:
    keys = [(PARTS.index(row["part"]), row["word"], row["kind"]) for row in ROWS]
    assert keys == sorted(set(keys))
    assert all(
        row["word"] == row["word"].lower().replace("_", " ").replace("-", " ") for row in ROWS
    )


@pytest.mark.parametrize(
    ("lemma", "kinds"),
    [
        ("take", {"take"}),
        ("put down", {"put"}),
        ("turn-on", {"switch_on"}),
        ("turn_off", {"switch_off"}),
        ("turn", set()),
        ("give up", set()),
        ("carry", {"hold", "move"}),
        ("whistle", set()),
        ("", set()),
    ],
)
def test_a_verb_is_looked_up_with_its_particle_and_then_without(
    lemma: str, kinds: set[str]
) -> None:
    assert verb_kinds(lemma) == kinds


def test_several_verbs_have_the_kinds_of_each() -> None:
    assert kinds_of_any(["open", "pick up", "whistle"]) == {"open", "take"}


def test_an_unknown_kind_is_named() -> None:
    with pytest.raises(ValueError, match="no verb of the kind 'fly': add one"):
        words_of(VERB, "open", "fly")


def test_derivations_read_the_same_list_by_themselves() -> None:
    words = {row["word"] for row in ROWS if row["part"] == VERB}
    assert {word: verb_kinds(word) for word in words} == {w: kinds_of_word(w) for w in words}
    assert kinds_of_word("put-down") == {"put"}
