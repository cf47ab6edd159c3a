"""Whether the rows that a question's evidence names hold at the moment it asks about."""

from __future__ import annotations

from expectations.derivations.wording import SAID_S
from expectations.gates.base import Derived, Question, finite
from expectations.gates.tables import EvidenceTables

_SPANS = ("graph_edges", "segments")
_NEAR_S = 0.5


def check_evidence_at(
    question: Question, given: EvidenceTables, notes: Derived, moment_s: float
) -> None:
    """Note edges and segments in the evidence that do not last at a moment, and boxes far from it.

    Rows of other recordings are refused by the gate `consistent`.

    Args:
        question: The question.
        given: The tables.
        notes: Filled in.
        moment_s: Seconds in the query's recording.
    """
    shown = question.query["recording_id"]
    named = (
        (table, key, row)
        for table in _SPANS
        if given.has(table)
        for key in question.keys_of(table)
        for row in given.evidence_rows(table, key) or ()
        if row["recording_id"] == shown
    )
    for table, key, row in named:
        if not row["start_s"] - SAID_S <= moment_s <= row["end_s"] + SAID_S:
            notes.refuse(
                "consistent",
                "shifted_time",
                f"{table}:{key} holds {row['start_s']:.2f}..{row['end_s']:.2f} s, the question asks"
                f" about {moment_s:.2f} s",
            )
    for key in question.keys_of("boxes"):
        for row in given.rows("boxes", box_id=key):
            t_s = row["t_s"]
            if row["recording_id"] == shown and finite(t_s) and abs(t_s - moment_s) > _NEAR_S:
                notes.refuse(
                    "consistent",
                    "shifted_time",
                    f"boxes:{key} is of {t_s:.2f} s, the question asks about {moment_s:.2f} s",
                    abs(t_s - moment_s),
                    _NEAR_S,
                )
