"""A question in a model's words, made from one without: its own id, and letters where options are others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assets.questions.kit.identity import question_hash, question_id
from assets.questions.kit.recipe import Option, Recipe, Row
from expectations.schemas.readings import written_recipe


def rewritten(
    row: Row,
    recipe: Recipe,
    *,
    answer: Option,
    distractors: Iterable[Option],
    text: str | None = None,
    evidence: Iterable[Mapping[str, str]] = (),
    values: Mapping[str, Any] | None = None,
) -> Row:
    """A question with other options in words, and perhaps another text.

    Which clips are shown and what the question rests on stay; letters follow from the new id and the
    options' keys, as everywhere, so that a model's habit of answers at A decides nothing.

    Args:
        row: The question made without a model.
        recipe: Recipe whose template explains the answer (block `answer`).
        answer: Right option.
        distractors: Wrong options.
        text: Question as shown; the old one if None.
        evidence: Rows it rests on beside those of the old question and those of the options.
        values: Values for the template; it also gets `answer` and `others`.
    """
    wrong = list(distractors)
    label = written_recipe(row["recipe"])
    identity = question_id(
        row["benchmark"], row["subtask"], label, row["source"], row["question_id"]
    )
    options = recipe.option_rows(identity, answer, wrong)
    shown = row["text"] if text is None else text
    right = next(o for o in options if o["is_answer"])
    explained = recipe.explanation(
        {**(values or {}), "answer": right, "others": [o for o in options if o is not right]}
    )
    kept = [e for e in row["evidence"] if not e["role"].startswith("option_")]
    kept += [dict(item) for item in evidence]
    of_key = {option.key: option for option in (answer, *wrong)}
    kept += [
        {"table": table, "key": key, "role": f"option_{o['letter']}"}
        for o in options
        for table, key in of_key[str(o["value"])].evidence
    ]
    return {
        **row,
        "recipe": label,
        "question_id": identity,
        "question_hash": question_hash(shown, options, row["media"]),
        "text": shown,
        "options": options,
        "answer": right["letter"],
        "answer_text": right["text"],
        "detailed_answer": explained,
        "rationale": [],
        "evidence": kept,
        "chance": 1.0 / len(options),
    }


def reworded(row: Row, text: str) -> Row:
    """A question that asks the same in other words; what is shown and offered, and why, stays.

    Args:
        row: The question made without a model.
        text: Question as shown.
    """
    label = written_recipe(row["recipe"])
    identity = question_id(
        row["benchmark"], row["subtask"], label, row["source"], row["question_id"]
    )
    return {
        **row,
        "recipe": label,
        "question_id": identity,
        "question_hash": question_hash(text, row["options"], row["media"]),
        "text": text,
    }
