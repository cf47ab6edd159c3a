"""Measures and lists: what "a slice of bread" is called, and the members of "a cup, a fork and a knife"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assets.labels.open.english import NOUN_TAGS

if TYPE_CHECKING:
    from assets.labels.open.tree import Node

LIGHT_NOUNS = frozenset(
    "top side edge front middle center centre end bottom surface part back corner inside outside "
    "rear".split()
)
UNITS = frozenset(
    "gram kilogram kilo ml milliliter millilitre liter litre litres ounce pound ul μl mg kg oz g l teaspoon tablespoon cm inch".split()
)
MEASURES = frozenset(
    "piece slice bit lot couple pair handful bunch number pinch drop set gram kilogram kilo ml milliliter "
    "liter litre spoonful teaspoonful tablespoon amount sip pile stack mixture batch part half kind portion "
    "mouthful bite dash splash rest sheet strip chunk lump clump clove layer blob sprig strand teaspoon heap bundle cluster tuft wad block cube bar ball segment wedge dollop knob mound row variety "
    "type sort ounce pound length article load mass cupful flight ul μl mg kg oz litres".split()
)


def listed(node: Node) -> Iterator[Node]:
    """A noun and those listed with it."""
    yield node
    for child in node.children:
        if child.dep_ == "appos" and child.text.lower() == "one":
            continue  # "two cups, one for me"
        if child.dep_ in ("conj", "appos") and (
            child.tag_ in NOUN_TAGS | {"PRP"} or part_of_measure(child).i != child.i
        ):
            yield from listed(child)


def part_of_measure(word: Node) -> Node:
    """The salt of "a spoonful of sugar and another of salt"; the word itself where it measures nothing."""
    if word.text.lower() not in ("another", "one", "some"):
        return word
    for prep in word.children:
        if prep.dep_ == "prep" and prep.text.lower() == "of":
            return next((c for c in prep.children if c.dep_ == "pobj"), word)
    return word


def measured(noun: Node) -> Node:
    """What a measure measures: the bread of "a slice of bread", the table of "the top of the table"."""
    is_taken = noun.lemma_.lower() == "hold" and noun.head.lemma_ in (
        "take",
        "get",
        "grab",
        "catch",
    )
    is_laid_on = noun.lemma_.lower() == "coat"  # "a second coat of paint"
    if (
        not is_taken
        and not is_laid_on
        and noun.lemma_.lower() not in MEASURES | LIGHT_NOUNS
        and noun.tag_ != "CD"
    ):
        return noun
    for child in noun.children:
        if child.dep_ == "prep" and child.text.lower() == "of":
            inner = next((c for c in child.children if c.dep_ == "pobj"), None)
            if inner is not None:
                return inner
    return noun


def contents(holder: Node) -> Iterator[Node]:
    """What a container holds: the water of "a glass of water"."""
    for prep in holder.children:
        if prep.dep_ == "prep" and prep.text.lower() in ("of", "with"):
            yield from (c for c in prep.children if c.dep_ == "pobj")
