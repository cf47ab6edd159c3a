"""Verdicts of a language model on questions of EgoExoBench.

- Action order (A.4, Figure 14): whether one of the two actions must come before the other.
- Body part action, action prediction, sequence alignment (Figure 11): whether the question is answered from
  its text alone.
- The same subtasks: each option against what is annotated ("verify each option against the keystep
  annotations and discard QAs with multiple valid answers"; "confirm that the distractors do not include the
  correct answer"). The paper prints no prompt for it: `option_check.j2` is worded here. The model sees one
  option at a time and is not told which is right.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assets.questions.egoexobench.annotated import (
    VIDEOS,
    Annotated,
    annotated,
    evidence_key,
)
from assets.questions.kit.recipe import Row
from assets.questions.model_steps.forms import Form, letter, prompt, true_or_false
from assets.questions.model_steps.steps import CheckingStep
from expectations.gates import Checked, Finding
from expectations.gates.base import NO_MODEL_VERDICT
from expectations.schemas.readings import bare_recipe

IN_ORDER = Form(
    name="egoexobench_action_order",
    printed="EgoExoBench, Figure 14",
    version=1,
    prompt=prompt(__file__, "figures/figure_14.j2"),
    read=true_or_false,
    schema={"type": "boolean"},
    max_tokens=8,
)
FROM_TEXT = Form(
    name="egoexobench_text_alone",
    printed="EgoExoBench, Figure 11",
    version=1,
    prompt=prompt(__file__, "figures/figure_11.j2"),
    read=letter,
    schema={"enum": ["A", "B", "C", "D"]},
    max_tokens=16,
)
OPTIONS = Form(
    name="egoexobench_options",
    printed="own wording",
    version=1,
    prompt=prompt(__file__, "figures/option_check.j2"),
    read=true_or_false,
    schema={"type": "boolean"},
    max_tokens=8,
)
_VERIFIED = ("action_prediction", "body_part_action", "sequence_alignment")
_ABOUT = "question"


def _order_prompts(row: Row, given: Annotated) -> Mapping[str, Mapping[str, Any]]:
    if bare_recipe(row["recipe"]) != "action_order":
        return {}
    value = next(o["value"] for o in row["options"] if o["is_answer"])
    roles = VIDEOS if value == "1 before 2" else VIDEOS[::-1]
    first, second = (given.words[evidence_key(row, role)] for role in roles)
    return {_ABOUT: {"first": first, "second": second}}


def _judge_order(_row: Row, _given: Annotated, values: Mapping[str, Any], model: str) -> Checked:
    says = values[_ABOUT]
    if says is None:
        return _silent("consistent", "the order of the actions", model)
    if says:
        return Checked(model=model)
    words = f"{model} says that the two actions can be done in any order"
    return Checked((Finding("consistent", "order_not_needed", words),), model=model)


def _text_prompts(row: Row, _given: Annotated) -> Mapping[str, Mapping[str, Any]]:
    if row["subtask"] not in _VERIFIED:
        return {}
    return {_ABOUT: {"question": row["text"], "options": row["options"]}}


def _judge_text(row: Row, _given: Annotated, values: Mapping[str, Any], model: str) -> Checked:
    chosen = values[_ABOUT]
    if chosen is None:
        return _silent("blind", "the question's text alone", model)
    if chosen == row["answer"]:
        words = f"{model} answers {chosen} from the text alone"
        return Checked((Finding("blind", "answered_from_text", words),), model=model)
    words = f"{model} answers {chosen} from the text alone"
    found = Finding("blind", "not_answered_from_text", words, "pass")
    return Checked((found,), model=model)


def _option_prompts(row: Row, given: Annotated) -> Mapping[str, Mapping[str, Any]]:
    if row["subtask"] not in _VERIFIED:
        return {}
    annotations, before, after = _facts(row, given)
    return {
        o["letter"]: {"annotations": annotations, "statement": f"{before}{o['text']}{after}"}
        for o in row["options"]
    }


def _facts(row: Row, given: Annotated) -> tuple[list[str], str, str]:
    """What is annotated, and the words around an option that make a statement about it."""
    if row["subtask"] == "action_prediction":
        current = given.words[str(row["media"][0]["segment_id"])]
        following = given.words[evidence_key(row, "answer")]
        lines = [f'The person does "{current}". Right after that, the person does "{following}".']
        return lines, f'Right after "{current}", the person does "', '".'
    if row["subtask"] == "sequence_alignment":
        shown = zip((1, 2), given.sequences(row), strict=True)
        return [f"Video {n} shows these steps in order: {'; '.join(s)}." for n, s in shown], "", ""
    videos = zip((1, 2), given.narrated(row), strict=True)
    return [f"Video {n}: {words}" for n, words in videos], "", ""


def _judge_options(row: Row, _given: Annotated, values: Mapping[str, Any], model: str) -> Checked:
    """The right option must hold and no other; verdicts go on to derivations that need them."""
    found: list[Finding] = []
    for which, says in sorted(values.items()):
        is_answer = which == row["answer"]
        if says is None:
            found += _silent("consistent", f"option {which}", model).findings
        elif is_answer and not says:
            words = f"{model} says that option {which}, the key, contradicts the annotations"
            found.append(Finding("consistent", "model_rejects_key", words))
        elif says and not is_answer:
            words = f"{model} says that option {which} agrees with the annotations too"
            found.append(Finding("distractors", "model_finds_second_right", words))
    return Checked(tuple(found), dict(values), model)


def _silent(gate: str, about: str, model: str) -> Checked:
    words = f"{model} gave no verdict on {about} that can be read ({NO_MODEL_VERDICT})"
    return Checked((Finding(gate, NO_MODEL_VERDICT, words, "unknown"),), model=model)


STEPS = (
    CheckingStep("egoexobench", IN_ORDER, annotated, _order_prompts, _judge_order),
    CheckingStep("egoexobench", FROM_TEXT, annotated, _text_prompts, _judge_text),
    CheckingStep("egoexobench", OPTIONS, annotated, _option_prompts, _judge_options),
)
