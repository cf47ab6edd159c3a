"""Gate `reviewed`: no person who looked at the question rejected it.

With `accepted_only`, people must have accepted it: where questions are reviewed in steps, their review must have
ended so.
"""

from __future__ import annotations

from collections.abc import Iterator

from expectations.gates.base import Derived, Finding, Gate, Question
from expectations.gates.tables import EvidenceTables, Row

NAME = "reviewed"


def _judge(question: Question, given: EvidenceTables, notes: Derived) -> Iterator[Finding]:  # noqa: ARG001
    review = given.reviews.get(str(question.row["question_id"]))
    if given.accepted_only:
        waits = _not_accepted(question, review)
        if waits:
            yield Finding(NAME, "not_accepted", f"only accepted questions are published: {waits}")
        else:
            yield Finding(NAME, "accepted", "people accepted the question", "pass")
        return
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


def _not_accepted(question: Question, review: Row | None) -> str:
    """Why a question does not count as accepted; empty if it does."""
    if review is None:
        return "no person has judged this one"
    if "flow" in review:
        return "" if review["flow"] == "accepted" else str(review["waits"])
    if review["state"] == "conflict":
        return f"{review['reviewer']} disagree"
    if review["state"] != "standing" or review["question_hash"] != question.row["question_hash"]:
        return f"{review['reviewer']} judged another version"
    return "" if review["verdict"] == "accept" else f"{review['reviewer']} rejected it"


GATE = Gate(
    name=NAME,
    about="No person who looked at the question in its present version rejected it.",
    judge=_judge,
    mandatory=False,
)
