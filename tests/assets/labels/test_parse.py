"""Narrations into labels: expected by hand, on a small vocabulary in the form of the real one."""

from __future__ import annotations

import polars as pl
import pytest

from assets.labels.lexicon import make_lexicon
from assets.labels.parse import parse_labels, parse_narration
from expectations.schemas import TABLES
from tests.assets.labels.vocabulary import LEXICON, SUPPLEMENT, taxonomies

L, R, B, U = "left_hand", "right_hand", "both_hands", "unspecified_hand"


# narration, {(class, hand)} of verbs, {(class, hand)} of nouns
CASES: list[tuple[str, set[tuple[str, str]], set[tuple[str, str]]]] = [
    ("Chop the onion.", {("cut", U)}, {("onion", U)}),
    ("The left hand holds the bowl.", {("hold", L)}, {("bowl", L)}),
    (
        "Hold the bowl with your left hand and pour the oil with your right hand.",
        {("hold", L), ("pour", R)},
        {("bowl", L), ("oil", R)},
    ),
    (
        "The left hand holds the pot, the right hand stirs the eggs.",
        {("hold", L), ("mix", R)},
        {("pot_(planter)", L), ("egg", R)},
    ),
    (
        "The left hand holds the bowl while the right hand cracks an egg and adds it.",
        {("hold", L), ("break", R), ("put", R)},
        {("bowl", L), ("egg", R)},
    ),
    # Carried over to a clause whose subject is understood, within a sentence.
    (
        "The right hand picks up the knife and cuts the onion.",
        {("take", R), ("cut", R)},
        {("knife", R), ("onion", R)},
    ),
    (
        "The right hand takes the spoon, then scoops the salt.",
        {("take", R), ("scoop", R)},
        {("spoon", R), ("salt", R)},
    ),
    (
        "Hold the lid in your left hand. Wash the bowl.",
        {("hold", L), ("wash", U)},
        {("lid", L), ("bowl", U)},
    ),
    (
        "The left hand takes the lid. Then places it on the pot.",
        {("take", L), ("put", L)},
        {("lid", L), ("pot_(planter)", L)},
    ),
    # The other hand is the opposite one.
    (
        "Hold the onion with the left hand and cut it with the other hand.",
        {("hold", L), ("cut", R)},
        {("onion", L)},
    ),
    ("Press the tofu with both hands.", {("press", B)}, {("tofu", B)}),
    (
        "In my left hand, I am holding a plate, and with my right hand, I pick up the egg.",
        {("hold", L), ("take", R)},
        {("plate", L), ("egg", R)},
    ),
    (
        "Hold a bowl in the left hand and a spoon in the right hand.",
        {("hold", L)},
        {("bowl", L), ("spoon", R)},
    ),
    (
        "Hold a bowl and a spoon in the left hand.",
        {("hold", L)},
        {("bowl", L), ("spoon", L)},
    ),
    (
        "While holding the pot with the right hand, the left hand stirs the eggs.",
        {("hold", R), ("mix", L)},
        {("pot_(planter)", R), ("egg", L)},
    ),
    (
        "Take the knife in your right hand to cut the onion held in your left hand.",
        {("take", R), ("cut", R), ("hold", R)},
        {("knife", R), ("onion", R)},
    ),
    # A hand that receives does not act.
    ("The left hand passes the plate to the right hand.", {("move", L)}, {("plate", L)}),
    (
        "The index finger of the left hand points at the onion.",
        {("point", L)},
        {("onion", L)},
    ),
    # Lists stay whole.
    (
        "The left hand holds a plate with tofu, onions, and eggs.",
        {("hold", L)},
        {("plate", L), ("tofu", L), ("onion", L), ("egg", L)},
    ),
    # Not a hand: the verbs leave and give, the noun handle.
    ("He left the knife in the pot.", {("put", U)}, {("knife", U), ("pot_(planter)", U)}),
    ("Hand over the bowl.", {("give", U)}, {("bowl", U)}),
    ("The right hand hands the bowl to the woman.", {("give", R)}, {("bowl", R)}),
    ("The right hand grips the handle.", {("hold", R)}, {("handle", R)}),
    # Verb or noun by the words beside.
    ("Water the plant.", {("water", U)}, {("plant", U)}),
    ("Pour the water into the pot.", {("pour", U)}, {("water", U), ("pot_(planter)", U)}),
    ("Add salt to water.", {("put", U)}, {("salt", U), ("water", U)}),
    ("Cover the pot with the cover.", {("cover", U)}, {("pot_(planter)", U), ("lid", U)}),
    ("Scoop a scoop of salt.", {("scoop", U)}, {("scoop", U), ("salt", U)}),
    ("Pick up an empty bowl.", {("take", U)}, {("bowl", U)}),
    ("Pick up the onion slices.", {("take", U)}, {("onion", U)}),
    ("The right hand slices the onion.", {("cut", R)}, {("onion", R)}),
    ("Peel the peel off.", {("peel", U)}, {("peel", U)}),
    ("Put it back into the bowl.", {("put", U)}, {("bowl", U)}),
    ("Cut the tofu for later use.", {("cut", U)}, {("tofu", U)}),
    # Adjectives: a participle counts, other words that only share a stem do not.
    ("Put the chopped onion into the bowl.", {("put", U), ("cut", U)}, {("onion", U), ("bowl", U)}),
    ("Add the cut onions.", {("put", U), ("cut", U)}, {("onion", U)}),
    ("Take a bowl containing eggs.", {("take", U)}, {("bowl", U), ("egg", U)}),
    ("Take the disposable gloves.", {("take", U)}, {("glove", U)}),
    # Phrases: longest first, only whole, their nouns too.
    ("Place it on the cutting board.", {("put", U)}, {("chopping_board", U), ("wood", U)}),
    ("Take the dried tofu.", {("take", U)}, {("tofu skin", U), ("tofu", U)}),
    ("Take the sliced dried tofu.", {("take", U), ("cut", U)}, {("tofu", U)}),
    ("Add some pepper powder.", {("put", U)}, {("pepper", U)}),
    ("Add some powder.", {("put", U)}, {("powder", U)}),
    ("Turn on the tap.", {("turn", U), ("turn_on", U)}, set()),
    # The second part of a hyphened word is not a verb.
    ("Stir-fry the eggs with a spatula.", {("mix", U)}, {("egg", U), ("spatula", U)}),
    ("Stir fry the eggs.", {("mix", U), ("fry", U)}, {("egg", U)}),
    # To use a given hand is labelled, to use both hands is not.
    ("Use the right hand to press the lid.", {("use", R), ("press", R)}, {("lid", R)}),
    ("Use both hands to press the lid.", {("press", B)}, {("lid", B)}),
    # A hand that tells where a thing is does not act; the hand of a tool does.
    (
        "Take the salt with your left hand and put it in the spoon in your right hand.",
        {("take", L), ("put", L)},
        {("salt", L), ("spoon", L)},
    ),
    (
        "The right hand cuts the tofu and puts it on the plate held by the left hand.",
        {("cut", R), ("put", R), ("hold", R)},
        {("tofu", R), ("plate", R)},
    ),
    ("The bowl is held by the left hand.", {("hold", L)}, {("bowl", L)}),
    (
        "Hold the pot in the left hand, and stir the eggs with a spatula in the right hand.",
        {("hold", L), ("mix", R)},
        {("pot_(planter)", L), ("egg", R), ("spatula", R)},
    ),
    (
        "With a bowl in the left hand, I use a spoon in the right hand to scoop the salt.",
        {("use", R), ("scoop", R)},
        {("bowl", L), ("spoon", R), ("salt", R)},
    ),
    (
        "The bowl in my left hand is full of eggs, and I mix it with a spoon in my right hand.",
        {("mix", R)},
        {("bowl", L), ("egg", L), ("spoon", R)},
    ),
    ("Hold a spoon in each hand.", {("hold", B)}, {("spoon", B)}),
    # "Your hand" is the one that acts already, "one hand" need not be.
    (
        "Take the egg with the left hand and press it with your hand.",
        {("take", L), ("press", L)},
        {("egg", L)},
    ),
    ("Wash the plate with the hand towel.", {("wash", U)}, {("plate", U), ("hand", U)}),
    # A third person acts without a word between.
    ("The chef opens eggs.", {("open", U)}, {("egg", U)}),
    ("The chef cuts onions.", {("cut", U)}, {("onion", U)}),
    ("Add the onion slices.", {("put", U)}, {("onion", U)}),
    ("Still peeling eggs.", {("peel", U)}, {("egg", U)}),
    ("", set(), set()),
    ("...", set(), set()),
    ("Nothing known happens", set(), set()),
]


@pytest.mark.parametrize(("text", "verbs", "nouns"), CASES, ids=[c[0] for c in CASES])
def test_labels(text: str, verbs: set[tuple[str, str]], nouns: set[tuple[str, str]]) -> None:
    found = parse_narration(text, LEXICON)
    for kind, expected in (("verb", verbs), ("noun", nouns)):
        assert {(x.class_label, x.body_part) for x in found if x.kind == kind} == expected
    for label in found:
        assert text[label.span_start : label.span_end].lower() == label.term


def segments(texts: dict[str, str | None]) -> pl.DataFrame:
    return TABLES["segments"].frame(
        {
            "source": "s",
            "segment_id": segment_id,
            "recording_id": "r",
            "kind": "fine",
            "start_s": 0.0,
            "end_s": 1.0,
            "narration": text,
            "source_file": "f",
            "source_key": segment_id,
        }
        for segment_id, text in texts.items()
    )


def test_table_is_the_declared_one_with_unique_keys() -> None:
    texts = {str(i): case[0] for i, case in enumerate(CASES)} | {"none": None}
    made = parse_labels(segments(texts), taxonomies(), SUPPLEMENT)
    table = TABLES["labels"]
    assert made.schema == table.schema
    assert made.select(table.key).is_duplicated().sum() == 0
    assert "none" not in made["segment_id"]


def test_a_segment_is_read_alone_and_row_order_does_not_matter() -> None:
    texts: dict[str, str | None] = {
        "a": "The left hand holds the bowl.",
        "b": "Then cuts the onion.",
        "c": "Stir with the other hand.",
    }
    whole = parse_labels(segments(texts), taxonomies(), SUPPLEMENT)
    turned = parse_labels(segments(texts).reverse(), taxonomies().reverse(), SUPPLEMENT.reverse())
    assert whole.equals(turned)
    for segment_id, text in texts.items():
        alone = parse_labels(segments({segment_id: text}), taxonomies(), SUPPLEMENT)
        assert alone.equals(whole.filter(pl.col("segment_id") == segment_id))
        assert set(alone["body_part"]) == {L if segment_id == "a" else U}


def test_sources_are_read_with_their_own_vocabulary() -> None:
    other = segments({"x": "Chop the onion."}).with_columns(source=pl.lit("without"))
    assert parse_labels(other, taxonomies(), SUPPLEMENT).is_empty()


def test_ambiguous_terms_say_so() -> None:
    (label,) = [x for x in parse_narration("Wash the pot.", LEXICON) if x.kind == "noun"]
    assert label.class_label == "pot_(planter)"
    assert label.rule.endswith("last_of_2")


@pytest.mark.parametrize(
    ("text", "ambiguous"),
    [
        ("Pour the oil in your left hand into the pot.", True),
        ("Take the knife with the right hand and cut the onion in the left hand.", True),
        ("Take the egg with the left hand and press it with your hand.", True),
        ("Press the egg with your hand.", False),
        ("Hold the bowl in your left hand and stir with the right hand.", False),
    ],
)
def test_a_hand_that_may_not_be_meant_is_said_to_be_ambiguous(text: str, ambiguous: bool) -> None:
    found = parse_narration(text, LEXICON)
    assert any("ambiguous_hand" in x.rule.split(";") for x in found) == ambiguous


def test_supplement_of_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="adverb"):
        make_lexicon(taxonomies(), SUPPLEMENT.with_columns(kind=pl.lit("adverb")))
