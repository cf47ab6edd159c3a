"""Which of the hands that a clause mentions is the one that acts.

A hand that only tells where a thing is does not: "pour it into the spoon in your left hand", "put it
on the plate held by the left hand". The hand of a tool does: "stir with a spoon in the left hand".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from assets.labels.hands import MASK, UNSIDED, UNSPECIFIED, Mention
from assets.labels.words import BE, PEOPLE, PREPOSITIONS, Word, verb_forms

MASKS = (MASK, UNSIDED)
WEAK = frozenset(["near", "same"])
"""Hands that act where none is carried from before: one that may only tell where a thing is ("cut the
onion in the left hand"), one whose side is not said ("press it with your hand")."""
_RANK = {"subject": 0, "instrument": 1, "in": 2, "same": 3, "near": 4}
_TOOL = frozenset(["with", "using", "use", "uses", "by", "via"])
# What receives does not act.
_GOAL = frozenset(["into", "onto", "to", "on", "towards", "toward", "over"])
_OWN = frozenset(["i", "you", "we", "my", "your", "camerawearer"])
_HOLDING = frozenset(
    form
    for verb in "hold take pick grab grasp grip carry keep have has lift get".split()
    for form in verb_forms(verb)
)
_WEARING = frozenset(["glove", "gloves", "ring", "watch", "bracelet", *verb_forms("wear")])
_HELD = frozenset(
    form
    for verb in ("hold", "take", "grab", "grasp", "grip", "carry", "place")
    for form, name in verb_forms(verb).items()
    if name == "participle" and form != "took"
)


def actor(
    words: Sequence[Word],
    start: int,
    end: int,
    by_place: Mapping[int, Mention],
    acting: Set[int],
) -> tuple[str | None, str, bool]:
    """Hand that acts in the words from `start` to `end`; None if none does.

    Args:
        words: Masked words of the narration.
        start: First word of the clause.
        end: Word after it.
        by_place: Mentions by their first character.
        acting: Words that are verbs.

    Returns:
        The hand, how it was found, and whether that is ambiguous: another hand might be meant.
    """
    found = []
    for i in range(start, end):
        if words[i].text not in MASKS:
            continue
        mention = by_place[words[i].start]
        kind = _kind(words, start, i, mention.kind, acting)
        if kind == "instrument" and mention.body_part == UNSPECIFIED and not mention.indefinite:
            kind = "same"
        if kind in _RANK:
            found.append((_RANK[kind], mention.start, mention.body_part, kind))
    if not found:
        return None, "none", False
    _, _, body_part, kind = min(found)
    others = {part for rank, _, part, _ in found if rank < _RANK["same"]} - {body_part}
    return body_part, kind, kind in WEAK or bool(others)


def person(texts: Sequence[str], acting: Set[int], first: int) -> str | None:
    """Who acts in a clause by its words; empty for its own actor, None where nobody is named.

    Args:
        texts: Words of the clause.
        acting: Words of the narration that are verbs.
        first: Index of the clause's first word.
    """
    for i, text in enumerate(texts):
        if text in PEOPLE and (i == 0 or texts[i - 1] not in PREPOSITIONS):
            letter = texts[i + 1] if i + 1 < len(texts) else ""
            return f"{text} {letter}" if len(letter) == 1 and letter.isalpha() else text
        if text in _OWN or text in MASKS:
            return ""
        if first + i in acting and not (text in BE and "by" in texts[i:]):
            return None
        if text == "by":
            after = [word for word in texts[i + 1 : i + 4] if word in PEOPLE]
            return after[0] if after else None
    return None


def _kind(words: Sequence[Word], start: int, i: int, kind: str, acting: Set[int]) -> str:
    """How a mention stands to the action of its clause."""
    if kind == "on" and any(word.text in _WEARING for word in words[start:i]):
        return "target"
    if kind not in ("in", "on", "instrument") or i - 1 <= start:
        return "in" if kind == "on" else kind
    before = [word.text for word in words[start : i - 1]]  # without the preposition
    last = before[-1]
    if last in _HELD and len(before) > 1 and not BE.intersection(before[-3:-1]):
        return "instrument" if _nearest(before[:-1]) in _TOOL else "target"
    if kind == "instrument":
        return kind
    nearest = _nearest(before)
    if nearest in _TOOL:
        return "in"
    if kind == "in" and _HOLDING.intersection(before):
        return kind
    if nearest in _GOAL:
        return "target"
    verbless = not any(at in acting for at in range(start, i))  # "and a spoon in the right hand"
    return "in" if verbless else "near"


def _nearest(before: Sequence[str]) -> str:
    """The preposition that governs the last noun phrase; "of" and what it governs are part of it."""
    return next(
        (text for text in reversed(before) if text in _TOOL or (text in PREPOSITIONS - {"of"})), ""
    )
