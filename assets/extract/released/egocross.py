"""How the released EgoCross evaluators read answers and marks.

Closed questions: the field `prediction` of the reply as JSON, else of its shortest `{...}`, compared
with the answer in lower case and otherwise as it is: "B." is wrong where B is right.

Open questions: right, with mark 5, where the answer's text stands anywhere in the reply in lower case
("no" in "I do not know"); otherwise a judge gives a mark, and 4 or more is right.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

RIGHT_FROM = 4
"""Least mark of a right answer."""
FULL_MARK = 5


@dataclass(frozen=True, slots=True)
class ClosedAnswer:
    """What the evaluator reads of a reply to a closed question.

    Attributes:
        prediction: Field `prediction`; empty where there is none.
        reason: Field `reason`; empty where there is none.
        right: Whether the prediction equals the answer.
    """

    prediction: Any
    reason: Any
    right: bool


def read_closed(reply: str, answer: str) -> ClosedAnswer:
    """What the evaluator makes of a reply to a closed question, whose answer is a letter."""
    value = _object(reply)
    prediction = value.get("prediction", "")
    right = isinstance(prediction, str) and prediction.lower() == answer.lower()
    return ClosedAnswer(prediction, value.get("reason", ""), right)


def _object(reply: str) -> dict[str, Any]:
    for text in (reply, _shortest_object(reply)):
        if text is None:
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            # No JSON, a number of more than 4,300 digits, or brackets nested too deep: the scripts count all as wrong.
            continue
        if isinstance(value, dict):
            return value
    return {}


@dataclass(frozen=True, slots=True)
class OpenAnswer:
    """What the evaluator makes of a reply to an open question.

    Attributes:
        mark: The judge's mark as it came, 5 without a judge, 0 where the judge's reply has none.
        judged: Whether a judge is asked.
        right: Whether the mark is 4 or more; None where the released script ends with an error because
            the mark is not a number.
    """

    mark: Any
    judged: bool
    right: bool | None


def contains_answer(reply: str, answer: str | int) -> bool:
    """Whether the answer's text stands in the reply, in lower case: then no judge is asked."""
    return str(answer).lower() in reply.lower()


def read_open(reply: str, answer: str | int, judge_reply: str | None) -> OpenAnswer:
    """What the evaluator makes of a reply to an open question.

    Args:
        reply: Reply as it came.
        answer: Short answer of the question.
        judge_reply: Reply of the judge; None where it could not be asked.
    """
    if contains_answer(reply, answer):
        return OpenAnswer(FULL_MARK, False, True)
    mark = _mark(judge_reply or "")
    right = mark >= RIGHT_FROM if isinstance(mark, int | float) else None
    return OpenAnswer(mark, True, right)


def _mark(judge_reply: str) -> Any:
    try:
        value = json.loads(_shortest_object(judge_reply) or "{}")
    except json.JSONDecodeError:
        return 0
    return value.get("mark", 0)


def _shortest_object(reply: str) -> str | None:
    r"""The first match of the scripts' `\{.*?\}`, which takes quadratic time where no brace is closed."""
    start = reply.find("{")
    end = reply.find("}", start)
    return reply[start : end + 1] if 0 <= start < end else None
