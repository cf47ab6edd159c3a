"""Object spatial localisation at a workbench (EgoCross, Localization): where a thing is when a hand meets it.

Clips, cells and options are those of `object_localisation`; the text tells the instant by its time and by
the hand that begins to touch or takes the thing, of which the frame shows one. Chance is 25 %.

The reading `paper` asks in the words of the testbed, in clips of 10 s at any second, and keeps no margin.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from assets.questions.egocross.cells import Cell
from assets.questions.egocross.hand_actions import (
    BEGINS,
    DOES,
    NAMED,
    VERBS,
    HandAction,
    hand_actions,
)
from assets.questions.egocross.hand_actions import NEEDS as ACTED
from assets.questions.egocross.hand_actions import READS as ACTIONS
from assets.questions.egocross.object_localisation import (
    AS_PAPER,
    MOST,
    STRICT,
    Rules,
    clip_and_distractors,
)
from assets.questions.egocross.tools import (
    CLIP_S,
    READS,
    Recording,
    Tool,
    cell_text,
    instant,
    recordings_of,
)
from assets.questions.egocross.workbench import OBJECTS, THINGS_BOXED
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Candidate, few
from assets.questions.kit.funnel import FEW_RULES, UNBUILT, refuse
from assets.questions.kit.recipe import Option, Recipe, Row, template
from assets.questions.kit.wording import wording

RECIPE: Final = Recipe(
    "egocross",
    "object_localisation",
    1,
    template(__file__, "object_localisation_enigma51.j2"),
    name="object_localisation_enigma51",
    released=wording(__file__, "released/object_localisation.j2", "released_enigma51"),
)
CELL: Final = Cell(
    dataset="ENIGMA-51",
    shortest_s=float(min(CLIP_S)),
    longest_s=float(max(CLIP_S)),
    answer_type="cell of a 3 x 3 grid",
    program="cell of the centre of the box of the thing that a hand begins to touch or takes",
    distractors="cells that the thing is in at other instants sent, then those of other things",
    coverage="all things of the frame, and all interactions, with hand and object",
)
BOXED, MARGIN = "thing_is_boxed_once", "away_from_lines"


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question is built from: a hand meets a thing in a frame."""

    one: HandAction
    hand: str
    thing: str
    frame: int
    tool: Tool


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of one recording or several.

    Args:
        tables: Rows of `recordings`, `images`, `boxes`, `annotated_frames`, `segments` and `relations`.
        reading: Under `paper`, choose clips and distractors by hash, and keep no margin.
    """
    recipe = RECIPE.under(reading)
    rules = AS_PAPER if recipe.as_paper else STRICT
    found = hand_actions(tables)
    for recording in recordings_of(tables, OBJECTS):
        yield from few(
            _candidates(recipe, recording, rules, found),
            partial(_question, recipe, recording, rules),
            most=MOST,
            most_per_answer=rules.most_per_cell,
            apart_s=rules.apart_s,
        )


def _candidates(
    recipe: Recipe, recording: Recording, rules: Rules, found: Mapping[str, list[HandAction]]
) -> Iterator[Candidate[_Asked]]:
    for one in found.get(recording.row["recording_id"], []):
        frame = recording.frame_at.get(instant(one.at_s))
        tools = () if frame is None else recording.tools.get(frame, ())
        tool = next((x for x in tools if _name(x) == one.thing), None)
        if one.verb not in BEGINS:
            continue
        if one.hand is None or one.thing is None:
            refuse(NAMED)
        elif frame is None or tool is None:
            refuse(BOXED)
        elif tool.margin < rules.margin:
            refuse(MARGIN)
        else:
            identity = recipe.id(recording.row["source"], one.segment_id)
            asked = _Asked(one, one.hand, one.thing, frame, tool)
            yield Candidate(identity, (one.segment_id,), one.thing, one.at_s, tool.cell, asked)


def _name(tool: Tool) -> str:
    return str(tool.box["class_name"]).replace("_", " ")


def _question(
    recipe: Recipe, recording: Recording, rules: Rules, asked: Candidate[_Asked]
) -> Row | None:
    content, one, tool = asked.content, asked.content.one, asked.content.tool
    shown = clip_and_distractors(recording, rules, asked.identity, content.frame, tool)
    if shown is None:
        return None
    clip, distractors = shown
    box = f"boxes:{tool.box['box_id']}"
    acted = [("segments", one.segment_id), *(("relations", key) for key in one.relations)]
    return recipe.question(
        anchor=asked.anchor,
        text={
            "hand": content.hand,
            "object": content.thing,
            "verb": VERBS[one.verb][0],
            "does": DOES[one.verb],
            "at_s": asked.t_s - clip.start_s,
            "start_s": 0.0,
            "end_s": clip.end_s - clip.start_s,
            "box": tool.box,
            "centre_x": tool.x,
            "centre_y": tool.y,
        },
        answer=Option(cell_text(tool.cell), tool.cell),
        distractors=[Option(cell_text(cell), cell) for cell in distractors],
        media=[clip],
        evidence=[
            *recording.evidence(content.frame, tool),
            *((table, key, "event") for table, key in acted),
        ],
        steps=[[f"{table}:{key}" for table, key in acted], [box], [box]],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="recording",
    reads={**READS, **ACTIONS},
    needs=(
        *ACTED,
        THINGS_BOXED,
    ),
    limits=(f"{CELL.limits}; the thing is boxed once, {STRICT.margin:.0%} from a line of the grid"),
    rules=(NAMED, BOXED, MARGIN, *FEW_RULES, UNBUILT),
    one_frame=True,
)
