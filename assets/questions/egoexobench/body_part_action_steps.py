"""Body part action in a language model's words (EgoExoBench A.3, Figure 10).

The model gets the narrations of the two videos that the recipes without a model pair, and writes the
question and its options. What can be told without understanding is checked here: the form, that every
option speaks of a part of the body, that the question gives no hint, and that the right option names no
side of a video that its narration does not name. Whether the options are right and wrong is for the
verdicts on each of them (`checking_steps`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from assets.questions.egoexobench.annotated import Annotated, annotated
from assets.questions.egoexobench.parts import names_a_part, sides
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
    "egoexobench", "body_part_action", 1, template(__file__, "body_part_action_written.j2")
)
FORM = Form(
    name="egoexobench_body_part_action",
    printed="EgoExoBench, Figure 10",
    version=1,
    prompt=prompt(__file__, "figures/figure_10.j2"),
    read=json_object,
    schema=QUESTION_SCHEMA,
)
_VIDEO = re.compile(r"\bVideo\s?([12])\b", re.IGNORECASE)
_SIDE = re.compile(r"\b(left|right)\b", re.IGNORECASE)
# Words of a narration that tell nothing of what is done and with what.
_NO_HINT = frozenset(
    "a an and are at between by c differ different do does down during for forward from he her him his how"
    " in into is it its left of off on onto or out over person right she side sides the their them they to"
    " up use used video videos what which while with".split()
)


def _variables(row: Row, given: Annotated, _earlier: Sequence[Any]) -> Mapping[str, Any]:
    first, second = given.narrated(row)
    return {"first": first, "second": second}


def _write(row: Row, given: Annotated, values: Sequence[Any]) -> Row:
    narrated = given.narrated(row)
    text, right, others = four_options(values[0])
    bare = [option for option in (right, *others) if not names_a_part(option)]
    if bare:
        raise Unsound("no_body_part", f"an option names no part of the body: {bare[0]!r}")
    hints = sorted(_telling(text) & (_telling(narrated[0]) | _telling(narrated[1])))
    if hints:
        raise Unsound("gives_a_hint", f"the question names what is done or with what: {hints}")
    for video, side in sorted(_sides_said(right)):
        if side not in {s.lower() for s in _SIDE.findall(narrated[video - 1])}:
            raise Unsound(
                "another_side",
                f"the right option says {side} of Video {video}, which is narrated"
                f" {narrated[video - 1]!r}",
            )
    answer, *wrong = (Option(words, value=words, evidence=()) for words in (right, *others))
    return rewritten(
        row,
        RECIPE,
        text=text,
        answer=answer,
        distractors=wrong,
        values={"first": narrated[0], "second": narrated[1]},
    )


def _sides_said(text: str) -> set[tuple[int, str]]:
    """Video and side of every side of the body that a statement names of one video."""
    found: set[tuple[int, str]] = set()
    parts = _VIDEO.split(text)
    for video, words in zip(parts[1::2], parts[2::2], strict=True):
        found |= {(int(video), side) for side in sides(words).split("-") if side}
    return found


def _telling(text: str) -> set[str]:
    """Words that tell what is done and with what; parts of the body do not."""
    words = set(re.findall(r"[a-z]+", text.casefold())) - _NO_HINT
    return {word for word in words if not names_a_part(word)}


STEPS = (
    WritingStep(
        benchmark="egoexobench",
        form=FORM,
        recipes=("body_part_action_egoexo4d", "body_part_action_egoexolearn"),
        prepare=annotated,
        variables=_variables,
        write=_write,
    ),
)
