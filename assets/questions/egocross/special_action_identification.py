"""Special action identification (EgoCross, Identification): which trick is performed in a span of the clip.

The label of the special action that the text's times frame is right. Clips end with it and begin whole
sampling periods before its middle, so that a frame of it is sent at 0.5 fps; times of the text are those of
the clip. No other special action is labelled meanwhile. The other options are other special actions, each
offered about as often as it is right. Chance is 25 %.

The reading `paper` asks in the words of the testbed, in whole seconds, about every special action, and draws
any others by hash that are not performed meanwhile.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from assets.questions.egocross.cells import EVERY_S, Cell
from assets.questions.egocross.labelled import (
    READS,
    Labelled,
    by_weight,
    labelled_segments,
    needs_labels,
)
from assets.questions.kit import draw
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Candidate, few
from assets.questions.kit.funnel import FEW_RULES, UNBUILT, refuse
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option, Recipe, Row, template
from assets.questions.kit.wording import wording

RECIPE: Final = Recipe(
    "egocross",
    "special_action_identification",
    1,
    template(__file__, "special_action_identification.j2"),
    released=wording(
        __file__, "released/special_action_identification.j2", "released_extremesportfpv"
    ),
)
CELL: Final = Cell(
    dataset="ExtremeSportFPV",
    shortest_s=4.0,
    longest_s=15.0,
    answer_type="special action",
    program="special action that is labelled from one time of the clip to another",
    distractors="other special actions, each about as often as it is right",
    coverage="all special actions of the recording are labelled",
)
NAMES: Final = {x: x for x in ("jump", "fly", "spin", "climb", "flip", "vault", "roll")}
"""Labels of special actions, as the testbed names them."""
LEAST_S: Final = 1.0
APART_S: Final = 8.0
DISTRACTORS: Final = 3
MOST: Final = 200
MOST_PER_ANSWER: Final = 40
PASSES: Final = 4
LASTS, FITS, ALONE = "lasts_a_second", "clip_fits", "one_special_action_at_a_time"


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question is built from: `shown` are all special actions of the clip, `said` the text's times."""

    row: Mapping[str, Any]
    clip: tuple[float, float]
    said: tuple[float, float]
    one: Labelled
    shown: tuple[Labelled, ...]
    meanwhile: frozenset[str]


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of a source.

    Args:
        tables: Rows of `recordings` and `segments` of a whole source.
        reading: Under `paper`, name whole seconds and draw other special actions by hash.
    """
    recipe = RECIPE.under(reading)
    candidates = [*_candidates(recipe, tables)]
    names = (_shown(recipe, label) for label in NAMES)
    passes = 1 if recipe.as_paper else PASSES
    yield from draw.balanced_rows(partial(_drawn, recipe, candidates), names, passes)


def _candidates(recipe: Recipe, tables: Tables) -> Iterator[Candidate[_Asked]]:
    labelled = labelled_segments(tables, NAMES)
    for row in tables["recordings"].sort("recording_id").iter_rows(named=True):
        specials = labelled.get(row["recording_id"], [])
        for one in specials:
            clip = _clip(one)
            said = (one.start_s - clip[0], one.end_s - clip[0])
            if recipe.as_paper:
                said = (float(math.floor(said[0])), float(math.ceil(said[1])))
            span = (clip[0] + said[0], clip[0] + said[1])
            others = [x for x in specials if x is not one and x.overlaps(span)]
            if one.end_s - one.start_s < LEAST_S and not recipe.as_paper:
                refuse(LASTS)
            elif clip[0] < 0 or clip[1] - clip[0] > CELL.longest_s:
                refuse(FITS)
            elif others and not recipe.as_paper:
                refuse(ALONE)
            else:
                shown = tuple(x for x in specials if x.overlaps(clip))
                meanwhile = frozenset(x.label for x in others)
                identity = recipe.id(row["source"], one.segment_id)
                content = _Asked(row, clip, said, one, shown, meanwhile)
                anchor, uid = (one.segment_id,), row["recording_id"]
                yield Candidate(identity, anchor, uid, one.start_s, one.label, content)


def _clip(one: Labelled) -> tuple[float, float]:
    """The clip that ends with it: its middle lies whole sampling periods after the start."""
    middle = (one.start_s + one.end_s) / 2
    before = max(CELL.shortest_s, EVERY_S * math.ceil((middle - one.start_s) / EVERY_S))
    return round(middle - before, 6), one.end_s


def _shown(recipe: Recipe, label: str) -> str:
    return label.capitalize() if recipe.as_paper else label


def _drawn(
    recipe: Recipe, candidates: list[Candidate[_Asked]], weights: Mapping[str, float]
) -> Iterator[Row]:
    yield from few(
        candidates,
        partial(_question, recipe, weights),
        most=MOST,
        most_per_answer=MOST_PER_ANSWER,
        apart_s=APART_S,
        as_paper=recipe.as_paper,
    )


def _question(recipe: Recipe, weights: Mapping[str, float], asked: Candidate[_Asked]) -> Row | None:
    content, answer = asked.content, asked.content.one.label

    left = {x: _shown(recipe, x) for x in NAMES if x not in {answer, *content.meanwhile}}
    others = by_weight(asked.identity, left, weights)
    if len(others) < DISTRACTORS:
        return None
    key = content.one.segment_id
    start_s, end_s = (int(x) for x in content.said) if recipe.as_paper else content.said
    return recipe.question(
        anchor=asked.anchor,
        text={"start_s": start_s, "end_s": end_s, "shown": content.shown, "asked": content.one},
        answer=Option(_shown(recipe, answer), answer),
        distractors=[Option(_shown(recipe, x), x) for x in others[:DISTRACTORS]],
        media=[Clip(content.row, *content.clip)],
        evidence=[
            ("segments", key, "answer"),
            *(("segments", x.segment_id, "context") for x in content.shown if x is not content.one),
        ],
        steps=[[f"segments:{x.segment_id}" for x in content.shown], [f"segments:{key}"]],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads={
        "recordings": (*RECORDING_COLUMNS, "source"),
        "segments": READS,
    },
    needs=(needs_labels(NAMES, "no special actions"),),
    limits=CELL.limits,
    rules=(LASTS, FITS, ALONE, *FEW_RULES, UNBUILT),
)
