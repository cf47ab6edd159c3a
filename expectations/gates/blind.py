"""Gate `blind`: an engine that saw no video does not find the answer (EgoExoBench, blind filter)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from expectations.gates.base import Derived, Finding, Gate, Question, finite
from expectations.gates.tables import EvidenceTables
from expectations.schemas.identity import stable_hash

NAME = "blind"
MOST_OPTIONS = 5


def asked_letters(question: Mapping[str, Any]) -> list[str]:
    """Letters an engine is asked about, in shown order: all, or the answer and four others.

    With 20 options an engine at chance is right so rarely that "not right" says nothing; the four
    are those of lowest hash, so that the choice does not move with the others.
    """
    letters = [str(o["letter"]) for o in question["options"]]
    if len(letters) <= MOST_OPTIONS:
        return letters
    answer = str(question["answer"])
    others = sorted(
        (x for x in letters if x != answer),
        key=lambda x: stable_hash("blind", str(question["question_hash"]), x),
    )
    kept = {answer, *others[: MOST_OPTIONS - 1]}
    return [x for x in letters if x in kept]


def _judge(question: Question, given: EvidenceTables, notes: Derived) -> Iterator[Finding]:
    scored = given.blind.get(str(question.row["question_hash"]))
    if scored is None:
        if notes.said_by(NAME):
            return  # a model was asked in words instead
        yield Finding(NAME, "not_asked", "no engine scored the options without video", "unknown")
        return
    letters = asked_letters(question.row)
    absent = [x for x in letters if not finite(scored.scores.get(x))]
    if absent:
        words = f"{scored.engine} gave no score for {', '.join(absent)}"
        yield Finding(NAME, "not_scored", words, "unknown")
        return
    others = [scored.scores[x] for x in letters if x != question.answer]
    if question.answer not in letters or not others:
        yield Finding(NAME, "not_scored", "the answer is not among the options asked", "unknown")
        return
    lead = scored.scores[question.answer] - max(others)
    if lead <= 0:
        words = f"{scored.engine} prefers another option without video"
        yield Finding(NAME, "not_answered_blind", words, "pass", lead, 0.0)
        return
    words = f"{scored.engine} finds {question.answer} of {len(letters)} options without video"
    if scored.path_test:
        words += "; it only tests the path: a model this weak is right by chance"
    yield Finding(
        NAME, "answered_blind", words, "warn" if scored.path_test else "refuse", lead, 0.0
    )


GATE = Gate(
    name=NAME,
    about="An engine that sees no video does not find the answer by the options' likelihood.",
    judge=_judge,
    mandatory=False,
)
