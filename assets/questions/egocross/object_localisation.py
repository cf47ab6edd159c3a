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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import polars as pl

from assets.pairs.choice import stable_hash
from assets.questions.kit.builder import Builder, Tables
from assets.questions.kit.identity import question_id
from assets.questions.kit.needs import rows_of, rows_where
from assets.questions.kit.rows import (
    RECORDING_COLUMNS,
    Row,
    clip_medium,
    lettered,
    question_row,
    template,
)
from expectations.schemas import TABLES
from expectations.schemas.readings import paper_recipe

BENCHMARK: Final = "egocross"
SUBTASK: Final = "object_localisation"
RECIPE: Final = "object_localisation@1"
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

ROWS: Final = ("top", "center", "bottom")
COLUMNS: Final = ("left", "center", "right")
CELLS: Final = tuple(
    "center" if row == column == "center" else f"{row}_{column}"
    for row in ROWS
    for column in COLUMNS
)
"""Names of cells as values, row by row."""
TOOL_NAMES: Final = {"specimenbag": "specimen-bag"}
"""Refined names of the testbed, where they differ from the source's."""
OPERATOR_NAMES: Final = {
    "MSLH": "main surgeon left hand",
    "MSRH": "main surgeon right hand",
    "ASRH": "assistant surgeon right hand",
}
UNKNOWN_OPERATOR: Final = "unknown operator"
_TEXT = template("assets.questions.egocross", "object_localisation.j2")
_STEPS = template("assets.questions.egocross", "object_localisation_answer.j2")


@dataclass(frozen=True, slots=True)
class _Tool:
    """A box that stands for one tool beyond doubt."""

    box: Mapping[str, Any]
    x: float
    y: float

    @property
    def who(self) -> tuple[str, str | None]:
        return self.box["class_name"], self.box["operator"]

    @property
    def cell(self) -> str:
        return CELLS[min(2, int(self.y * 3)) * 3 + min(2, int(self.x * 3))]

    @property
    def margin(self) -> float:
        return min(abs(value - line / 3) for value in (self.x, self.y) for line in (1, 2))


@dataclass(frozen=True, slots=True)
class _Recording:
    """What is known of one recording.

    Attributes:
        row: Its row of `recordings`.
        end_s: Until when a clip may last.
        instants: Time of every frame in which all tools are boxed, by frame number.
        shown: Of these, the frames a model can be sent.
        frame_at: The same frames by their time (see `_instant`).
        tools: Tools nobody can mistake, by frame number.
        boxes: All boxes by frame number.
    """

    row: Mapping[str, Any]
    end_s: float
    instants: Mapping[int, float]
    shown: frozenset[int]
    frame_at: Mapping[int, int]
    tools: Mapping[int, Sequence[_Tool]]
    boxes: Mapping[int, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class _Rules:
    """What may be asked, and with which options.

    Attributes:
        recipe: Recipe, part of every question's id.
        clips: Length of a clip and how long before the instant it starts, all that may be.
        margin: Least distance of the centre to a line of the grid, over the picture's side.
        apart_s: Least time between questions about one tool in one hand.
        most_per_cell: At most so many questions of a recording with one answer.
        elsewhere: Whether the tool must be in another cell at another instant sent, and options
            are such cells first; else any three cells.
    """

    recipe: str
    clips: tuple[tuple[int, int], ...]
    margin: float
    apart_s: float
    most_per_cell: int
    elsewhere: bool


_STRICT: Final = _Rules(
    recipe=RECIPE,
    clips=tuple((length, before) for length in CLIP_S for before in range(0, length, EVERY_S)),
    margin=MARGIN,
    apart_s=APART_S,
    most_per_cell=MOST_PER_CELL,
    elsewhere=True,
)
_AS_PAPER: Final = _Rules(
    recipe=paper_recipe(RECIPE),
    clips=tuple((CLIP_S[0], before) for before in range(CLIP_S[0])),
    margin=0.0,
    apart_s=0.0,
    most_per_cell=MOST,
    elsewhere=False,
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question to be: a tool at an instant, in a clip."""

    identity: str
    tool: _Tool
    frame: int
    t_s: float
    start_s: float
    length_s: int
    distractors: tuple[str, ...]


def make_questions(tables: Tables, *, as_paper: bool = False) -> pl.DataFrame:
    """Questions of one recording.

    Args:
        tables: `recordings`, `images`, `boxes` and `annotated_frames` of one recording, or several.
        as_paper: Choose clips and distractors at random (by hash), and keep no margin.

    Returns:
        Rows of `questions` in key order.
    """
    table = TABLES["questions"]
    rules = _AS_PAPER if as_paper else _STRICT
    rows = [
        _question(recording, asked, rules.recipe)
        for recording in _recordings(tables)
        for asked in _chosen(recording, rules)
    ]
    return table.frame(rows).sort(table.key)


def cell_text(cell: str) -> str:
    """A cell as the testbed writes it: `top-left`, `center-right`, `center`."""
    return cell.replace("_", "-")


# -- what is known ---------------------------------------------------------------------------------


def _recordings(tables: Tables) -> Iterator[_Recording]:
    def of(name: str, uid: str) -> pl.DataFrame:
        return tables[name].filter(pl.col("recording_id") == uid)

    for row in tables["recordings"].sort("source", "recording_id").iter_rows(named=True):
        uid = row["recording_id"]
        frames = of("annotated_frames", uid).filter(
            (pl.col("what") == "tools") & pl.col("t_s").is_not_null()
        )
        instants = dict(frames.select("source_frame", "t_s").sort("source_frame").iter_rows())
        if not instants:
            continue
        images = of("images", uid).filter(pl.col("t_s").is_not_null())
        if row["media_kind"] == "image_sequence" and row["media"] == "present":
            shown = frozenset(images["source_frame"]) & instants.keys()
            end_s = float(images["t_s"].max() or 0.0)  # type: ignore[arg-type]
        else:
            stated = row["media_duration_s"]
            end_s = max(instants.values()) if stated is None else stated
            shown = frozenset(n for n, t_s in instants.items() if t_s < end_s)
        boxes: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
        for box in of("boxes", uid).sort("box_id").iter_rows(named=True):
            if box["source_frame"] in instants:
                boxes[box["source_frame"]].append(box)
        tools = {frame: _tools(held) for frame, held in boxes.items()}
        frame_at = {_instant(instants[frame]): frame for frame in sorted(shown)}
        yield _Recording(row, end_s, instants, shown, frame_at, tools, boxes)


def _tools(boxes: Sequence[Mapping[str, Any]]) -> list[_Tool]:
    """Tools of a frame that class and operator tell apart from every other.

    A box without an operator may be any operator's: it makes others of its class doubtful.
    """
    classes = Counter(box["class_name"] for box in boxes)
    hands = Counter((box["class_name"], box["operator"]) for box in boxes)
    found = []
    for box in boxes:
        name, operator = box["class_name"], box["operator"]
        doubtful = hands[name, operator] > 1 or (operator is not None and hands[name, None])
        alone = classes[name] == 1
        if box["x_min"] is None or (not alone and (doubtful or operator is None)):
            continue
        x, y = (box["x_min"] + box["x_max"]) / 2, (box["y_min"] + box["y_max"]) / 2
        found.append(_Tool(box, x, y))
    return found


# -- what is asked ---------------------------------------------------------------------------------


def _chosen(recording: _Recording, rules: _Rules) -> list[_Asked]:
    """Few enough, apart from each other, and not all with the same answer; by hash."""
    taken: list[_Asked] = []
    cells: Counter[str] = Counter()
    times: dict[tuple[str, str | None], list[float]] = defaultdict(list)
    for identity, frame, tool in sorted(_candidates(recording, rules), key=lambda c: c[0]):
        if len(taken) == MOST:
            break
        t_s = recording.instants[frame]
        near = any(abs(t_s - other) < rules.apart_s for other in times[tool.who])
        if near or cells[tool.cell] >= rules.most_per_cell:
            continue
        asked = _asked(recording, identity, frame, tool, rules)
        if asked is not None:
            taken.append(asked)
            cells[tool.cell] += 1
            times[tool.who].append(t_s)
    return taken


def _candidates(recording: _Recording, rules: _Rules) -> Iterator[tuple[str, int, _Tool]]:
    """Identity, frame and tool of every question that might be asked."""
    source, uid = recording.row["source"], recording.row["recording_id"]
    for frame in recording.shown:
        for tool in recording.tools.get(frame, ()):
            if tool.margin >= rules.margin:
                name, operator = tool.who
                anchors = (source, uid, str(frame), name, operator or "")
                yield question_id(BENCHMARK, SUBTASK, rules.recipe, *anchors), frame, tool


def _asked(
    recording: _Recording, identity: str, frame: int, tool: _Tool, rules: _Rules
) -> _Asked | None:
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
            return _Asked(identity, tool, frame, t_s, start_s, length, distractors)
    return None


def _elsewhere(recording: _Recording, tool: _Tool, start_s: float, length: int) -> set[str]:
    """Other cells the tool is in at instants the clip is sampled at."""
    cells = set()
    for step in range(0, length, EVERY_S):
        frame = recording.frame_at.get(_instant(start_s + step))
        if frame is not None:
            cells |= {o.cell for o in recording.tools.get(frame, ()) if o.who == tool.who}
    return cells - {tool.cell}


def _instant(t_s: float) -> int:
    """A time as a key: whole milliseconds."""
    return round(t_s * 1000)


def _distractors(
    identity: str, tool: _Tool, elsewhere: set[str], others: Sequence[_Tool]
) -> tuple[str, ...]:
    beside = {other.cell for other in others}

    def rank(cell: str) -> tuple[int, str]:
        kind = 0 if cell in elsewhere else 1 if cell in beside else 2
        return kind, stable_hash(identity, "distractor", cell)

    ordered = sorted((cell for cell in CELLS if cell != tool.cell), key=rank)
    return tuple(ordered[: COUNT - 1])


# -- rows ------------------------------------------------------------------------------------------


def _question(recording: _Recording, asked: _Asked, recipe: str) -> Row:
    row, tool = recording.row, asked.tool
    name, operator = tool.who
    at_s = asked.t_s - asked.start_s
    shown_name = _tool_name(name)
    by = _hand_name(recording, operator)
    text = _TEXT.render(tool=shown_name, operator=by, at_s=at_s)
    cells = (tool.cell, *asked.distractors)
    options = lettered(
        asked.identity,
        [{"value": c, "text": cell_text(c), "is_answer": c == tool.cell} for c in cells],
        "value",
    )
    media = [clip_medium("query", row, asked.start_s, asked.start_s + asked.length_s)]
    boxes = recording.boxes[asked.frame]
    box_key = tool.box["box_id"]
    frame_key = f"{row['recording_id']}/tools/{asked.frame}"
    steps = _steps(tool, at_s, shown_name, by, [b["class_name"] for b in boxes])
    evidence = [
        {"table": "boxes", "key": box_key, "role": "answer"},
        {"table": "annotated_frames", "key": frame_key, "role": "coverage"},
        *(
            {"table": "boxes", "key": b["box_id"], "role": "context"}
            for b in boxes
            if b["box_id"] != box_key
        ),
    ]
    seen = [f"annotated_frames:{frame_key}", *(f"boxes:{b['box_id']}" for b in boxes)]
    keys = (seen, [f"boxes:{box_key}"], [f"boxes:{box_key}"])
    return question_row(
        identity=asked.identity,
        text=text,
        options=options,
        media=media,
        recordings=[row],
        fields={
            "benchmark": BENCHMARK,
            "source": row["source"],
            "subtask": SUBTASK,
            "recipe": recipe,
            "split": row["split"],
            "recording_id": row["recording_id"],
            "answer_text": cell_text(tool.cell),
            "detailed_answer": " ".join(steps),
            "rationale": [
                {"step": i, "text": said, "evidence": list(rows)}
                for i, (said, rows) in enumerate(zip(steps, keys, strict=True), 1)
            ],
            "evidence": evidence,
        },
    )


def _hand_name(recording: _Recording, operator: str | None) -> str | None:
    """Who operates a tool; nothing is said where the source never names anybody."""
    if operator is not None:
        return OPERATOR_NAMES.get(operator, operator)
    named = any(box["operator"] for held in recording.boxes.values() for box in held)
    return UNKNOWN_OPERATOR if named else None


def _tool_name(name: str) -> str:
    return TOOL_NAMES.get(name, name.replace("_", " "))


def _steps(
    tool: _Tool, at_s: float, name: str, operator: str | None, classes: Sequence[str]
) -> list[str]:
    """What is in view, where the tool's box is, and in which cell its centre lies."""
    x, y, right, bottom = (tool.box[side] for side in ("x_min", "y_min", "x_max", "y_max"))
    return _STEPS.render(
        at_s=at_s,
        visible=sorted({_tool_name(one) for one in classes}),
        tool=name,
        operator=operator,
        x=x,
        y=y,
        width=right - x,
        height=bottom - y,
        centre_x=tool.x,
        centre_y=tool.y,
        cell=cell_text(tool.cell),
    ).splitlines()


BUILDER = Builder(
    benchmark=BENCHMARK,
    subtasks=(SUBTASK,),
    recipe=RECIPE,
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
    make=make_questions,
    make_as_paper=partial(make_questions, as_paper=True),
    files=("object_localisation.j2", "object_localisation_answer.j2"),
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
