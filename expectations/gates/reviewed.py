"""Gate `reviewed`: no person who looked at the question rejected it."""

from __future__ import annotations

from collections.abc import Iterator

from expectations.gates.base import Derived, Finding, Gate, Question
from expectations.gates.tables import EvidenceTables

NAME = "reviewed"


def _judge(question: Question, given: EvidenceTables, notes: Derived) -> Iterator[Finding]:  # noqa: ARG001
    review = given.reviews.get(str(question.row["question_id"]))
    if review is None:
        yield Finding(NAME, "not_reviewed", "no person has judged the question", "unknown")
        return
    state = str(review["state"])
    if state == "standing" and review["question_hash"] != question.row["question_hash"]:
        state = "stale"
    if state == "conflict":
        words = f"{review['reviewer']} disagree: {review['reason'] or 'no remarks'}"
        yield Finding(NAME, "conflict", words, "warn")
    elif state != "standing":
        words = f"{review['reviewer']} judged another version of the question"
        yield Finding(NAME, "stale", words, "unknown")
    elif review["verdict"] == "reject":
        words = f"rejected by {review['reviewer']}: {review['reason']}"
        yield Finding(NAME, "rejected", words)
    else:
        yield Finding(NAME, "accepted", f"accepted by {review['reviewer']}", "pass")


GATE = Gate(
    name=NAME,
    about="No person who looked at the question in its present version rejected it.",
    judge=_judge,
    mandatory=False,
)
