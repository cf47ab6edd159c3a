"""Lets a model write words of a unit's questions: asks, reads, refuses, and says what became of each.

A question that a step concerns is asked in the model's words or not at all: where a reply is refused,
or is not there yet, nothing takes its place, so that a score never mixes both kinds unseen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from assets.questions.kit.builder import Tables
from assets.questions.kit.recipe import Row
from assets.questions.model_steps.forms import Unsound
from assets.questions.model_steps.steps import Ask, WritingStep


@dataclass(slots=True)
class _Asked:
    """A question on its way: what was replied, and why it stopped."""

    row: Row
    values: list[Any] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    status: str = "used"
    rule: str | None = None
    message: str | None = None
    written: Row | None = None

    def refuse(self, unsound: Unsound) -> None:
        self.status, self.rule, self.message = "refused", unsound.rule, unsound.message


@dataclass(frozen=True, slots=True)
class Written:
    """A unit's questions in a model's words.

    Attributes:
        questions: Rows of `questions` that sound replies made, and those that the step does not concern.
        outcomes: A row of `question_steps` for each question asked about, without its pool.
        is_open: Whether a later run may have more replies.
    """

    questions: list[Row]
    outcomes: list[Row]
    is_open: bool


def write_questions(
    step: WritingStep, rows: Iterable[Row], tables: Tables, ask: Ask, model: str
) -> Written:
    """A unit's questions in a model's words.

    Args:
        step: Step that concerns them.
        rows: Questions made without a model.
        tables: Tables of the unit.
        ask: Asks the model.
        model: Who it is.
    """
    given = step.prepare(tables)
    made = list(rows)
    asked = [_Asked(row) for row in made if step.concerns(row)]
    questions = [row for row in made if not step.concerns(row)]
    is_open = False
    for _ in range(step.rounds):
        is_open |= _ask(step, [one for one in asked if one.status == "used"], given, ask)
    for one in asked:
        if one.status == "used":
            try:
                one.written = step.write(one.row, given, one.values)
            except Unsound as unsound:
                one.refuse(unsound)
    questions += [one.written for one in asked if one.written is not None]
    return Written(questions, [_outcome(step, one, model) for one in asked], is_open)


def _ask(step: WritingStep, asked: Sequence[_Asked], given: Any, ask: Ask) -> bool:
    """Ask once about each question; whether a later run may have more replies."""
    texts: list[tuple[_Asked, str]] = []
    for one in asked:
        try:
            texts.append((one, step.form.text(step.variables(one.row, given, one.values))))
        except Unsound as unsound:
            one.refuse(unsound)
    replies = ask(step.form, [text for _, text in texts])
    for one, text in texts:
        reply = replies[text]
        one.calls += [reply.call_key] if reply.call_key else []
        if reply.status != "ok":
            one.status, one.message = reply.status, reply.error
            continue
        try:
            one.values.append(step.form.value(reply.text or ""))
        except Unsound as unsound:
            one.refuse(unsound)
    return any(not reply.settled for reply in replies.values())


def _outcome(step: WritingStep, one: _Asked, model: str) -> Row:
    return {
        **{name: one.row[name] for name in ("benchmark", "source", "subtask")},
        "step": step.form.name,
        "asked_id": one.row["question_id"],
        "question_id": None if one.written is None else one.written["question_id"],
        "model": model,
        "call_keys": one.calls,
        "status": one.status,
        "rule": one.rule,
        "message": one.message,
    }
