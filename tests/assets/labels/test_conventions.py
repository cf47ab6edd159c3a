"""One path for all vocabularies: what the notation of the terms and the supplement decide."""

from __future__ import annotations

import polars as pl
import pytest

from assets.labels.conventions import HEAD_MODIFIER, VERB_PARTICLE, Convention, choose, notations
from assets.labels.lexicon import make_lexicon
from assets.labels.main_action import main_action
from assets.labels.parse import parse_narration
from bench.agreement import supplement
from expectations.schemas import TABLES

VERBS = {
    "take": ["take", "pick-up", "pick"],
    "put": ["put", "put-down", "put-on", "put-away"],
    "insert": ["put-in", "put-into"],
    "remove": ["take-out", "take-off"],
    "turn": ["turn"],
    "turn-on": ["turn-on", "switch-on"],
    "turn-off": ["turn-off"],
    "open": ["open"],
    "close": ["close"],
    "cut": ["cut", "slice", "chop", "dice"],
    "wash": ["wash", "rinse"],
    "mix": ["mix", "stir"],
    "peel": ["peel"],
    "move": ["move", "move-from"],
    "use": ["use"],
}
NOUNS = {
    "tap": ["tap", "water:tap"],
    "pan": ["pan", "pan:frying"],
    "water": ["water"],
    "onion": ["onion", "onion:cut"],
    "slice": ["slice", "slice:onion"],
    "skin": ["skin", "peel:onion"],
    "tuna": ["tuna"],
    "patty": ["patty"],
    "board:chopping": ["board:chopping", "board:cutting"],
    "bowl": ["bowl"],
    "bottle": ["bottle", "bottle:water"],
    "can": ["can"],
    "liquid:washing:up": ["liquid:washing:up"],
    "end": ["end:carrot"],
    "plate": ["plate"],
    "knife": ["knife"],
}


def vocabulary() -> pl.DataFrame:
    return TABLES["taxonomies"].frame(
        {
            "source": "s",
            "taxonomy": kind,
            "class_id": at,
            "label": label,
            "terms": terms,
            "source_file": "f",
        }
        for kind, listed in (("verb", VERBS), ("noun", NOUNS))
        for at, (label, terms) in enumerate(listed.items())
    )


LEXICON = make_lexicon(vocabulary(), supplement())

# narration, verb, noun
CASES: list[tuple[str, str | None, str | None]] = [
    ("take pan", "take", "pan"),
    ("pick up pan", "take", "pan"),
    ("put pan down", "put", "pan"),
    ("put down pan", "put", "pan"),
    ("put the lid on pan", "put", "pan"),
    ("put onion in the pan", "insert", "onion"),
    ("put in pan", "insert", "pan"),
    ("put plate and knife into bowl", "insert", "plate"),
    ("take lid off pan", "remove", "pan"),
    ("turn the tap on", "turn-on", "tap"),
    ("turn on tap", "turn-on", "tap"),
    ("turn pan", "turn", "pan"),
    ("move onion from board to pan", "move", "onion"),
    # A verb and its object may be named together; a bottle of water is not water.
    ("open tap", "turn-on", "tap"),
    ("open the water tap", "turn-on", "tap"),
    ("open water bottle", "open", "bottle"),
    # A compound is one thing, by its longest term, or else its head.
    ("wash tuna patty", "wash", "patty"),
    ("wash cutting board", "wash", "board:chopping"),
    ("wash frying pan", "wash", "pan"),
    ("take washing up liquid", "take", "liquid:washing:up"),
    ("remove onion slices", None, "slice"),
    ("cut end of carrot", "cut", "end"),
    # What opens an action is a verb, though a term begins with it.
    ("cut onion", "cut", "onion"),
    ("peel onion", "peel", "onion"),
    ("slice onion", "cut", "onion"),
    ("still cutting onion", "cut", "onion"),
    ("continue washing plate", "wash", "plate"),
    ("take onion and cut onion", "take", "onion"),
    ("stir water using knife", "mix", "water"),
    ("open can", "open", "can"),
    ("put can in bowl", "insert", "can"),
    ("peel", "peel", None),
    ("something else", None, None),
]


@pytest.mark.parametrize(("text", "verb", "noun"), CASES, ids=[c[0] for c in CASES])
def test_main_action(text: str, verb: str | None, noun: str | None) -> None:
    found = main_action(parse_narration(text, LEXICON))
    assert tuple(one and one.class_label for one in found) == (verb, noun)


def test_one_verb_and_one_noun_of_a_phrase() -> None:
    found = parse_narration("turn on the water tap", LEXICON)
    assert [x.class_label for x in found] == ["turn-on", "tap"]


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ([("noun", "board:cutting"), ("noun", "pan")], {HEAD_MODIFIER}),
        ([("verb", "pick-up"), ("verb", "take")], {VERB_PARTICLE}),
        ([("verb", "pick up"), ("verb", "plug-in"), ("verb", "put on")], set()),
        ([("noun", "t-shirt"), ("noun", "cutting_board")], set()),
        ([("verb", "mash:it")], set()),
        ([], set()),
    ],
)
def test_notation_is_that_of_most_terms(terms: list[tuple[str, str]], expected: set[str]) -> None:
    assert notations(terms) == expected


def test_conventions_are_declared() -> None:
    rows = [("compound", HEAD_MODIFIER), ("longest_verb", VERB_PARTICLE)]
    assert choose(frozenset(), rows) == Convention()
    assert choose(frozenset([HEAD_MODIFIER]), rows) == Convention(compound=True)
    for wrong in (("compund", HEAD_MODIFIER), ("compound", "head-modifier")):
        with pytest.raises(ValueError, match="unknown"):
            choose(frozenset(), [wrong])


def test_without_declarations_the_rules_of_language_alone_hold() -> None:
    empty = supplement().clear()
    found = parse_narration("wash tuna patty", make_lexicon(vocabulary(), empty))
    assert [x.class_label for x in found] == ["wash", "tuna", "patty"]


def test_objects_stand_in_for_nouns() -> None:
    told = vocabulary().with_columns(pl.col("taxonomy").replace({"noun": "object"}))
    assert make_lexicon(told, supplement()).nouns == LEXICON.nouns
