"""Object not visible (EgoCross, Identification): which of four tools a clip never shows.

Clips last 10, 20 or 60 s; all pictures sent of them are annotated, and 90 % of all. The right tool is
boxed in other clips of the source, and in no annotated picture of this one; each of the others is boxed
in two pictures sent. Each tool is right about as often as chance, 25 %, has it: otherwise what is always
in view could be left out.

The reading `paper` asks in the words of the testbed, and draws an absent tool and three that are boxed
in the clip by hash.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from assets.questions.egocross.cells import Cell
from assets.questions.egocross.even import EVEN, Even, evenly
from assets.questions.egocross.stretches import COVERED, Stretch, stretches
from assets.questions.egocross.tools import (
    NEEDS,
    REFINED_READS,
    Boxes,
    kinds_of,
    name_shown,
    recordings_of,
    refined,
)
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Candidate, by_hash
from assets.questions.kit.funnel import ENOUGH, refuse
from assets.questions.kit.recipe import Option, Recipe, Row, template
from assets.questions.kit.wording import wording

RECIPE: Final = Recipe(
    "egocross", "object_not_visible", 1, template(__file__, "object_not_visible.j2")
)
RELEASED: Final = {
    True: wording(__file__, "released/object_not_visible.j2", "released_cholectrack20"),
    False: wording(__file__, "released/object_not_visible.j2", "released_egosurgery"),
}
"""Words of the testbed, by whether boxes name operators."""
LENGTHS_S: Final = (10.0, 20.0, 60.0)
CELL: Final = Cell(
    dataset="CholecTrack20, EgoSurgery",
    shortest_s=min(LENGTHS_S),
    longest_s=max(LENGTHS_S),
    answer_type="tool",
    program="tool that is boxed in no annotated picture of the clip",
    distractors="tools boxed in two pictures sent, each about as often as it is right",
    coverage="all tools in every picture sent and 90 % of all",
)
DISTRACTORS: Final = 3
LEAST_SENT: Final = 2
IN_VIEW, ABSENT = "three_tools_are_in_view", "a_tool_is_absent"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A clip, tools that it never shows, and those that may be offered beside them."""

    stretch: Stretch
    absent: tuple[str, ...]
    shown: tuple[str, ...]


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of a source.

    Args:
        tables: Rows of `recordings`, `images`, `boxes`, `annotated_frames` and `taxonomies` of a whole
            source.
        reading: Under `paper`, draw tools by hash.
    """
    yield from not_visible(RECIPE.under(reading), tables, Boxes(taxonomy="tool"), LENGTHS_S)


def not_visible(
    recipe: Recipe, tables: Tables, boxes: Boxes, lengths_s: Sequence[float]
) -> Iterator[Row]:
    """What a clip never shows.

    Args:
        recipe: Recipe under the reading asked for.
        tables: Rows of a whole source.
        boxes: What is boxed.
        lengths_s: Lengths of clips.
    """
    candidates = _candidates(recipe, tables, boxes, lengths_s)
    yield from evenly(candidates, partial(_question, recipe))


def _candidates(
    recipe: Recipe, tables: Tables, boxes: Boxes, lengths_s: Sequence[float]
) -> Iterator[Candidate[_Asked]]:
    classes = refined(tables, boxes)
    tools = {*kinds_of(tables, classes)}
    for recording in recordings_of(tables, boxes.what, classes):
        for stretch in stretches(recording, lengths_s, step_s=boxes.step_s):
            sent = stretch.pictures() if recipe.as_paper else stretch.pictures(stretch.sent)
            least = 1 if recipe.as_paper else LEAST_SENT
            shown = tuple(sorted(tool for tool, n in sent.items() if n >= least))
            absent = tuple(sorted(tools - stretch.kinds().keys()))
            if len(shown) < DISTRACTORS:
                refuse(IN_VIEW)
            elif not absent:
                refuse(ABSENT)
            else:
                anchor = stretch.anchor
                identity = recipe.id(recording.row["source"], *anchor)
                asked = _Asked(stretch, absent, shown)
                yield Candidate(identity, anchor, anchor[0], stretch.start_s, None, asked)


def _question(recipe: Recipe, asked: Candidate[_Asked], even: Even) -> Row | None:
    absent = by_hash(asked.content.absent, asked.identity, "answer")
    shown = by_hash(asked.content.shown, asked.identity, "distractor")
    if not recipe.as_paper:
        absent.sort(key=even.ahead)
        shown.sort(key=even.ahead, reverse=True)
    answer, others = absent[0], shown[:DISTRACTORS]
    if not recipe.as_paper and not even.allows([answer], others):
        return None
    even.add([answer], others)
    return _row(recipe, asked, answer, others)


def _row(recipe: Recipe, asked: Candidate[_Asked], answer: str, others: Sequence[str]) -> Row:
    stretch = asked.content.stretch
    released = recipe.released or RELEASED[stretch.recording.names_operators]
    recipe = replace(recipe, released=released)
    frames = [f"annotated_frames:{key}" for key in stretch.frame_keys]
    boxes = stretch.one_of_each
    return recipe.question(
        anchor=asked.anchor,
        text={
            "start_s": 0.0,
            "end_s": stretch.end_s - stretch.start_s,
            "n_frames": len(stretch.frames),
            "counts": [(name_shown(tool), n) for tool, n in sorted(stretch.pictures().items())],
        },
        answer=Option(name_shown(answer), answer),
        distractors=[Option(name_shown(tool), tool) for tool in others],
        media=[stretch.clip],
        evidence=[
            *(("boxes", key, "context") for key in boxes),
            *(("annotated_frames", key, "answer") for key in stretch.frame_keys),
        ],
        steps=[[*frames, *(f"boxes:{key}" for key in boxes)], frames],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads=REFINED_READS,
    needs=NEEDS,
    limits=CELL.limits,
    rules=(COVERED, IN_VIEW, ABSENT, EVEN, ENOUGH),
)
