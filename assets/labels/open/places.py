"""Where somebody is who acts: "a person in a garage holds", "a person is at a table eating"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assets.labels.open.body_parts import Sides
from assets.labels.open.people import People
from assets.labels.open.schema import Object
from assets.labels.open.status import action_below, status_of_below
from assets.labels.open.things import expanded

if TYPE_CHECKING:
    from assets.labels.open.tree import Doc, Node

_PLACES = frozenset("in at on near by inside outside under behind beside".split())
_WORN = frozenset(
    "red blue green black white yellow orange brown pink grey gray purple shirt coat jacket jersey hat "
    "cap dress suit apron uniform t-shirt sweater hoodie trousers pants skirt glasses vest mask blanket "
    "pajamas pyjamas jeans boots shorts gown helmet gloves scarf robe tie costume "
    "clothes left right middle back front bike bicycle foot".split()
)


def places_of_doers(
    doc: Doc, verbs: Sequence[Node], people: People, sides: Sides
) -> Iterator[tuple[Node, list[Object]]]:
    """Places said of a doer, or of the verb that says how far an action came, with the first action.

    Args:
        doc: The parse.
        verbs: The verbs that name actions, in order.
        people: People of the narration.
        sides: Sides of the body named so far.
    """
    for node in doc:
        if node.lemma_ == "be" and node.dep_ not in ("aux", "auxpass"):
            subject = next((c for c in node.children if c.dep_ == "nsubj"), None)
            first = _first_after(node, verbs)
            if subject is not None and people.who(subject) is not None and first is not None:
                yield first, _places(node, people, sides)
        elif node.dep_ == "nsubj" and people.who(node) is not None and node.tag_ in ("NN", "NNS"):
            first = _first_after(node, verbs)
            if first is not None:
                yield first, _places(node, people, sides)
        elif node.dep_ == "nsubj" and node.tag_ in ("NN", "NNS") and _happens(node, verbs, sides):
            yield node.head, _places(node, people, sides)
        elif status_of_below(node) is not None:
            below = action_below(node)
            if below is not None and any(below.i == verb.i for verb in verbs):
                yield below, _places(node, people, sides)


def _happens(node: Node, verbs: Sequence[Node], sides: Sides) -> bool:
    """Whether a thing moves by itself: the water of "the water in the pot boils"."""
    verb = node.head
    return (
        any(each.i == verb.i for each in verbs)
        and sides.part(node) is None
        and not any(c.dep_ == "dobj" for c in verb.children)
    )


def _first_after(node: Node, verbs: Sequence[Node]) -> Node | None:
    first = next((verb for verb in verbs if verb.i > node.i), None)
    if first is None or any(token.text in (".", ";") for token in node.doc[node.i : first.i]):
        return None
    return first


def _places(node: Node, people: People, sides: Sides) -> list[Object]:
    return [
        each
        for prep in node.children
        if prep.dep_ == "prep" and prep.text.lower() in _PLACES
        for noun in prep.children
        if noun.dep_ == "pobj"
        and noun.lemma_.lower() not in _WORN
        and people.who(noun) is None
        and sides.part(noun) is None
        for each in expanded(noun, "location", f"doer>prep:{prep.text.lower()}", people, sides)
    ]
