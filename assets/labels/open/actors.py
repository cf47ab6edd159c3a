"""Who acts, and what is acted on where a subject says so.

A subject acts where it is a person, an animal, a name or anything that has an object; a part of the body
acts for its owner; any other subject is what moves, and nobody acts ("the lid opens"). The subject of a
passive is what is acted on. A verb without a subject has that of the clause above it or before it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from assets.labels.open.body_parts import Sides, body_part
from assets.labels.open.english import GIVING, NOUN_TAGS, USING
from assets.labels.open.people import NOBODY, People, described
from assets.labels.open.schema import Event, Object
from assets.labels.open.status import is_purpose, status_of_below
from assets.labels.open.things import expanded, listed
from assets.labels.open.tokens import WEARER

if TYPE_CHECKING:
    from assets.labels.open.tree import Node

_COMMANDING = frozenset("ask tell order instruct invite want help teach request".split())
# Of a clause without a subject, the parser may take the conjunction for one.
_NO_NAMES = frozenset("while when then as and".split())
_ANIMALS = frozenset(
    "dog cat bird horse cow sheep goat pig chicken duck fish mouse rabbit animal robot wasp bee mosquito squirrel puppy kitten parrot pigeon monkey hamster".split()
)


def actor_of(
    verb: Node, people: People, sides: Sides, events: dict[int, Event]
) -> tuple[str, str | None, list[Object]]:
    """Who acts in an event.

    Args:
        verb: The verb of the event.
        people: People of the narration.
        sides: Sides of the body named so far.
        events: Events of the verbs read so far, by verb.

    Returns:
        Who acts, the part of the body that the subject names, and the subject where it is acted on.
    """
    agent = next(
        (c for child in verb.children if child.dep_ == "agent" for c in child.children), None
    )
    passive = next((c for c in verb.children if c.dep_ == "nsubjpass"), None)
    is_held = verb.dep_ == "acl" and verb.tag_ == "VBN"  # "the cup held in the left hand"
    if passive is not None or agent is not None or is_held:
        return _of_a_passive(verb, passive, agent, people, sides, events)
    subject = next((c for c in verb.children if c.dep_ == "nsubj"), None)
    if subject is not None and subject.text.lower() == "who":
        named = people.last_before(subject)
        if named is not None:
            return named, None, []
    if subject is not None and subject.tag_ in ("WDT", "WP"):
        subject = verb.head if verb.dep_ == "relcl" else subject
    if subject is not None and people.is_same(subject):
        return _of_a_list(verb, people, sides, events)
    if subject is None and any(c.dep_ == "auxpass" for c in verb.children):
        # "After being rinsed, the beaker is placed", "is about to be screwed on"
        is_noun = verb.dep_ in ("acl", "relcl") and verb.head.tag_ in NOUN_TAGS
        above = verb.head if is_noun else _subject_above(verb)
        moved = [] if above is None else expanded(above, "direct", "nsubjpass", people, sides)
        return WEARER, None, moved
    if subject is None:
        return _of_the_clause_above(verb, people, sides, events)
    return _as_subject(subject, verb, people, sides)


def _of_a_passive(
    verb: Node,
    passive: Node | None,
    agent: Node | None,
    people: People,
    sides: Sides,
    events: dict[int, Event],
) -> tuple[str, str | None, list[Object]]:
    if passive is None and agent is not None and verb.dep_ == "conj":
        # "Is washed by one person and dried by another"
        passive = next((c for c in verb.head.children if c.dep_ == "nsubjpass"), None)
    acted_on = [] if passive is None else expanded(passive, "direct", "nsubjpass", people, sides)
    if verb.dep_ in ("acl", "relcl") and (passive is None or passive.tag_ in ("WDT", "WP")):
        acted_on = expanded(verb.head, "direct", verb.dep_, people, sides)
    if any(c.dep_ == "dobj" for c in verb.children) and verb.lemma_.lower() in GIVING:
        # "The man is handed a spanner."
        acted_on = [replace(each, role="recipient") for each in acted_on]
    if agent is None:
        # "The left hand is used to hold the bowl"
        used = None if passive is None or verb.lemma_ not in USING else sides.part(passive)
        return _inherited(verb, people, events) or WEARER, used, [] if used else acted_on
    part, who = sides.part(agent), people.who(agent)
    return (WEARER if part else NOBODY) if who is None else who, part, acted_on


def _of_a_list(
    verb: Node, people: People, sides: Sides, events: dict[int, Event]
) -> tuple[str, str | None, list[Object]]:
    """Who goes on acting where a list of verbs leaves the subject out."""
    who, part, moved = _of_the_clause_above(verb, people, sides, events)
    before = [event.actor for at, event in events.items() if at < verb.i]
    last = next((verb.doc[at] for at in reversed(events) if at < verb.i), None)
    if last is not None and any(c.text.lower() == "who" for c in last.children):
        # "Hands the cup to the man, who fills it and drinks": the nearest clause goes on.
        return events[last.i].actor, None, []
    if last is not None and last.dep_ == "advcl" and last.tag_ in ("VBZ", "VBD"):
        # "While the right hand holds the knife and peels it": the nearest clause goes on.
        nearest = next((c for c in last.children if c.dep_ == "nsubj"), None)
        if nearest is not None and sides.part(nearest) is not None:
            return _as_subject(nearest, verb, people, sides)
    if part is None and who == WEARER:
        part = _acting_part_before(verb, people, sides, events)
    is_unclear = who == WEARER and before and before[-1] != NOBODY
    above = _inherited(verb, people, events)
    return (before[-1] if is_unclear and above is None else who), part, moved


def _as_subject(
    subject: Node, verb: Node, people: People, sides: Sides
) -> tuple[str, str | None, list[Object]]:
    own = [c for c in verb.children if c.dep_ == "nsubj" and c.tag_ not in ("WDT", "WP")]
    subjects = [each for c in own or [subject] for each in listed(c)]
    named = [people.who(each) for each in subjects]
    # "The man and C lift the table": the wearer lifts it too.
    who = WEARER if WEARER in named else named[0]
    if who is not None:
        return who, None, []
    part = sides.part(subject)
    if part is not None:
        owner = next((c for c in subject.children if c.dep_ == "poss"), None)
        name = None if owner is None else people.who(owner) or people.owner(owner)
        return name or WEARER, part, []
    if subject.tag_ in NOUN_TAGS and subject.text.lower() not in _NO_NAMES:
        has_object = any(
            c.dep_ in ("dobj", "dative") or (c.dep_ == "ccomp" and c.i > verb.i)
            for c in verb.children
        )
        if (
            has_object
            or subject.lemma_.lower() in _ANIMALS
            or (subject.tag_ in ("NNP", "NNPS") and subject.text[0].isupper() and subject.i > 0)
        ):
            return described(subject), None, []
        return NOBODY, None, expanded(subject, "direct", "nsubj", people, sides)
    if subject.text.lower() in ("it", "this", "that", "they", "these", "those"):
        has_object = any(c.dep_ == "dobj" for c in verb.children)
        moved = [] if has_object else expanded(subject, "direct", "nsubj", people, sides)
        return NOBODY, None, moved
    return WEARER, None, []


def _acting_part_before(
    verb: Node, people: People, sides: Sides, events: dict[int, Event]
) -> str | None:
    """The right hand of "the right hand takes the cup, turns it": it does all that is listed."""
    for at in sorted((at for at in events if at < verb.i), reverse=True):
        before = verb.doc[at]
        subject = next((c for c in before.children if c.dep_ == "nsubj"), None)
        if any(token.text in (".", ";") for token in verb.doc[at : verb.i]):
            return None
        if subject is not None and not people.is_same(subject):
            return sides.part(subject) if people.who(subject) is None else None
    return None


def _subject_above(verb: Node) -> Node | None:
    """Subject of the nearest clause above; None where that names no thing."""
    for above in verb.ancestors:
        for child in above.children:
            if child.dep_ in ("nsubj", "nsubjpass"):
                return child if child.tag_ in NOUN_TAGS | {"PRP"} else None
    return None


def _of_the_clause_above(
    verb: Node, people: People, sides: Sides, events: dict[int, Event]
) -> tuple[str, str | None, list[Object]]:
    head = verb.head
    if verb.dep_ in ("relcl", "acl") and head.tag_ in NOUN_TAGS and not is_purpose(verb):
        who = people.who(head)
        if who is not None:
            return who, None, []
        part = sides.part(head)
        if part is not None:
            return WEARER, part, []
    if verb.dep_ in ("xcomp", "ccomp", "advcl") and (
        verb.dep_ != "advcl" or head.lemma_ in _COMMANDING
    ):
        seen = next(
            (c for c in head.children if c.dep_ in ("dobj", "nsubjpass") and c.i < verb.i), None
        )
        who = None if seen is None else people.who(seen)
        if who is not None:
            return who, None, []
    part = None
    while (
        head.head.i != head.i
        and status_of_below(head) is not None
        and head.dep_ == "conj"
        and not any(c.dep_ == "nsubj" for c in head.children)
    ):
        head = head.head
    subject = next((c for c in head.children if c.dep_ == "nsubj"), None)
    if (
        subject is not None
        and verb.dep_ in ("xcomp", "ccomp")
        and status_of_below(head) is not None
    ):
        who, part, moved = _as_subject(subject, verb, people, sides)
        if who == NOBODY:
            return who, part, moved
    passive = next((c for c in head.children if c.dep_ == "nsubjpass"), None)
    listed_with_passive = verb.dep_ == "conj" and verb.tag_ in ("VBN", "VBD")
    has_object = any(c.dep_ == "dobj" for c in verb.children)
    if passive is not None and listed_with_passive and not has_object:
        # "The kettle is filled and switched on."
        shared = expanded(passive, "direct", "conj>nsubjpass", people, sides)
        return _inherited(verb, people, events) or WEARER, None, shared
    if subject is not None and (verb.dep_ == "conj" or status_of_below(verb.head) is not None):
        # "The left hand holds the bowl and stirs."
        part = body_part(subject) if people.who(subject) is None else None
    elif (
        subject is not None
        and verb.dep_ == "advcl"
        and verb.tag_ == "VBG"
        and subject.i < verb.i < head.i
        and people.who(subject) is None
    ):
        # "The right hand, holding a spatula, scrapes the pan"
        part = body_part(subject)
    elif verb.dep_ == "conj" and head.dep_ == "conj" and subject is None:
        # "Both hands knead, press and roll the dough"
        part = _part_of_the_first(head, people)
    return _inherited(verb, people, events) or WEARER, part, []


def _part_of_the_first(verb: Node, people: People) -> str | None:
    """Part of the body that does the first of a list of verbs, where none of the others has a subject."""
    while verb.dep_ == "conj":
        if any(c.dep_ in ("nsubj", "nsubjpass") for c in verb.children):
            return None
        verb = verb.head
    subject = next((c for c in verb.children if c.dep_ == "nsubj"), None)
    return None if subject is None or people.who(subject) is not None else body_part(subject)


def _inherited(verb: Node, people: People, events: dict[int, Event]) -> str | None:
    """Actor of the nearest clause above, or of a clause before that hangs on this; None without one."""
    before = [c for c in verb.children if c.dep_ == "ccomp" and c.i < verb.i]
    if before and before[-1].i not in events:
        subject = next((c for c in before[-1].children if c.dep_ == "nsubj"), None)
        return None if subject is None else people.who(subject)
    if before:
        # "A person sneezes, then kicks their shoes off": the parser hangs the first on the second.
        actor = events[before[-1].i].actor
        return None if actor == NOBODY else actor
    node, filled = verb, False
    while node.head.i != node.i:
        node = node.head
        if node.i in events:
            actor = events[node.i].actor
            return actor if actor != NOBODY else None
        subject = next((c for c in node.children if c.dep_ == "nsubj"), None)
        if subject is not None and not people.is_same(subject):
            return people.who(subject)
        filled = filled or subject is not None
    before_this = [event.actor for at, event in events.items() if at < verb.i]
    if filled and before_this and before_this[-1] != NOBODY:
        return before_this[-1]
    return None
