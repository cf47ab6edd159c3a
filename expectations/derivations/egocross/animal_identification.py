"""Right option of animal identification: the animal that wears the camera, as its row of `recordings` says (C2)."""

from __future__ import annotations

from expectations.derivations import recording_labels
from expectations.derivations.reads import merge_reads
from expectations.gates.base import Derivation, Derived, Question
from expectations.gates.tables import EvidenceTables

_CLIP_S = (4.0, 30.0)
_ASKS = "Which animal wears the camera that filmed this video?"
# As the released testbed asks.
_ASKS_AS_PAPER = "What type of animal is featured in this egocentric video segment?"
_ELSEWHERE = "Animals that wear the camera in other recordings: {labels}."
_HERE = "The animal that wears the camera in this recording: {label}."


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    asks = _ASKS_AS_PAPER if question.as_paper else _ASKS
    forms = (asks, _ELSEWHERE, _HERE)
    recording_labels.derive_label(question, given, notes, "species", _CLIP_S, forms)


DERIVATION = Derivation(
    benchmark="egocross",
    subtasks=("animal_identification",),
    reads=merge_reads(recording_labels.READS, {"recordings": ("species",)}),
    derive=_derive,
    recipes=("animal_identification",),
    explained_in=("detailed_answer", "rationale"),
)
