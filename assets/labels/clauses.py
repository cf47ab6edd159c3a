"""Clauses of a narration, and the hand that acts in each.

A mark ends a sentence; within one, a clause starts at a comma or a conjunction when what follows
acts (has a verb of its own, or names a hand). Lists ("tofu, onions and salt") stay whole. The hand
of a clause whose subject is understood is carried over from the clause before, in the same
sentence or after "then", and never from another segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from assets.labels.hands import MASK, UNSIDED, UNSPECIFIED, Mention
from assets.labels.reading import Reading
from assets.labels.words import STOPS, Word

_JOINS = frozenset(["and", "while", "but", "then", "whereas"])
_LINKS = _JOINS | {",", "so", "finally", "next", "also", "afterwards", "afterward", "after", "that"}
_MASKS = (MASK, UNSIDED)
_ENDS = STOPS - {"(", ")", ":"}
_RANK = {"subject": 0, "instrument": 1, "in": 2}


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: words `first` (inclusive) to `stop` (exclusive), and who acts.

    Attributes:
        first: Index of its first word.
        stop: Index after its last word.
        body_part: Hand that acts.
        rule: How it was found: `subject`, `instrument`, `in`, `carried` or `none`.
    """

    first: int
    stop: int
    body_part: str
    rule: str


def split_clauses(
    words: Sequence[Word], readings: Sequence[Reading], mentions: Sequence[Mention]
) -> list[Clause]:
    """Clauses of a narration in order; together they cover all its words."""
    acting = {r.first for r in readings if r.kind == "verb" and r.rule != "verb_participle"}
    by_place = {m.start: m for m in mentions}
    clauses: list[Clause] = []
    for first, stop in _sentences(words):
        carried: str | None = None
        if clauses and _continues(words, first, stop, readings):
            carried = clauses[-1].body_part if clauses[-1].rule != "none" else None
        for start, end in _fragments(words, first, stop, acting, by_place):
            body_part, rule = _actor(words, start, end, by_place)
            if body_part is None:
                body_part, rule = (carried, "carried") if carried else (UNSPECIFIED, "none")
            else:
                carried = body_part
            clauses.append(Clause(start, end, body_part, rule))
    return clauses


def _sentences(words: Sequence[Word]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    first = 0
    for i, word in enumerate(words):
        if word.text in _ENDS:
            if i > first:
                spans.append((first, i + 1))
            first = i + 1
    if first < len(words):
        spans.append((first, len(words)))
    return spans


def _continues(words: Sequence[Word], first: int, stop: int, readings: Sequence[Reading]) -> bool:
    """Whether a sentence goes on with the subject before: it opens with a link or an s-form."""
    if words[first].text in ("then", "and"):
        return True
    opening = next((r for r in readings if first <= r.first < stop), None)
    return (
        opening is not None
        and opening.first == first
        and opening.kind == "verb"
        and opening.entry.form == "s"
    )


def _fragments(
    words: Sequence[Word],
    first: int,
    stop: int,
    acting: set[int],
    by_place: dict[int, Mention],
) -> list[tuple[int, int]]:
    cuts = [first]
    for i in range(first + 1, stop):
        if words[i].text in _JOINS or words[i - 1].text == ",":
            cuts.append(i)
    cuts.append(stop)
    spans: list[tuple[int, int]] = []
    for start, end in pairwise(cuts):
        verb = next((i for i in range(start, end) if i in acting), None)
        opening = start
        while opening < end and words[opening].text in _LINKS:
            opening += 1
        hand_opens = opening < end and words[opening].text in _MASKS
        prepositional = (
            opening + 1 < end
            and words[opening].text in ("with", "in")
            and _mask_near(words, opening, end)
            # "Stir it, with the right hand.": what opens no action closes the one before.
            and any(i in acting for i in range(opening, stop))
        )
        starts_clause = verb is not None or hand_opens or prepositional
        before_acts = bool(spans) and _acts(spans[-1], acting)
        # "Hold a bowl in the left hand and a spoon in the right hand."
        turns = before_acts and _turns(words, spans[-1], (start, end), by_place)
        if not spans or (starts_clause and before_acts) or hand_opens or turns:
            spans.append((start, end))
        else:
            # No action of its own, or the one before only opened it ("In my left hand, I hold").
            spans[-1] = (spans[-1][0], end)
    return spans


def _mask_near(words: Sequence[Word], start: int, end: int) -> bool:
    return any(words[i].text in _MASKS for i in range(start + 1, min(start + 3, end)))


def _turns(
    words: Sequence[Word],
    before: tuple[int, int],
    span: tuple[int, int],
    by_place: dict[int, Mention],
) -> bool:
    """Whether a fragment names another acting hand than the one before it."""
    hand, _ = _actor(words, *span, by_place)
    hand_before, _ = _actor(words, *before, by_place)
    return hand is not None and hand_before not in (None, hand)


def _acts(span: tuple[int, int], acting: set[int]) -> bool:
    return any(i in acting for i in range(*span))


def _actor(
    words: Sequence[Word], start: int, end: int, by_place: dict[int, Mention]
) -> tuple[str | None, str]:
    found = [
        by_place[words[i].start]
        for i in range(start, end)
        if words[i].text in _MASKS and by_place[words[i].start].kind in _RANK
    ]
    if not found:
        return None, "none"
    best = min(found, key=lambda m: (_RANK[m.kind], m.start))
    return best.body_part, best.kind
