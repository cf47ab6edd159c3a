"""Right time of an action that the text tells by hand, kind and object (C2): ENIGMA-51's points."""

from __future__ import annotations

import re
from typing import Any, Final

from expectations.derivations.clips import check_length_between
from expectations.derivations.wording import options_said
from expectations.gates.base import CannotTell, Derived, Margin, Question, Sight, finite, span_of
from expectations.gates.statements import Name, Number, Statement
from expectations.gates.tables import EvidenceTables

# Kind of interaction by the words for it: ours, and those of the released testbed.
_KINDS: Final = {
    "begin to touch": "first_contact",
    "stop touching": "decontact",
    "take": "take",
    "release": "release",
}
DOES: Final = {
    "first_contact": "begins to touch",
    "decontact": "stops touching",
    "take": "takes",
    "release": "releases",
}
"""What a hand does by each kind of interaction, as explanations say."""
_RELEASED: Final = {"contact": "first_contact", "decontact": "decontact"}
_OURS = re.compile(rf"operator's (left|right) hand ({'|'.join(_KINDS)}) the ([^?]+)\?")
_THEIRS = re.compile(r"operator's (left|right) hand first perform '(\w+)' with the (.+) within the")
_TIME = re.compile(r"(\d+(?:\.\d+)?) ?s?")
_CLIP_S, _APART_S, _SENT_S, _ROUNDED_S = 15.0, 2.0, 0.5, 0.06
_ASKS = "At what time in this video does the operator's {hand} hand {does} the {object}?"
_ASKS_AS_PAPER = (
    "At what approximate timestamp did the operator's {hand} hand first perform '{does}' with the"
    " {object} within the video segment from {start}s to {end}s?"
)


def _time(text: str | None) -> float | None:
    found = _TIME.fullmatch((text or "").strip())
    return None if found is None else float(found[1])


def derive_hand_action(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """Note when in the clip the action happens that the text tells."""
    notes.check_option_count(question, 4)
    clip = span_of(question.query)
    check_length_between(notes, clip, _CLIP_S, _CLIP_S)
    said = (_THEIRS if question.as_paper else _OURS).search(question.text)
    if said is None:
        raise CannotTell("the text names no hand, action and object")
    hand, does, thing = said.groups()
    kind = _RELEASED.get(does, does) if question.as_paper else _KINDS[does]
    uid = question.recording_id
    told: dict[str, list[dict[str, Any]]] = {}
    for relation in given.rows("relations", recording_id=uid):
        told.setdefault(relation["segment_id"], []).append(relation)
    certain, unsure = [], []
    for row in given.rows("segments", recording_id=uid):
        if not (row["kind"] == "interaction" and row["is_point"] and row["class_name"] == kind):
            continue
        if not finite(row["start_s"]) or not clip[0] <= row["start_s"] <= clip[1]:
            continue
        relations = told.get(row["segment_id"], [])
        hands = {r["hand_side"] for r in relations} - {None}
        things = {str(r["object"]).replace("_", " ") for r in relations if r["role"] == "direct"}
        if hands <= {hand} and things <= {thing}:
            (certain if hands and things else unsure).append(row)
    certain.sort(key=lambda r: (r["start_s"], r["segment_id"]))
    if not certain:
        raise CannotTell(f"the {hand} hand does not {does} the {thing} in the clip")
    one = certain[0]
    at_s = float(one["start_s"]) - clip[0]
    if len(certain) > 1 and not question.as_paper:
        why = f"{certain[1]['segment_id']} is described in the same words"
        notes.refuse("consistent", "happens_twice", why)
    for row in unsure:
        if not question.as_paper or row["start_s"] <= one["start_s"]:
            why = f"{row['segment_id']} may be the same: its hand or object is not annotated"
            notes.refuse("consistent", "not_annotated", why)
    at = float(one["start_s"])
    notes.sights.append(Sight("query", ((at, at),), _SENT_S + 0.01, f"the hand and the {thing}"))
    least = 0.0 if question.as_paper else _APART_S - _ROUNDED_S
    for letter, option_s in options_said(question, notes, _time, "time"):
        apart = abs(option_s - at_s)
        notes.option(letter, apart <= _ROUNDED_S, f"it happens at {at_s:.2f} s of the clip")
        if option_s > _CLIP_S + _ROUNDED_S:
            why = f"option {letter} is {option_s:g} s of a clip of {_CLIP_S:g} s"
            notes.refuse("consistent", "time_outside_clip", why)
        if apart > _ROUNDED_S:
            what = f"option {letter} to the action"
            notes.margins.append(Margin("times_apart", apart, least, "s", what))
    key = str(one["segment_id"])
    relations = [str(r["relation_id"]) for r in told[key]]
    notes.rests_on("answer", "segments", [key])
    notes.rests_on("context", "relations", relations)
    segment = f"segments:{key}"
    rows = (segment, *(f"relations:{r}" for r in relations))
    named = {"hand": Name((hand,)), "object": Name((thing,))}
    asks = _ASKS_AS_PAPER if question.as_paper else _ASKS
    span = {"start": Number(0.0, 0.001), "end": Number(_CLIP_S, 0.001)}
    slots = {**named, "does": Name((does,)), **(span if question.as_paper else {})}
    notes.asks.append(Statement("question", (asks,), slots, rows))
    times = "for the first time" if question.as_paper else "once"
    notes.statements += [
        Statement(
            "action",
            (
                f"In the clip, the operator's {{hand}} hand {{acts}} the {{object}} {times}, at {{at}} s"
                " of the recording.",
            ),
            {**named, "acts": Name((DOES[kind],)), "at": Number(one["start_s"], _ROUNDED_S)},
            rows,
            cited=tuple(frozenset({r}) for r in rows),
        ),
        Statement(
            "time",
            ("The clip begins at {start} s, so that it is {at} s after the start of the clip.",),
            {"start": Number(clip[0], _ROUNDED_S), "at": Number(at_s, _ROUNDED_S)},
            (segment,),
        ),
    ]
