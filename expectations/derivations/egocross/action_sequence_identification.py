"""Right option of action sequence identification: the labels of three actions, in order (C2)."""

from __future__ import annotations

import re
from itertools import pairwise
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
from expectations.gates.statements import Name, Number, Statement
from expectations.gates.tables import EvidenceTables

_KIND = "action"
# Share of an action at either end.
_ASIDE = 0.25
# Names that differ from their labels.
_NAMES: Final = {
    "curveleft": "curve left",
    "curveright": "curve right",
    "leftright": "left then right",
    "bumpyforward": "bumpy forward",
    "slidestop": "slide stop",
}
# Labels that few frames do not tell apart.
_CONFUSED: Final = (
    {"left", "curveleft", "leftright"},
    {"right", "curveright", "leftright"},
    {"forward", "bumpyforward", "walk", "run"},
    {"jump", "fly"},
)
_LENGTH = 3
_CLIP_S = (4.0, 15.0)
_GAP_S = 2.0
_SHOWN_S = 1.0
_ROUNDED_S = 0.06
# Texts of the testbed name whole seconds that hold the actions.
_ROUNDED_AS_PAPER_S = 1.0
_TIMES = re.compile(r"from (\d+)s to (\d+)s\b")
_TIMED = "{name} from {start} s to {end} s"
_ASKS = (
    "Which sequence of three actions does the person who wears the camera perform in this video?"
)
# As the released testbed asks.
_ASKS_AS_PAPER = (
    "What sequence of actions is performed in the time segment from {start}s to {end}s?"
)


def _sequence(text: str | None) -> tuple[str, ...] | None:
    """Labels that a text names, between arrows, or a value, between spaces; None if not three."""
    said = (text or "").lower()
    parts = [" ".join(x.split()) for x in said.split("→")] if "→" in said else said.split()
    labels = tuple(next((k for k, name in _NAMES.items() if name == x), x) for x in parts)
    return labels if len(labels) == _LENGTH and all(labels) else None


def _confused(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two sequences look alike at every place."""
    pairs = list(zip(one, other, strict=True))
    return all(a == b or any(a in group and b in group for group in _CONFUSED) for a, b in pairs)


def _span(row: dict[str, Any]) -> tuple[float, float]:
    return float(row["start_s"]), float(row["end_s"])


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.check_option_count(question, 4)
    clip = span_of(question.query)
    rows = [
        row
        for row in given.rows("segments", recording_id=question.recording_id)
        if row["kind"] == _KIND and row["class_name"] and finite(row["start_s"], row["end_s"])
    ]
    rows.sort(key=lambda r: (r["start_s"], r["end_s"], r["segment_id"]))
    sequences = _asked_as_paper(question, clip, rows) if question.as_paper else [_shown(clip, rows)]
    three = sequences[0]
    if not question.as_paper:
        check_length_between(notes, clip, *_CLIP_S)
        _check_three(clip, three, notes)
    for row in three:
        # Begun or ended just now it looks like what is before or after it.
        aside_s = 0.0 if question.as_paper else _ASIDE * (row["end_s"] - row["start_s"])
        seen = (max(clip[0], row["start_s"] + aside_s), min(clip[1], row["end_s"] - aside_s))
        notes.sights.append(Sight("query", (seen,), 0.0, f"the {row['class_name']}"))
    right = {tuple(str(row["class_name"]) for row in one) for one in sequences}
    performed = tuple(str(row["class_name"]) for row in three)
    for letter, said in options_said(question, notes, _sequence, "sequence of three actions"):
        notes.option(letter, said in right, f"{', '.join(performed)} are labelled in this order")
        if not question.as_paper and said not in right and _confused(said, performed):
            notes.refuse(
                "distractors", "looks_alike", f"option {letter} looks as the right one does"
            )
    _note_wording(question, clip, three, notes)


def _shown(clip: tuple[float, float], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The actions that a clip shows."""
    shown = [row for row in rows if overlap_s(_span(row), clip) > _ROUNDED_S]
    if len(shown) != _LENGTH:
        raise CannotTell(f"the clip shows {len(shown)} labelled actions, not {_LENGTH}")
    return shown


def _asked_as_paper(
    question: Question, clip: tuple[float, float], rows: list[dict[str, Any]]
) -> list[list[dict[str, Any]]]:
    """All that follow each other from about one time of the text to the other; the named first."""
    times = _TIMES.search(question.text)
    if times is None:
        raise CannotTell("the text names no two times")
    start, end = (clip[0] + float(t) for t in times.groups())
    near = _ROUNDED_AS_PAPER_S + _ROUNDED_S
    threes = [rows[at : at + _LENGTH] for at in range(len(rows) - _LENGTH + 1)]
    found = [
        three
        for three in threes
        if abs(three[0]["start_s"] - start) <= near
        and abs(max(row["end_s"] for row in three) - end) <= near
    ]
    if not found:
        raise CannotTell("no three actions are labelled from one time of the text to the other")
    named = {str(e["key"]) for e in question.row["evidence"] if e["role"] == "answer"}
    return sorted(found, key=lambda three: -len(named & {str(r["segment_id"]) for r in three}))


def _check_three(clip: tuple[float, float], three: list[dict[str, Any]], notes: Derived) -> None:
    """Each is shown, ends before the next begins, and differs from it."""
    if abs(three[-1]["end_s"] - clip[1]) > _ROUNDED_S:
        notes.refuse("consistent", "last_is_cut", "the clip does not end with the last action")
    left = three[0]["end_s"] - clip[0]
    if left < _SHOWN_S - _ROUNDED_S or three[0]["start_s"] > clip[0] + _ROUNDED_S:
        notes.refuse(
            "consistent", "first_is_cut", f"{left:g} s of the first action are shown", left
        )
    for one, after in pairwise(three):
        gap = after["start_s"] - one["end_s"]
        if not -_ROUNDED_S <= gap <= _GAP_S + _ROUNDED_S:
            notes.refuse(
                "consistent", "not_in_a_row", f"{gap:g} s lie between two of the actions", gap
            )
        if _confused((str(one["class_name"]),), (str(after["class_name"]),)):
            names = f"{one['class_name']} and {after['class_name']}"
            notes.refuse("consistent", "change_is_not_seen", f"{names} look alike")


def _note_wording(
    question: Question, clip: tuple[float, float], three: list[dict[str, Any]], notes: Derived
) -> None:
    rows = tuple(f"segments:{row['segment_id']}" for row in three)
    each = tuple(frozenset({row}) for row in rows)
    *before, last = (str(row["segment_id"]) for row in three)
    notes.rests_on("before", "segments", before)
    notes.rests_on("answer", "segments", [last])
    ends = {"start": three[0]["start_s"], "end": max(row["end_s"] for row in three)}
    near = _ROUNDED_AS_PAPER_S
    said = {name: Number(t - clip[0], near) for name, t in ends.items()}
    asks, slots = (_ASKS_AS_PAPER, said) if question.as_paper else (_ASKS, {})
    notes.asks.append(Statement("question", (asks,), slots, rows, cited=each))
    for place, row, key in zip(("first", "second", "last"), three, rows, strict=True):
        times = {name: Number(row[f"{name}_s"], _ROUNDED_S) for name in ("start", "end")}
        label = str(row["class_name"])
        name = Name((_NAMES.get(label, label),))
        form = f"The {place} action that the clip shows, in seconds of the recording: {_TIMED}."
        notes.statements.append(
            Statement(f"{place} action", (form,), {"name": name, **times}, (key,))
        )


DERIVATION = Derivation(
    benchmark="egocross",
    subtasks=("action_sequence_identification",),
    reads={
        "recordings": ("recording_id", "source"),
        "segments": ("segment_id", "recording_id", "kind", "start_s", "end_s", "class_name"),
    },
    derive=_derive,
    recipes=("action_sequence_identification",),
    explained_in=("detailed_answer", "rationale"),
)
