"""Direction prediction: a language model polishes what people wrote (EgoExoBench A.3, step 4).

"We use Qwen2.5-32B to refine the questions for clarity and consistency." The paper prints no prompt for it:
`figures/direction_polish.j2` is worded here. Questions whose direction follows from poses are in fixed words and are
not sent.

What people accepted was the direction in their own words. A reply is therefore refused unless it names what moves, and
where to, by the same words in the same order, and nothing else: only words that tell neither may differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from assets.questions.kit.builder import Tables
from assets.questions.kit.recipe import Row
from assets.questions.model_steps.forms import Form, Unsound, json_object, prompt
from assets.questions.model_steps.rewriting import reworded
from assets.questions.model_steps.steps import WritingStep
from assets.reviews.directions import KIND

FORM = Form(
    name="egoexobench_direction_polish",
    printed="own wording",
    version=1,
    prompt=prompt(__file__, "figures/direction_polish.j2"),
    read=json_object,
    schema={
        "type": "object",
        "required": ["Question"],
        "additionalProperties": False,
        "properties": {"Question": {"type": "string", "pattern": r"\w", "maxLength": 300}},
    },
    max_tokens=128,
)
# Words that tell neither what moves nor where to. Prepositions but "of" and "in" do: "from the door" is not "to" it.
_AROUND = frozenset(
    "a an the of in is are does do candidate view views which what one shows show seen"
    " move moves moving movement".split()
)


def _written(tables: Tables) -> Mapping[str, Mapping[str, str]]:
    """What people wrote and others accepted, by description."""
    held = tables["review_states"].filter(
        (pl.col("item_kind") == KIND)
        & (pl.col("state") == "standing")
        & (pl.col("verdict") == "accept")
    )
    return {row["item_id"]: json.loads(row["value"]) for row in held.iter_rows(named=True)}


def _concerns(row: Row) -> bool:
    """Whether a question is in people's words."""
    return any(item["table"] == "review_states" for item in row["evidence"])


def _variables(row: Row, _given: Any, _earlier: Sequence[Any]) -> Mapping[str, Any]:
    return {"question": row["text"]}


def _write(
    row: Row, given: Mapping[str, Mapping[str, str]], values: Sequence[Mapping[str, str]]
) -> Row:
    text = " ".join(values[0]["Question"].split())
    own = given[row["media"][0]["segment_id"]]
    moves, direction = _telling(own["moves"]), _telling(own["direction"])
    said = _telling(text)
    if not _in_a_row(direction, said):
        raise Unsound(
            "another_direction", f"people wrote {own['direction']!r}, the reply says {text!r}"
        )
    if not _in_a_row(moves, said):
        raise Unsound("another_mover", f"people wrote of {own['moves']!r}, the reply says {text!r}")
    if sorted(said) != sorted(moves + direction):
        raise Unsound("adds_words", f"nobody wrote all words of the reply {text!r}")
    if not re.fullmatch(r"[^?.!]+[?]", text) or "view" not in text.casefold():
        raise Unsound("not_a_question", f"the reply asks for no view: {text!r}")
    if re.search(r"(?<=.)\b[A-D]\b", text):
        raise Unsound("names_a_view", f"the reply names a candidate view: {text!r}")
    return reworded(row, text)


def _telling(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.casefold()) if word not in _AROUND]


def _in_a_row(words: Sequence[str], text: Sequence[str]) -> bool:
    n = len(words)
    return any([*text[i : i + n]] == [*words] for i in range(len(text) - n + 1))


STEPS = (
    WritingStep(
        benchmark="egoexobench",
        form=FORM,
        recipes=("direction_prediction",),
        prepare=_written,
        variables=_variables,
        write=_write,
        concerns=_concerns,
    ),
)
