"""Right option of next phase: the phase whose pictures follow those of the one that is shown (C14)."""

from __future__ import annotations

from expectations.derivations.egocross._phases import (
    MISSPELT,
    OPEN_WORDS,
    SEGMENTS,
    WORDS,
    name_of,
    phase_statements,
    phases_shown,
)
from expectations.derivations.wording import options_said
from expectations.gates.base import Derivation, Derived, Question
from expectations.gates.statements import Statement
from expectations.gates.tables import EvidenceTables

_LABELS = {text: label for label, text in (WORDS | OPEN_WORDS).items()} | MISSPELT
_ASKS = "Which phase of the operation comes next, after the end of this video?"
# As the released testbed asks.
_ASKS_AS_PAPER = (
    "Based on the surgical activity shown in this clip, which surgical phase immediately follows the"
    " '{phase}' phase?"
)


def _label(text: str | None) -> str | None:
    """Phase that a text or a value names; None unless it is one."""
    if text in WORDS or text in OPEN_WORDS:
        return text
    return _LABELS.get((text or "").strip().lower().removesuffix(" phase"))


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.check_option_count(question, 4)
    found = phases_shown(question, given, notes)
    then, now = found.then, found.now
    for letter, label in options_said(question, notes, _label, "phase"):
        why = f"{then['class_name']} begins at {found.border_s:g} s"
        notes.option(letter, label == then["class_name"], why)
        if question.as_paper and label == now["class_name"]:
            notes.refuse("distractors", "is_shown", f"option {letter} is the phase the text names")
    key = f"segments:{then['segment_id']}"
    notes.rests_on("context", "segments", [str(now["segment_id"])])
    notes.rests_on("answer", "segments", [str(then["segment_id"])])
    slots = {"phase": name_of(now, as_paper=True)} if question.as_paper else {}
    asks = _ASKS_AS_PAPER if question.as_paper else _ASKS
    notes.asks.append(Statement("question", (asks,), slots, (key,)))
    notes.statements += phase_statements(found, question.as_paper)


DERIVATION = Derivation(
    benchmark="egocross",
    subtasks=("next_phase",),
    reads={"recordings": ("recording_id", "source"), "segments": SEGMENTS},
    derive=_derive,
    recipes=("next_phase", "next_phase_egosurgery"),
    explained_in=("detailed_answer", "rationale"),
)
