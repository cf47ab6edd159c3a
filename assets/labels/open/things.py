"""From a noun in a parse to the thing or person that it stands for.

A thing is called by its noun with the nouns that belong to it; measures give way to what they measure,
pronouns to the thing named before them, lists to their members.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from assets.labels.open.body_parts import PARTS, Sides
from assets.labels.open.endings import singular
from assets.labels.open.english import (
    ACTED_ON,
    DIRECTIONS,
    HOLDERS,
    NO_OBJECTS,
    NOUN_TAGS,
    PLURAL_ONLY,
    STATES_OF_THINGS,
    USING,
)
from assets.labels.open.forms import is_joined, written
from assets.labels.open.misread import with_tail
from assets.labels.open.people import People
from assets.labels.open.schema import Object

if TYPE_CHECKING:
    from assets.labels.open.schema import Node

_TASTES = frozenset(["sip", "bite", "mouthful", "gulp"])
_LIGHT_NOUNS = frozenset(
    "top side edge front middle center centre end bottom surface part back corner inside outside "
    "rear".split()
)
_MEASURES = frozenset(
    "piece slice bit lot couple pair handful bunch number pinch drop set gram kilogram kilo ml milliliter "
    "liter litre spoonful teaspoonful tablespoon amount sip pile stack mixture batch part half kind portion "
    "mouthful bite dash splash rest sheet strip chunk lump clump clove layer blob sprig strand teaspoon heap bundle cluster tuft wad block cube bar ball segment wedge dollop knob mound row variety "
    "type sort ounce pound length article load mass cupful ul μl mg kg oz litres".split()
)
# Nouns that the parser takes for adjectives before another.
_MATERIALS = frozenset(
    "plastic metal paper glass steel rubber wood leather cotton cardboard aluminium aluminum brick stone "
    "bamboo foam tin copper iron concrete marble silicone nylon toilet kitchen petri bell".split()
)
# What is cut or stirred is none of these, though they were taken up just before.
_WORKING_TOOLS = frozenset(
    "knife peeler scissors spatula spoon ladle whisk brush sponge cloth rag towel pen pencil hammer "
    "screwdriver wrench spanner pliers drill saw grater chopstick tongs fork needle iron razor comb".split()
)
_WORKING = frozenset(
    "cut slice peel chop dice mince trim carve grate stir flip beat whisk scrub scrape wipe polish sew "
    "iron saw tighten loosen unscrew comb shave knead fry drill sand paint mix".split()
)
_WIPING = frozenset("wipe scrub polish rub clean dry".split())
_APPLIED = frozenset("water soap detergent foam cleaner spray liquid polish".split())
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
        several = _several(noun, people)
        if several:
            objects += [
                _standing_for(each, noun)
                for other in several
                if (each := object_of(other, role, f"{path}>coref", people)) is not None
            ]
            continue
        each = object_of(noun, role, path if noun.i == node.i else f"{path}>conj", people)
        # A part of the body is a thing where something is put there: "pours flour into her hands".
        washed = path == "nsubjpass" and node.head.lemma_.lower() in ACTED_ON
        if each is not None and (washed or "prep" in path or sides.part(noun) is None):
            objects.append(each)
    return objects


def listed(node: Node) -> Iterator[Node]:
    """A noun and those listed with it."""
    yield node
    for child in node.children:
        if child.dep_ == "appos" and child.text.lower() == "one":
            continue  # "two cups, one for me"
        if child.dep_ in ("conj", "appos") and (
            child.tag_ in NOUN_TAGS | {"PRP"} or _measures(child).i != child.i
        ):
            yield from listed(child)


def _measures(word: Node) -> Node:
    """The salt of "a spoonful of sugar and another of salt"; the word itself where it measures nothing."""
    if word.text.lower() not in ("another", "one", "some"):
        return word
    for prep in word.children:
        if prep.dep_ == "prep" and prep.text.lower() == "of":
            return next((c for c in prep.children if c.dep_ == "pobj"), word)
    return word


def object_of(noun: Node, role: str, path: str, people: People) -> Object | None:
    """Thing or person that a noun stands for; None where it stands for none."""
    if noun.text.lower().endswith(("self", "selves")):
        return None
    if noun.text.lower() in ("clockwise", "anticlockwise", "counterclockwise") and _is_alone(noun):
        return None
    if noun.tag_ == "CD" and _measured(noun).i != noun.i:
        return object_of(_measured(noun), role, f"{path}>of", people)  # "one of the tomatoes"
    if _measures(noun).i != noun.i:
        return object_of(_measures(noun), role, f"{path}>of", people)
    who = people.who(noun)
    if who is not None:
        return Object(who or "wearer", role, noun.i, noun.i, path)
    if noun.tag_ == "PRP" or noun.text.lower() in (
        "it",
        "them",
        "this",
        "that",
        "these",
        "those",
        "one",
        "other",
        "another",
        "they",
    ):
        return _pronoun(noun, role, path, people)
    if noun.tag_ not in NOUN_TAGS and noun.pos_ not in ("NOUN", "PROPN", "X"):
        # "Picks up the short", "cleans another railing": an article makes a noun of any word.
        has_article = any(c.dep_ in ("det", "poss", "nummod") for c in noun.children)
        if not has_article and not (noun.dep_ == "dobj" and noun.tag_ in ("VB", "VBP")):
            return None
    if noun.text.lower() == "so":
        return None  # "does so"
    if noun.lemma_.lower() in _TASTES and role == "direct" and _measured(noun).i == noun.i:
        return None  # "takes a sip": of what is not said
    head = _measured(noun)
    if head.i != noun.i and head.tag_ == "PRP" and noun.lemma_.lower() in _LIGHT_NOUNS:
        return None  # "in front of them" is a place of nobody
    if head.i != noun.i:
        count = count_of(noun)
        inner = object_of(head, role, f"{path}>of", people)
        return inner if inner is None or inner.count is not None else replace(inner, count=count)
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
        return node.text.lower() not in STATES_OF_THINGS
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


def _measured(noun: Node) -> Node:
    """What a measure measures: the bread of "a slice of bread", the table of "the top of the table"."""
    if noun.lemma_.lower() not in _MEASURES | _LIGHT_NOUNS and noun.tag_ != "CD":
        return noun
    for child in noun.children:
        if child.dep_ == "prep" and child.text.lower() == "of":
            inner = next((c for c in child.children if c.dep_ == "pobj"), None)
            if inner is not None:
                return inner
    return noun


def _contents(holder: Node) -> Iterator[Node]:
    for prep in holder.children:
        if prep.dep_ == "prep" and prep.text.lower() in ("of", "with"):
            yield from (c for c in prep.children if c.dep_ == "pobj")


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


def _several(pronoun: Node, people: People) -> list[Node]:
    """Things of a list that "them" stands for: "draws a circle and a triangle, then colours them"."""
    if pronoun.text.lower() not in ("them", "these", "those", "both"):
        return []
    last: list[Node] = []
    for before in pronoun.doc[: pronoun.i]:
        if before.dep_ in ("dobj", "nsubjpass") and before.tag_ in NOUN_TAGS:
            things = list(listed(before))
            is_list = len(things) > 1 and all(people.who(each) is None for each in things)
            last = things if is_list and _verb_above(before) != _verb_above(pronoun) else []
    return last


def _pronoun(noun: Node, role: str, path: str, people: People) -> Object | None:
    """The thing a pronoun stands for: the last direct object or subject before it."""
    if noun.text.lower() in ("other", "another"):
        first = _first_of_two(noun)
        if first is not None:
            found = object_of(first, role, f"{path}>coref", people)
            return None if found is None else replace(_standing_for(found, noun), count=None)
    plural = noun.text.lower() in ("them", "these", "those", "they")
    own = _verb_above(noun)
    best: Node | None = None
    moved: Node | None = None
    fallback: Node | None = None
    for before in noun.doc[: noun.i]:
        if before.tag_ not in NOUN_TAGS - {"CD"} or before.dep_ in (
            "compound",
            "nmod",
            "poss",
            "npadvmod",
        ):
            continue
        above = _verb_above(before)
        acted_on = above.lemma_.lower() in ACTED_ON
        if people.who(before) is not None or (before.lemma_.lower() in PARTS and not acted_on):
            if before.dep_ == "dobj" and people.who(before) is None and above != own:
                moved = before
            continue
        if noun.text.lower() in ("other", "another") and before.lemma_.lower() in PARTS:
            continue
        if above.lemma_.lower() in USING and any(up.i == above.i for up in own.ancestors):
            continue  # "uses pliers to open it": it is not the pliers
        if _verb_above(before) == own:
            continue  # "adds some salt to it": it is not the salt
        if own.lemma_.lower() in _WORKING and before.lemma_.lower() in _WORKING_TOOLS:
            continue  # "holds the knife and peels it": it is not the knife
        if own.lemma_.lower() in _WIPING and before.lemma_.lower() in _APPLIED:
            continue  # "sprays water on the mirror and wipes it"
        if _measured(before).tag_ not in NOUN_TAGS:
            continue  # "a piece of it" is no piece that it could stand for
        measured = _measured(before)
        is_plural = measured.tag_ in ("NNS", "NNPS")
        if plural and (before.tag_ == "NNS" or before.i in before.doc.user_data["tails"]):
            is_plural = True  # "the ends of the cucumber" and "carrot slices" are several
        if before.lemma_.lower() in _MEASURES and before.head.text.lower() == "into":
            continue  # "tears it into pieces"
        if not plural and is_plural:
            if fallback is None or _salience(before) >= _salience(fallback):
                fallback = before
            continue
        if plural and not is_plural and not any(c.dep_ == "conj" for c in before.children):
            continue
        if best is None or _salience(before) >= _salience(best):
            best = before
    best = best or fallback
    if best is None and moved is not None and not plural and noun.text.lower() == "it":
        # "Stretches out the left arm and pulls it across the chest"
        return Object(
            moved.lemma_.lower(), role, noun.i, noun.i, f"{path}>coref", named=(moved.i, moved.i)
        )
    if best is None:
        unknown = noun.text.lower() in ("it", "them", "this", "these", "those")
        return Object("it", role, noun.i, noun.i, path) if unknown else None
    if own.lemma_.lower() in _POURING and best.lemma_.lower() in HOLDERS:
        # "Takes a glass of water and drinks it"
        best = next(iter(_contents(best)), best)
    found = object_of(best, role, f"{path}>coref", people)
    return None if found is None else _standing_for(found, noun)


def _first_of_two(other: Node) -> Node | None:
    """The jar of "from one jar into the other"; None where nothing is called one of several."""
    for before in reversed(list(other.doc[: other.i])):
        ones = (c.text.lower() for c in before.children if c.i < before.i)
        if before.tag_ in NOUN_TAGS and "one" in ones and before.lemma_.lower() not in PARTS:
            return before
    return None


def _standing_for(thing: Object, pronoun: Node) -> Object:
    named = thing.named or (thing.first, thing.node)
    return replace(thing, node=pronoun.i, first=pronoun.i, named=named)


def _verb_above(node: Node) -> Node:
    """The verb whose clause a word belongs to."""
    while node.head.i != node.i and not node.tag_.startswith("VB"):
        node = node.head
    return node


def _salience(noun: Node) -> int:
    return {"dobj": 3, "nsubjpass": 3, "nsubj": 2, "conj": 2, "attr": 2}.get(noun.dep_, 1)
