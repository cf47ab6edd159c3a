"""What happens in a parsed narration: one event per verb, with who acts, how, and on what.

Rules read the dependency parse alone. Each event and each object carries the path through the parse
that gave it, so that a wrong label can be traced to a wrong parse or a wrong rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assets.labels.open.actors import actor_of
from assets.labels.open.body_parts import PARTS, Sides, together
from assets.labels.open.english import DIRECTIONS, MOVING
from assets.labels.open.people import People
from assets.labels.open.places import places_of_doers
from assets.labels.open.roles import Arguments
from assets.labels.open.schema import Event
from assets.labels.open.shared_hands import with_shared_hands
from assets.labels.open.sharing import with_shared
from assets.labels.open.status import status_of
from assets.labels.open.stray_hands import with_stray_hands
from assets.labels.open.tokens import Token
from assets.labels.open.verbs import DIRECTIONS_ALONE, is_action, lemma_of, particle_of, path_of

if TYPE_CHECKING:
    from assets.labels.open.tree import Doc, Node


def find_events(doc: Doc, tokens: Sequence[Token]) -> list[Event]:
    """Events of a parsed narration, in the order of their verbs.

    Args:
        doc: The parse.
        tokens: The words that were parsed.
    """
    people = People(doc, tokens)
    verbs = [node for node in doc if is_action(node)]
    events: dict[int, Event] = {}
    sides = Sides()
    for verb in verbs:
        events[verb.i] = _event(verb, people, sides, events)
    for verb, found in places_of_doers(doc, verbs, people, sides):
        event = events[verb.i]
        known = {(each.lemma, each.role) for each in event.objects}
        new = [each for each in found if (each.lemma, each.role) not in known]
        events[verb.i] = replace(event, objects=(*new, *event.objects))
    events = with_shared_hands(with_stray_hands(events, doc), doc, tokens)
    return list(with_shared(events, doc, tokens))


def _event(verb: Node, people: People, sides: Sides, events: dict[int, Event]) -> Event:
    particle = particle_of(verb)
    arguments = Arguments(verb, people, sides)
    direction = arguments.direction
    actor, acting_part, subject = actor_of(verb, people, sides, events)
    objects = [*subject, *arguments.objects]
    lemma = lemma_of(verb)
    word = "" if particle is None else particle.text.lower()
    moves_a_part = (
        particle is not None
        and arguments.part is not None
        and any(
            c.i < particle.i and c.dep_ == "dobj" and c.lemma_.lower() in PARTS
            for c in verb.children
        )
    )
    if (
        word in DIRECTIONS_ALONE
        or (moves_a_part and word not in ("on", "off"))
        or (
            word not in ("on", "off")
            and lemma in MOVING
            and not any(c.dep_ in ("dobj", "nsubjpass") for c in verb.children)
        )
    ):
        # "Walks away" is walking in a direction, "puts away" is an action of its own.
        direction = direction or DIRECTIONS.get(word, word or None)
        particle = None
    if particle is not None:
        lemma = f"{lemma} {word}"
    return Event(
        lemma=lemma,
        node=verb.i,
        actor=actor,
        status=status_of(verb),
        path=path_of(verb),
        particle=None if particle is None else particle.i,
        body_part=together(acting_part, arguments.part),
        direction=direction,
        objects=tuple(sorted(objects, key=lambda each: each.node)),
    )
