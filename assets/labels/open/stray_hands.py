"""Hands that no verb took, since the parse hung them on a thing: "the plate with chives in your left hand".

Read by their place in the sentence: such a hand belongs to the verb before it, and of a hand that uses something
"to" do what follows, or that opens a sentence, to the verb behind it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from assets.labels.open.body_parts import body_part, together
from assets.labels.open.english import USING
from assets.labels.open.schema import Event

if TYPE_CHECKING:
    from assets.labels.open.tree import Doc, Node

_OWNERS = frozenset("the his her my your their its a gloved bare".split())
_LEADS = frozenset(["with", "in"])
_JOINS = frozenset(["and", ",", "while", "but"])
_ENDS = frozenset([".", ";", ":", "(", ")", "?", "!"])
_HOLDING = frozenset("hold take grab carry grip grasp have".split())
_USED_AHEAD = 8
"""Words that may stand between "using" and the hand: "using a long wooden spoon in the right hand"."""


def with_stray_hands(events: dict[int, Event], doc: Doc) -> dict[int, Event]:
    """Events, with the left and right hands of the sentence that none of them has.

    Args:
        events: Events by the place of their verb.
        doc: The parse.
    """
    updated = dict(events)
    for hand, part in _hands(doc):
        start, end = _sentence(doc, hand.i)
        doer = updated.get(hand.i + 1)
        if doer is not None and doer.body_part == part and doc[doer.node].tag_ == "VBG":
            # "Pours oil into it with the right hand holding the pan": the hand holds, and does not pour.
            for at in (
                at for at in updated if start <= at < hand.i and updated[at].body_part == part
            ):
                updated[at] = replace(updated[at], body_part=None)
            continue
        inside = {at: event for at, event in updated.items() if start <= at < end}
        at = _verb_of(hand, doc, inside, start)
        if at is None or any(event.body_part == part for event in inside.values()):
            continue
        taken = updated[at].body_part
        if taken is None:
            updated[at] = replace(updated[at], body_part=part)
        elif _is_next(hand, doc) or (updated[at].lemma in _HOLDING and _is_listed(hand, doc, at)):
            updated[at] = replace(updated[at], body_part=together(taken, part))
    return updated


def _hands(doc: Doc) -> Iterator[tuple[Node, str]]:
    """Hands with a side of their own that something is done or held in: "with the left hand", "in his right hand"."""
    for node in doc:
        if node.text.lower() != "hand":
            continue
        part = body_part(node)
        if part not in ("left_hand", "right_hand"):
            continue
        at = node.i - 1
        while at >= 0 and doc[at].text.lower() in _OWNERS | {"left", "right"}:
            at -= 1
        if at >= 0 and (doc[at].text.lower() in _LEADS or _is_next(node, doc)):
            yield node, part


def _is_next(hand: Node, doc: Doc) -> bool:
    """Whether a hand takes over from another: "dribbles with the left hand, then the right hand"."""
    before = [doc[i].text.lower() for i in range(max(0, hand.i - 5), hand.i)]
    return "then" in before and "hand" in before[: before.index("then")]


def _sentence(doc: Doc, at: int) -> tuple[int, int]:
    start = max((i + 1 for i in range(at) if doc[i].text in _ENDS), default=0)
    end = min((i for i in range(at, len(doc)) if doc[i].text in _ENDS), default=len(doc))
    return start, end


def _verb_of(hand: Node, doc: Doc, inside: dict[int, Event], start: int) -> int | None:
    words = [doc[i].text.lower() for i in range(start, hand.i)]
    if {"there", "is"} <= set(words[-12:]) or {"there", "are"} <= set(words[-12:]):
        return None  # "In the left hand, there is a bowl": nothing is done
    behind = next((at for at in inside if at > hand.i), None)
    near = [doc[i].lemma_.lower() for i in range(max(start, hand.i - _USED_AHEAD), hand.i)]
    next_word = doc[hand.i + 1].text.lower() if hand.i + 1 < len(doc) else ""
    uses = USING & set(near)
    opens = bool(uses) and not any(at < hand.i for at in inside)
    if uses and (next_word == "to" or opens):
        return behind
    if next_word == "," and behind is not None and _opens_clause(words):
        return behind
    return max((at for at in inside if at < hand.i), default=None)


def _opens_clause(words: list[str]) -> bool:
    """Whether the phrase of a hand stands first in its clause: ", and in my right hand, I am using ..."."""
    leads = [i for i, word in enumerate(words) if word in _LEADS]
    return bool(leads) and (leads[-1] == 0 or words[leads[-1] - 1] in _JOINS)


def _is_listed(hand: Node, doc: Doc, verb: int) -> bool:
    """Whether a hand holds the second of two things: "the pot in your left hand and the spoon in your right hand"."""
    return any(doc[i].text.lower() == "and" for i in range(verb, hand.i))
