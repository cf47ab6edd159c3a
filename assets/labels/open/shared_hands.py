"""Hands that do more than the verb they are said with: "With your right hand, take a spoon and stir".

A hand in front of its clause, and a hand that is the subject, do all that the clause lists; a hand that holds a
tool does what the tool is for. *Then* begins something new.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assets.labels.open.body_parts import body_part
from assets.labels.open.english import MOVING, POSSESSIVES, SENSING
from assets.labels.open.schema import Event
from assets.labels.open.status import clause_above, is_purpose
from assets.labels.open.tokens import Token

if TYPE_CHECKING:
    from assets.labels.open.tree import Doc, Node

# What is not done with a hand because a hand is named for the verb before it: "takes the cup and drinks".
WITHOUT_HANDS = (
    MOVING
    | SENSING
    | frozenset(
        "sit stand squat kneel laugh smile bow sneeze cough nod dance sing sleep wait leave talk speak exit enter "
        "wake eat drink chew swallow yawn snap pause continue work".split()
    )
)
# What a thing does by itself where nobody is said to do it to something: "puts it into the pan to fry".
BY_ITSELF = frozenset(
    "blanch boil bubble cook cool drain dry fry heat marinate melt rise roast set simmer soak steam stew thicken".split()
)
_HOLDING = frozenset("hold grip grasp clutch carry wield".split())
_TAKING = frozenset(["take", "grab", "use", "pick up", "pick"])
_WEARING = frozenset(["wear", "have"])
_TOOLS = frozenset(
    "beater blade brush chopper chopstick cleaver cloth comb dropper fork hammer knife ladle loop needle paddle peeler pen "
    "pencil pestle pincer pipette plier pliers rag rake razor saw scalpel scissors scoop scraper screwdriver scrubber shovel "
    "sieve skimmer slice spade spanner spatula sponge spoon stick stirrer strainer swab syringe tongs towel trowel tweezers "
    "whisk wrench".split()
)
# What is struck with one of these is struck on it: "bounces the ball on the racket held in his right hand".
_STRIKING = frozenset(["racket", "bat", "paddle", "stick"])
_OWNERS = POSSESSIVES | frozenset(
    ["the", "left", "right", "both", "one", "other", "gloved", "bare"]
)
_CLAUSE_ENDS = frozenset([".", ";", ":", "?", "!"])
_BEFORE_CLAUSES = _CLAUSE_ENDS | frozenset([",", "and", "while", "then", "but"])
_SUBJECTS = frozenset("he she they i we you c".split())
_RELATIVES = frozenset(["that", "which", "who"])


def with_shared_hands(
    events: dict[int, Event], doc: Doc, tokens: Sequence[Token]
) -> dict[int, Event]:
    """Events, with the hands that are said once for several of them.

    Args:
        events: Events by the place of their verb.
        doc: The parse.
        tokens: The words that were parsed.
    """
    updated = dict(events)
    for hand, part, leads in _hands_in_front(doc, updated):
        listed = _listed_behind(hand, part, updated, doc, tokens, leads=leads)
        updated.update((at, replace(updated[at], body_part=part)) for at in listed)
    for at, event in events.items():
        holder = updated.get(clause_above(doc[at]).i) if is_purpose(doc[at]) else None
        known = updated[at].body_part is not None
        if holder is not None and not known and _may_be_by_hand(event, doc[at]):
            updated[at] = replace(event, body_part=_hand_with_tool(holder, at, doc))
        user = _user_of_held(doc[at], updated)
        if user is not None and user.body_part is None:
            updated[user.node] = replace(user, body_part=event.body_part)
    for at, following in itertools.pairwise([*sorted(updated), len(doc)]):
        words = [node.text.lower() for node in doc[at:following]]
        if updated[at].body_part == "unspecified_hand" and _both_are_named(words):
            updated[at] = replace(updated[at], body_part="both_hands")
    return updated


def _both_are_named(words: Sequence[str]) -> bool:
    """Whether words name one hand and the other: "a bag in one hand and a book in the other"."""
    named = [before for before, word in itertools.pairwise(words) if word == "hand"]
    return "one" in named and "other" in named[named.index("one") :]


def _hands_in_front(doc: Doc, events: dict[int, Event]) -> Iterator[tuple[Node, str, bool]]:
    """Hands that govern the clause behind them: which hands they are, and whether they stand before its subject."""
    for hand in doc:
        part = body_part(hand) if hand.lemma_.lower() == "hand" else None
        if part is None or not part.endswith(("hand", "hands")):
            continue
        leads = _leads_clause(hand, events)
        if leads or (hand.dep_ == "nsubj" and hand.head.i in events):
            yield hand, part, leads


def _leads_clause(hand: Node, events: dict[int, Event]) -> bool:
    """Whether a hand stands before a verb and its subject: "with the right hand,", "with a spoon in the right hand,".

    One that holds something stands there where it holds a tool.
    """
    doc = hand.doc
    at = _before_owners(hand.i, doc)
    if at > 1 and doc[at].text.lower() in ("in", "with") and doc[at - 1].lemma_.lower() in _TOOLS:
        at -= 2
        while at >= 0 and doc[at].text.lower() not in _BEFORE_CLAUSES | {"with"}:
            at -= 1
    if at < 0 or doc[at].text.lower() not in ("with", "in"):
        return False
    if at > 0 and doc[at - 1].text.lower() not in _BEFORE_CLAUSES:
        return False
    after = doc[hand.i + 1] if hand.i + 1 < len(doc) else None
    if after is None or after.text == "," or after.text.lower() in _SUBJECTS:
        return after is not None
    holding = events.get(after.i)
    if after.tag_ != "VBG" or holding is None:
        return False
    tools = any(each.lemma.split()[-1] in _TOOLS for each in holding.objects)
    return holding.lemma in _WEARING or (holding.lemma in _HOLDING and tools)


def _before_owners(at: int, doc: Doc) -> int:
    at -= 1
    while at >= 0 and doc[at].text.lower() in _OWNERS:
        at -= 1
    return at


def _listed_behind(
    hand: Node,
    part: str,
    events: dict[int, Event],
    doc: Doc,
    tokens: Sequence[Token],
    *,
    leads: bool,
) -> list[int]:
    """Verbs that a hand in front of them does beside the one it is said with."""
    start = hand.i
    end = next((at for at in range(start, len(doc)) if doc[at].text in _CLAUSE_ENDS), len(doc))
    behind = [at for at in sorted(events) if start < at < end]
    if not behind:
        return []
    first = doc[behind[0]]
    holds = first.tag_ == "VBG" and not any(c.dep_ == "aux" for c in first.children)
    if holds and not leads:
        # "..., the right hand holding a spoon to stir": what it holds the spoon for.
        return [
            at
            for at in behind[1:]
            if events[at].body_part is None
            and is_purpose(doc[at])
            and clause_above(doc[at]).i == first.i
            and _may_be_by_hand(events[at], doc[at])
        ]
    # "With the right hand holding a spoon, she stirs": what the hand holds is not what the clause says.
    main = behind[1] if holds and behind[0] == start + 1 and len(behind) > 1 else behind[0]
    if events[main].body_part not in ((None, part) if leads else (part,)):
        return []
    listed: list[int] = []
    for at in (at for at in behind if at >= main):
        event, verb = events[at], doc[at]
        subject = next((c for c in verb.children if c.dep_ in ("nsubj", "nsubjpass")), None)
        has_subject = subject is not None and tokens[subject.i].start != tokens[subject.i].end
        if has_subject and subject is not None and subject.text.lower() in _RELATIVES:
            continue
        another = event.actor != events[main].actor or (has_subject and at != main)
        another = another or begins_anew(behind[0], at, doc)
        if event.body_part not in (None, part) or another:
            break
        if event.body_part is None and _may_be_by_hand(event, verb):
            listed.append(at)
    return listed


def _may_be_by_hand(event: Event, verb: Node) -> bool:
    if event.lemma.split()[0] in WITHOUT_HANDS or verb.dep_ == "ccomp":
        return False
    if verb.dep_ == "pcomp" and verb.head.text.lower() == "for":
        return True  # "holds a spatula for stirring"
    if is_purpose(verb):
        return not by_itself(event, verb)
    if verb.tag_ == "VBN":
        return verb.dep_ == "conj"  # "spread", which the parse takes for a participle
    if verb.tag_ != "VBG" or verb.dep_ in ("xcomp", "conj"):
        return True
    return verb.dep_ == "advcl" and goes_with(verb)


def goes_with(verb: Node) -> bool:
    """Whether a participle goes on with what the clause does: ", pouring the oil", and not "while pouring"."""
    before = verb.doc[verb.i - 1] if verb.i > 0 else verb
    if before.dep_ == "nsubj" and before.i > 0:
        before = before.nbor(-1)  # a subject that was filled in
    return verb.tag_ == "VBG" and (before.text == "," or before.tag_ == "RB")


def begins_anew(first: int, at: int, doc: Doc) -> bool:
    """Whether *then* stands between two verbs."""
    return any(doc[i].text.lower() == "then" for i in range(first, at))


def by_itself(event: Event, verb: Node) -> bool:
    """Whether a purpose is what the thing does, and nobody: "puts it into the pan to fry"."""
    acts_on = any(each.role == "direct" for each in event.objects)
    return is_purpose(verb) and event.lemma in BY_ITSELF and not acts_on


def _user_of_held(verb: Node, events: dict[int, Event]) -> Event | None:
    """The event that a tool serves: the cutting of "cuts it with the knife held in the right hand"."""
    if verb.dep_ != "acl" or verb.tag_ != "VBN" or verb.lemma_.lower() not in _HOLDING:
        return None
    for event in events.values():
        tool = next((each for each in event.objects if each.node == verb.head.i), None)
        if tool is not None and (tool.role == "tool" or tool.lemma in _STRIKING):
            return event
    return None


def _hand_with_tool(holder: Event, end: int, doc: Doc) -> str | None:
    """The hand that holds a tool for what follows: "holds the knife in the right hand to cut the bread"."""
    if holder.lemma not in _HOLDING | _TAKING:
        return None
    tools = [each for each in holder.objects if each.lemma.split()[-1] in _TOOLS]
    if len(tools) == 1 and len(holder.objects) == 1:
        return holder.body_part  # "in the right hand hold a knife to cut"
    for hand in reversed(list(doc[holder.node : end])):
        if hand.lemma_.lower() == "hand":
            at = _before_owners(hand.i, doc)
            has_thing = at > 0 and doc[at].text.lower() in ("in", "with")
            has_tool = has_thing and doc[at - 1].lemma_.lower() in _TOOLS
            return body_part(hand) if has_tool else None
    return None
