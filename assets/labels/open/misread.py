"""Nouns that the parser takes for a verb or an adjective, seen from the words that they belong to.

"Places the impact wrench", "picks the curry leaves": the tail of a name is read as a clause. Where a parse
can be put right at once, `repair` does it before anything is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assets.labels.open.english import CAUSING, DIRECTIONS, SENSING, person_noun

if TYPE_CHECKING:
    from assets.labels.open.tree import Node

_CHECKING = frozenset(["check", "ensure"])
_ADVERBS = frozenset(
    "again then too also just back here there away together apart aside forth once twice further still "
    "already around about away home inside outside next close near ahead upstairs downstairs fast hard well straight".split()
)


def misread_object(verb: Node) -> Node | None:
    """A noun that the parser took for a clause below a verb: the wrench of "places the impact wrench"."""
    if verb.lemma_.lower() in SENSING | CAUSING or not verb.tag_.startswith("VB"):
        return None
    for child in verb.children:
        if child.i <= verb.i or child.dep_ not in ("ccomp", "xcomp", "advcl", "dep", "oprd"):
            continue
        if child.tag_ not in ("NN", "NNS", "VB", "VBP"):
            continue
        if any(c.dep_ in ("aux", "dobj", "mark", "neg", "prt", "cc") for c in child.children):
            continue
        before = [c for c in child.children if c.i < child.i]
        fills = all(
            c.dep_ in ("nsubj", "compound", "det", "amod", "nmod", "poss", "nummod") for c in before
        )
        subject = next((c for c in before if c.dep_ == "nsubj"), None)
        if subject is not None and (
            subject.tag_ not in ("NN", "NNP", "JJ") or subject.i + 1 != child.i
        ):
            continue
        # Nothing but its particle stands between the verb and the phrase.
        first = min((c.left_edge.i for c in before), default=child.i)
        between = verb.doc[verb.i + 1 : first]
        if (
            fills
            and all(token.dep_ == "prt" for token in between)
            and not any(c.dep_ == "dobj" for c in verb.children)
        ):
            return child
    return None


def tail_of_a_noun(node: Node) -> bool:
    """Whether a word taken for a verb ends the noun before it: "the hand wrench"."""
    if node.i == 0 or node.tag_ not in ("VB", "VBP", "VBZ", "NN", "MD"):
        return False
    before = node.doc[node.i - 1]
    return before.tag_ in ("NN", "NNP") and with_tail(before).i == node.i


def is_unknown(node: Node, verb: Node) -> bool:
    """Whether a word called an adverb is unknown to English, where the verb lacks an object."""
    lower = node.text.lower()
    has_object = any(c.dep_ in ("dobj", "nsubjpass") for c in verb.children)
    return not (has_object or lower in _ADVERBS | DIRECTIONS.keys() or lower.endswith("ly"))


def with_tail(noun: Node) -> Node:
    """The last word of a compound whose head the parser took for something else.

    "The dough cutter", "the impact wrench", "the paint can": a word without a determiner right behind
    the noun, which could only be a verb or an adjective of its own if something followed it.
    """
    doc = noun.doc
    if person_noun(noun.lemma_.lower()):
        return noun
    if noun.i + 1 >= len(doc) or noun.tag_ not in ("NN", "NNP"):
        return noun
    tail = doc[noun.i + 1]
    if tail.dep_ == "ccomp" and tail.head.lemma_.lower() in SENSING | CAUSING | _CHECKING:
        return noun  # "lets the rice simmer"
    is_bare = tail.text.isalpha() and tail.text.lower() not in DIRECTIONS
    hangs = tail.dep_ in ("acl", "oprd", "ccomp", "xcomp", "advcl") and noun.i in (
        tail.head.i,
        *(child.i for child in tail.children),
        *(child.i for child in tail.head.children),
    )
    is_noun = tail.tag_ in ("NN", "NNP", "NNS", "MD")
    as_verb = tail.tag_ in ("VB", "VBP") and tail.dep_ in ("xcomp", "ccomp", "oprd")
    if tail.tag_ == "VBZ":
        # "Takes the curry leaves": a verb that says nothing of its own behind the object of another.
        if person_noun(noun.lemma_.lower()) or any(
            c.dep_ in ("mark", "cc") or c.tag_ == "WRB" for c in tail.children
        ):
            return noun
        is_first = noun.head.tag_.startswith("VB") and noun.dep_ in ("dobj", "pobj", "nsubj")
        ends = all(c.i < tail.i or c.dep_ == "punct" for c in tail.children)
        named = any(c.dep_ == "nsubj" and c.i != noun.i for c in tail.children)
        above = noun.head if noun.head.i != tail.i else tail.head
        return tail if is_first and ends and not named and above.i < noun.i else noun
    if (
        is_bare
        and hangs
        and (is_noun or as_verb)
        and not any(c.dep_ == "aux" for c in tail.children)
    ):
        return tail
    return noun


def has_article(node: Node) -> bool:
    """Whether a word has an article or an owner before it, as nouns have."""
    return any(child.dep_ in ("det", "poss") for child in node.children)
