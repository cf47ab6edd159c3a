"""Sequence alignment in a language model's words (EgoExoBench A.4, Figure 15).

The model gets the keysteps of two takes that the recipe without a model compares, in order, and writes the
question and its options. Checked here: the form, and that every option names a step of the sequences and
nothing that looks like a step of neither. Whether the options are right and wrong is for the verdicts on
each of them (`checking_steps`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from assets.questions.egoexobench.annotated import Annotated, annotated
from assets.questions.egoexobench.steps import telling_words
from assets.questions.kit.recipe import Option, Recipe, Row, template
from assets.questions.model_steps.forms import (
    QUESTION_SCHEMA,
    Form,
    Unsound,
    four_options,
    json_object,
    prompt,
)
from assets.questions.model_steps.rewriting import rewritten
from assets.questions.model_steps.steps import WritingStep

RECIPE = Recipe(
    "egoexobench", "sequence_alignment", 1, template(__file__, "sequence_alignment_written.j2")
)
FORM = Form(
    name="egoexobench_sequence_alignment",
    printed="EgoExoBench, Figure 15",
    version=1,
    prompt=prompt(__file__, "figures/figure_15.j2"),
    read=json_object,
    schema=QUESTION_SCHEMA,
)
_QUOTED = re.compile(r"[\"“]([^\"”]+)[\"”]|(?<!\w)'([^']+)'(?!\w)")


def _variables(row: Row, given: Annotated, _earlier: Sequence[Any]) -> Mapping[str, Any]:
    first, second = given.sequences(row)
    return {"first": first, "second": second}


def _write(row: Row, given: Annotated, values: Sequence[Any]) -> Row:
    first, second = given.sequences(row)
    known = [telling_words(name) for name in dict.fromkeys((*first, *second))]
    text, right, others = four_options(values[0])
    for option in (right, *others):
        said = telling_words(option)
        if not any(step <= said for step in known):
            raise Unsound("names_no_step", f"an option names no annotated step: {option!r}")
        for quoted in ("".join(pair) for pair in _QUOTED.findall(option)):
            if not any(
                telling_words(quoted) <= step or step <= telling_words(quoted) for step in known
            ):
                raise Unsound("unknown_step", f"no step of the videos is {quoted!r}")
    answer, *wrong = (Option(words, value=words, evidence=()) for words in (right, *others))
    return rewritten(
        row,
        RECIPE,
        text=text,
        answer=answer,
        distractors=wrong,
        evidence=given.step_evidence(row),
        values={"first": first, "second": second},
    )


STEPS = (
    WritingStep(
        benchmark="egoexobench",
        form=FORM,
        recipes=("sequence_alignment",),
        prepare=annotated,
        variables=_variables,
        write=_write,
    ),
)
