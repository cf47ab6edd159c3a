"""Which words of a parse are actions, and what each is called: its lemma and its particle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assets.labels.open.body_parts import PARTS, body_part
from assets.labels.open.english import MOVING, PLACES, SENSING, TURNS, WORN, person_noun
from assets.labels.open.misread import has_article, misread_object, tail_of_a_noun
from assets.labels.open.status import NO_ACTIONS, action_below, status_of_below

if TYPE_CHECKING:
    from assets.labels.open.tree import Node

_PARTICLES = frozenset("up down in out away over on off".split())
DIRECTIONS_ALONE = frozenset(
    "left right forward backward back towards around clockwise anticlockwise across through together "
    "apart aside".split()
)
# Verbs whose particle the parser takes for a preposition: "turns on the tap".
_PHRASAL = frozenset(
    (verb, particle)
    for verbs, particles in (
        ("turn switch", "on off up down over"),
        ("put try", "on"),
        ("take pull", "off"),
        ("plug push press pull hammer rub type", "in"),
        ("pick lift fold roll", "up"),
        ("put set lay", "down"),
        ("peel break cut shake brush skim blow", "off"),
        ("pour screw stick", "in on"),
        ("put drop feed throw add mix stir fold crack toss", "in"),
        ("knock tip flip turn", "over"),
    )
    for verb in verbs.split()
    for particle in particles.split()
)


# What comes off or out of a thing by itself leaves it: "slips off the sprocket".
_DRESSING = frozenset("pull slip throw try strap".split())
_LEAVING = frozenset("slip push kick get hop skip drip drive ride spill leak eat".split())


# Behind "puts it away", these say where to and leave the particle to the verb.
_LEADING = frozenset("in on into onto at inside under to with".split())
_BEARING = frozenset("hold carry grip grasp support balance clasp".split())
_LYING = frozenset("lie hang sit stand rest lean".split())


def is_action(node: Node) -> bool:
    """Whether a word is a verb that names an action of its own."""
    if node.pos_ == "AUX" or node.lemma_ == "be":
        return False
    is_verb = node.tag_.startswith("VB") or (
        # A root with an object acts, whatever its tag says.
        node.dep_ == "ROOT"
        and any(c.dep_ in ("dobj", "prt", "nsubj") for c in node.children)
        and node.pos_ not in ("NOUN", "PROPN", "PRON", "ADJ", "NUM")
    )
    if not is_verb or node.dep_ in ("amod", "compound", "aux", "auxpass", "prep", "case", "nmod"):
        return False
    if node.dep_ == "acl" and node.tag_ == "VBN":
        # "The bowl held by the man" says of a thing how it is.
        return any(
            (child.dep_ == "agent" and any(map(_acts, child.children)))
            or (
                node.lemma_ in _BEARING
                and child.text.lower() in ("in", "with", "between")
                and any(map(body_part, child.children))
            )
            for child in node.children
        )
    if node.text.lower() in TURNS:
        return False
    if node.dep_ in ("dobj", "pobj") and (node.tag_ in ("VB", "VBP", "VBZ") or has_article(node)):
        return False
    if tail_of_a_noun(node) or (node.head.i != node.i and node == misread_object(node.head)):
        return False
    if is_position(node) and node.dep_ == "relcl":
        return False
    if (
        node.dep_ == "pcomp"
        and node.tag_ == "VBN"
        and node.head.text.lower() == "with"
        and any(c.dep_ == "nsubj" for c in node.children)
    ):
        return False
    if node.dep_ == "acomp" or (node.tag_ == "VBN" and (_is_state(node) or _is_over(node))):
        return False
    tries_on = node.lemma_ == "try" and any(c.dep_ == "prt" for c in node.children)
    if node.lemma_.lower() in NO_ACTIONS and not tries_on:
        return False
    if (
        node.text.lower() == "left"
        and node.i + 1 < len(node.doc)
        and node.nbor().text.lower() in PARTS
    ):
        return False
    if (
        node.dep_ == "acl"
        and node.tag_ == "VBG"
        and node.lemma_ in _LYING
        and (node.head.dep_ != "dobj" or node.lemma_ not in ("sit", "stand"))
        and not person_noun(node.head.lemma_.lower())
    ):
        return False
    if _is_result(node) or (
        node.lemma_ == "see" and any(c.dep_ == "auxpass" for c in node.children)
    ):
        return False
    if node.text.lower() == "using" and node.dep_ in ("advcl", "acl", "xcomp", "prep"):
        return status_of_below(node.head) is not None and action_below(node.head) == node
    if node.text.lower() == "using" and node.dep_ == "conj":
        # "Is in the office and using a laptop" is an action of its own.
        return any(c.dep_ == "cc" for c in node.head.children) and (
            node.head.lemma_ == "be" or any(c.dep_ == "aux" for c in node.head.children)
        )
    if node.lemma_ == "get" and any(c.text.lower() == "ready" for c in node.children):
        return False
    if node.lemma_ == "feel" and any(c.dep_ == "ccomp" for c in node.children):
        return False
    return not (status_of_below(node) is not None and action_below(node) is not None)


def _acts(agent: Node) -> bool:
    """Whether who or what does something is a person or a part of one, and no blanket that covers a couch."""
    return (
        agent.tag_ in ("PRP", "NNP")
        or person_noun(agent.lemma_.lower())
        or body_part(agent) is not None
    )


def is_position(node: Node) -> bool:
    """Whether a clause says of a thing where it is: "the phone lying on the desk", "that is leaning there"."""
    if node.tag_ != "VBG" or node.dep_ not in ("acl", "relcl"):
        return False
    thing = node.head
    if person_noun(thing.lemma_.lower()) or thing.dep_ not in ("dobj", "pobj"):
        return False
    own = any(
        c.dep_ in ("nsubj", "nsubjpass") and c.tag_ not in ("WDT", "WP") for c in node.children
    )
    if own or any(c.dep_ == "dobj" for c in node.children):
        return False
    return node.lemma_ in _LYING and (thing.dep_ != "dobj" or node.lemma_ not in ("sit", "stand"))


def _is_result(node: Node) -> bool:
    """Whether a clause says what comes out: "until it is mixed", "check the tap is closed"."""
    if node.dep_ == "conj" and node.tag_ == "VBN" and _is_result(node.head):
        return True
    is_passive = any(c.dep_ in ("auxpass", "nsubjpass") for c in node.children)
    if any(c.dep_ == "mark" and c.text.lower() in ("until", "till") for c in node.children):
        if node.tag_ == "VBN" and not any(c.dep_ == "nsubj" for c in node.children):
            return True
        subject = next((c for c in node.children if c.dep_ == "nsubj"), None)
        comes_about = subject is not None and subject.text.lower() in ("it", "they")
        return is_passive or comes_about or (subject is not None and subject.tag_ in ("NN", "NNS"))
    if is_passive and node.dep_ in ("ccomp", "advcl"):
        return node.head.lemma_ in ("check", "ensure", "make", "see")
    checked = next((c for c in node.children if c.dep_ == "nsubj"), None)
    # "Check that the wheel spins freely"
    return (
        node.dep_ == "ccomp"
        and node.i > node.head.i
        and node.head.lemma_ in ("check", "ensure")
        and checked is not None
        and not person_noun(checked.lemma_.lower())
    )


def _is_over(node: Node) -> bool:
    """Whether somebody is finished: "once they are done"."""
    subject = next((c for c in node.children if c.dep_ == "nsubjpass"), None)
    return (
        node.text.lower() in ("done", "finished")
        and subject is not None
        and (subject.tag_ == "PRP" or person_noun(subject.lemma_.lower()))
    )


def _is_state(node: Node) -> bool:
    """Whether a participle is what a thing is called by: "chopped onions" parsed as a clause."""
    return node.dep_ in ("nsubj", "pobj", "dobj")


def particle_of(verb: Node) -> Node | None:
    """Word that belongs to a verb: the up of "picks up"; None where none does."""
    for child in verb.children:
        if child.dep_ == "prt":
            return child
    for child in verb.children:
        if (
            child.dep_ == "advmod"
            and child.text.lower() in _PARTICLES
            and not any(True for _ in child.children)
        ):
            return child
    for child in verb.children:
        word = child.text.lower()
        if child.i and child.nbor(-1).text.lower() == "upside":
            return None
        if child.dep_ in ("prep", "advmod") and word in _PARTICLES and child.i > verb.i:
            below = [c for c in child.children if c.dep_ != "advmod"]
            leads = child.dep_ == "advmod" and all(
                c.dep_ == "prep" and c.text.lower() in _LEADING for c in below
            )
            if not below or leads:
                return child
    for child in verb.children:
        is_next = child.i == verb.i + 1 and child.dep_ in ("prep", "advmod")
        word, lemma = child.text.lower(), verb.lemma_.lower()
        governs = any(c.dep_ in ("pobj", "pcomp") or c.text.lower() == "of" for c in child.children)
        if is_next and word in _PARTICLES and lemma in MOVING and not governs:
            return child
        dresses = word == "on" and lemma in _DRESSING and _is_worn(child)
        is_phrasal = (
            (lemma, word) in _PHRASAL
            or dresses
            or (word in ("up", "off", "down", "out") and lemma not in MOVING | SENSING | _LEAVING)
        )
        if word in ("out", "off") and any(c.text.lower() == "of" for c in child.children):
            continue
        place = next((c for c in child.children if c.dep_ == "pobj"), None)
        if is_next and place is not None and word in ("in", "on"):
            is_place = place.lemma_.lower() in PLACES
            worn = lemma == "put" and word == "on" and place.lemma_.lower() in WORN
            if is_place and not worn and lemma not in ("turn", "switch"):
                continue  # "puts in the drawer"
        if is_next and is_phrasal:
            has_object = any(c.dep_ == "dobj" for c in verb.children)
            if child.dep_ == "advmod" or (not has_object and any(True for _ in child.children)):
                return child
    return None


def _is_worn(on: Node) -> bool:
    return any(c.dep_ == "pobj" and c.lemma_.lower() in WORN for c in on.children)


def lemma_of(verb: Node) -> str:
    """Lemma of a verb without its particle, lower case."""
    if verb.lemma_ == "go" and verb.i and verb.nbor(-1).lemma_ == "let":
        return "let go"
    if verb.lemma_ == "tear" and any(c.text.lower() == "open" for c in verb.children):
        return "tear open"
    if verb.tag_ in ("VB", "VBP") or verb.text.lower() in ("lays", "laid", "laying"):
        # A base form is its own lemma.
        base = verb.text.lower()
        return "lay" if base in ("lays", "laid", "laying") else base
    if verb.text.lower() == "saw" and _is_present(verb):
        return "saw"  # an order: "saw it along the line"
    has_object = any(c.dep_ == "dobj" for c in verb.children)
    if verb.text.lower() == "lay" and has_object:
        return "lay"
    return (verb.lemma_ or verb.text).lower()


def _is_present(saw: Node) -> bool:
    """Whether "saw" is what a saw does: an order, or said beside verbs of the present."""
    if saw.i and saw.nbor(-1).text == "you":
        return True
    tags = {token.tag_ for token in saw.doc if token.i != saw.i and token.pos_ == "VERB"}
    return "VBD" not in tags and bool(tags & {"VBP", "VBZ"}) and saw.dep_ == "conj"


def path_of(verb: Node) -> str:
    """Dependencies from the root to a verb."""
    steps = [verb.dep_]
    node = verb
    while node.head.i != node.i:
        node = node.head
        steps.append(node.dep_)
    return ">".join(reversed(steps))
