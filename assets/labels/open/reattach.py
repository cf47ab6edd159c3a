"""Phrases and clauses that the parser hangs on the wrong word, moved to where they belong.

A parse is changed only where the words leave no doubt: "chases the ball and a person throws it" has no clause
that is chased, "the plate she is holding" is held, and what "lying on the desk" follows is what lies there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assets.labels.open.body_parts import PARTS
from assets.labels.open.english import (
    BEFORE_CLAUSES,
    DIRECTIONS,
    NOUN_TAGS,
    PARTICLES,
    WORN,
    person_noun,
)

if TYPE_CHECKING:
    from assets.labels.open.tree import Doc, Node

_FINITE = frozenset(["VBZ", "VBD", "VBP"])
_SUBJECTS = frozenset(["PRP", "NN", "NNS", "NNP"])
_LYING = frozenset("lie hang sit stand rest lean".split())
_MISHUNG = frozenset("dobj npadvmod conj dep appos".split())
# What goes up or down something, and what is put on or switched on: there the particle is the verb's.
_GOING = frozenset(
    "walk run go come step jump climb crawl look lean swim peek glance stare scroll hop march hike cycle".split()
)
_ON = frozenset(
    "turn switch put try flick clip strap slip snap screw fasten sew stick glue tape tie squirt add pin keep "
    "carry hook attach latch".split()
)
_RESTING = frozenset("scroll type sit stand lie walk step work tap click kneel crawl".split())
_MARKS = frozenset(["that", "which"])
_PLACING = frozenset("put place drop lay set insert keep throw store".split())


def reattach(doc: Doc) -> None:
    """Move phrases and clauses of a parse to where they belong, in place."""
    for node in doc:
        if node.tag_ in _FINITE and node.dep_ == "ccomp":
            _as_next_clause(node)
        if node.tag_.startswith("VB"):
            _as_listed_before(node)
        if node.tag_ in ("VBG", "VBZ", "VBD", "VBN") and node.dep_ in ("ccomp", "advcl"):
            _as_relative(node)
        if node.tag_ in _FINITE and node.dep_ == "conj" and node.head.tag_ in NOUN_TAGS:
            _to_verb_of_list(node)
        if node.dep_ == "conj" and node.tag_ in NOUN_TAGS and node.head.i < node.i - 2:
            _to_phrase_before(node)
        if node.dep_ == "prep" and node.head.tag_.startswith("VB"):
            _to_last_verb(node)
        if node.text.lower() == "open" and node.head.lemma_ == "tear":
            _as_torn(node)
        if node.dep_ == "prt":
            _as_preposition(node)
        if node.dep_ == "relcl":
            _to_nearest(node)
        if node.dep_ in ("prep", "conj") and node.text.lower() in ("with", "using", "in"):
            _to_next_verb(node)
        if node.tag_ == "VBG" and node.dep_ in ("ccomp", "advcl", "xcomp"):
            _as_position(node)
        if node.dep_ in ("prt", "prep", "advmod") and node.head.tag_ in NOUN_TAGS:
            _as_particle(node)
        if node.dep_ == "compound" and node.head.tag_ in _FINITE:
            _as_subject(node)
        if node.dep_ == "nsubj" and node.head.dep_ == "advmod":
            _as_moved(node)
        if node.tag_ == "NNP" and node.dep_ in ("npadvmod", "dep"):
            _as_doer(node)
        if node.tag_ in ("NN", "NNS") and node.dep_ in _MISHUNG:
            _to_list(node)
            _to_object_before(node)
            _as_next_doer(node)
        if node.text.lower() == "back" and node.dep_ == "advmod" and node.head.tag_ in NOUN_TAGS:
            _to_verb(node)
        if node.dep_ == "prep":
            _past_description(node)


def _as_next_clause(node: Node) -> None:
    """Take the ball of "chases the ball and a person throws it" for what is chased."""
    above = node.head
    if above.i > node.i or not above.tag_.startswith("VB"):
        return
    if above.lemma_.lower() in BEFORE_CLAUSES or any(c.dep_ == "dobj" for c in above.children):
        return
    first = next((c for c in node.children if c.dep_ == "nsubj"), None)
    if first is None or first.i > node.i or first.left_edge.i != above.i + 1:
        return
    links = [c for c in first.children if c.dep_ == "cc"]
    second = next((c for c in first.children if c.dep_ == "conj"), None)
    if second is None or not links or second.tag_ not in _SUBJECTS:
        return
    for link in links:
        link.head = above
    first.head, first.dep_ = above, "dobj"
    second.head, second.dep_ = node, "nsubj"
    node.dep_ = "conj"


def _as_listed_before(node: Node) -> None:
    """Take the fork of "a person holding a dish, a fork and a glass walks" for what is held."""
    subjects = [c for c in node.children if c.dep_ in ("nsubj", "nsubjpass") and c.i < node.i]
    if len(subjects) != 2:
        return
    doer, thing = subjects
    if thing.tag_ not in NOUN_TAGS or thing.left_edge.i < 2:
        return
    holding = next((c for c in doer.children if c.dep_ == "acl" and c.tag_ == "VBG"), None)
    if holding is None or node.doc[thing.left_edge.i - 1].text.lower() not in (",", "and"):
        return
    held = next((c for c in holding.children if c.dep_ == "dobj"), None)
    if held is not None:
        thing.head, thing.dep_ = held, "conj"


def _as_relative(node: Node) -> None:
    """Take the plate of "puts the plate she is holding in the rack" for what is held and put."""
    above = node.head
    if above.i > node.i or not above.tag_.startswith("VB"):
        return
    if above.lemma_.lower() in BEFORE_CLAUSES:
        return
    thing = next((c for c in above.children if c.dep_ == "dobj" and c.i < node.i), None)
    doer = next((c for c in node.children if c.dep_ == "nsubj" and c.i < node.i), None)
    if thing is None or doer is None or thing.right_edge.i != thing.i:
        return
    mark = next((c for c in node.children if c.dep_ == "dobj" and c.text.lower() in _MARKS), None)
    if mark is not None and mark.i == thing.i + 1 and doer.left_edge.i == mark.i + 1:
        node.head, node.dep_ = thing, "relcl"  # "the frisbee that the boy threw"
        return
    if doer.tag_ != "PRP" or doer.i != thing.i + 1:
        return
    if any(c.dep_ in ("dobj", "mark") for c in node.children):
        return
    node.head, node.dep_ = thing, "relcl"
    places = any(
        c.dep_ == "prep" and c.text.lower() in ("in", "on", "into", "onto", "to") and c.i < node.i
        for c in above.children
    )
    if above.lemma_.lower() in _PLACING and not places:
        for prep in list(node.children):
            if prep.dep_ == "prep" and prep.i > node.i and prep.text.lower() in ("in", "on"):
                prep.head = above


def _to_verb_of_list(node: Node) -> None:
    """Take the scrolls of "holds it with the left hand and scrolls" for what is done after holding."""
    above = node.head
    if not any(c.dep_ == "nsubj" and c.i < node.i for c in node.children):
        while above.head.i != above.i and not above.tag_.startswith("VB"):
            above = above.head
        if above.tag_ in _FINITE and above.i < node.i:
            node.head = above


def _to_phrase_before(node: Node) -> None:
    """Take the forefinger of "with the thumb and forefinger" for what the thumb acts with."""
    first = node.left_edge.i
    if first < 2 or node.doc[first - 1].text.lower() not in ("and", "or"):
        return
    before = node.doc[first - 2]
    if not (node.head.tag_.startswith("VB") or _are_both(before, node)):
        return
    if (before.lemma_.lower() in PARTS) != (node.lemma_.lower() in PARTS):
        return  # "in the right hand and the tube in the left hand"
    is_later = before.dep_ == "pobj" and before.tag_ in NOUN_TAGS and before.head.i > node.head.i
    if is_later or _are_both(before, node):
        node.head = before


def _are_both(before: Node, node: Node) -> bool:
    """Whether two hands are named together: "in both your left hand and right hand"."""
    return (
        before.dep_ == "pobj"
        and any(c.text.lower() == "both" for c in before.children)
        and (before.lemma_ == node.lemma_)
    )


def _to_last_verb(node: Node) -> None:
    """Take the hand of "holds the pan and stirs with the right hand" for what stirs."""
    above = node.head
    if node.i < above.i + 3:
        return
    last = [c for c in above.children if c.dep_ == "conj" and above.i < c.i < node.i]
    verbs = [c for c in last if c.tag_.startswith("VB")]
    if verbs and node.nbor(-1).text != ",":
        node.head = verbs[-1]


def _as_torn(node: Node) -> None:
    """Take the sachet of "tears open the sachet" for what is torn."""
    verb = node.head
    if node.i == verb.i + 1 and node.tag_.startswith("VB"):
        for child in list(node.children):
            child.head = verb
        node.tag_, node.pos_, node.dep_ = "JJ", "ADJ", "acomp"


def _as_preposition(node: Node) -> None:
    """Take the off of "shakes water off the leaves" and the down of "walks down the hall" for where it is done."""
    verb, word = node.head, node.text.lower()
    objects = [c for c in verb.children if c.dep_ in ("dobj", "npadvmod")]
    if any(c.dep_ == "pobj" for c in node.children):
        rests = word == "on" and verb.lemma_.lower() in _RESTING
        if rests or any(c.i < node.i for c in objects):
            node.dep_ = "prep"
        return
    behind = next((c for c in objects if c.left_edge.i == node.i + 1), None)
    if behind is None or node.i != verb.i + 1 or behind.tag_ not in NOUN_TAGS:
        return
    lemma = verb.lemma_.lower()
    relative = verb.dep_ == "relcl" and any(
        c.dep_ == "nsubj" and c.tag_ not in ("WDT", "WP") for c in verb.children
    )
    goes = lemma in _GOING and word in ("up", "down", "out", "off", "over", "along", "around")
    rests = word == "on" and lemma not in _ON and behind.lemma_.lower() not in WORN
    leaves = word == "off" and (lemma in ("get", "push", "hop", "bounce") or relative)
    if goes or rests or leaves:
        node.dep_ = "prep"
        behind.head, behind.dep_ = node, "pobj"


def _to_nearest(node: Node) -> None:
    """Take the tablet of "a video on a tablet that she is holding" for what is held."""
    mark = next((c for c in node.children if c.text.lower() in _MARKS and c.i < node.i), None)
    if mark is None:
        # "That" may hang on a verb below, as in "that she wants to eat".
        mark = next((t for t in node.subtree if t.text.lower() in _MARKS and t.i < node.i), None)
    if mark is None or mark.i == 0 or mark.i != node.left_edge.i:
        return
    nearest, thing = mark.nbor(-1), node.head
    if nearest.tag_ not in NOUN_TAGS or nearest.i <= thing.i or nearest.dep_ != "pobj":
        return
    if nearest.head.text.lower() == "of" or nearest.head.head.i != thing.i:
        return
    if person_noun(thing.lemma_.lower()) or person_noun(nearest.lemma_.lower()):
        return
    node.head = nearest


def _to_next_verb(node: Node) -> None:
    """Take the hand of "places the egg and with the right hand, cracks it" for what cracks."""
    doc = node.doc
    if node.i == 0 or node.nbor(-1).text.lower() not in ("and", ",", "then", ";"):
        return
    hand = next((c for c in node.children if c.dep_ == "pobj"), None)
    if hand is None or PARTS.get(hand.lemma_.lower()) is None or node.head.i > node.i:
        return
    end = hand.right_edge.i + 1
    if end + 1 >= len(doc) or doc[end].text != ",":
        return
    verb = next((t for t in doc[end + 1 : end + 4] if t.tag_.startswith("VB")), None)
    if verb is None or verb.i in (above.i for above in node.ancestors) or verb.dep_ == "amod":
        return
    if any(above.i == node.i for above in verb.ancestors):
        return
    node.head, node.dep_ = verb, "prep"


def _as_position(node: Node) -> None:
    """Take the lying of "grabs the phone lying on the stand" for where the phone is."""
    above = node.head
    if node.lemma_.lower() not in _LYING or not above.tag_.startswith("VB") or node.i < 2:
        return
    before = node.nbor(-1)
    if before.tag_ not in NOUN_TAGS or person_noun(before.lemma_.lower()):
        return
    if before.dep_ not in ("dobj", "pobj") or any(
        c.dep_ in ("nsubj", "mark") for c in node.children
    ):
        return
    if (
        before.dep_ == "dobj"
        and before.head.i == above.i
        and above.lemma_.lower() not in ("hold", "wear")
    ):
        node.head, node.dep_ = before, "acl"


def _as_particle(node: Node) -> None:
    """Take the out of "spreads the blanket out on the grass" for a part of the verb."""
    thing = node.head
    if node.text.lower() not in PARTICLES or node.i != thing.i + 1:
        return
    ends = node.i + 1 == len(node.doc) or node.nbor().text in ".,;"
    if not (node.tag_ == "RP" or (ends and thing.dep_ == "conj" and node.dep_ != "prep")):
        return
    if any(c.dep_ != "prep" for c in node.children):
        return
    while thing.dep_ == "conj" and thing.head.tag_ in NOUN_TAGS:
        thing = thing.head
    if thing.dep_ == "dobj":
        node.head, node.dep_ = thing.head, "prt"


def _to_list(node: Node) -> None:
    """Take the ginger of "uses a spatula to fry the onions, the ginger and garlic" for what is fried.

    The parser hangs what a list goes on with on a verb above the one that the list belongs to.
    """
    first, above = node.left_edge.i, node.head
    if first < 3 or above.i >= first or not above.tag_.startswith("VB"):
        return
    doc = node.doc
    at = first - 1
    if doc[at].text.lower() in ("and", "or") and doc[at - 1].text == ",":
        at -= 1
    if doc[at].text != ",":
        return
    before = doc[at - 1]
    if before.tag_ not in ("NN", "NNS") or before.dep_ not in ("dobj", "conj"):
        return
    verb = before
    while verb.dep_ == "conj" and verb.head.tag_ in NOUN_TAGS:
        verb = verb.head
    verb = verb.head
    if verb.i == above.i or not verb.tag_.startswith("VB") or before.lemma_.lower() in PARTS:
        return
    below = verb.i == above.i or any(up.i == above.i for up in verb.ancestors)
    goes_elsewhere = any(
        c.dep_ in ("nsubj", "relcl")
        or (c.dep_ == "prep" and c.text.lower() in ("into", "onto", "to"))
        for c in node.children
    )
    if not below or goes_elsewhere or person_noun(node.lemma_.lower()):
        return
    between = doc[verb.i + 1 : first]
    if any(t.tag_.startswith("VB") and t.dep_ not in ("amod", "acl") for t in between):
        return
    node.head, node.dep_ = before, "conj"


def _to_object_before(node: Node) -> None:
    """Take the pot of "opens the tap and washes the spoon and the pot" for what is washed."""
    first, above = node.left_edge.i, node.head
    if first < 2 or node.doc[first - 1].text.lower() != "and" or above.i >= first:
        return
    before = node.doc[first - 2]
    if before.dep_ != "dobj" or before.tag_ not in NOUN_TAGS or before.lemma_.lower() in PARTS:
        return
    is_later = above.i < before.head.i and before.head.tag_.startswith("VB")
    if is_later and above.tag_.startswith(("VB", "NN")) and not person_noun(node.lemma_.lower()):
        node.head, node.dep_ = before, "conj"


def _as_next_doer(node: Node) -> None:
    """Take the man of "opens the door and a man walks in" for who walks, and not for what is opened."""
    above = node.head
    if node.dep_ != "conj" or not person_noun(node.lemma_.lower()) or node.i + 1 >= len(node.doc):
        return
    verb = node.nbor()
    if above.tag_ not in NOUN_TAGS or person_noun(above.lemma_.lower()) or above.dep_ == "nsubj":
        return
    if verb.tag_ not in _FINITE or any(c.dep_ in ("nsubj", "nsubjpass") for c in verb.children):
        return
    node.head, node.dep_ = verb, "nsubj"


def _to_verb(node: Node) -> None:
    """Take the back of "puts the fork back to the drawer" for where it is put."""
    verb = node.head
    while verb.head.i != verb.i and not verb.tag_.startswith("VB"):
        verb = verb.head
    if verb.tag_.startswith("VB"):
        node.head = verb


def _past_description(node: Node) -> None:
    """Take the towel of "unscrews the bulb, which is still hot, with a towel" for what is used."""
    clause = node.head
    if node.i == 0 or node.nbor(-1).text != "," or clause.head.i >= clause.i:
        return
    mark = next((c for c in clause.children if c.tag_ in ("WDT", "WP")), None)
    if mark is None or mark.i == 0 or mark.nbor(-1).text != ",":
        return
    verb = clause.head
    while verb.head.i != verb.i and not verb.tag_.startswith("VB"):
        verb = verb.head
    node.head = verb


def _as_subject(node: Node) -> None:
    """Take the lid of "that the lid closes" for what closes: no noun is part of a verb's name."""
    verb = node.head
    if node.i + 1 != verb.i or any(c.dep_ in ("nsubj", "nsubjpass") for c in verb.children):
        return
    for child in list(verb.children):
        if child.i < node.i and child.dep_ in ("det", "poss", "amod"):
            child.head = node
    node.dep_ = "nsubj"


def _as_moved(node: Node) -> None:
    """Take the foot of "sliding her foot backward" for what slides."""
    adverb = node.head
    verb = adverb.head
    if adverb.text.lower() in DIRECTIONS and verb.tag_.startswith("VB") and verb.i < node.i:
        node.head, node.dep_ = verb, "dobj"


def _as_doer(node: Node) -> None:
    """Take the Tim of "Tim holds the ladder" for who acts."""
    verb = node.head
    if verb.i != node.i + 1 or verb.tag_ not in _FINITE:
        return
    if not any(c.dep_ in ("nsubj", "nsubjpass") for c in verb.children):
        node.dep_ = "nsubj"
