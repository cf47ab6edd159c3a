"""Dominant held object (EgoCross, Identification): the tool that a hand uses longest in a clip.

Clips last 10 s; all pictures sent of them are annotated, and 90 % of all. The tool that a hand is at in
most annotated pictures is right, if it leads by two pictures and a fifth of them, and in the pictures
sent too; a tool whose hand is in doubt counts for every other. A box names its operator, or meets the box of one
hand of the wearer and of nobody else. The other options are other tools of the source; of the questions
about one hand each tool is right about as often as chance, 25 %, has it.

The reading `paper` asks in the words of the testbed for the tool of most pictures, and draws other
tools by hash.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import polars as pl

from assets.questions.egocross.cells import Cell
from assets.questions.egocross.even import EVEN, Even, evenly
from assets.questions.egocross.hand_actions import NAMED
from assets.questions.egocross.holders import HANDS, By, Use, Uses, holder_name, uses_of
from assets.questions.egocross.stretches import COVERED, Stretch, stretches
from assets.questions.egocross.tools import (
    NEEDS,
    OPERATOR_NAMES,
    READS,
    Boxes,
    Recording,
    kinds_of,
    name_shown,
    recordings_of,
    refined,
)
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Candidate, by_hash
from assets.questions.kit.funnel import ENOUGH, refuse
from assets.questions.kit.needs import rows_where
from assets.questions.kit.recipe import Option, Recipe, Row, template
from assets.questions.kit.wording import Wording, wording

RECIPE: Final = Recipe("egocross", "dominant_object", 1, template(__file__, "dominant_object.j2"))
RELEASED: Final[Mapping[By, Wording]] = {
    "operator": wording(__file__, "released/dominant_object.j2", "released_cholectrack20"),
    "hand": wording(__file__, "released/dominant_object.j2", "released_egosurgery"),
    "point": wording(__file__, "released/dominant_object.j2", "released_enigma51"),
}
"""Words of the testbed, by what says who uses a tool."""
CELL: Final = Cell(
    dataset="CholecTrack20, EgoSurgery",
    shortest_s=10.0,
    longest_s=10.0,
    answer_type="tool",
    program="tool of most annotated pictures of the clip in which the hand uses one",
    distractors="other tools, each about as often as it is right for that hand",
    coverage="all tools, and their operators or all hands, in every picture sent and 90 % of all",
)
DISTRACTORS: Final = 3
LEAST_LEAD: Final = 2
LEAST_SHARE: Final = 0.2
LEADS, LEADS_SENT = "leads_by_a_fifth", "leads_in_pictures_sent"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A hand in a clip, the pictures it uses each tool in, and by how many the first leads."""

    stretch: Stretch
    uses: Uses
    holder: str
    counts: tuple[tuple[str, int], ...]
    lead: int

    @property
    def mine(self) -> list[Use]:
        """Uses of tools that are the hand's or may be."""
        at, frames = self.uses.at, self.stretch.frames
        return [use for n in frames for use in at.get(n, ()) if use.holder in (self.holder, None)]


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of a source.

    Args:
        tables: Rows of `recordings`, `images`, `boxes` and `annotated_frames` of a whole source.
        reading: Under `paper`, ask for the tool of most pictures and draw other tools by hash.
    """
    cell = Dominant(Boxes(), (CELL.shortest_s,), partial(uses_of, tables=tables))
    yield from dominant(RECIPE.under(reading), tables, cell)


@dataclass(frozen=True, slots=True)
class Dominant:
    """What a cell of this subtask declares.

    Attributes:
        boxes: What is boxed.
        lengths_s: Lengths of clips.
        uses: Who uses what in a recording; None if nothing says it.
    """

    boxes: Boxes
    lengths_s: tuple[float, ...]
    uses: Callable[[Recording], Uses | None]


def dominant(recipe: Recipe, tables: Tables, cell: Dominant) -> Iterator[Row]:
    """What a hand uses longest in a clip.

    Args:
        recipe: Recipe under the reading asked for.
        tables: Rows of a whole source.
        cell: What the cell declares.
    """
    classes = refined(tables, cell.boxes)
    tools = kinds_of(tables, classes)
    found = defaultdict[str, list[Candidate[_Asked]]](list)
    for recording in recordings_of(tables, cell.boxes.what, classes):
        for candidate in _candidates(recipe, recording, cell):
            found[candidate.content.holder].append(candidate)
    for _, candidates in sorted(found.items()):
        yield from evenly(candidates, partial(_question, recipe, tools))


def _candidates(
    recipe: Recipe, recording: Recording, cell: Dominant
) -> Iterator[Candidate[_Asked]]:
    uses, step_s = cell.uses(recording), cell.boxes.step_s
    if uses is not None:
        # Points leave no doubt about whose hand it is, but about when: that counts in either reading.
        doubted = uses.by == "point" or not recipe.as_paper
        # Beside frames at even steps others show the instants of points: they would count twice.
        even = step_s is not None
        for stretch in stretches(
            recording, cell.lengths_s, also=uses.frames, step_s=step_s, evenly=even
        ):
            if any(stretch.start_s <= t_s < stretch.end_s for t_s in uses.unknown_s):
                refuse(NAMED)
                continue
            for holder in uses.holders(stretch.frames):
                sure, _ = uses.of(holder, stretch.frames)
                counts = tuple(sorted(sure.items(), key=lambda item: (-item[1], item[0])))
                tool = counts[0][0]
                lead = uses.lead(holder, tool, stretch.frames, doubted)
                share = LEAST_SHARE * len(stretch.frames)
                if lead < (1 if recipe.as_paper else max(LEAST_LEAD, share)):
                    refuse(LEADS)
                elif not recipe.as_paper and uses.lead(holder, tool, stretch.sent, True) < 1:
                    refuse(LEADS_SENT)
                else:
                    anchor = (*stretch.anchor, holder)
                    identity = recipe.id(recording.row["source"], *anchor)
                    asked = _Asked(stretch, uses, holder, counts, lead)
                    yield Candidate(identity, anchor, holder, stretch.start_s, tool, asked)


def _question(
    recipe: Recipe, tools: Sequence[str], asked: Candidate[_Asked], even: Even
) -> Row | None:
    content = asked.content
    answer = content.counts[0][0]
    others = by_hash((x for x in tools if x != answer), asked.identity, "distractor")
    if not recipe.as_paper:
        others.sort(key=even.ahead, reverse=True)
    others = others[:DISTRACTORS]
    if not recipe.as_paper and not even.allows([answer], others):
        return None
    even.add([answer], others)
    return _row(recipe, asked, answer, others)


def _row(recipe: Recipe, asked: Candidate[_Asked], answer: str, others: Sequence[str]) -> Row:
    content, stretch = asked.content, asked.content.stretch
    boxes = {
        key: "answer" if use.sure and use.tool == answer else "context"
        for use in content.mine
        for key in use.boxes
    }
    frames = [*stretch.frame_keys]
    if content.uses.frames is not None:
        frames += [f"{asked.anchor[0]}/{HANDS}/{n}" for n in stretch.frames]
    events = sorted({row for use in content.mine for row in use.told})
    rows = [*(f"boxes:{key}" for key in boxes), *(f"annotated_frames:{key}" for key in frames)]
    rows += events
    recipe = replace(recipe, released=RELEASED[content.uses.by])
    return recipe.question(
        anchor=asked.anchor,
        text={
            "holder": holder_name(content.holder, content.uses.by),
            "operator": OPERATOR_NAMES.get(content.holder, content.holder),
            "hand": content.holder,
            "start_s": 0.0,
            "end_s": stretch.end_s - stretch.start_s,
            "n_frames": len(stretch.frames),
            "counts": [(name_shown(tool), n) for tool, n in content.counts],
            "lead": content.lead,
        },
        answer=Option(name_shown(answer), answer),
        distractors=[Option(name_shown(tool), tool) for tool in others],
        media=[stretch.clip],
        evidence=[
            *(("boxes", key, role) for key, role in sorted(boxes.items())),
            *(("annotated_frames", key, "coverage") for key in frames),
            *((table, key, "event") for table, _, key in (row.partition(":") for row in events)),
        ],
        steps=[rows, [f"boxes:{key}" for key, role in boxes.items() if role == "answer"]],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads=READS,
    needs=(
        *NEEDS,
        rows_where(
            "boxes",
            ("operator", "hand_owner"),
            pl.col("operator").is_not_null() | (pl.col("hand_owner") == "wearer"),
            "nothing says which hand is at which tool: no operators, and no hands of the wearer",
        ),
    ),
    limits=CELL.limits,
    rules=(COVERED, LEADS, LEADS_SENT, EVEN, ENOUGH),
)
