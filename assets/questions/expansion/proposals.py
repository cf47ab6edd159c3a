"""What a model proposes for each template, and what the rules leave of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assets.questions.expansion.rules import check, same_words
from assets.questions.expansion.templates import Template, slots
from assets.questions.kit.recipe import Row
from assets.questions.model_steps.forms import Unsound
from assets.questions.model_steps.steps import Ask, ExpandingStep
from expectations.schemas.identity import stable_hash

ASKED_FOR = 4
"""Rewordings that a model is asked for of each template."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """Rewordings of a benchmark's templates.

    Attributes:
        rows: Rows of `wordings`.
        is_open: Whether a later run may have more replies.
    """

    rows: list[Row]
    is_open: bool


def proposals(step: ExpandingStep, templates: Sequence[Template], ask: Ask, model: str) -> Proposed:
    """Ask for rewordings of each template, and refuse what changes it.

    Args:
        step: What is asked.
        templates: Plain templates of the benchmark.
        ask: Asks the model.
        model: Who it is.
    """
    prompts = {template: _prompt(step, template) for template in templates}
    replies = ask(step.form, list(prompts.values()))
    rows: list[Row] = []
    used: dict[str, str] = {}  # words of a usable rewording, and the template it is of
    for template in templates:
        reply = replies[prompts[template]]
        shared = {
            "benchmark": step.benchmark,
            "template_id": template.id(step.benchmark),
            "recipes": list(template.recipes),
            "template": template.text,
            "model": model,
            "call_key": reply.call_key,
        }
        nothing = {**shared, "place": 0, "wording_id": None, "wording": None, "rule": None}
        if reply.status != "ok":
            rows.append({**nothing, "status": reply.status, "message": reply.error})
            continue
        try:
            texts = step.form.value(reply.text or "")
        except Unsound as unsound:
            refused = {"status": "refused", "rule": unsound.rule, "message": unsound.message}
            rows.append({**nothing, **refused})
            continue
        taken = [other.text for other in templates if other is not template]
        taken += [text for text, of in used.items() if of != template.text]
        for place, text in enumerate(texts, 1):
            wording = " ".join(text.split())
            rows.append(
                {
                    **shared,
                    "place": place,
                    "wording_id": stable_hash("wording", step.benchmark, template.text, wording),
                    "wording": wording,
                    **_judged(template.text, wording, taken, used),
                }
            )
    return Proposed(rows, any(not reply.settled for reply in replies.values()))


def _prompt(step: ExpandingStep, template: Template) -> str:
    described = []
    for name in dict.fromkeys(slots(template.text)):
        meaning, example = step.slots[name]
        described.append({"name": name, "meaning": meaning, "example": example})
    return step.form.text({"template": template.text, "slots": described, "n": ASKED_FOR})


def _judged(template: str, wording: str, taken: Iterable[str], used: dict[str, str]) -> Row:
    """What became of a rewording; a usable one is noted, so that it is used once."""
    own = {same_words(text) for text, of in used.items() if of == template}
    try:
        if same_words(wording) in own:
            raise Unsound("repeated", "the reply says it twice")
        check(template, wording, list(taken))
    except Unsound as unsound:
        return {"status": "refused", "rule": unsound.rule, "message": unsound.message}
    used[wording] = template
    return {"status": "usable", "rule": None, "message": None}
