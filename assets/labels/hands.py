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
_MASKS = {LEFT: MASK, RIGHT: MASK, BOTH: UNSIDED, UNSPECIFIED: UNSIDED}

_OWNER = r"(?:the|my|your|his|her|their|our|its|a|each|one)\s+"
_PART = (
    r"(?:index|middle|ring|little|fore)?[\s-]*"
    r"(?:fingertips?|fingers?|thumbs?|palms?(?!\s+(?:oil|sugar))|wrists?|fists?|arms?)\b"
)
_SIDED = rf"(?:left|right)[\s-]*(?:hands?\b|{_PART})"
# "and/or" between sides, "of" after a part, an owner before: the longest mention is taken.
_MENTION = re.compile(
    rf"""
    (?:{_OWNER})?{_PART}(?:\s+and\s+(?:the\s+)?{_PART})?\s+(?:of|on)\s+
        (?:{_OWNER})?(?:left|right|both|two|other|same)?\s*(?:{_OWNER})?hands?\b
    | (?:{_OWNER})?(?:left|right)(?:\s+hands?)?\s+and\s+(?:{_OWNER})?(?:left|right)\s+hands?\b
    | both\s+(?:of\s+)?(?:{_OWNER})?(?:left\s+and\s+right\s+)?hands\b
    | (?:{_OWNER})?(?:two|bare|gloved|same|empty|free|opposite|other|another)\s+hands?\b
    | (?:{_OWNER})?{_SIDED}
    | {_OWNER}(?:{_PART}|hands?)\b
    | another\s+hand\b
    | (?:{_OWNER})?(?:left|right)\s+one\b
    | \b(?:with|by|in|of|both|using)\s+(?P<bare>hands?)\b
    """,
    re.VERBOSE,
)
_WORD_BEFORE = re.compile(r"([a-z0-9]+)[^a-z0-9.,;:!?]*$")


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention of a hand in a narration.

    Attributes:
        start: First character.
        end: Character after it.
        body_part: Whose hand: a side, both, or unspecified.
        kind: How it stands to the action: `subject` ("the left hand holds"), `instrument`
            ("with", "use"), `in` ("in the left hand") or `target` ("to the right hand").
    """

    start: int
    end: int
    body_part: str
    kind: str


def find_mentions(text: str) -> list[Mention]:
    """Mentions of hands in a narration, in order; "other hand" is the opposite of the last side.

    A word that only looks like a hand is none: "handle", "hand over the bowl", "hands the plate",
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
        body_part = _named(said, last_side)
        if body_part in (LEFT, RIGHT):
            last_side = body_part
        mentions.append(Mention(start, end, body_part, _kind(lowered, start)))
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
            masked.append(Word(_MASKS[mention.body_part], mention.start, mention.end))
            mention = next(pending, None)
        if mention is None or word.end <= mention.start:
            masked.append(word)
    if mention is not None:
        masked.append(Word(_MASKS[mention.body_part], mention.start, mention.end))
    return masked


def _named(said: str, last_side: str | None) -> str:
    left, right = "left" in said, "right" in said
    if (left and right) or "both" in said or "two" in said:
        return BOTH
    if left or right:
        return LEFT if left else RIGHT
    if "other" in said or "opposite" in said:
        return {LEFT: RIGHT, RIGHT: LEFT}.get(last_side or "", UNSPECIFIED)
    if "same" in said:
        return last_side or UNSPECIFIED
    return BOTH if said.endswith("hands") else UNSPECIFIED


def _kind(text: str, start: int) -> str:
    before = _WORD_BEFORE.search(text, 0, start)
    word = before.group(1) if before else ""
    if word in ("with", "using", "use", "uses", "used", "by", "via"):
        return "instrument"
    if word in ("in", "on", "inside"):
        return "in"
    if word == "to" or word in PREPOSITIONS:
        return "target"
    return "subject"
