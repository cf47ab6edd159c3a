"""Object spatial localisation (EgoCross, Localization): in which ninth of the view a tool is.

Options are cells of a 3 x 3 grid; the cell of the centre of the tool's box, as far as it is inside
the picture, is right (paper, Figure 13: "based on the tool's center point"). Chance is 25 %.

The question needs its instant and its tool: the other options are, in this order, cells the same
tool is in at other instants the clip is sampled at, cells of the other tools at the same instant,
and any cell. Between equals a hash decides. The instant lies on the 0.5 fps sampling of the paper,
counted from the start of the clip, so that it is sent.

The paper samples three distractors "from the same answer type" and clips of a "predefined duration"
at random, and states no margin to the lines. The reading `paper` does the same, by hash; then the
instant may lie between two frames that are sent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from assets.pairs.choice import stable_hash
from assets.questions.egocross.tools import (
    CELLS,
    Recording,
    Tool,
    cell_text,
    instant,
    recordings_of,
)
from assets.questions.kit.builder import Tables
from assets.questions.kit.needs import rows_of, rows_where
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option, Recipe, Row, template

RECIPE: Final = Recipe(
    "egocross", "object_localisation", 1, template(__file__, "object_localisation.j2")
)
COUNT: Final = 4
CLIP_S: Final = (10, 15, 20, 30)
"""Lengths of clips in the released testbed; there this subtask always has the shortest, while longer
ones ask for finding the instant too."""
EVERY_S: Final = 2
"""Spacing of the frames sent (paper, Section 4.1: 0.5 fps); clips of presampled pictures send them
too."""
MARGIN: Final = 0.03
"""Least distance of the centre to a line of the grid, over the picture's side."""
APART_S: Final = 4.0
"""Questions about one tool in one hand are at least this far apart."""
MOST: Final = 25
MOST_PER_CELL: Final = 5
"""Questions of a recording, and those of them with one answer: no cell is a good guess."""

TOOL_NAMES: Final = {"specimenbag": "specimen-bag"}
"""Refined names of the testbed, where they differ from the source's."""
OPERATOR_NAMES: Final = {
    "MSLH": "main surgeon left hand",
    "MSRH": "main surgeon right hand",
    "ASRH": "assistant surgeon right hand",
}
UNKNOWN_OPERATOR: Final = "unknown operator"


@dataclass(frozen=True, slots=True)
class _Rules:
    """What may be asked, and with which options.

    Attributes:
        clips: Length of a clip and how long before the instant it starts, all that may be.
        margin: Least distance of the centre to a line of the grid, over the picture's side.
        apart_s: Least time between questions about one tool in one hand.
        most_per_cell: At most so many questions of a recording with one answer.
        elsewhere: Whether the tool must be in another cell at another instant sent, and options
            are such cells first; else any three cells.
    """

    clips: tuple[tuple[int, int], ...]
    margin: float
    apart_s: float
    most_per_cell: int
    elsewhere: bool


_STRICT: Final = _Rules(
    clips=tuple((length, before) for length in CLIP_S for before in range(0, length, EVERY_S)),
    margin=MARGIN,
    apart_s=APART_S,
    most_per_cell=MOST_PER_CELL,
    elsewhere=True,
)
_AS_PAPER: Final = _Rules(
    clips=tuple((CLIP_S[0], before) for before in range(CLIP_S[0])),
    margin=0.0,
    apart_s=0.0,
    most_per_cell=MOST,
    elsewhere=False,
)


@dataclass(frozen=True, slots=True)
class _Choice:
    """A question to be: a tool at an instant, in a clip."""

    identity: str
    tool: Tool
    frame: int
    t_s: float
    start_s: float
    length_s: int
    distractors: tuple[str, ...]


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of one recording or several.

    Args:
        tables: Rows of `recordings`, `images`, `boxes` and `annotated_frames`.
        reading: Under `paper`, choose clips and distractors at random (by hash), and keep no
            margin.
    """
    recipe = RECIPE.under(reading)
    rules = _AS_PAPER if recipe.as_paper else _STRICT
    for recording in recordings_of(tables):
        for chosen in _chosen(recipe, recording, rules):
            yield _question(recipe, recording, chosen)


# -- what is asked ---------------------------------------------------------------------------------


def _chosen(recipe: Recipe, recording: Recording, rules: _Rules) -> list[_Choice]:
    """Few enough, apart from each other, and not all with the same answer; by hash."""
    taken: list[_Choice] = []
    cells: Counter[str] = Counter()
    times: dict[tuple[str, str | None], list[float]] = defaultdict(list)
    for identity, frame, tool in sorted(_candidates(recipe, recording, rules), key=lambda c: c[0]):
        if len(taken) == MOST:
            break
        t_s = recording.instants[frame]
        near = any(abs(t_s - other) < rules.apart_s for other in times[tool.who])
        if near or cells[tool.cell] >= rules.most_per_cell:
            continue
        choice = _choice(recording, identity, frame, tool, rules)
        if choice is not None:
            taken.append(choice)
            cells[tool.cell] += 1
            times[tool.who].append(t_s)
    return taken


def _candidates(
    recipe: Recipe, recording: Recording, rules: _Rules
) -> Iterator[tuple[str, int, Tool]]:
    """Identity, frame and tool of every question that might be asked."""
    for frame in recording.shown:
        for tool in recording.tools.get(frame, ()):
            if tool.margin >= rules.margin:
                anchor = _anchor(recording, frame, tool)
                yield recipe.id(recording.row["source"], *anchor), frame, tool


def _anchor(recording: Recording, frame: int, tool: Tool) -> tuple[str, ...]:
    name, operator = tool.who
    return recording.row["recording_id"], str(frame), name, operator or ""


def _choice(
    recording: Recording, identity: str, frame: int, tool: Tool, rules: _Rules
) -> _Choice | None:
    """The tool in the first clip, by hash, that the rules allow."""
    t_s = recording.instants[frame]
    clips = sorted(
        ((length, t_s - before) for length, before in rules.clips),
        key=lambda clip: stable_hash(identity, "clip", str(clip[0]), f"{clip[1]:.6f}"),
    )
    for length, start_s in clips:
        if start_s < 0 or start_s + length > recording.end_s:
            continue
        elsewhere, beside = set[str](), ()
        if rules.elsewhere:
            elsewhere = _elsewhere(recording, tool, start_s, length)
            beside = recording.tools[frame]
        if elsewhere or not rules.elsewhere:
            distractors = _distractors(identity, tool, elsewhere, beside)
            return _Choice(identity, tool, frame, t_s, start_s, length, distractors)
    return None


def _elsewhere(recording: Recording, tool: Tool, start_s: float, length: int) -> set[str]:
    """Other cells the tool is in at instants the clip is sampled at."""
    cells = set()
    for step in range(0, length, EVERY_S):
        frame = recording.frame_at.get(instant(start_s + step))
        if frame is not None:
            cells |= {o.cell for o in recording.tools.get(frame, ()) if o.who == tool.who}
    return cells - {tool.cell}


def _distractors(
    identity: str, tool: Tool, elsewhere: set[str], others: Sequence[Tool]
) -> tuple[str, ...]:
    beside = {other.cell for other in others}

    def rank(cell: str) -> tuple[int, str]:
        kind = 0 if cell in elsewhere else 1 if cell in beside else 2
        return kind, stable_hash(identity, "distractor", cell)

    ordered = sorted((cell for cell in CELLS if cell != tool.cell), key=rank)
    return tuple(ordered[: COUNT - 1])


# -- rows ------------------------------------------------------------------------------------------


def _question(recipe: Recipe, recording: Recording, chosen: _Choice) -> Row:
    row, tool = recording.row, chosen.tool
    name, operator = tool.who
    boxes = recording.boxes[chosen.frame]
    x, y, right, bottom = (tool.box[side] for side in ("x_min", "y_min", "x_max", "y_max"))
    box_key = tool.box["box_id"]
    frame_key = f"{row['recording_id']}/tools/{chosen.frame}"
    keys = [b["box_id"] for b in boxes]
    return recipe.question(
        anchor=_anchor(recording, chosen.frame, tool),
        text={
            "at_s": chosen.t_s - chosen.start_s,
            "tool": _tool_name(name),
            "operator": _hand_name(recording, operator),
            "visible": sorted({_tool_name(b["class_name"]) for b in boxes}),
            "x": x,
            "y": y,
            "width": right - x,
            "height": bottom - y,
            "centre_x": tool.x,
            "centre_y": tool.y,
        },
        answer=_option(tool.cell),
        distractors=map(_option, chosen.distractors),
        media=[Clip(row, chosen.start_s, chosen.start_s + chosen.length_s)],
        evidence=[
            ("boxes", box_key, "answer"),
            ("annotated_frames", frame_key, "coverage"),
            *(("boxes", key, "context") for key in keys if key != box_key),
        ],
        steps=[
            [f"annotated_frames:{frame_key}", *(f"boxes:{key}" for key in keys)],
            [f"boxes:{box_key}"],
            [f"boxes:{box_key}"],
        ],
    )


def _option(cell: str) -> Option:
    return Option(cell_text(cell), cell)


def _hand_name(recording: Recording, operator: str | None) -> str | None:
    """Who operates a tool; nothing is said where the source never names anybody."""
    if operator is not None:
        return OPERATOR_NAMES.get(operator, operator)
    named = any(box["operator"] for held in recording.boxes.values() for box in held)
    return UNKNOWN_OPERATOR if named else None


def _tool_name(name: str) -> str:
    return TOOL_NAMES.get(name, name.replace("_", " "))


BUILDER = RECIPE.builder(
    questions,
    unit="recording",
    reads={
        "recordings": (*RECORDING_COLUMNS, "source", "media_kind", "media_duration_s"),
        "images": ("recording_id", "source_frame", "t_s"),
        "boxes": (
            "recording_id",
            "box_id",
            "source_frame",
            "class_name",
            "operator",
            "x_min",
            "y_min",
            "x_max",
            "y_max",
        ),
        "annotated_frames": None,
    },
    needs=(
        rows_where(
            "annotated_frames",
            ("what", "t_s"),
            (pl.col("what") == "tools") & pl.col("t_s").is_not_null(),
            "no picture with a time in which every tool is boxed",
        ),
        rows_of("boxes", "no boxes"),
    ),
    limits=(
        f"a tool named once in a picture, {MARGIN:.0%} from a line of the grid, in a clip of"
        f" {min(CLIP_S)} s or more"
    ),
)
