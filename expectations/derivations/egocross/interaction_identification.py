"""Right option of interaction identification: the object of the interaction that the clip shows (C2)."""

from __future__ import annotations

from expectations.derivations import interactions
from expectations.derivations.clips import check_length_between, gap_s
from expectations.derivations.interactions import ROUNDED_S, thing_of
from expectations.derivations.wording import options_said
from expectations.gates.base import (
    CannotTell,
    Derivation,
    Derived,
    Margin,
    Question,
    Sight,
    overlap_s,
    span_of,
)
from expectations.gates.statements import Name, Number, Statement
from expectations.gates.tables import EvidenceTables

_CLIP_S = (3.0, 30.0)
_PRECISION_S = 1.0
_ASKS = "What does the animal that wears the camera interact with?"
_ASKS_AS_PAPER = "What object is the {animal} interacting with in this video segment?"


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.check_option_count(question, 4)
    clip = span_of(question.query)
    check_length_between(notes, clip, 0.5 if question.as_paper else _CLIP_S[0], _CLIP_S[1])
    animal = interactions.state_animal(question, given, notes, "context")
    known = interactions.interactions(question, given)
    spans = {row["segment_id"]: (float(row["start_s"]), float(row["end_s"])) for row in known}
    shown = max(known, key=lambda r: (_share(clip, spans[r["segment_id"]]), r["segment_id"]))
    start, end = spans[shown["segment_id"]]
    if _share(clip, (start, end)) <= 0:
        raise CannotTell("the clip shows no interaction")
    middle = (clip[0] + clip[1]) / 2
    if not start - _PRECISION_S <= clip[0] or not clip[1] <= end + _PRECISION_S:
        notes.refuse(
            "consistent",
            "shifted_time",
            f"the clip shows {clip[0]:g}..{clip[1]:g} s, the interaction is {start:g}..{end:g} s",
        )
    inner = (max(start + _PRECISION_S, clip[0]), min(end - _PRECISION_S, clip[1]))
    inner = inner if inner[0] <= inner[1] else (middle, middle)
    notes.sights.append(Sight("query", (inner,), 0.0, f"the {shown['class_name']}"))
    right = thing_of(shown["class_name"])
    others = [r for r in known if thing_of(r["class_name"]) != right]
    if not question.as_paper:
        for row in others:
            apart = gap_s(clip, spans[row["segment_id"]])
            notes.margins.append(
                Margin("one_object", apart, 0.0, "s", f"the {row['class_name']} to the clip")
            )
    for letter, thing in options_said(question, notes, thing_of, "object"):
        near = [
            gap_s(clip, spans[r["segment_id"]])
            for r in others
            if thing_of(r["class_name"]) == thing
        ]
        also = bool(near) and min(near) < (0.0 if question.as_paper else _PRECISION_S)
        why = f"the interaction with the {shown['class_name']} is {start:g}..{end:g} s"
        notes.option(letter, thing == right or also, f"{' '.join(thing)}: {why}")
    key = str(shown["segment_id"])
    notes.rests_on("answer", "segments", [key])
    slots = {"animal": Name((animal,))} if question.as_paper else {}
    asks = _ASKS_AS_PAPER if question.as_paper else _ASKS
    notes.asks.append(
        Statement("question", (asks,), slots, (f"recordings:{question.recording_id}",))
    )
    notes.statements.append(
        Statement(
            "interaction",
            ("From {start} s to {end} s of the recording it interacts with the {thing}.",),
            {
                "start": Number(start, ROUNDED_S),
                "end": Number(end, ROUNDED_S),
                "thing": Name((str(shown["class_name"]),)),
            },
            (f"segments:{key}",),
        )
    )


def _share(clip: tuple[float, float], span: tuple[float, float]) -> float:
    """What clip and span share, of all that either covers."""
    joint = max(clip[1], span[1]) - min(clip[0], span[0])
    return overlap_s(clip, span) / joint if joint > 0 else 0.0


DERIVATION = Derivation(
    benchmark="egocross",
    subtasks=("interaction_identification",),
    reads=interactions.READS,
    derive=_derive,
    recipes=("interaction_identification",),
    explained_in=("detailed_answer", "rationale"),
)
