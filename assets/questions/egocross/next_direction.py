"""Next direction (EgoCross, Prediction): which way the wearer moves after the end of the clip.

The first direction that is labelled after the clip is right; tricks and other labels between do not count.
Clips end 1 s before it begins, since labels are set by hand, just after a frame sent every 2 s, and last at
most 15 s as most of the testbed's do. While it lasts no other direction is labelled. The other options are other directions, each
offered about as often as it is right; "left" is not offered beside "left then right", which begins with it.
Chance is 25 %.

The reading `paper` asks in the words of the testbed about every direction, ends clips where it begins, and
draws any other directions by hash.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from assets.questions.egocross.cells import Cell, span_before
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
    "next_direction",
    1,
    template(__file__, "next_direction.j2"),
    released=wording(__file__, "released/next_direction.j2", "released_extremesportfpv"),
)
CELL: Final = Cell(
    dataset="ExtremeSportFPV",
    shortest_s=4.0,
    longest_s=15.0,
    answer_type="direction",
    program="first direction that begins after the clip",
    distractors="other directions, each about as often as it is right",
    coverage="all directions of the recording are labelled, and one begins in the clip",
)
NAMES: Final = {
    "forward": "forward",
    "left": "left",
    "right": "right",
    "curveleft": "curve left",
    "curveright": "curve right",
    "leftright": "left then right",
}
"""Labels of directions, and how options name them."""
AHEAD_S: Final = 1.0
APART_S: Final = 8.0
DISTRACTORS: Final = 3
MOST: Final = 200
MOST_PER_ANSWER: Final = 40
PASSES: Final = 4
LONG_ENOUGH, STARTED, ALONE = "long_enough", "direction_in_clip", "one_direction_at_a_time"


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question is built from: the clip ends before `following`, and `before` begin in it."""

    row: Mapping[str, Any]
    span: tuple[float, float]
    before: tuple[Labelled, ...]
    following: Labelled


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of a source.

    Args:
        tables: Rows of `recordings` and `segments` of a whole source.
        reading: Under `paper`, end clips where the direction begins and draw other directions by hash.
    """
    recipe = RECIPE.under(reading)
    candidates = [*_candidates(recipe, tables)]
    names = (_shown(recipe, label) for label in NAMES)
    passes = 1 if recipe.as_paper else PASSES
    yield from draw.balanced_rows(partial(_drawn, recipe, candidates), names, passes)


def _candidates(recipe: Recipe, tables: Tables) -> Iterator[Candidate[_Asked]]:
    labelled = labelled_segments(tables, NAMES)
    for row in tables["recordings"].sort("recording_id").iter_rows(named=True):
        directions = labelled.get(row["recording_id"], [])
        for one in directions:
            end_s = round(one.start_s - (0.0 if recipe.as_paper else AHEAD_S), 6)
            span = (
                (max(0.0, round(end_s - CELL.longest_s, 6)), end_s)
                if recipe.as_paper
                else span_before(end_s, CELL.longest_s)
            )
            before = tuple(x for x in directions if span[0] <= x.start_s < end_s)
            others = [x for x in directions if x is not one]
            if end_s - span[0] < CELL.shortest_s:
                refuse(LONG_ENOUGH)
            elif not before:
                refuse(STARTED)
            elif any(_is_disputed(one, x, end_s, recipe.as_paper) for x in others):
                refuse(ALONE)
            else:
                uid, asked = row["recording_id"], _Asked(row, span, before, one)
                identity = recipe.id(row["source"], one.segment_id)
                anchor = (one.segment_id,)
                yield Candidate(identity, anchor, uid, one.start_s, one.label, asked)


def _is_disputed(one: Labelled, other: Labelled, clip_end_s: float, as_paper: bool) -> bool:
    """Whether another direction begins no later, after the clip, or is labelled during this one."""
    if clip_end_s <= other.start_s <= one.start_s:
        return True
    meanwhile = other.overlaps((one.start_s, one.end_s))
    return meanwhile and other.label != one.label and not as_paper


def _shown(recipe: Recipe, label: str) -> str:
    return NAMES[label].capitalize() if recipe.as_paper else NAMES[label]


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


def _begins_alike(one: str, other: str) -> bool:
    """Whether one direction is the beginning of the other."""
    first, second = sorted((NAMES[one].split(), NAMES[other].split()), key=len)
    return second[: len(first)] == first


def _question(recipe: Recipe, weights: Mapping[str, float], asked: Candidate[_Asked]) -> Row | None:
    content = asked.content
    answer = content.following.label

    left = {
        x: _shown(recipe, x)
        for x in NAMES
        if x != answer and (recipe.as_paper or not _begins_alike(x, answer))
    }
    others = by_weight(asked.identity, left, weights)
    if len(others) < DISTRACTORS:
        return None
    key = content.following.segment_id
    before = [one.segment_id for one in content.before]
    return recipe.question(
        anchor=asked.anchor,
        text={"before": content.before, "next": content.following},
        answer=Option(_shown(recipe, answer), answer),
        distractors=[Option(_shown(recipe, x), x) for x in others[:DISTRACTORS]],
        media=[Clip(content.row, *content.span)],
        evidence=[("segments", key, "answer"), *(("segments", x, "context") for x in before)],
        steps=[[f"segments:{x}" for x in before], [f"segments:{key}"]],
        # Under either reading the clip ends where it begins, or before.
        answer_visible=False,
    )


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads={
        "recordings": (*RECORDING_COLUMNS, "source"),
        "segments": READS,
    },
    needs=(needs_labels(NAMES, "no directions of movement"),),
    limits=CELL.limits,
    rules=(LONG_ENOUGH, STARTED, ALONE, *FEW_RULES, UNBUILT),
)
