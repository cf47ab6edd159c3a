"""Right option of special action identification: the trick labelled from one time to another (C2)."""

from __future__ import annotations

import re
from typing import Any, Final

from expectations.derivations.clips import check_length_between
from expectations.derivations.wording import options_said
from expectations.gates.base import (
    CannotTell,
    Derivation,
    Derived,
    Question,
    Sight,
    finite,
    overlap_s,
    span_of,
)
from expectations.gates.statements import Each, Name, Number, Statement
from expectations.gates.tables import EvidenceTables

_LABELS: Final = frozenset({"climb", "flip", "fly", "jump", "roll", "spin", "vault"})
_CLIP_S = (4.0, 15.0)
_LEAST_S = 1.0
_ROUNDED_S = 0.06
# Texts of the testbed name whole seconds that hold the action.
_ROUNDED_AS_PAPER_S = 1.0
_TIMES = re.compile(r"from (\d+(?:\.\d+)?) ?s to (\d+(?:\.\d+)?) ?s\b")
_ASKS = (
    "Which action does the person who wears the camera perform from {start} s to {end} s of this"
    " video?"
)
# As the released testbed asks.
_ASKS_AS_PAPER = "What action is being performed in the video segment from {start}s to {end}s?"


def _label(text: str | None) -> str | None:
    """Special action that a text or a value names; None unless it is one."""
    said = (text or "").strip().lower()
    return said if said in _LABELS else None


def _span(row: dict[str, Any]) -> tuple[float, float]:
    return float(row["start_s"]), float(row["end_s"])


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.check_option_count(question, 4)
    uid, clip = question.recording_id, span_of(question.query)
    check_length_between(notes, clip, *_CLIP_S)
    times = _TIMES.search(question.text)
    if times is None:
        raise CannotTell("the text names no two times")
    asked = (clip[0] + float(times[1]), clip[0] + float(times[2]))
    if asked[1] > clip[1] + (_ROUNDED_AS_PAPER_S if question.as_paper else _ROUNDED_S):
        notes.refuse(
            "consistent",
            "time_outside_clip",
            f"the text asks about {times[2]} s of a clip of {clip[1] - clip[0]:g} s",
        )
    rows = [
        row
        for row in given.rows("segments", recording_id=uid)
        if row["class_name"] in _LABELS and finite(row["start_s"], row["end_s"])
    ]
    rows.sort(key=lambda r: (r["start_s"], r["end_s"], r["segment_id"]))
    meanwhile = [r for r in rows if overlap_s(_span(r), asked) > _ROUNDED_S]
    if not meanwhile:
        raise CannotTell(f"no special action of {uid} is labelled in the time of the text")
    one = min(
        meanwhile, key=lambda r: sum(abs(a - b) for a, b in zip(_span(r), asked, strict=True))
    )
    _check_span(question, one, meanwhile, notes)
    labels = {r["class_name"] for r in meanwhile}
    for letter, label in options_said(question, notes, _label, "special action"):
        why = f"{one['class_name']} is labelled from {one['start_s']:g} s to {one['end_s']:g} s"
        notes.option(letter, label in labels, why)
    shown = [r for r in rows if overlap_s(_span(r), clip) > 0.0]
    _note_wording(question, clip, one, shown, notes)


def _check_span(
    question: Question, one: dict[str, Any], meanwhile: list[dict[str, Any]], notes: Derived
) -> None:
    """The action can be seen, and is the only special one of its time."""
    start, end = _span(one)
    notes.sights.append(Sight("query", ((start, end),), 0.0, f"the {one['class_name']}"))
    if question.as_paper:
        return
    if end - start < _LEAST_S - _ROUNDED_S:
        notes.refuse(
            "consistent",
            "action_is_short",
            f"{one['segment_id']} lasts {end - start:g} s, {_LEAST_S:g} s are needed",
            end - start,
            _LEAST_S,
        )
    for row in meanwhile:
        if row is not one:
            notes.refuse(
                "consistent",
                "two_actions",
                f"{row['segment_id']} is labelled during {one['segment_id']}",
            )


def _note_wording(
    question: Question,
    clip: tuple[float, float],
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
    near = _ROUNDED_AS_PAPER_S if question.as_paper else _ROUNDED_S
    span = dict(zip(("start", "end"), _span(one), strict=True))
    asks = _ASKS_AS_PAPER if question.as_paper else _ASKS
    said = {name: Number(t - clip[0], near) for name, t in span.items()}
    notes.asks.append(Statement("question", (asks,), said, (key,)))
    notes.statements += [
        Statement(
            "special actions of the clip",
            ("Special actions that the clip shows, in seconds of the recording: {actions}.",),
            {"actions": Each("{name} from {start} s to {end} s", tuple(map(_slots, shown)))},
            keys,
            cited=tuple(frozenset({row}) for row in keys),
        ),
        Statement(
            "special action asked about",
            ("The one from {start} s to {end} s: {name}.",),
            _slots(one),
            (key,),
        ),
    ]


def _slots(row: dict[str, Any]) -> dict[str, Any]:
    """Name and times of an action, of the recording."""
    times = {name: Number(row[f"{name}_s"], _ROUNDED_S) for name in ("start", "end")}
    return {"name": Name((str(row["class_name"]),)), **times}


DERIVATION = Derivation(
    benchmark="egocross",
    subtasks=("special_action_identification",),
    reads={
        "recordings": ("recording_id", "source"),
        "segments": ("segment_id", "recording_id", "start_s", "end_s", "class_name"),
    },
    derive=_derive,
    recipes=("special_action_identification",),
    explained_in=("detailed_answer", "rationale"),
)
