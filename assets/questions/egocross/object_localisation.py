"""Object spatial localisation (EgoCross, Localization): in which ninth of the view a tool is.

Options are cells of a 3 x 3 grid; the cell of the centre of the tool's box, as far as it is inside
the picture, is right (paper, Figure 13: "based on the tool's center point"). Chance is 25 %.

The question needs its instant and its tool: the other options are, in this order, cells the same
tool is in at other instants the clip is sampled at, cells of the other tools at the same instant,
and any cell. Between equals a hash decides. The instant lies on the 0.5 fps sampling of the paper,
counted from the start of the clip, so that it is sent.

The paper samples three distractors "from the same answer type" and clips of a "predefined duration"
at random, and states no margin to the lines. The reading `paper` does the same, by hash; then the
instant may lie between two frames that are sent. Both ask in the testbed's words about CholecTrack20;
under `paper`, a tool that a boxed hand of the wearer uses is asked about in those about EgoSurgery.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from assets.questions.egocross.holders import Use, Uses, uses_of
from assets.questions.egocross.tools import (
    CELLS,
    CLIP_S,
    EVERY_S,
    NEEDS,
    READS,
    Recording,
    Tool,
    cell_text,
    name_shown,
    recordings_of,
)
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Candidate, by_hash, few
from assets.questions.kit.clips import clips_around
from assets.questions.kit.funnel import FEW_RULES, UNBUILT
from assets.questions.kit.recipe import Clip, Option, Recipe, Row, template
from assets.questions.kit.wording import wording

RECIPE: Final = Recipe(
    "egocross", "object_localisation", 1, template(__file__, "object_localisation.j2")
)
OF_HAND: Final = wording(__file__, "released/object_localisation.j2", "released_egosurgery")
"""Words of the testbed where hands are boxed beside tools."""
DISTRACTORS: Final = 3
MOST: Final = 25


@dataclass(frozen=True, slots=True)
class Rules:
    """What may be asked, and with which options.

    Attributes:
        clips: Length of a clip and how long before the instant it starts, all that may be. In the
            testbed this subtask has the shortest; longer ones ask for finding the instant too.
        margin: Least distance of the centre to a line of the grid, over the picture's side.
        apart_s: Questions about one tool in one hand are at least this far apart.
        most_per_cell: At most so many questions of a recording with one answer.
        elsewhere: Whether the tool must be in another cell at another instant sent, and options
            are such cells first; else any three cells.
    """

    clips: tuple[tuple[int, int], ...]
    margin: float = 0.0
    apart_s: float = 0.0
    most_per_cell: int = MOST
    elsewhere: bool = False


STRICT: Final = Rules(
    clips=tuple((length, before) for length in CLIP_S for before in range(0, length, EVERY_S)),
    margin=0.03,
    apart_s=4.0,
    most_per_cell=5,
    elsewhere=True,
)
AS_PAPER: Final = Rules(clips=tuple((CLIP_S[0], before) for before in range(CLIP_S[0])))


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of one recording or several.

    Args:
        tables: Rows of `recordings`, `images`, `boxes` and `annotated_frames`.
        reading: Under `paper`, choose clips and distractors at random (by hash), and keep no
            margin.
    """
    recipe = RECIPE.under(reading)
    rules = AS_PAPER if recipe.as_paper else STRICT
    for recording in recordings_of(tables):
        uses = uses_of(recording, tables) if recipe.as_paper else None
        yield from few(
            _candidates(recipe, recording, rules),
            partial(_question, recipe, recording, rules, uses),
            most=MOST,
            most_per_answer=rules.most_per_cell,
            apart_s=rules.apart_s,
        )


def _candidates(
    recipe: Recipe, recording: Recording, rules: Rules
) -> Iterator[Candidate[tuple[int, Tool]]]:
    """Every tool far enough from the lines, in every frame that can be sent."""
    for frame in recording.shown:
        for tool in recording.tools.get(frame, ()):
            if tool.margin >= rules.margin:
                name, operator = tool.who
                anchor = (recording.row["recording_id"], str(frame), name, operator or "")
                identity = recipe.id(recording.row["source"], *anchor)
                at_s = recording.instants[frame]
                yield Candidate(identity, anchor, tool.who, at_s, tool.cell, (frame, tool))


def clip_and_distractors(
    recording: Recording, rules: Rules, identity: str, frame: int, tool: Tool
) -> tuple[Clip, list[str]] | None:
    """The first clip, by hash, that the rules allow, and three other cells; None if there is no such clip.

    Args:
        recording: The recording.
        rules: What may be asked.
        identity: Id of the question.
        frame: Frame asked about.
        tool: The tool in it.
    """
    at_s = recording.instants[frame]
    others = [cell for cell in CELLS if cell != tool.cell]
    for start_s, end_s in clips_around(at_s, rules.clips, recording.end_s, identity):
        kinds: list[set[str]] = []
        if rules.elsewhere:
            elsewhere = recording.cells_sent(tool, start_s, end_s) - {tool.cell}
            if not elsewhere:
                continue
            kinds = [elsewhere, {other.cell for other in recording.tools[frame]}]
        chosen = by_hash(others, identity, "distractor", kinds=kinds)[:DISTRACTORS]
        return Clip(recording.row, start_s, end_s), chosen
    return None


def _hand(uses: Uses | None, frame: int, tool: Tool) -> Use | None:
    """The wearer's hand that is beyond doubt at a tool; None if hands are not boxed, or none is."""
    if uses is None or uses.frames is None or frame not in uses.frames:
        return None
    sure = (use for use in uses.at.get(frame, ()) if use.sure)
    return next((use for use in sure if use.boxes[0] == tool.box["box_id"]), None)


def _question(
    recipe: Recipe,
    recording: Recording,
    rules: Rules,
    uses: Uses | None,
    asked: Candidate[tuple[int, Tool]],
) -> Row | None:
    frame, tool = asked.content
    shown = clip_and_distractors(recording, rules, asked.identity, frame, tool)
    if shown is None:
        return None
    clip, distractors = shown
    box = f"boxes:{tool.box['box_id']}"
    hand = _hand(uses, frame, tool)
    if hand is not None:
        recipe = replace(recipe, released=OF_HAND)
    return recipe.question(
        anchor=asked.anchor,
        text={
            "hand": None if hand is None else hand.holder,
            "start_s": 0.0,
            "end_s": clip.end_s - clip.start_s,
            "at_s": asked.t_s - clip.start_s,
            "tool": name_shown(tool.box["class_name"]),
            "operator": recording.operator_shown(tool),
            "visible": sorted({name_shown(b["class_name"]) for b in recording.boxes[frame]}),
            "box": tool.box,
            "centre_x": tool.x,
            "centre_y": tool.y,
        },
        answer=Option(cell_text(tool.cell), tool.cell),
        distractors=[Option(cell_text(cell), cell) for cell in distractors],
        media=[clip],
        evidence=[
            *recording.evidence(frame, tool),
            *(("boxes", key, "hand") for key in (() if hand is None else hand.boxes[1:])),
        ],
        steps=[recording.frame_rows(frame), [box], [box]],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="recording",
    reads=READS,
    needs=NEEDS,
    limits=(
        f"a tool named once in a picture, {STRICT.margin:.0%} from a line of the grid, in a clip of"
        f" {min(CLIP_S)} s or more"
    ),
    rules=(*FEW_RULES, UNBUILT),
    one_frame=True,
)
