"""What an explanation says of a moment that two cameras of a take show."""

from __future__ import annotations

from expectations.derivations.narrations import quote, quotes_of_others, segments_of_others
from expectations.gates.base import Derived, Question, span_of
from expectations.gates.statements import Exact, Number, Slot, Statement
from expectations.gates.tables import EvidenceTables

# Explanations tell times with one decimal.
_ROUNDED_S = 0.05


def explain_moment(question: Question, given: EvidenceTables, notes: Derived, others: str) -> None:
    """Note that an explanation tells both clips of the moment, and what the others show.

    Args:
        question: The question; its options are clips of segments.
        given: The tables.
        notes: Filled in.
        others: Form of the sentence about the other options, with `recording` and `others`.
    """
    query, shown = question.query, question.shown_of(question.answer)
    if shown is None:
        return
    slots: dict[str, Slot] = {
        "query": quote(query, given),
        "query_recording": Exact(str(query["recording_id"])),
        "answer": Exact(question.answer),
        "answer_recording": Exact(str(shown["recording_id"])),
    }
    for name, medium in (("query", query), ("answer", shown)):
        start_s, end_s = span_of(medium)
        slots[f"{name}_start"] = Number(start_s, _ROUNDED_S)
        slots[f"{name}_end"] = Number(end_s, _ROUNDED_S)
    recording = str(shown["recording_id"])
    notes.statements += [
        Statement(
            "the moment of the query",
            (
                'The query video shows "{query}" from {query_start} s to {query_end} s of'
                " {query_recording}; on the take's clock this is the time of candidate video"
                " {answer}, from {answer_start} s to {answer_end} s of {answer_recording}.",
            ),
            slots,
            (
                f"segments:{query['segment_id']}",
                f"clocks:{query['recording_id']}",
                f"clocks:{recording}",
            ),
        ),
        Statement(
            "the other candidates",
            (others,),
            {"recording": Exact(recording), "others": quotes_of_others(question, given)},
            segments_of_others(question),
        ),
    ]
