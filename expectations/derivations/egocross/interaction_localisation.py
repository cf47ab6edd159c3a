"""Right option of interaction localisation: the first span in which the object named is interacted with (C2)."""

from __future__ import annotations

import re
from typing import Any

from expectations.derivations import interactions
from expectations.derivations.clips import check_length_between, gap_s
from expectations.derivations.interactions import ROUNDED_S
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
from expectations.gates.words import holds

_CLIP_S = (4.0, 60.0)
_APART_S = 2.0
_PRECISION_S = 1.0
_SPAN = re.compile(
    r"(\d+(?:\.\d+)?)(?: s)?(?: to |-)(\d+(?:\.\d+)?)(?: s| seconds)?", re.IGNORECASE
)
_ASKS = "When in this clip does the animal that wears the camera first interact with the {thing}?"
_ASKS_AS_PAPER = "When does the {animal} first interact with the {thing} in this video clip?"


def _span(text: str | None) -> tuple[float, float] | None:
    """Seconds that a text names; None unless it is a span."""
    found = _SPAN.fullmatch(" ".join((text or "").split()))
    return None if found is None else (float(found[1]), float(found[2]))


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.check_option_count(question, 4)
    uid = question.recording_id
    clip = span_of(question.query)
    row = given.recording(uid)
    length = min(
        (row[c] for c in ("duration_s", "media_duration_s") if finite(row[c])), default=0.0
    )
    most = length if question.as_paper else _CLIP_S[1]
    check_length_between(notes, clip, min(_CLIP_S[0], most), most)
    if abs(clip[0]) > ROUNDED_S:
        notes.refuse(
            "consistent",
            "clip_does_not_begin",
            f"the clip begins at {clip[0]:g} s: what is first in it may not be first",
        )
    animal = interactions.state_animal(question, given, notes, "coverage")
    shown = [r for r in interactions.interactions(question, given) if r["start_s"] < clip[1]]
    first = _first(question, shown)
    truth = (float(first["start_s"]), float(first["end_s"]))
    inner = (truth[0] + _PRECISION_S, truth[1] - _PRECISION_S)
    if inner[0] > inner[1]:
        inner = (sum(truth) / 2, sum(truth) / 2)
    notes.sights.append(Sight("query", (inner,), 0.0, f"the {first['class_name']}"))
    for letter, span in options_said(question, notes, _span, "span of seconds"):
        told = (span[0] + clip[0], span[1] + clip[0])
        right = all(abs(a - b) <= ROUNDED_S for a, b in zip(told, truth, strict=True))
        notes.option(letter, right, f"first from {truth[0]:g} s to {truth[1]:g} s")
        if told[1] > clip[1] + ROUNDED_S or told[1] <= told[0]:
            notes.refuse("consistent", "span_outside_clip", f"option {letter} is {span} of {clip}")
        if not right:
            least = 0.0 if question.as_paper else _APART_S
            what = f"option {letter} to the first interaction"
            notes.margins.append(Margin("spans_apart", gap_s(told, truth), least, "s", what))
    _note_wording(question, shown, first, animal, notes)


def _first(question: Question, shown: list[dict[str, Any]]) -> dict[str, Any]:
    """First interaction with the object that the text names."""
    named = [r for r in shown if holds(question.text, f"interact with the {r['class_name']}")]
    if not named:
        raise CannotTell("the text names no object that is interacted with in the clip")
    longest = max(len(str(r["class_name"])) for r in named)
    return next(r for r in named if len(str(r["class_name"])) == longest)


def _note_wording(
    question: Question,
    shown: list[dict[str, Any]],
    first: dict[str, Any],
    animal: str,
    notes: Derived,
) -> None:
    key = str(first["segment_id"])
    thing = Name((str(first["class_name"]),))
    notes.rests_on("answer", "segments", [key])
    others = [str(r["segment_id"]) for r in shown if r is not first]
    if others:
        notes.rests_on("context", "segments", others)
    rows = tuple(f"segments:{r['segment_id']}" for r in shown)
    slots = {"thing": thing, **({"animal": Name((animal,))} if question.as_paper else {})}
    asks = _ASKS_AS_PAPER if question.as_paper else _ASKS
    notes.asks.append(Statement("question", (asks,), slots, (f"segments:{key}",)))
    notes.statements += [
        Statement(
            "interactions of the clip",
            ("Its interactions that begin in the clip: {interactions}.",),
            {
                "interactions": Each(
                    "{thing} from {start} s to {end} s",
                    tuple({"thing": Name((str(r["class_name"]),)), **_times(r)} for r in shown),
                )
            },
            rows,
            cited=tuple(frozenset({row}) for row in rows),
        ),
        Statement(
            "first interaction",
            ("The first with the {thing} lasts from {start} s to {end} s.",),
            {"thing": thing, **_times(first)},
            (f"segments:{key}",),
        ),
    ]


def _times(row: dict[str, Any]) -> dict[str, Number]:
    """Times of the recording, which begins with the clip."""
    return {name: Number(row[f"{name}_s"], ROUNDED_S) for name in ("start", "end")}


DERIVATION = Derivation(
    benchmark="egocross",
    subtasks=("interaction_localisation",),
    reads=interactions.READS,
    derive=_derive,
    recipes=("interaction_localisation",),
    explained_in=("detailed_answer", "rationale"),
)
