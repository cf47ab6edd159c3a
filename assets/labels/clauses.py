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

from assets.labels.acting import MASKS, WEAK, actor, person
from assets.labels.hands import UNSPECIFIED, Mention
from assets.labels.readings import Reading
from assets.labels.words import BE, STOPS, Word

_JOINS = frozenset(["and", "while", "but", "then", "whereas"])
_MEANWHILE = frozenset(["as", "when", "before", "after", "until"])  # where a hand follows
_LINKS = (
    _JOINS
    | _MEANWHILE
    | {",", "so", "finally", "next", "also", "afterwards", "afterward", "after", "that"}
)
_IS = BE - {"be", "been", "being", "am"}
_RELATIVE = frozenset(["which", "who", "that"])
_LONGEST = 200  # words; what is longer is not a sentence of a narration, and would cost its square
_ENDS = STOPS - {"(", ")", ":"}


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: words `first` (inclusive) to `stop` (exclusive), and who acts.

    Attributes:
        first: Index of its first word.
        stop: Index after its last word.
        body_part: Hand that acts.
        actor: Who acts, where the narration names somebody: `woman`, `man x`.
        ambiguous: Whether another hand might be meant.
        rule: How it was found: `subject`, `instrument`, `in`, `same`, `near`, `carried` or `none`.
    """

    first: int
    stop: int
    body_part: str
    rule: str
    actor: str | None = None
    ambiguous: bool = False


def split_clauses(
    words: Sequence[Word], readings: Sequence[Reading], mentions: Sequence[Mention]
) -> list[Clause]:
    """Clauses of a narration in order; together they cover all its words."""
    acting = {r.first for r in readings if r.kind == "verb" and r.rule != "verb_participle"}
    acting.update(
        i
        for i, word in enumerate(words)
        # "The bowl in the left hand is full", but "stir the pan, which is hot, with".
        if word.text in _IS and (i == 0 or words[i - 1].text not in _RELATIVE)
    )
    by_place = {m.start: m for m in mentions}
    clauses: list[Clause] = []
    for first, stop in _sentences(words):
        carried, who = None, None
        if clauses and _continues(words, first, stop, readings):
            carried = clauses[-1].body_part if clauses[-1].rule != "none" else None
            who = clauses[-1].actor
        for start, end in _fragments(words, first, stop, acting, by_place):
            body_part, rule, ambiguous = actor(words, start, end, by_place, acting)
            # "Stir by hand" is plain where no other hand acted before.
            ambiguous = ambiguous and not (rule == "same" and carried is None)
            if body_part is None or (carried and rule in WEAK):
                body_part, rule = (carried, "carried") if carried else (UNSPECIFIED, "none")
            else:
                carried = body_part
            named = person([word.text for word in words[start:end]], acting, start)
            who = who if named is None else named or None
            clauses.append(Clause(start, end, body_part, rule, who, ambiguous))
    return clauses


def _sentences(words: Sequence[Word]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    first = 0
    for i, word in enumerate(words):
        if word.text in _ENDS or i - first == _LONGEST:
            if i > first:
                spans.append((first, i + 1))
            first = i + 1
    if first < len(words):
        spans.append((first, len(words)))
    return spans


def _continues(words: Sequence[Word], first: int, stop: int, readings: Sequence[Reading]) -> bool:
    """Whether a sentence goes on with the subject before: it opens with a link or an s-form."""
    if words[first].text in ("then", "and") or (first and words[first - 1].text == ";"):
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
        meanwhile = words[i].text in _MEANWHILE and i + 1 < stop and words[i + 1].text in MASKS
        if words[i].text in _JOINS or meanwhile or words[i - 1].text == ",":
            cuts.append(i)
    cuts.append(stop)
    spans: list[tuple[int, int]] = []
    for start, end in pairwise(cuts):
        verb = next((i for i in range(start, end) if i in acting), None)
        opening = start
        while opening < end and words[opening].text in _LINKS:
            opening += 1
        hand_opens = opening < end and words[opening].text in MASKS
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
        turns = bool(spans) and _turns(words, spans[-1], (start, end), by_place, acting)
        # "Hold and tilt the bowl with both hands": one object, one hand.
        shares = before_acts and not prepositional and _ends_in_verb(words, spans[-1], acting)
        starts = starts_clause and before_acts and not shares
        if not spans or starts or hand_opens or turns:
            spans.append((start, end))
        else:
            # No action of its own, or the one before only opened it ("In my left hand, I hold").
            spans[-1] = (spans[-1][0], end)
    return spans


def _ends_in_verb(words: Sequence[Word], span: tuple[int, int], acting: set[int]) -> bool:
    last = span[1] - 1
    while last > span[0] and words[last].text == ",":
        last -= 1
    return last in acting and words[last].text not in BE


def _mask_near(words: Sequence[Word], start: int, end: int) -> bool:
    return any(words[i].text in MASKS for i in range(start + 1, min(start + 3, end)))


def _turns(
    words: Sequence[Word],
    before: tuple[int, int],
    span: tuple[int, int],
    by_place: dict[int, Mention],
    acting: set[int],
) -> bool:
    """Whether a fragment names another acting hand than the one before it."""
    hand, _, _ = actor(words, *span, by_place, acting)
    hand_before, _, _ = actor(words, *before, by_place, acting)
    return hand is not None and hand_before not in (None, hand)


def _acts(span: tuple[int, int], acting: set[int]) -> bool:
    return any(i in acting for i in range(*span))
