"""What verbs share: the object of a list, the tool or the hand of "uses a key to open the box"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assets.labels.open.body_parts import together
from assets.labels.open.english import MOVING, USING
from assets.labels.open.people import NOBODY
from assets.labels.open.schema import Event
from assets.labels.open.shared_hands import begins_anew, by_itself, goes_with
from assets.labels.open.status import NEGATED, clause_above
from assets.labels.open.tokens import Token

if TYPE_CHECKING:
    from assets.labels.open.tree import Doc, Node


# What needs no object takes none from the verb it is listed with: "jumps and throws the ball".
_ALONE = MOVING | frozenset(
    "sit stand squat kneel laugh smile dress undress bow sneeze cough nod dance sing sleep wait leave "
    "talk speak exit enter wake stretch cook eat drink pay clap text type yawn wave snap pause applaud cheer exercise work study fidget pedal swim".split()
)
_GOING_ON = frozenset("continue keep start begin proceed resume".split())


def _user_of(verb: Node, events: dict[int, Event]) -> Event | None:
    """The event of using something that a verb says what for; also of a list: "to flip and stir"."""
    node = verb
    while node.dep_ == "conj" and node.head.tag_ in ("VB", "VBG") and node.tag_ == node.head.tag_:
        node = node.head
    while node.dep_ == "xcomp" and node.head.lemma_.lower() in _GOING_ON:
        node = node.head  # "uses the right hand to continue stirring"
    if node.dep_ not in ("xcomp", "advcl", "relcl", "acl"):
        return None
    if node.dep_ == "advcl" and node.tag_ in ("VBN", "VBD", "VBZ"):
        return None  # "when the potatoes are fried, use the right hand"
    user = events.get(clause_above(node).i)
    return user if user is not None and user.lemma in USING else None


def _continues(used: Event, event: Event, doc: Doc, tokens: Sequence[Token]) -> bool:
    """Whether what is used is still in use: an order of the same sentence without a subject of its own."""
    if event.body_part is not None and used.body_part is not None:
        return event.body_part == used.body_part
    if any(token.text in (".", ";") for token in doc[used.node : event.node]):
        return False
    verb = doc[event.node]
    if by_itself(event, verb) or begins_anew(used.node, event.node, doc):
        return False
    if verb.tag_ not in ("VB", "VBP") and not goes_with(verb):
        return False
    subject = next((c for c in verb.children if c.dep_ in ("nsubj", "nsubjpass")), None)
    return subject is None or tokens[subject.i].start == tokens[subject.i].end


def _is_in_passing(event: Event, verb: Node) -> bool:
    """Whether a verb tells of a thing and leaves open who goes on: "the tofu that fell", "let the oil drain"."""
    return event.actor == NOBODY and verb.dep_ in ("relcl", "ccomp", "acl")


def with_shared(events: dict[int, Event], doc: Doc, tokens: Sequence[Token]) -> Iterator[Event]:
    """Give verbs what they share: the object of a list, the tool of "uses a key to open the box"."""
    used: Event | None = None
    events = dict(events)
    for node, event in events.items():
        verb = doc[node]
        goes_on = used is not None and _continues(used, event, doc, tokens)
        if event.lemma in USING and event.status != NEGATED:
            used = event
        elif not goes_on and not _is_in_passing(event, verb):
            used = None
        if event.lemma in USING and event.body_part is None:
            # "Uses a spoon to stir the soup with the right hand": the hand uses the spoon.
            for_it = (each for at, each in events.items() if _user_of(doc[at], events) is event)
            part = next((each.body_part for each in for_it if each.body_part), None)
            event = replace(event, body_part=part)
        only_a_part = event.lemma in USING and event.body_part is not None and not event.objects
        if only_a_part and any(_user_of(doc[other], events) is event for other in events):
            continue  # "uses the right hand to take a spoon" is taking it with that hand
        user = _user_of(verb, events)
        if event.lemma in USING and user is not None and event.body_part is None:
            # "Use your right hand to use chopsticks to mix": the hand mixes too.
            events[node] = replace(event, body_part=user.body_part)
        if user is not None:
            tools = [each for each in user.objects if each.role == "tool"]
            # "Use the right hand to pour it into the bowl in the left hand": both.
            shared = None if by_itself(event, verb) else user.body_part
            part = together(event.body_part, shared)
            event = replace(event, objects=(*tools, *event.objects), body_part=part)
        elif used is not None and goes_on and event is not used and event.body_part is None:
            # "Use your right hand to take a spoon and stir": the hand does both.
            tools = [each for each in used.objects if each.role == "tool"]
            event = replace(event, objects=(*event.objects, *tools), body_part=used.body_part)
        has_direct = any(each.role == "direct" for each in event.objects)
        if not has_direct and event.lemma.split()[0] not in _ALONE:
            later = next((c for c in verb.children if c.dep_ == "conj" and c.i in events), None)
            between = None if later is None else doc[verb.i + 1 : later.i]
            if (
                later is not None
                and between is not None
                and all(
                    token.dep_ in ("cc", "punct", "prt", "advmod")
                    or tokens[token.i].start == tokens[token.i].end
                    for token in between
                )
            ):
                known = {each.node for each in event.objects}
                later_objects = events[later.i].objects
                has_shared = any(each.role == "direct" for each in later_objects)
                shared = [
                    each
                    for each in later_objects
                    if has_shared
                    and each.node not in known
                    and each.role not in ("target", "source")
                ]
                event = replace(event, objects=(*event.objects, *shared))
                if event.body_part is None:
                    event = replace(event, body_part=events[later.i].body_part)
        yield event
