"""Right option of next action: which of the actions offered begins first in the phase that comes next (C13)."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from expectations.derivations.egocross._phases import (
    ROUNDED_S,
    SEGMENTS,
    Ends,
    Row,
    name_of,
    phase_statements,
    phases_shown,
)
from expectations.derivations.wording import options_said
from expectations.gates.base import (
    CannotTell,
    Derivation,
    Derived,
    Question,
    finite,
    overlap_s,
    span_of,
)
from expectations.gates.statements import Name, Number, Statement
from expectations.gates.tables import EvidenceTables

_WITHIN_S: Final = 5.0
_WITHIN_AS_PAPER_S: Final = 10.0
_SAME_S: Final = 1e-3
# Our options, and those of the released testbed: tool, verb, target.
_TEXTS: Final = (
    re.compile(r"use (?:the )?(.+?) to (\w+) (?:the )?(.+)"),
    re.compile(r"(specimen bag) (\w+) (.+)"),
)
_ASKS = (
    "When the phase of the operation that this video shows is over, which of these actions is the first"
    " to begin?"
)
# As the released testbed asks.
_ASKS_AS_PAPER = (
    "Following the conclusion of the '{phase}' phase shown in the clip, what is the predicted key action"
    " that will begin the next phase?"
)


def _plain(part: str) -> str:
    return part.strip().lower().replace("_", " ").replace("specimen bag", "specimenbag")


def _action(text: str | None) -> str | None:
    """Tool, verb and target that a text or a value names, joined by commas; None unless it is an action."""
    parts = (text or "").split(",")
    if len(parts) == 3:
        return ",".join(map(_plain, parts))
    for pattern in _TEXTS:
        found = pattern.fullmatch((text or "").strip())
        if found is not None:
            return ",".join(map(_plain, found.groups()))
    return None


def _actions(given: EvidenceTables, uid: str) -> list[Row]:
    """Actions of a recording that have a verb and a target, in order."""
    rows = [
        row
        for row in given.rows("segments", recording_id=uid)
        if row["kind"] == "interaction" and finite(row["start_s"], row["end_s"])
        if str(row["class_name"]).count(",") == 2
        if not str(row["class_name"]).endswith(",null_target")
    ]
    return sorted(rows, key=lambda r: (r["start_s"], r["segment_id"]))


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.check_option_count(question, 4)
    found, clip = phases_shown(question, given, notes), span_of(question.query)
    within_s = _WITHIN_AS_PAPER_S if question.as_paper else _WITHIN_S
    border_s, last_s = found.border_s, min(found.border_s + within_s, float(found.then["end_s"]))
    mine = _actions(given, question.recording_id)
    shown = {
        _action(r["class_name"])
        for r in mine
        if overlap_s((r["start_s"], r["end_s"]), clip) > _SAME_S
    }
    new = [
        r
        for r in mine
        if border_s - _SAME_S <= r["start_s"] <= last_s + _SAME_S
        if question.as_paper or _action(r["class_name"]) not in shown
    ]
    if not new:
        raise CannotTell(f"no action begins within {within_s:g} s after {border_s:g} s")
    first_s = float(new[0]["start_s"])
    first = {_action(r["class_name"]): r for r in new if r["start_s"] <= first_s + _SAME_S}
    near = (first_s, first_s) if question.as_paper else (border_s, border_s + _WITHIN_S)
    meanwhile = {
        _action(r["class_name"])
        for r in mine
        if r["start_s"] <= near[1] + _SAME_S and r["end_s"] > near[0] + _SAME_S
    }
    offered: dict[str, str] = {}
    for letter, action in options_said(question, notes, _action, "action"):
        offered[letter] = action
        notes.option(letter, action in first, f"{', '.join(map(str, first))} at {first_s:g} s")
        if action in meanwhile and action not in first:
            why = f"option {letter} is done as the next phase begins"
            notes.refuse("distractors", "goes_on", why)
    if not question.as_paper:
        _check_apart(offered, first, found, given, notes)
    right = next((first[a] for a in offered.values() if a in first), new[0])
    _note_wording(question, found, right, notes)


def _check_apart(
    offered: dict[str, str],
    right: Collection[str | None],
    found: Ends,
    given: EvidenceTables,
    notes: Derived,
) -> None:
    """Note a wrong option that starts in a phase like the next one, in any recording of the source."""
    phases: dict[str, list[tuple[float, float]]] = {}
    done: list[tuple[str, Row]] = []
    for row in given.table("segments").iter_rows(named=True):
        uid = str(row["recording_id"])
        if row["kind"] == "phase" and row["class_name"] == found.then["class_name"]:
            phases.setdefault(uid, []).append((row["start_s"], row["end_s"]))
        elif row["kind"] == "interaction":
            done.append((uid, row))
    seen = {
        _action(row["class_name"])
        for uid, row in done
        for span in phases.get(uid, ())
        if span[0] - _SAME_S <= row["start_s"] < span[1] - _SAME_S
    }
    for letter, action in offered.items():
        if action in seen and action not in right:
            why = f"option {letter} starts in such a phase too, and is as good a guess"
            notes.refuse("distractors", "as_likely", why)


def _note_wording(question: Question, found: Ends, right: Row, notes: Derived) -> None:
    keys = [str(row["segment_id"]) for row in (found.now, found.then)]
    notes.rests_on("context", "segments", keys)
    notes.rests_on("answer", "segments", [str(right["segment_id"])])
    named = {"phase": name_of(found.now, as_paper=True)} if question.as_paper else {}
    asks = _ASKS_AS_PAPER if question.as_paper else _ASKS
    key = f"segments:{right['segment_id']}"
    notes.asks.append(Statement("question", (asks,), named, (key,)))
    parts = (part.replace("_", " ") for part in str(right["class_name"]).split(","))
    slots = {
        name: Name((part,)) for name, part in zip(("tool", "verb", "target"), parts, strict=True)
    }
    if str(right["class_name"]).startswith("specimenbag,"):
        slots["tool"] = Name(("specimen bag",))
    said = "The first of the actions that begins in it, at {at} s: use the {tool} to {verb} the {target}."
    at = Number(right["start_s"], ROUNDED_S)
    notes.statements += [
        *phase_statements(found, question.as_paper),
        Statement("first action", (said,), {**slots, "at": at}, (key,)),
    ]


DERIVATION = Derivation(
    benchmark="egocross",
    subtasks=("next_action",),
    reads={"recordings": ("recording_id", "source"), "segments": SEGMENTS},
    derive=_derive,
    recipes=("next_action",),
    explained_in=("detailed_answer", "rationale"),
)
