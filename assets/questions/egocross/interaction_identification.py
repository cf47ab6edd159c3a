"""Interaction identification (EgoCross, Identification): what an animal interacts with.

The clip is one interaction, and its object is right. Nothing else is interacted with in the clip, and no
other option within a second of it: times are whole seconds. Interactions of less than 3 s may fall
between two frames that are sent. The other options are objects that animals of the source interact with elsewhere,
each offered about as often as it is right. Chance is 25 %.

The reading `paper` asks in the words of the testbed about every interaction, and draws by hash alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from assets.questions.egocross.cells import Cell
from assets.questions.egocross.interactions import (
    NEEDS,
    PRECISION_S,
    READS,
    RULES,
    UNNAMED,
    Interaction,
    Searched,
    searched,
)
from assets.questions.kit import draw
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Candidate, few
from assets.questions.kit.clips import cut
from assets.questions.kit.funnel import FEW_RULES, UNBUILT, refuse
from assets.questions.kit.recipe import Clip, Option, Recipe, Row, template
from assets.questions.kit.wording import wording

RECIPE: Final = Recipe(
    "egocross",
    "interaction_identification",
    1,
    template(__file__, "interaction_identification.j2"),
    released=wording(__file__, "released/interaction_identification.j2", "released_egopet"),
)
CELL: Final = Cell(
    dataset="EgoPet",
    shortest_s=3.0,
    longest_s=30.0,
    answer_type="object class",
    program="class of the interaction that the clip is",
    distractors="objects of other interactions, each about as often as it is right",
    coverage="all interactions of the recording are listed, with the class of the object",
)
SHORTEST_PAPER_S: Final = 0.5
DISTRACTORS: Final = 3
MOST: Final = 400
MOST_PER_ANSWER: Final = 40
PASSES: Final = 4
NAMED, LONG_ENOUGH, ALONE = "object_is_named", "long_enough", "one_object_at_a_time"
Asked = tuple[Searched, Interaction]


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of a source.

    Args:
        tables: Rows of `recordings` and `segments` of a whole source.
        reading: Under `paper`, ask about every interaction with a named object.
    """
    recipe = RECIPE.under(reading)
    candidates = [*_candidates(recipe, tables)]
    names = (_shown(recipe, c.content[1].thing) for c in candidates)
    passes = 1 if recipe.as_paper else PASSES
    yield from draw.balanced_rows(partial(_drawn, recipe, candidates), names, passes)


def _candidates(recipe: Recipe, tables: Tables) -> Iterator[Candidate[Asked]]:
    shortest_s = SHORTEST_PAPER_S if recipe.as_paper else CELL.shortest_s
    for recording in searched(tables):
        for one in recording.interactions:
            others = (x for x in recording.interactions if x.thing != one.thing)
            if one.thing == UNNAMED:
                refuse(NAMED)
            elif min(one.end_s, recording.end_s) - one.start_s < shortest_s:
                refuse(LONG_ENOUGH)
            elif not recipe.as_paper and any(_gap_s(x, one) < 0 for x in others):
                refuse(ALONE)
            else:
                identity = recipe.id(recording.row["source"], one.segment_id)
                yield Candidate(
                    identity, (one.segment_id,), one.segment_id, 0.0, one.thing, (recording, one)
                )


def _gap_s(one: Interaction, other: Interaction) -> float:
    return max(one.start_s, other.start_s) - min(one.end_s, other.end_s)


def _shown(recipe: Recipe, thing: str) -> str:
    return thing.capitalize() if recipe.as_paper else thing


def _drawn(
    recipe: Recipe, candidates: list[Candidate[Asked]], weights: Mapping[str, float]
) -> Iterator[Row]:
    yield from few(
        candidates,
        partial(_question, recipe, weights),
        most=MOST,
        most_per_answer=MOST_PER_ANSWER,
        apart_s=0.0,
        as_paper=recipe.as_paper,
    )


def _question(recipe: Recipe, weights: Mapping[str, float], asked: Candidate[Asked]) -> Row | None:
    recording, one = asked.content
    answer = _shown(recipe, one.thing)
    near = {_shown(recipe, x.thing) for x in recording.interactions if _gap_s(x, one) < PRECISION_S}
    possible = (name for name in weights if name != answer and name not in near)
    others = sorted(possible, key=lambda name: draw.place(asked.identity, name, weights[name]))
    if len(others) < DISTRACTORS:
        return None
    span = (one.start_s, min(one.end_s, recording.end_s))
    length_s = min(span[1] - span[0], CELL.longest_s)
    clip = cut(span, sum(span) / 2, length_s)
    uid = recording.row["recording_id"]
    return recipe.question(
        anchor=asked.anchor,
        text={"animal": recording.row["species"], "interaction": one},
        answer=Option(answer, one.thing),
        distractors=[Option(name, name.lower()) for name in others[:DISTRACTORS]],
        media=[Clip(recording.row, *clip)],
        evidence=[("segments", one.segment_id, "answer"), ("recordings", uid, "context")],
        steps=[[f"recordings:{uid}"], [f"segments:{one.segment_id}"]],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads=READS,
    needs=NEEDS,
    limits=CELL.limits,
    rules=(*RULES, NAMED, LONG_ENOUGH, ALONE, *FEW_RULES, UNBUILT),
    one_frame=True,
)
