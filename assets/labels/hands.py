"""Mentions of hands: found, named, and masked before verbs and nouns are read.

The paper masks them for the same reason (EgoBridge, supplement 7.1): "left" is also a verb, "hand"
is also the verb *give*, and neither is a noun of the action.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assets.labels.words import PREPOSITIONS, Word

LEFT, RIGHT, BOTH, UNSPECIFIED = "left_hand", "right_hand", "both_hands", "unspecified_hand"
MASK = "#"  # left or right
UNSIDED = "##"  # both, or not said
ASIDE = "_"  # no hand at all: "the right-hand drawer"
_MASKS = {LEFT: MASK, RIGHT: MASK, BOTH: UNSIDED, UNSPECIFIED: UNSIDED}

_OWNER = r"(?:the|my|your|his|her|their|our|its|a|each|one)\s+"
_PART = (
    r"(?:index|middle|ring|little|fore)?[\s-]*"
    r"(?:fingertips?|fingers?|thumbs?|palms?(?!\s+(?:oil|sugar))|wrists?|fists?|arms?)\b"
)
_LIKE = r"(?:(?:gloved|bare|free|own|clean|dirty|wet|dominant|empty|other)\s+)?"
# "The right-hand drawer", "the left hand side" are places; "the right-hand holds" is not.
_PLACE = (
    r"(?:-hand\b(?=\s+(?!(?:is|was|has)\b)[a-z]*[a-rt-z]\b)"
    r"|[\s-]+hand\b(?=\s+(?:sides?|corner|drawer|door|part|end|edge|half)\b))"
)
_SIDED = rf"(?:left|right)(?!{_PLACE})[\s-]*(?:hands?\b|{_PART})"
# "The hand towel"; forms that would be verbs of the hand ("the hand brushes") are not.
_HAND_THING = (
    r"[\s-]+(?:soap|towel|saniti[sz]er|cream|mixer|blender|brooms?|saw|drill|shears|trowels?|"
    r"brakes?|rails?|tools?|cloth|whisk|brush)\b"
)
# What may follow a side that stands for its hand: "with the left, ", "in his right and a spoon".
_ON = r"\s*(?:[.,;:]|$|(?:i|you|we|he|she|they|and|while|to)\b)"
# "and/or" between sides, "of" after a part, an owner before: the longest mention is taken.
_MENTION = re.compile(
    rf"""
    (?:{_OWNER})?{_PART}(?:\s+and\s+(?:the\s+)?{_PART})?\s+(?:of|on)\s+
        (?:{_OWNER})?(?:left|right|both|two|other|same)?\s*(?:{_OWNER})?hands?\b
    | (?:{_OWNER})?(?:left|right)(?:\s+hands?)?\s+and\s+(?:{_OWNER})?(?:left|right)\s+hands?\b
    | (?:{_OWNER})?(?:left|right)(?:\s+hand)?\s+or\s+(?:{_OWNER})?(?:left|right)\s+hand\b
    | both\s+(?:of\s+)?(?:{_OWNER})?(?:left\s+and\s+right\s+)?hands\b
    | {_OWNER}(?:gloved|own|dominant|clean|dirty|wet)\s+hands?\b
    | (?:{_OWNER})?(?:two|bare|gloved|same|empty|free|opposite|other|another)\s+hands?\b
    | (?P<side>(?:left|right){_PLACE})
    | (?:{_OWNER})?{_LIKE}{_SIDED}
    | {_OWNER}(?:{_PART}|hands\b(?!\s+of\b)|hand\b(?!{_HAND_THING}))
    | another\s+hand\b
    | (?:{_OWNER})?(?:left|right)\s+one\b
    | (?:(?<=\band\s)|(?<=,\s)|(?<=\bwhile\s))the\s+(?:left|right)(?=\s+[a-z]+s\b)
    | (?<=with\s){_OWNER}(?:left|right|other)(?={_ON})
    | (?<=\bin\s)(?:my|your|his|her|their)\s+(?:left|right|other)(?={_ON})
    | (?<=\bin\s)the\s+(?:left|right)
        (?=\s+and\s[^.;]{{0,80}}\bin\s+the\s+(?:left|right)(?!{_PLACE})\s+hand\b)
    | \b(?:with|by|in|of|both|using)\s+(?P<bare>hands?)\b
    """,
    re.VERBOSE | re.ASCII,
)
_OF_TIME = frozenset(["as", "before", "after", "until"])  # "as the right hand stirs"
_INDEFINITE = ("one ", "a ", "another ", "other ", "free ", "empty ")
_NEAR = 40  # characters before a mention among which the word before it stands
_WORD_BEFORE = re.compile(r"([a-z0-9]+)[^a-z0-9.,;:!?]*$")


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention of a hand in a narration.

    Attributes:
        start: First character.
        end: Character after it.
        body_part: Whose hand: a side, both, or unspecified.
        kind: How it stands to the action: `subject` ("the left hand holds"), `instrument`
            ("with", "use"), `in` ("in the left hand"), `on`, `target` ("to the right
            hand") or `side` ("the right-hand drawer": no hand at all).
        indefinite: Whether it may be any hand: "one hand", "another hand".
    """

    start: int
    end: int
    body_part: str
    kind: str
    indefinite: bool = False


def find_mentions(text: str) -> list[Mention]:
    """Mentions of hands in a narration, in order; "other hand" is the opposite of the last side.

    A word that only looks like a hand is not one: "handle", "hand over the bowl", "hands the plate",
    "left in the pot".
    """
    mentions: list[Mention] = []
    last_side: str | None = None
    lowered = text.lower()
    if "hand" not in lowered and "left" not in lowered and "right" not in lowered:
        # Fingers without a side do not tell a hand.
        return mentions
    position = 0
    while found := _MENTION.search(lowered, position):
        start, end = found.span("bare") if found.group("bare") else found.span()
        position = found.end()
        if start and lowered[start - 1].isalnum():
            position = start + 1
            continue
        said = lowered[start:end]
        if found.group("side"):
            mentions.append(Mention(start, end, UNSPECIFIED, "side"))
            continue
        body_part = _named(said, last_side)
        if body_part in (LEFT, RIGHT):
            last_side = body_part
        indefinite = said.startswith(_INDEFINITE)
        mentions.append(Mention(start, end, body_part, _kind(lowered, start), indefinite))
    return mentions


def mask(words: list[Word], mentions: list[Mention]) -> list[Word]:
    """The words with each mention replaced by one mask at its place."""
    if not mentions:
        return words
    masked: list[Word] = []
    pending = iter(mentions)
    mention = next(pending, None)
    for word in words:
        while mention is not None and word.start >= mention.end:
            masked.append(Word(_mask_of(mention), mention.start, mention.end))
            mention = next(pending, None)
        if mention is None or word.end <= mention.start:
            masked.append(word)
    if mention is not None:
        masked.append(Word(_mask_of(mention), mention.start, mention.end))
    return masked


def _mask_of(mention: Mention) -> str:
    return ASIDE if mention.kind == "side" else _MASKS[mention.body_part]


def _named(said: str, last_side: str | None) -> str:
    left, right = "left" in said, "right" in said
    if left and right and " or " in said:
        return UNSPECIFIED
    if (left and right) or "both" in said or "two" in said:
        return BOTH
    if left or right:
        return LEFT if left else RIGHT
    if "other" in said or "opposite" in said:
        return {LEFT: RIGHT, RIGHT: LEFT}.get(last_side or "", UNSPECIFIED)
    if "same" in said:
        return last_side or UNSPECIFIED
    return BOTH if said.endswith("hands") or said.startswith("each") else UNSPECIFIED


def _kind(text: str, start: int) -> str:
    before = _WORD_BEFORE.search(text, max(0, start - _NEAR), start)
    word = before.group(1) if before else ""
    if word in ("with", "using", "use", "uses", "used", "by", "via"):
        return "instrument"
    if word in ("in", "inside"):
        return "in"
    if word == "on":
        return "on"
    if word == "to" or word in PREPOSITIONS - _OF_TIME:
        return "target"
    return "subject"
