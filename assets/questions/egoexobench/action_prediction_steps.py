"""Distractors of action prediction that a language model chooses or writes (EgoExoBench A.4).

On LEMMA (Figure 12) the model is shown the ten actions around the current one, without the next, and names the one that
is most likely to come next. It is asked three times, each time without what it named before: "the three
most plausible distractors". A reply that is not one of the actions listed is refused. What may be taken for the
current action, the next one, or one named before is not listed.

On EgoMe (Figure 13) it gets all steps before, the current one and the next, and writes three others. A reply
of more or fewer lines, or with one that repeats a step it was given or another line, is refused. Lines take
the form of the annotated step: with or without a dot and a capital.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assets.questions.egoexobench import action_prediction_egome
from assets.questions.egoexobench.action_prediction_lemma import (
    AROUND,
    DISTRACTORS,
    RECIPE,
    may_be_taken_for,
)
from assets.questions.egoexobench.acts import Act, acts_of_take
from assets.questions.egoexobench.imitations import Step, imitations
from assets.questions.egoexobench.order import sequences
from assets.questions.kit.builder import Tables
from assets.questions.kit.recipe import Option, Row
from assets.questions.kit.takes import Clock, synchronous_clocks
from assets.questions.model_steps.forms import Form, Unsound, lines, one_line, prompt
from assets.questions.model_steps.rewriting import rewritten
from assets.questions.model_steps.steps import WritingStep
from expectations.schemas.readings import is_paper_recipe

FORM_LEMMA = Form(
    name="egoexobench_next_action_lemma",
    printed="EgoExoBench, Figure 12",
    version=1,
    prompt=prompt(__file__, "figures/figure_12.j2"),
    read=one_line,
    schema={"type": "string", "pattern": r"\w", "maxLength": 200},
    max_tokens=64,
)


@dataclass(frozen=True, slots=True)
class _Performed:
    """What the wearers of a source do, with what explanations name."""

    own: Mapping[str, Sequence[Act]]
    clocks: Mapping[str, Clock]
    tasks: Mapping[str, str]

    def around(self, row: Row) -> tuple[Act, Act, list[Act]]:
        """The current action, the next one, and those around that may be listed, in time order."""
        query = row["media"][0]
        own = self.own[query["recording_id"]]
        i = next(i for i, act in enumerate(own) if act.segment_id == query["segment_id"])
        current, following = own[i], own[i + 1]
        listed = [*own[max(0, i - AROUND) : i], *own[i + 2 : i + 2 + AROUND]]
        by_words = is_paper_recipe(row["recipe"])
        free = [
            act
            for act in listed
            if not any(
                may_be_taken_for(act, other, by_words=by_words) for other in (current, following)
            )
        ]
        return current, following, free

    def listed(self, row: Row, named: Sequence[str]) -> tuple[list[Act], list[Act]]:
        """Actions named so far, and those left to name.

        Raises:
            Unsound: A name is not one of the actions that were listed.
        """
        _, _, left = self.around(row)
        by_words = is_paper_recipe(row["recipe"])
        chosen: list[Act] = []
        for name in named:
            meant = next((act for act in left if _bare(act.words) == _bare(name)), None)
            if meant is None:
                raise Unsound("not_listed", f"{name!r} is not one of the actions listed")
            chosen.append(meant)
            left = [act for act in left if not may_be_taken_for(act, meant, by_words=by_words)]
        return chosen, left


def _performed(tables: Tables) -> _Performed:
    clocks = synchronous_clocks(tables["clocks"])
    tasks = tables["recordings"].select("recording_id", "scenario").iter_rows()
    return _Performed(sequences(acts_of_take(tables, clocks)), clocks, dict(tasks))


def _variables(row: Row, given: _Performed, earlier: Sequence[str]) -> Mapping[str, Any]:
    current, _, _ = given.around(row)
    _, left = given.listed(row, earlier)
    names = list(dict.fromkeys(act.words for act in left))
    if not names:
        raise Unsound("too_few_actions", f"{len(earlier)} actions around may be named, not three")
    return {"current": current.words, "actions": names}


def _write(row: Row, given: _Performed, values: Sequence[str]) -> Row:
    current, following, _ = given.around(row)
    chosen, _ = given.listed(row, values)
    query, reference = row["media"]
    ends_s = given.clocks[query["recording_id"]].to_take(query["end_s"])
    answer, *others = (
        Option(act.words, act.segment_id, evidence=(("segments", act.segment_id),))
        for act in (following, *chosen)
    )
    return rewritten(
        row,
        RECIPE,
        answer=answer,
        distractors=others,
        values={
            "current": current.words,
            "ahead_s": following.start_s - ends_s,
            "reference": reference["recording_id"],
            "task": given.tasks[reference["recording_id"]],
            "as_paper": is_paper_recipe(row["recipe"]),
        },
    )


def _bare(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


FORM_EGOME = Form(
    name="egoexobench_next_action_egome",
    printed="EgoExoBench, Figure 13",
    version=1,
    prompt=prompt(__file__, "figures/figure_13.j2"),
    read=lines,
    schema={
        "type": "array",
        "minItems": DISTRACTORS,
        "maxItems": DISTRACTORS,
        "items": {"type": "string", "pattern": r"\w", "maxLength": 300},
    },
    max_tokens=256,
)


def _imitated(tables: Tables) -> Mapping[str, Sequence[Step]]:
    """Steps of each imitation, by recording."""
    return {one.row["recording_id"]: one.steps for one in imitations(tables)}


def _known_steps(row: Row, given: Mapping[str, Sequence[Step]]) -> tuple[list[Step], Step, Step]:
    """The steps before the current one, the current one and the next."""
    query = row["media"][0]
    own = given[query["recording_id"]]
    i = next(i for i, step in enumerate(own) if step.segment_id == query["segment_id"])
    return list(own[:i]), own[i], own[i + 1]


def _in_form(words: str, like: str) -> str:
    """A sentence with or without a dot and a capital, like another: form must not tell the answer."""
    bare = words.strip().rstrip(".")
    first = bare[:1].upper() if like[:1].isupper() else bare[:1].lower()
    return f"{first}{bare[1:]}{'.' if like.endswith('.') else ''}"


def _variables_egome(
    row: Row, given: Mapping[str, Sequence[Step]], _earlier: Sequence[Any]
) -> Mapping[str, Any]:
    previous, current, following = _known_steps(row, given)
    return {
        "previous": [step.words for step in previous],
        "current": current.words,
        "following": following.words,
    }


def _write_egome(
    row: Row, given: Mapping[str, Sequence[Step]], values: Sequence[Sequence[str]]
) -> Row:
    _, current, following = _known_steps(row, given)
    query, reference = row["media"]
    said = [current.bare, following.bare]
    for words in values[0]:
        if _bare(words) in said:
            raise Unsound("repeats_a_step", f"{words!r} repeats a step or another distractor")
        if '"' in words:
            raise Unsound("quotes", f"{words!r} holds a quotation mark")
        said.append(_bare(words))
    answer = Option(
        following.words, following.segment_id, evidence=(("segments", following.segment_id),)
    )
    return rewritten(
        row,
        action_prediction_egome.RECIPE,
        answer=answer,
        distractors=[
            Option(words, words) for words in (_in_form(w, following.words) for w in values[0])
        ],
        values={
            "current": current.words,
            "ahead_s": following.start_s - query["end_s"],
            "reference": reference["recording_id"],
            "written": True,
        },
    )


STEPS = (
    WritingStep(
        benchmark="egoexobench",
        form=FORM_EGOME,
        recipes=("action_prediction_egome",),
        prepare=_imitated,
        variables=_variables_egome,
        write=_write_egome,
    ),
    WritingStep(
        benchmark="egoexobench",
        form=FORM_LEMMA,
        recipes=("action_prediction_lemma",),
        prepare=_performed,
        variables=_variables,
        write=_write,
        rounds=DISTRACTORS,
    ),
)
