"""Right option of action localisation: when in the clip the action that the text names begins (C2)."""

from __future__ import annotations

import re
from typing import Any, Final

from expectations.derivations.clips import check_length_between
from expectations.derivations.egocross._hand_actions import derive_hand_action
from expectations.derivations.egocross._surgical_actions import derive_surgical_action
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
from expectations.gates.statements import Each, Name, Number, Statement
from expectations.gates.tables import EvidenceTables

# Labels that are written together, in words.
_WORDS: Final = {
    "curveleft": "curve left",
    "curveright": "curve right",
    "leftright": "left then right",
    "bumpyforward": "bumpy forward",
    "slidestop": "slide stop",
}
_WAYS: Final = ("forward", "left", "right", "walk", "run", "lift")
_TRICKS: Final = ("climb", "flip", "fly", "jump", "roll", "spin", "vault")
_LABELS: Final = {
    **{words: label for label, words in _WORDS.items()},
    **{x: x for x in (*_WAYS, *_TRICKS)},
}
_CLIP_S = 15.0
_LEAST_S = 1.0
_APART_S = 2.0
_ROUNDED_S = 0.06
_NAMED = re.compile(r"'([^']+)'")
_TIME = re.compile(r"(\d+(?:\.\d+)?) ?s?")
_ASKS = "At what time in this video does the action '{action}' begin?"
# As the released testbed asks.
_ASKS_AS_PAPER = "At what approximate time does the '{action}' action begin in this video segment?"


def _time(text: str | None) -> float | None:
    """Seconds that a text or a value names; None unless it is a time."""
    found = _TIME.fullmatch((text or "").strip())
    return None if found is None else float(found[1])


def _name(row: dict[str, Any]) -> str:
    return _WORDS.get(str(row["class_name"]), str(row["class_name"]))


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    if question.recipe.startswith("action_localisation_enigma51"):
        derive_hand_action(question, given, notes)
        return
    if question.recipe.startswith("action_localisation_cholectrack20"):
        derive_surgical_action(question, given, notes)
        return
    notes.check_option_count(question, 4)
    uid, clip = question.recording_id, span_of(question.query)
    check_length_between(notes, clip, _CLIP_S, _CLIP_S)
    named = _NAMED.search(question.text)
    said = "" if named is None else named[1]
    label = _LABELS.get(said, said)
    rows = [
        row
        for row in given.rows("segments", recording_id=uid)
        if row["kind"] == "action"
        and row["class_name"] in _LABELS.values()
        and finite(row["start_s"], row["end_s"])
    ]
    rows.sort(key=lambda r: (r["start_s"], r["end_s"], r["segment_id"]))
    shown = [r for r in rows if clip[0] <= r["start_s"] < clip[1]]
    begun = [r for r in shown if r["class_name"] == label]
    if not begun:
        raise CannotTell(f"no action {said!r} of {uid} begins in the clip")
    one = begun[0]
    if len(begun) > 1:
        why = f"{begun[1]['segment_id']} begins in the clip too"
        notes.refuse("consistent", "begins_twice", why)
    for row in rows:
        if row["class_name"] == label and row["start_s"] < clip[0] <= row["end_s"]:
            why = f"{row['segment_id']} goes on when the clip begins"
            notes.refuse("consistent", "goes_on_already", why)
    _check_seen(question, one, notes)
    starts = [float(r["start_s"]) - clip[0] for r in begun]
    least = 0.0 if question.as_paper else _APART_S - _ROUNDED_S
    for letter, at_s in options_said(question, notes, _time, "time"):
        apart = min(abs(at_s - start) for start in starts)
        notes.option(letter, apart <= _ROUNDED_S, f"it begins at {starts[0]:.2f} s of the clip")
        if at_s > clip[1] - clip[0] + _ROUNDED_S:
            why = f"option {letter} is {at_s:g} s of a clip of {clip[1] - clip[0]:g} s"
            notes.refuse("consistent", "time_outside_clip", why)
        if apart > _ROUNDED_S:
            what = f"option {letter} to the start of the action"
            notes.margins.append(Margin("times_apart", apart, least, "s", what))
    _note_wording(question, starts[0], one, shown, notes)


def _check_seen(question: Question, one: dict[str, Any], notes: Derived) -> None:
    start, end = float(one["start_s"]), float(one["end_s"])
    # The frame that shows it comes less than a sampling period after it begins.
    last = end if question.as_paper else min(end, start + _APART_S)
    notes.sights.append(Sight("query", ((start, last),), 0.0, f"the {_name(one)}"))
    if end - start < _LEAST_S - _ROUNDED_S and not question.as_paper:
        notes.refuse(
            "consistent",
            "action_is_short",
            f"{one['segment_id']} lasts {end - start:g} s, {_LEAST_S:g} s are needed",
            end - start,
            _LEAST_S,
        )


def _note_wording(
    question: Question,
    at_s: float,
    one: dict[str, Any],
    shown: list[dict[str, Any]],
    notes: Derived,
) -> None:
    key = f"segments:{one['segment_id']}"
    keys = tuple(f"segments:{r['segment_id']}" for r in shown)
    others = [str(r["segment_id"]) for r in shown if r is not one]
    notes.rests_on("answer", "segments", [str(one["segment_id"])])
    if others:
        notes.rests_on("context", "segments", others)
    action = Name((str(one["class_name"]) if question.as_paper else _name(one),))
    asks = _ASKS_AS_PAPER if question.as_paper else _ASKS
    notes.asks.append(Statement("question", (asks,), {"action": action}, (key,)))
    notes.statements += [
        Statement(
            "actions of the clip",
            ("Actions that begin in the clip, in seconds of the recording: {actions}.",),
            {"actions": Each("{action} at {start} s", tuple(map(_slots, shown)))},
            keys,
            cited=tuple(frozenset({row}) for row in keys),
        ),
        Statement(
            "action asked about",
            (
                "The only '{action}' among them begins at {start} s, {at} s after the start of the clip.",
            ),
            {**_slots(one), "at": Number(at_s, _ROUNDED_S)},
            (key,),
        ),
    ]


def _slots(row: dict[str, Any]) -> dict[str, Any]:
    """Name and start of an action, of the recording."""
    return {"action": Name((_name(row),)), "start": Number(row["start_s"], _ROUNDED_S)}


DERIVATION = Derivation(
    benchmark="egocross",
    subtasks=("action_localisation",),
    reads={
        "recordings": ("recording_id", "source"),
        "segments": (
            *("segment_id", "recording_id", "kind", "is_point", "start_s", "end_s", "class_name"),
            "actor_id",
        ),
        "annotated_frames": ("recording_id", "what", "source_frame", "t_s"),
        "relations": (
            *("relation_id", "recording_id", "segment_id", "object", "role", "hand_side"),
        ),
    },
    derive=_derive,
    recipes=(
        *("action_localisation", "action_localisation_cholectrack20"),
        "action_localisation_enigma51",
    ),
    explained_in=("detailed_answer", "rationale"),
)
