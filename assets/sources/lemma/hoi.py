"""Actions of LEMMA as written: a verb template with things in brackets, `Get [a, b] from [c]`.

Nothing is evaluated: the text is cut at its brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assets.sources.reading.values import Malformed

_WHOLE = re.compile(r"[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*")
_PIECE = re.compile(r"([^\[\]]*)\[([^\[\]]*)\]")
_HAND = re.compile(r"(?:(left|right|both)[ _-]?)?hands?")
_ROLES = {
    "direct object": "direct",
    "from": "source",
    "off": "source",
    "to": "target",
    "into": "target",
    "onto": "target",
    "in": "container",
    "inside": "container",
    "on": "location",
    "at": "location",
    "using": "tool",
}


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing an action names.

    Attributes:
        relation: `direct object` or the preposition it stands behind.
        name: Its name as written.
        role: Its part, in the words of the table `relations`.
        hand_side: Side, where it is a hand whose side is stated.
    """

    relation: str
    name: str
    role: str
    hand_side: str | None


@dataclass(frozen=True, slots=True)
class Hoi:
    """An action taken apart.

    Attributes:
        verb: Lower-case verb, `get`, `turn-on`.
        things: What it is done to and with, in the order written.
    """

    verb: str
    things: tuple[Thing, ...]


def parse_hoi(text: str) -> Hoi:
    """Take an action apart.

    Raises:
        Malformed: Brackets that do not pair, or no verb before the first.
    """
    if not _WHOLE.fullmatch(text):
        raise Malformed("brackets of an action do not pair", text)
    opening, *_ = text.split("[", 1)
    verb, _, joint = " ".join(opening.lower().split()).partition(" ")
    if not verb:
        raise Malformed("an action starts with no verb", text)
    return Hoi(verb, tuple(_things(text, joint)))


def words_of(text: str) -> str:
    """The action as words: brackets gone, and prepositions that lost their thing with them."""
    pieces = []
    for before, inside in _PIECE.findall(text):
        names = [name.strip() for name in inside.split(",") if name.strip()]
        if names:
            pieces.append(f"{before.strip()} {', '.join(names)}")
        elif not pieces:
            pieces.append(before.strip())
    if not pieces:
        return " ".join(text.split())
    tail = text[text.rindex("]") + 1 :].strip()
    return " ".join(" ".join([*pieces, tail]).split())


def _things(text: str, joint: str) -> Iterator[Thing]:
    for at, (before, inside) in enumerate(_PIECE.findall(text)):
        relation = joint if at == 0 else " ".join(before.lower().replace(",", " ").split())
        relation = relation or "direct object"
        for name in inside.split(","):
            if name.strip():
                yield _thing(relation, name.strip())


def _thing(relation: str, name: str) -> Thing:
    hand = _HAND.fullmatch(name.lower())
    if hand is not None:
        return Thing(relation, name, "hand", hand[1])
    return Thing(relation, name, _ROLES.get(relation, "other"), None)
