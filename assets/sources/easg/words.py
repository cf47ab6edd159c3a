"""Words of Ego-EASG graphs: relations, hands and the parts things play.

The files write one thing in several ways: `dobj` and `direct object`, `left_hand` and `left hand`,
`take-off` and `take off`, `CW` and `Camera wearer`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from assets.sources.reading.values import Malformed

WEARER = "Camera wearer"
DIRECT = "direct object"
Triplet = tuple[str, str, str]

_HAND = re.compile(r"(left|right|both)[ _-]hands?", re.IGNORECASE)
_ROLES = {
    DIRECT: "direct",
    "with": "tool",
    "from": "source",
    "to": "target",
    "into": "target",
    "onto": "target",
    "towards": "target",
    "in": "container",
    "inside": "container",
    "on": "location",
    "under": "location",
    "around": "location",
    "near": "location",
    "against": "location",
    "between": "location",
    "through": "location",
}
_ACTING = frozenset({"with", "in"})


def hand_side(name: str) -> str | None:
    """Side of a hand, `left`, `right` or `both`; None for other things."""
    match = _HAND.fullmatch(name.strip())
    return None if match is None else match[1].lower()


def thing_name(name: str) -> str:
    """Name of a thing: hands are `left hand`, `right hand`, `both hands`, others as written."""
    side = hand_side(name)
    if side is None:
        return name.strip()
    return "both hands" if side == "both" else f"{side} hand"


def role_of(relation: str, thing: str) -> str | None:
    """Part of a thing, in the words of the table `relations`; None for the wearer's verb."""
    if relation == "verb":
        return None
    if hand_side(thing) is not None:
        return "hand"
    return _ROLES.get(relation, "other")


def triplet(subject: object, relation: object, thing: object) -> Triplet:
    """A triplet in one spelling.

    Raises:
        Malformed: A field that is not text.
    """
    fields = (subject, relation, thing)
    words = [f.strip() for f in fields if isinstance(f, str) and f.strip()]
    if len(words) < 3:
        raise Malformed("a triplet lacks a word", " - ".join(str(f) for f in fields))
    first, joint, last = words
    return (
        WEARER if first in ("CW", WEARER) else first,
        DIRECT if joint == "dobj" else joint,
        thing_name(last),
    )


def text_triplets(text: str) -> tuple[Triplet, ...]:
    """Triplets of a graph written `Camera wearer - verb - place; place - with - right_hand`.

    Raises:
        Malformed: A part that has not three fields.
    """
    made = []
    for part in text.split("; "):
        fields = part.split(" - ")
        if len(fields) != 3:
            raise Malformed("a triplet has not three fields", part)
        made.append(triplet(*fields))
    return distinct(made)


def spelling(triple: Triplet) -> Triplet:
    """What two spellings of a triplet have in common."""
    first, joint, last = (re.sub(r"[ _-]+", " ", word).casefold() for word in triple)
    return first, joint, last


def distinct(triplets: Iterable[Triplet]) -> tuple[Triplet, ...]:
    """Triplets without those that only repeat one in another spelling."""
    found: dict[Triplet, Triplet] = {}
    for one in triplets:
        found.setdefault(spelling(one), one)
    return tuple(found.values())


def acting_side(verb: str, triplets: Iterable[Triplet]) -> str | None:
    """Hand a verb is done with, where the graph says it (`with` or `in` a hand)."""
    sides = {
        hand_side(thing)
        for subject, relation, thing in triplets
        if subject == verb and relation in _ACTING
    } - {None}
    if not sides:
        return None
    return sides.pop() if len(sides) == 1 else "both"
