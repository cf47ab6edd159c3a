"""Part of each noun, and who acts: expected by hand."""

from __future__ import annotations

import pytest

from assets.labels.parse import parse_narration
from tests.assets.labels.vocabulary import LEXICON

# Narration, and the role of each term.
CASES: list[tuple[str, dict[str, str | None]]] = [
    ("Chop the onion.", {"onion": "direct"}),
    ("Pick up the onion.", {"onion": "direct"}),
    ("Cut the onion with a knife.", {"onion": "direct", "knife": "tool"}),
    ("Cut the onion on the board with a knife.", {"board": "location", "knife": "tool"}),
    ("Use the knife to cut the onion.", {"knife": "tool", "onion": "direct"}),
    ("Using a spoon, stir the eggs.", {"spoon": "tool", "eggs": "direct"}),
    ("Pour the oil into the pot.", {"oil": "direct", "pot": "container"}),
    ("Take the egg out of the bowl.", {"egg": "direct", "bowl": "container"}),
    ("Put the lid on the pot.", {"lid": "direct", "pot": "location"}),
    ("Take the plate from the board.", {"plate": "direct", "board": "location"}),
    ("Hold the bowl in front of the pot.", {"bowl": "direct", "pot": "location"}),
    ("Take a bowl of salt.", {"bowl": "direct", "salt": "other"}),
    ("Hold a plate with tofu.", {"plate": "direct", "tofu": None}),
    ("Wash the plate with water.", {"plate": "direct", "water": "tool"}),
    ("Cover the pot with the lid.", {"pot": "direct", "lid": "other"}),
    (
        "Add onions, tofu and salt to the pot.",
        {"onions": "direct", "tofu": "direct", "salt": "direct"},
    ),
    ("Stir with a spoon and a spatula.", {"spoon": "tool", "spatula": "tool"}),
    ("The onion is cut with the knife.", {"onion": "direct", "knife": "tool"}),
    ("The onions are put into the bowl.", {"onions": "direct", "bowl": "container"}),
    ("The right hand holds the bowl.", {"bowl": "direct"}),
    ("Put the chopped onion into the bowl.", {"onion": "direct", "bowl": "container"}),
    ("Salt and oil.", {"salt": None, "oil": None}),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[c[0] for c in CASES])
def test_roles(text: str, expected: dict[str, str | None]) -> None:
    found = {x.term: x.role for x in parse_narration(text, LEXICON) if x.kind == "noun"}
    assert {term: found.get(term, "not found") for term in expected} == expected


def test_a_noun_inside_a_phrase_plays_its_part_and_a_verb_is_the_action() -> None:
    found = {x.term: x.role for x in parse_narration("Wash the cutting board.", LEXICON)}
    assert found == {"wash": "action", "cutting board": "direct", "board": "direct"}


ACTORS: list[tuple[str, dict[str, str | None]]] = [
    ("Cut the onion.", {"cut": None}),
    ("I cut the onion while the woman stirs the eggs.", {"cut": None, "stirs": "woman"}),
    ("The man x takes a bowl and washes it.", {"takes": "man x", "washes": "man x"}),
    ("The onion is cut by the woman.", {"cut": "woman"}),
    ("The right hand gives the bowl to the man.", {"gives": None}),
    ("The man opens the lid, and the right hand stirs.", {"opens": "man", "stirs": None}),
    ("The man opens the lid. Stir the eggs.", {"opens": "man", "stir": None}),
]


@pytest.mark.parametrize(("text", "expected"), ACTORS, ids=[c[0] for c in ACTORS])
def test_actors(text: str, expected: dict[str, str | None]) -> None:
    found = {x.term: x.actor_id for x in parse_narration(text, LEXICON) if x.kind == "verb"}
    assert found == expected
