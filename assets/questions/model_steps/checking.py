"""Lets a model judge a unit's questions: asks, reads, and hands verdicts to the gates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from assets.questions.kit.builder import Tables
from assets.questions.kit.recipe import Row
from assets.questions.model_steps.forms import Form, Unsound
from assets.questions.model_steps.steps import Ask, CheckingStep
from expectations.gates import Checked
from resources.models.prompt import Request


@dataclass(frozen=True, slots=True)
class Judged:
    """What a model said of a unit's questions.

    Attributes:
        checked: Its verdicts by question hash.
        open: Hashes of questions on which a later run may have more replies.
    """

    checked: dict[str, Checked]
    open: set[str]


def judge_questions(
    steps: Iterable[CheckingStep], rows: Iterable[Row], tables: Tables, ask: Ask, model: str
) -> Judged:
    """What a model says of a unit's questions.

    Args:
        steps: Steps that may concern them.
        rows: Rows of `questions`.
        tables: Tables of the unit.
        ask: Asks the model.
        model: Who it is.
    """
    questions = list(rows)
    judged = Judged({}, set())
    for step in steps:
        _judge(step, questions, tables, ask, model, judged)
    return judged


def _judge(
    step: CheckingStep, rows: Iterable[Row], tables: Tables, ask: Ask, model: str, judged: Judged
) -> None:
    given: Any = None
    texts: list[tuple[Row, dict[str, Request]]] = []
    for row in rows:
        given = step.prepare(tables) if given is None else given
        prompts = step.prompts(row, given)
        if prompts:
            clips = () if step.shows is None else step.shows(row, given)
            asked = {about: step.form.request(v, clips) for about, v in prompts.items()}
            texts.append((row, asked))
    replies = ask(step.form, [text for _, asked in texts for text in asked.values()])
    for row, asked in texts:
        key = row["question_hash"]
        own = {about: replies[text] for about, text in asked.items()}
        if any(not reply.settled for reply in own.values()):
            judged.open.add(key)
        values = {
            about: _value(step.form, reply.text) if reply.status == "ok" else None
            for about, reply in own.items()
        }
        judged.checked[key] = _together(
            judged.checked.get(key), step.judge(row, given, values, model)
        )


def _value(form: Form, reply: str | None) -> Any:
    try:
        return form.value(reply or "")
    except Unsound:
        return None


def _together(one: Checked | None, other: Checked) -> Checked:
    if one is None:
        return other
    return Checked((*one.findings, *other.findings), {**one.right, **other.right}, other.model)
