"""Object counting (EgoCross, Counting): how many kinds of tools a clip shows.

Kinds are refined classes: those that the reviewed list of the dataset tells apart. Clips last 10 or 20 s;
all pictures sent of them are annotated, and 90 % of all. Every box counts, however small and whoever
operates it, and the pictures sent show every kind that is counted. The other options are one to three
more or fewer. Each number, and each place in the order of the four, is right about as often as chance,
25 %, has it: the number in the middle is no good guess.

The reading `paper` asks in the words of the testbed, counts what any annotated picture shows, and draws
other numbers by hash.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Final

from assets.questions.egocross.cells import Cell
from assets.questions.egocross.even import EVEN, Even, evenly
from assets.questions.egocross.stretches import COVERED, Stretch, stretches
from assets.questions.egocross.tools import (
    NEEDS,
    REFINED_READS,
    Boxes,
    name_shown,
    recordings_of,
    refined,
)
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Candidate, by_hash
from assets.questions.kit.funnel import ENOUGH, refuse
from assets.questions.kit.recipe import Option, Recipe, Row, template
from assets.questions.kit.wording import wording

RECIPE: Final = Recipe("egocross", "object_counting", 1, template(__file__, "object_counting.j2"))
RELEASED: Final = {
    True: wording(__file__, "released/object_counting.j2", "released_cholectrack20"),
    False: wording(__file__, "released/object_counting.j2", "released_egosurgery"),
}
"""Words of the testbed, by whether boxes name operators."""
LENGTHS_S: Final = (10.0, 20.0)
CELL: Final = Cell(
    dataset="CholecTrack20, EgoSurgery",
    shortest_s=min(LENGTHS_S),
    longest_s=max(LENGTHS_S),
    answer_type="number of kinds",
    program="number of kinds of tools in the annotated pictures of the clip",
    distractors="one to three more or fewer; each number and each rank about as often as it is right",
    coverage="all tools in every picture sent and 90 % of all",
)
DISTRACTORS: Final = 3
FURTHEST: Final = 3
IN_VIEW, SENT = "a_tool_is_in_view", "all_kinds_are_sent"


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of a source.

    Args:
        tables: Rows of `recordings`, `images`, `boxes`, `annotated_frames` and `taxonomies` of a whole
            source.
        reading: Under `paper`, count what is not sent too, and draw other numbers by hash.
    """
    yield from kinds_in_view(RECIPE.under(reading), tables, Boxes(taxonomy="tool"), LENGTHS_S)


def kinds_in_view(
    recipe: Recipe, tables: Tables, boxes: Boxes, lengths_s: Sequence[float]
) -> Iterator[Row]:
    """How many kinds a clip shows; arguments as of `object_not_visible.not_visible`."""
    candidates = _candidates(recipe, tables, boxes, lengths_s)
    yield from evenly(candidates, partial(_question, recipe))


def _candidates(
    recipe: Recipe, tables: Tables, boxes: Boxes, lengths_s: Sequence[float]
) -> Iterator[Candidate[Stretch]]:
    classes = refined(tables, boxes)
    for recording in recordings_of(tables, boxes.what, classes):
        for stretch in stretches(recording, lengths_s, step_s=boxes.step_s):
            kinds = stretch.kinds().keys()
            if not kinds:
                refuse(IN_VIEW)
            elif not recipe.as_paper and kinds != stretch.kinds(stretch.sent).keys():
                refuse(SENT)
            else:
                anchor = stretch.anchor
                identity = recipe.id(recording.row["source"], *anchor)
                yield Candidate(identity, anchor, anchor[0], stretch.start_s, len(kinds), stretch)


def _question(recipe: Recipe, asked: Candidate[Stretch], even: Even) -> Row | None:
    right = len(asked.content.kinds())
    near = range(max(0, right - FURTHEST), right + FURTHEST + 1)
    ways = combinations([n for n in near if n != right], DISTRACTORS)
    ordered = by_hash(ways, asked.identity, "distractor")
    if recipe.as_paper:
        return _row(recipe, asked, ordered[0])

    def unevenness(others: Sequence[int]) -> tuple[int, int]:
        (_, rank), wrong = _things(right, others)
        return even.ahead(rank), -sum(even.ahead(thing) for thing in wrong)

    for others in sorted(ordered, key=unevenness):
        things = _things(right, others)
        if even.allows(*things):
            even.add(*things)
            return _row(recipe, asked, others)
    return None


def _things(right: int, others: Sequence[int]) -> tuple[list[Hashable], list[Hashable]]:
    """What is right and what is wrong of four numbers: each number, and its rank among them."""
    ordered = sorted((right, *others))
    named = [[("number", n), ("rank", rank)] for rank, n in enumerate(ordered)]
    at = ordered.index(right)
    wrong = [thing for rank, things in enumerate(named) if rank != at for thing in things]
    return [*named[at]], [*wrong]


def _row(recipe: Recipe, asked: Candidate[Stretch], others: Sequence[int]) -> Row:
    stretch, boxes = asked.content, asked.content.one_of_each
    released = recipe.released or RELEASED[stretch.recording.names_operators]
    recipe = replace(recipe, released=released)
    frames = stretch.frame_keys
    named = [f"boxes:{key}" for key in boxes]
    right = len(stretch.kinds())
    return recipe.question(
        anchor=asked.anchor,
        text={
            "start_s": 0.0,
            "end_s": stretch.end_s - stretch.start_s,
            "n_frames": len(stretch.frames),
            "counts": [(name_shown(tool), n) for tool, n in sorted(stretch.pictures().items())],
            "n_kinds": right,
        },
        answer=Option(str(right), str(right)),
        distractors=[Option(str(n), str(n)) for n in others],
        media=[stretch.clip],
        evidence=[
            *(("boxes", key, "answer") for key in boxes),
            *(("annotated_frames", key, "coverage") for key in frames),
        ],
        steps=[[*(f"annotated_frames:{key}" for key in frames), *named], named],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads=REFINED_READS,
    needs=NEEDS,
    limits=CELL.limits,
    rules=(COVERED, IN_VIEW, SENT, EVEN, ENOUGH),
)
