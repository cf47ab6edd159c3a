"""Right option of sport identification: the sport that is filmed, as its row of `recordings` says (C2)."""

from __future__ import annotations

from expectations.derivations import recording_labels
from expectations.derivations.reads import merge_reads
from expectations.gates.base import Derivation, Derived, Question
from expectations.gates.tables import EvidenceTables

_CLIP_S = (4.0, 10.0)
_ASKS = "Which extreme sport does the person who wears the camera do?"
# As the released testbed asks.
_ASKS_AS_PAPER = "What extreme sport is being performed in the video segment?"
_ELSEWHERE = "Sports that other recordings show: {labels}."
_HERE = "The sport that this recording shows: {label}."


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    asks = _ASKS_AS_PAPER if question.as_paper else _ASKS
    forms = (asks, _ELSEWHERE, _HERE)
    recording_labels.derive_label(question, given, notes, "scenario", _CLIP_S, forms)


DERIVATION = Derivation(
    benchmark="egocross",
    subtasks=("sport_identification",),
    reads=merge_reads(recording_labels.READS, {"recordings": ("scenario",)}),
    derive=_derive,
    recipes=("sport_identification",),
    explained_in=("detailed_answer", "rationale"),
)
