"""From a noun in a parse to the thing or person that it stands for.

A thing is called by its noun with the nouns that belong to it; measures give way to what they measure,
pronouns to the thing named before them, lists to their members.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from assets.labels.open.antecedents import antecedent, first_of_two, moved_part, several, verb_above
from assets.labels.open.body_parts import Sides
from assets.labels.open.endings import singular
from assets.labels.open.english import (
    ACTED_ON,
    DIRECTIONS,
    HOLDERS,
    NO_OBJECTS,
    NOUN_TAGS,
    PLURAL_ONLY,
    STATES_OF_THINGS,
)
from assets.labels.open.forms import is_joined, written
from assets.labels.open.measures import (
    LIGHT_NOUNS,
    UNITS,
    contents,
    listed,
    measured,
    part_of_measure,
)
from assets.labels.open.misread import with_tail
from assets.labels.open.people import People
from assets.labels.open.schema import Object

if TYPE_CHECKING:
    from assets.labels.open.tree import Node

_TASTES = frozenset(["sip", "bite", "mouthful", "gulp"])
# Nouns that the parser takes for adjectives before another.
_MATERIALS = frozenset(
    "plastic metal paper glass steel rubber wood leather cotton cardboard aluminium aluminum brick stone "
    "bamboo foam tin copper iron concrete marble silicone nylon toilet kitchen petri bell".split()
)
# What the parser takes for nouns: "rear brake", "cordless drill".
_NO_PART_OF_NAMES = frozenset("rear cordless upper".split())
# Before anything else, orange is a colour.
_OF_ORANGES = ("juice", "peel", "slice", "segment", "zest", "rind", "tree", "skin")
_POURING = frozenset("pour drink spill sprinkle sip swallow".split())
_NUMBERS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}


def expanded(node: Node, role: str, path: str, people: People, sides: Sides) -> list[Object]:
    """A noun and those listed with it, each an object."""
    objects: list[Object] = []
    for noun in listed(node):
        together = several(noun, people)
        if together:
            objects += [
                _standing_for(each, noun)
                for other in together
                if (each := object_of(other, role, f"{path}>coref", people)) is not None
            ]
            continue
        each = object_of(noun, role, path if noun.i == node.i else f"{path}>conj", people)
        # A part of the body is a thing where something is put there: "pours flour into her hands".
        washed = path == "nsubjpass" and node.head.lemma_.lower() in ACTED_ON
        if each is not None and (washed or "prep" in path or sides.part(noun) is None):
            objects.append(each)
    return objects


def object_of(noun: Node, role: str, path: str, people: People) -> Object | None:
    """Thing or person that a noun stands for; None where it stands for none."""
    if noun.text.lower().endswith(("self", "selves")):
        return None
    if noun.text.lower() == "other" and any(c.text.lower() == "each" for c in noun.children):
        return None  # "to each other"
    if noun.text.lower() in ("clockwise", "anticlockwise", "counterclockwise") and _is_alone(noun):
        return None
    if noun.tag_ == "CD" and measured(noun).i != noun.i:
        return object_of(measured(noun), role, f"{path}>of", people)  # "one of the tomatoes"
    if part_of_measure(noun).i != noun.i:
        return object_of(part_of_measure(noun), role, f"{path}>of", people)
    who = people.who(noun)
    if who is not None:
        return Object(who or "wearer", role, noun.i, noun.i, path)
    if noun.text.lower() == "one" and any(c.text.lower() == "for" for c in noun.children):
        return None  # "two cups, one for me"
    if noun.text.lower() == "some" and noun.dep_ == "dobj":
        return _pronoun(noun, role, path, people)
    if noun.tag_ == "PRP" or noun.text.lower() in (
        "it",
        "them",
        "this",
        "that",
        "these",
        "those",
        "one",
        "other",
        "others",
        "another",
        "both",
        "they",
        "ones",
        "each",
    ):
        return _pronoun(noun, role, path, people)
    if noun.tag_ not in NOUN_TAGS and noun.pos_ not in ("NOUN", "PROPN", "X"):
        # "Picks up the short", "cleans another railing": an article makes a noun of any word.
        has_article = any(c.dep_ in ("det", "poss", "nummod") for c in noun.children)
        if noun.text.lower() == "half" and noun.dep_ == "dobj":
            return Object("half", role, noun.i, noun.i, path, count_of(noun))
        if not has_article and not (noun.dep_ == "dobj" and noun.tag_ in ("VB", "VBP")):
            return None
    if noun.text.lower() == "so":
        return None  # "does so"
    if noun.lemma_.lower() in _TASTES and role == "direct" and measured(noun).i == noun.i:
        return None  # "takes a sip": of what is not said
    head = measured(noun)
    is_person = head.tag_ == "PRP" and head.text.lower() != "it"
    if head.i != noun.i and is_person and noun.lemma_.lower() in LIGHT_NOUNS:
        return None  # "in front of them" is a place of nobody
    if head.i != noun.i:
        count = None if noun.lemma_.lower() in UNITS else count_of(noun)
        inner = object_of(head, role, f"{path}>of", people)
        return inner if inner is None or inner.count is not None else replace(inner, count=count)
    whole = next((c for c in noun.children if c.dep_ == "poss" and c.text.lower() == "its"), None)
    if whole is not None and noun.lemma_.lower() in LIGHT_NOUNS:
        return _pronoun(whole, role, f"{path}>poss", people)  # "slaps its bottom"
    if head.i == noun.i and noun.lemma_.lower() in LIGHT_NOUNS and _is_side_of_the_next(noun):
        return None  # "the inner side and outer side of the pot"
    if noun.lemma_.lower() in NO_OBJECTS and _is_alone(noun) and not _is_told(noun):
        return None
    if noun.text.lower() in DIRECTIONS and first_word(noun) < noun.i:
        # "Spins the wheel clockwise": the parser takes the adverb for the head of a compound.
        noun = noun.doc[noun.i - 1]
    tail = with_tail(noun)
    first = first_word(noun)
    if tail.i != noun.i:
        words = [*(written(noun.doc[i]) for i in range(first, noun.i + 1)), noun_lemma(tail)]
        return Object(" ".join(words), role, tail.i, first, path, count_of(noun))
    words = [
        noun_lemma(noun.doc[i]) if i == noun.i else written(noun.doc[i])
        for i in range(first, noun.i + 1)
    ]
    return Object(" ".join(words), role, noun.i, first, path, count_of(noun))


def _is_side_of_the_next(noun: Node) -> bool:
    return any(
        c.dep_ == "conj" and c.lemma_.lower() in LIGHT_NOUNS and measured(c).i != c.i
        for c in noun.children
    )


def _is_told(noun: Node) -> bool:
    """Whether a time is what is read: "checks the time"."""
    return noun.text.lower() == "time" and noun.head.lemma_.lower() in (
        "check",
        "read",
        "set",
        "tell",
    )


def noun_phrase(head: Node, role: str, path: str) -> Object:
    """A misread noun with the nouns before it."""
    first = head.i
    while (
        first > 0
        and head.doc[first - 1].tag_ in ("NN", "NNP")
        and head.doc[first - 1].head.i <= head.i
    ):
        first -= 1
    words = [written(head.doc[i]) for i in range(first, head.i)]
    words.append(noun_lemma(head))
    return Object(" ".join(words), role, head.i, first, path)


def noun_lemma(noun: Node) -> str:
    """Lemma of a noun; words that only exist in the plural stay."""
    if is_joined(noun):
        return noun.lemma_
    if noun.tag_ == "VBZ":
        return singular(noun.text.lower())
    if noun.text.lower() == "glasses" and noun.i and noun.nbor(-1).text.lower() == "wine":
        return "glass"
    if noun.text.lower() == "glasses" and (
        noun.head.text.lower() == "of" or any(c.dep_ == "nummod" for c in noun.children)
    ):
        return "glass"
    if noun.text.lower() in PLURAL_ONLY or noun.tag_ not in NOUN_TAGS:
        return noun.text.lower()
    return (noun.lemma_ or noun.text).lower()


def _belongs(node: Node) -> bool:
    """Whether a word before a noun is part of its name and no adjective."""
    if node.dep_ in ("compound", "nmod"):
        if node.text.lower() == "orange" and not node.head.lemma_.lower().startswith(_OF_ORANGES):
            return False
        return node.text.lower() not in STATES_OF_THINGS | _NO_PART_OF_NAMES
    return node.dep_ == "amod" and (
        node.tag_ in ("NN", "NNP", "NNS", "VB", "VBP") or node.text.lower() in _MATERIALS
    )


def first_word(noun: Node) -> int:
    """Number of the first word that belongs to the name a noun ends."""
    first = noun.i
    while (
        first > 0
        and _belongs(noun.doc[first - 1])
        and noun.doc[first - 1].head.i in range(first, noun.i + 1)
    ):
        first -= 1
    return first


def count_of(noun: Node) -> int | None:
    """How many a noun is said to be; None where the narration does not say."""
    for child in noun.children:
        if child.dep_ in ("nummod", "det", "predet"):
            text = child.text.lower()
            if text.isdecimal() and len(text) < 7:
                return int(text)
            if text in _NUMBERS and child.dep_ == "nummod":
                return _NUMBERS[text]
            if text == "both":
                return 2
    if noun.lemma_.lower() in ("pair", "couple"):
        return 2
    return None


def _is_alone(noun: Node) -> bool:
    return first_word(noun) == noun.i and not is_joined(noun)


def _pronoun(noun: Node, role: str, path: str, people: People) -> Object | None:
    """The thing a pronoun stands for."""
    word = noun.text.lower()
    if word in ("other", "another"):
        first = first_of_two(noun)
        if first is not None:
            found = object_of(first, role, f"{path}>coref", people)
            return None if found is None else replace(_standing_for(found, noun), count=None)
    best = antecedent(noun, people)
    moved = moved_part(noun, people) if best is None and word == "it" else None
    if moved is not None:
        # "Stretches out the left arm and pulls it across the chest"
        named = (moved.i, moved.i)
        return Object(moved.lemma_.lower(), role, noun.i, noun.i, f"{path}>coref", named=named)
    if best is None:
        unknown = word in ("it", "them", "this", "these", "those")
        return Object("it", role, noun.i, noun.i, path) if unknown else None
    if verb_above(noun).lemma_.lower() in _POURING and best.lemma_.lower() in HOLDERS:
        # "Takes a glass of water and drinks it"
        best = next(iter(contents(best)), best)
    found = object_of(best, role, f"{path}>coref", people)
    return None if found is None else _standing_for(found, noun)


def _standing_for(thing: Object, pronoun: Node) -> Object:
    named = thing.named or (thing.first, thing.node)
    return replace(thing, node=pronoun.i, first=pronoun.i, named=named)
