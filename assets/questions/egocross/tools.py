"""Tools in the pictures of a recording: which nobody can mistake, where they are, what they are called."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from assets.questions.kit.builder import Tables
from assets.questions.kit.needs import rows_of, rows_where
from assets.questions.kit.recipe import RECORDING_COLUMNS, Evidence

ROWS: Final = ("top", "center", "bottom")
COLUMNS: Final = ("left", "center", "right")
CELLS: Final = tuple(
    "center" if row == column == "center" else f"{row}_{column}"
    for row in ROWS
    for column in COLUMNS
)
"""Names of cells as values, row by row."""
CLIP_S: Final = (10, 15, 20, 30)
"""Lengths of clips in the released testbed."""
EVERY_S: Final = 2
"""Spacing of the frames sent (paper, Section 4.1: 0.5 fps); clips of presampled pictures send them
too."""
TOOL_NAMES: Final = {"specimenbag": "specimen-bag"}
"""Refined names of the testbed, where they differ from the source's."""
OPERATOR_NAMES: Final = {
    "MSLH": "main surgeon left hand",
    "MSRH": "main surgeon right hand",
    "ASRH": "assistant surgeon right hand",
}
UNKNOWN_OPERATOR: Final = "unknown operator"
TOOLS: Final = "tools"
"""What is annotated of a frame in which every tool is boxed (`annotated_frames.what`)."""
OF_A_TOOL: Final = pl.col("hand_owner").is_null() & pl.col("method").ne_missing("mask")
"""Boxes of tools: those of hands do not count, and masks show tools that are boxed too."""
READS: Final = {
    "recordings": (*RECORDING_COLUMNS, "source", "media_kind", "media_duration_s"),
    "images": ("recording_id", "source_frame", "t_s"),
    "boxes": (
        "recording_id",
        "box_id",
        "source_frame",
        "class_name",
        "operator",
        "hand_owner",
        "hand_side",
        "method",
        "x_min",
        "y_min",
        "x_max",
        "y_max",
    ),
    "annotated_frames": None,
}
"""What `recordings_of` takes."""
REFINED_READS: Final = READS | {"taxonomies": ("source", "taxonomy", "label", "refined")}
"""The same where classes are counted as the reviewed list of the dataset says (`refined`)."""
NEEDS: Final = (
    rows_where(
        "annotated_frames",
        ("what", "t_s"),
        (pl.col("what") == TOOLS) & pl.col("t_s").is_not_null(),
        "no picture with a time in which every tool is boxed",
    ),
    rows_of("boxes", "no boxes"),
)


@dataclass(frozen=True, slots=True)
class Boxes:
    """What a dataset boxes completely in some frames.

    Attributes:
        what: What it is (`annotated_frames.what`).
        taxonomy: Vocabulary whose reviewed list says as what its classes count; None where all count as
            themselves.
        step_s: Spacing of the frames in which somebody looks, where others are annotated beside them;
            None where it is that of the nearest two.
    """

    what: str = TOOLS
    taxonomy: str | None = None
    step_s: float | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A box that stands for one tool beyond doubt."""

    box: Mapping[str, Any]
    x: float
    y: float

    @property
    def who(self) -> tuple[str, str | None]:
        """Class and operator."""
        return self.box["class_name"], self.box["operator"]

    @property
    def cell(self) -> str:
        """Cell of the grid that the centre is in."""
        return CELLS[min(2, int(self.y * 3)) * 3 + min(2, int(self.x * 3))]

    @property
    def margin(self) -> float:
        """Distance of the centre to the nearest line of the grid, over the picture's side."""
        return min(abs(value - line / 3) for value in (self.x, self.y) for line in (1, 2))


@dataclass(frozen=True, slots=True)
class Recording:
    """What is known of one recording.

    Attributes:
        row: Its row of `recordings`.
        end_s: Until when a clip may last.
        instants: Time of every frame in which all tools are boxed, by frame number.
        shown: Of these, the frames a model can be sent.
        frame_at: The same frames by their time (see `instant`).
        tools: Tools nobody can mistake, by frame number.
        boxes: Boxes of all tools by frame number, the doubtful ones too; `label` is their class, and
            `class_name` the one that it counts as.
        what: What is boxed completely in these frames (`annotated_frames.what`).
    """

    row: Mapping[str, Any]
    end_s: float
    instants: Mapping[int, float]
    shown: frozenset[int]
    frame_at: Mapping[int, int]
    tools: Mapping[int, Sequence[Tool]]
    boxes: Mapping[int, Sequence[Mapping[str, Any]]]
    what: str = TOOLS

    @property
    def names_operators(self) -> bool:
        """Whether boxes say who operates a tool."""
        return any(box["operator"] for boxes in self.boxes.values() for box in boxes)

    def cells_sent(self, tool: Tool, start_s: float, end_s: float) -> set[str]:
        """Cells that a tool is in at the instants at which a clip is sampled."""
        steps = range(0, round(end_s - start_s), EVERY_S)
        frames = (self.frame_at.get(instant(start_s + step)) for step in steps)
        shown = (other for f in frames if f is not None for other in self.tools.get(f, ()))
        return {other.cell for other in shown if other.who == tool.who}

    def evidence(self, frame: int, tool: Tool) -> list[Evidence]:
        """Rows that a question about a tool in a frame rests on: its box, that all tools are boxed, the others."""
        box_key = tool.box["box_id"]
        others = (box["box_id"] for box in self.boxes[frame] if box["box_id"] != box_key)
        return [
            ("boxes", box_key, "answer"),
            ("annotated_frames", self.frame_key(frame), "coverage"),
            *(("boxes", key, "context") for key in others),
        ]

    def frame_rows(self, frame: int) -> list[str]:
        """Rows that say which tools a frame shows, for a step of a rationale."""
        boxes = (f"boxes:{box['box_id']}" for box in self.boxes[frame])
        return [f"annotated_frames:{self.frame_key(frame)}", *boxes]

    def frame_key(self, frame: int) -> str:
        """Key of the row that says that all tools of a frame are boxed."""
        return f"{self.row['recording_id']}/{self.what}/{frame}"

    def operator_shown(self, tool: Tool) -> str | None:
        """Who operates a tool, as it is read; None where the source never names anybody."""
        _, operator = tool.who
        if operator is not None:
            return OPERATOR_NAMES.get(operator, operator)
        return UNKNOWN_OPERATOR if self.names_operators else None


def refined(tables: Tables, boxes: Boxes) -> dict[str, str]:
    """Class that each class of what is boxed counts as; one that is left out counts as itself.

    Args:
        tables: Rows of `taxonomies`, where classes may count as others.
        boxes: What is boxed.
    """
    if boxes.taxonomy is None:
        return {}
    rows = tables["taxonomies"].filter(
        (pl.col("taxonomy") == boxes.taxonomy) & pl.col("refined").is_not_null()
    )
    return dict(rows.select("label", "refined").sort("label").iter_rows())


def kinds_of(tables: Tables, classes: Mapping[str, str]) -> list[str]:
    """Every class that boxes of a source count as, in order.

    Args:
        tables: Rows of `boxes`.
        classes: Class that each class counts as (`refined`).
    """
    names = tables["boxes"].filter(OF_A_TOOL)["class_name"].unique().to_list()
    return sorted({classes.get(name, name) for name in names})


def recordings_of(
    tables: Tables, what: str = TOOLS, classes: Mapping[str, str] | None = None
) -> Iterator[Recording]:
    """What is known of each recording in which all tools of some frames are boxed.

    Args:
        tables: Rows of `recordings`, `images`, `boxes` and `annotated_frames`.
        what: What all is boxed of in a frame that counts (`annotated_frames.what`).
        classes: Class that each class counts as (`refined`); None where all count as themselves.
    """
    counted = classes or {}

    def of(name: str, uid: str) -> pl.DataFrame:
        return tables[name].filter(pl.col("recording_id") == uid)

    for row in tables["recordings"].sort("source", "recording_id").iter_rows(named=True):
        uid = row["recording_id"]
        frames = of("annotated_frames", uid).filter(
            (pl.col("what") == what) & pl.col("t_s").is_not_null()
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
        for box in of("boxes", uid).filter(OF_A_TOOL).sort("box_id").iter_rows(named=True):
            if box["source_frame"] in instants:
                label = box["class_name"]
                named = {"class_name": counted.get(label, label), "label": label}
                boxes[box["source_frame"]].append(box | named)
        tools = {frame: _tools(held) for frame, held in boxes.items()}
        frame_at = {instant(instants[frame]): frame for frame in sorted(shown)}
        yield Recording(row, end_s, instants, shown, frame_at, tools, boxes, what)


def _tools(boxes: Sequence[Mapping[str, Any]]) -> list[Tool]:
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
        found.append(Tool(box, x, y))
    return found


def instant(t_s: float) -> int:
    """A time as a key: whole milliseconds."""
    return round(t_s * 1000)


def name_shown(class_name: str) -> str:
    """A tool's name as it is read."""
    return TOOL_NAMES.get(class_name, class_name.replace("_", " "))


def cell_text(cell: str) -> str:
    """A cell as the testbed writes it: `top-left`, `center-right`, `center`."""
    return cell.replace("_", "-")
