"""The phase that a clip shows, the one that comes next, and whether the clip shows that one too."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from expectations.gates.base import (
    CannotTell,
    Derived,
    Hidden,
    Question,
    Sight,
    finite,
    span_of,
)
from expectations.gates.statements import Name, Number, Statement
from expectations.gates.tables import EvidenceTables

SEGMENTS: Final = (
    *("segment_id", "recording_id", "kind", "class_name"),
    *("start_s", "end_s", "precision_s"),
)
# Labels of phases in words, of CholecTrack20 and of EgoSurgery.
WORDS: Final = {
    "preparation": "preparation",
    "calotTriangleDissection": "calot triangle dissection",
    "clippingAndCutting": "clipping and cutting",
    "gallbladderDissection": "gallbladder dissection",
    "gallbladderPackaging": "gallbladder packaging",
    "cleaningAndCoagulation": "cleaning and coagulation",
    "gallbladderRetraction": "gallbladder extraction",
}
OPEN_WORDS: Final = {
    x: x
    for x in (
        *("anesthesia", "closure", "design", "disinfection", "dissection"),
        *("dressing", "hemostasis", "incision", "irrigation"),
    )
}
# How the released testbed writes one of them.
MISSPELT: Final = {"carlot triangle dissection": "calotTriangleDissection"}
ROUNDED_S: Final = 0.05
_SHOWN_S: Final = (8.0, 30.0)
_SHOWN_AS_PAPER_S: Final = (8.0, 50.0)
_AFTER_S: Final = 10.0
_SENT_EVERY_S: Final = 2.0
_SAME_S: Final = 1e-3
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ends:
    """Two phases of a recording without a gap between them: `now` is shown, `then` comes next."""

    now: Row
    then: Row

    @property
    def border_s(self) -> float:
        """When the next phase is first seen."""
        return float(self.then["start_s"])


def name_of(row: Row, as_paper: bool = False) -> Name:
    """Name of a phase, as explanations write it or as the testbed does."""
    label = str(row["class_name"])
    theirs = [text for text, other in MISSPELT.items() if other == label and as_paper]
    return Name((*theirs, (WORDS | OPEN_WORDS)[label]))


def phases_shown(question: Question, given: EvidenceTables, notes: Derived) -> Ends:
    """The phase that the clip begins in and the one after it; notes what is wrong with the clip.

    Args:
        question: The question.
        given: The tables.
        notes: Filled in: what must and must not be seen.

    Raises:
        CannotTell: No phase is annotated where the clip begins, or none after it.
    """
    uid, clip = question.recording_id, span_of(question.query)
    known = OPEN_WORDS if "egosurgery" in question.recipe else WORDS
    rows = [
        row
        for row in given.rows("segments", recording_id=uid)
        if row["kind"] == "phase"
        and row["class_name"] in known
        and finite(row["start_s"], row["end_s"], row["precision_s"])
    ]
    rows.sort(key=lambda r: (r["start_s"], r["segment_id"]))
    at = next(
        (i for i, r in enumerate(rows) if r["start_s"] - _SAME_S <= clip[0] < r["end_s"]), None
    )
    if at is None or at + 1 == len(rows):
        raise CannotTell(f"no phase of {uid} is annotated at {clip[0]:g} s, or none after it")
    found = Ends(rows[at], rows[at + 1])
    if abs(found.border_s - found.now["end_s"]) > _SAME_S:
        between = f"between {found.now['segment_id']} and {found.then['segment_id']}"
        notes.refuse("consistent", "not_annotated", f"pictures {between} are not annotated")
    _check_clip(question, clip, found, notes)
    return found


def _check_clip(question: Question, clip: tuple[float, float], found: Ends, notes: Derived) -> None:
    border_s, uid = found.border_s, question.recording_id
    last_s = border_s - float(found.now["precision_s"])
    notes.answer_visible = clip[1] > border_s + _SAME_S
    ends_s = border_s if question.as_paper else last_s
    shortest, longest = _SHOWN_AS_PAPER_S if question.as_paper else _SHOWN_S
    shown_s = min(clip[1], ends_s) - clip[0]
    if not shortest - _SAME_S <= shown_s <= longest + _SAME_S:
        why = f"the phase is shown for {shown_s:g} s, {shortest:g} to {longest:g} s are asked"
        notes.refuse("consistent", "clip_length", why, shown_s)
    notes.sights.append(
        Sight(
            "query", ((ends_s - _SENT_EVERY_S, min(last_s, clip[1])),), 0.0, "the phase that ends"
        )
    )
    if question.as_paper:
        if clip[1] > border_s + _AFTER_S + _SAME_S:
            why = f"{clip[1] - border_s:g} s of the next phase are shown, {_AFTER_S:g} s at most"
            notes.refuse("consistent", "clip_length", why, clip[1] - border_s, _AFTER_S)
        start = (border_s, min(clip[1], float(found.then["end_s"])))
        notes.sights.append(Sight("query", (start,), 0.0, "the beginning of the next phase"))
        return
    notes.hidden.append(Hidden(uid, last_s, math.inf, "shows_next", "what comes next"))
    if clip[1] < last_s - _SAME_S:
        why = f"the clip ends {last_s - clip[1]:g} s before the last picture of the phase"
        notes.refuse("consistent", "ends_early", why, last_s - clip[1], 0.0)


def phase_statements(found: Ends, as_paper: bool) -> list[Statement]:
    """What explanations say of the phase that is shown, and of the next one."""
    times = {name: Number(found.now[f"{name}_s"], ROUNDED_S) for name in ("start", "end")}
    begins = {"at": Number(found.border_s, ROUNDED_S), "phase": name_of(found.then, as_paper)}
    return [
        Statement(
            "phase shown",
            (
                'The clip shows the phase "{phase}", annotated from {start} s to {end} s of the'
                " recording.",
            ),
            {"phase": name_of(found.now, as_paper), **times},
            (f"segments:{found.now['segment_id']}",),
        ),
        Statement(
            "next phase",
            ("The phase that begins at {at} s: {phase}.",),
            begins,
            (f"segments:{found.then['segment_id']}",),
        ),
    ]
