"""Right option of next interaction: the first thing that a hand meets or leaves after the clip (C12)."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from expectations.derivations.clips import check_length_between
from expectations.derivations.egocross._hand_actions import DOES
from expectations.derivations.wording import options_said
from expectations.gates.base import (
    CannotTell,
    Derivation,
    Derived,
    Margin,
    Question,
    Sight,
    finite,
    span_of,
)
from expectations.gates.statements import Name, Number, Statement
from expectations.gates.tables import EvidenceTables

# Words for each kind of interaction: ours, and those of the released testbed.
_OURS: Final = {
    "begin to touch": "first_contact",
    "stop touching": "decontact",
    "take": "take",
    "release": "release",
}
_RELEASED: Final = {
    "contact": "first_contact",
    "decontact": "decontact",
    "take": "take",
    "release": "release",
}
_MEETS: Final = {"first_contact": True, "take": True, "decontact": False, "release": False}
_CLIP_S = (8.0, 30.0)
_AHEAD_S, _QUIET_S, _UNSEEN_S = 1.0, 0.5, 0.15
_ROUNDED_S, _ROUNDING = 0.01, 1e-6
# The last frames of a clip, one of which is sent at one frame every 2 s.
_LAST_S = 2.0
_HANDS = ("left", "right")
_HAND = re.compile(r"operator's (left|right) hand\b")
_ASKS = {
    False: "What does the operator do next, after the end of this video?",
    True: "What does the operator's {hand} hand do next, after the end of this video?",
}
_RELEASED_ASKS = (
    "Based on the activity observed up to {end}s, what is the predicted next type of interaction for"
    " the operator"
)
_ASKS_AS_PAPER = {False: f"{_RELEASED_ASKS}?", True: f"{_RELEASED_ASKS}'s {{hand}} hand?"}
_LAST = {
    False: "In the clip, a hand last meets or leaves a thing at {at} s of the recording",
    True: "In the clip, the {hand} hand last meets or leaves a thing at {at} s of the recording",
}


class _Point(NamedTuple):
    """A point of interaction: what is not annotated is None."""

    key: str
    kind: str
    at_s: float
    hand: str | None
    thing: str | None
    relations: tuple[str, ...]


def _said(text: str | None) -> tuple[str, str] | None:
    """Kind and thing that an option names, or a value; None if it names none."""
    said = (text or "").strip()
    for words in (_OURS, _RELEASED):
        for word, kind in words.items():
            if said.startswith(f"{word} the "):
                return kind, said.removeprefix(f"{word} the ")
    kind, _, thing = said.partition(" ")
    return (kind, thing) if kind in _MEETS and thing else None


def _points(uid: str, given: EvidenceTables) -> list[_Point]:
    told: dict[str, list[dict[str, Any]]] = {}
    for relation in given.rows("relations", recording_id=uid):
        told.setdefault(relation["segment_id"], []).append(relation)
    found = []
    for row in given.rows("segments", recording_id=uid):
        if row["kind"] == "interaction" and row["is_point"] and row["class_name"] in _MEETS:
            own = told.get(row["segment_id"], [])
            hands = [str(r["hand_side"]) for r in own if r["hand_side"] is not None]
            things = [str(r["object"]).replace("_", " ") for r in own if r["role"] == "direct"]
            found.append(
                _Point(
                    str(row["segment_id"]),
                    str(row["class_name"]),
                    float(row["start_s"]) if finite(row["start_s"]) else float("nan"),
                    hands[0] if hands else None,
                    things[0] if things else None,
                    tuple(str(r["relation_id"]) for r in own),
                )
            )
    return sorted((p for p in found if finite(p.at_s)), key=lambda p: (p.at_s, p.key))


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.check_option_count(question, 4)
    clip = span_of(question.query)
    check_length_between(notes, clip, *_CLIP_S)
    named = _HAND.search(question.text)
    hand = None if named is None else named[1]
    mine = [
        p for p in _points(question.recording_id, given) if hand is None or p.hand in (hand, None)
    ]
    after = [p for p in mine if p.at_s >= clip[1] - _ROUNDING]
    before = [p for p in mine if clip[0] - _ROUNDING <= p.at_s < clip[1] - _ROUNDING]
    known = [p for p in before if p.hand and p.thing]
    if not after or not known:
        raise CannotTell("no interaction is annotated after the clip, or none in it")
    following = after[0]
    if following.hand is None or following.thing is None:
        raise CannotTell(f"hand or object of {following.key}, the next, is not annotated")
    if before[-1] is not known[-1]:
        why = f"hand or object of {before[-1].key}, the last in the clip, is not annotated"
        notes.refuse("consistent", "last_is_not_known", why)
    _check_times(question, clip, following, [p for p in mine if p is not following], notes)
    right = (following.kind, following.thing)
    together = {
        (p.kind, p.thing) for p in after if p.at_s <= following.at_s + _ROUNDING and p.thing
    }
    # Asked about either hand, to let go of what one of them has may well be next.
    held = set() if hand or question.as_paper else _held_at(clip[1], mine, notes)
    for letter, said in options_said(question, notes, _said, "interaction"):
        why = f"the hand {DOES[right[0]]} the {right[1]} next, at {following.at_s:g} s"
        notes.option(letter, said in together, why)
        same = said[1] == right[1] and _MEETS[said[0]] == _MEETS[right[0]]
        if said != right and same and not question.as_paper:
            notes.refuse(
                "distractors", "same_act", f"option {letter} says it of the {said[1]} as well"
            )
        elif said != right and not _MEETS[said[0]] and said[1] in held:
            why = f"option {letter} lets go of the {said[1]}, which a hand has when the clip ends"
            notes.refuse("distractors", "may_be_next", why)
    _note_wording(question, clip, hand, known[-1], following, notes)


def _held_at(end_s: float, points: list[_Point], notes: Derived) -> set[str]:
    """Things that hands have met and not left; points are in order of time."""
    held: dict[str, str | None] = {}
    unknown: dict[str, str] = {}
    for point in points:
        if point.at_s >= end_s - _ROUNDING:
            break
        for hand in _HANDS if point.hand is None else (point.hand,):
            if point.hand is None or point.thing is None:
                unknown[hand] = point.key
            else:
                unknown.pop(hand, None)
                held[hand] = point.thing if _MEETS[point.kind] else None
    for hand, key in unknown.items():
        why = f"whether the {hand} hand has something is not known: {key} lacks hand or object"
        notes.refuse("consistent", "hands_are_not_known", why)
    return {thing for thing in held.values() if thing is not None}


def _check_times(
    question: Question,
    clip: tuple[float, float],
    following: _Point,
    others: list[_Point],
    notes: Derived,
) -> None:
    """The clip ends the right time before, and nothing else may be taken for what is next."""
    notes.answer_visible = clip[1] > following.at_s + _ROUNDING
    least = 0.0 if question.as_paper else _AHEAD_S
    ahead = round(following.at_s - clip[1], 3)
    what = "from the end of the clip to the next interaction"
    notes.margins.append(Margin("before_next", ahead, least, "s", what))
    if ahead > least + _ROUNDED_S:
        why = f"the next interaction is {ahead:g} s after the clip, {least:g} s are asked"
        notes.refuse("consistent", "next_is_far", why, ahead, least)
    last = _LAST_S if question.as_paper else _UNSEEN_S
    shown = (max(clip[0], clip[1] - last), clip[1])
    notes.sights.append(Sight("query", (shown,), 0.0, "the end of the clip"))
    quiet = (clip[1] - _QUIET_S + _ROUNDED_S, following.at_s + _QUIET_S - _ROUNDED_S)
    for point in () if question.as_paper else others:
        if quiet[0] < point.at_s < quiet[1]:
            why = f"{point.key} is annotated at {point.at_s:g} s, near the clip's end or the next"
            notes.refuse("consistent", "two_interactions", why)


def _note_wording(
    question: Question,
    clip: tuple[float, float],
    hand: str | None,
    before: _Point,
    following: _Point,
    notes: Derived,
) -> None:
    notes.rests_on("answer", "segments", [following.key])
    notes.rests_on("before", "segments", [before.key])
    notes.rests_on("context", "relations", [*before.relations, *following.relations])
    cited = {
        p.key: (f"segments:{p.key}", *(f"relations:{r}" for r in p.relations))
        for p in (before, following)
    }
    asked = {} if hand is None else {"hand": Name((hand,))}
    end = {"end": Number(clip[1] - clip[0], _ROUNDED_S)} if question.as_paper else {}
    asks = _ASKS_AS_PAPER if question.as_paper else _ASKS
    rows = cited[following.key]
    notes.asks.append(Statement("question", (asks[hand is not None],), {**asked, **end}, rows))
    forms = {"last interaction of the clip": _LAST[hand is not None]}
    forms["next interaction"] = (
        "The next time is at {at} s of the recording, after the end of the clip"
    )
    for (name, form), point in zip(forms.items(), (before, following), strict=True):
        rows = cited[point.key]
        slots = {
            "at": Number(point.at_s, _ROUNDED_S),
            "side": Name((str(point.hand),)),
            "does": Name((DOES[point.kind],)),
            "object": Name((str(point.thing),)),
        }
        slots |= asked if "{hand}" in form else {}
        form = f"{form}: the {{side}} hand {{does}} the {{object}}."
        each = tuple(frozenset({row}) for row in rows)
        notes.statements.append(Statement(name, (form,), slots, rows, cited=each))


DERIVATION = Derivation(
    benchmark="egocross",
    subtasks=("next_interaction",),
    reads={
        "recordings": ("recording_id", "source"),
        "segments": ("segment_id", "recording_id", "kind", "is_point", "class_name", "start_s"),
        "relations": (
            *("relation_id", "recording_id", "segment_id"),
            *("object", "role", "hand_side"),
        ),
    },
    derive=_derive,
    recipes=("next_interaction",),
    explained_in=("detailed_answer", "rationale"),
)
