"""Tables of sets that are not questions: segmentation, planning, anticipation, captions, recognition."""

from __future__ import annotations

import polars as pl

from expectations.schemas.columns import BOOL, FLOAT, INT, SOURCE, SOURCE_FILE, TEXT
from expectations.schemas.core import Column, Table

TASKS = ("segmentation", "planning", "anticipation", "captioning", "recognition", "zero_shot")
_TASK = Column("task", TEXT, "Task the set is for.", one_of=TASKS)
_MODE = Column(
    "mode",
    TEXT,
    "`paper`: as the paper describes it; `parity`: as the released files came to be.",
    one_of=("paper", "parity"),
)
_VIEW = Column("view", TEXT, "View of the recordings.", one_of=("ego", "exo"))

TASK_SETS = Table(
    name="task_sets",
    stage="task_sets",
    row="item of a task set: its input and its target",
    key=("source", "set", "item_id"),
    unit="set",
    columns=(
        SOURCE,
        Column("set", TEXT, "`task/mode`."),
        _TASK,
        _MODE,
        Column("item_id", TEXT, "Key made of the source's own keys."),
        _VIEW,
        Column(
            "list",
            TEXT,
            "List of the view it stands in: the view itself, or a further one that was released"
            " (`ego_gaze`).",
        ),
        Column(
            "split",
            TEXT,
            "Split: `paper` that of its recording, `parity` that of the released list.",
            nullable=True,
        ),
        Column("position", INT, "Place in the list and split, from 0.", low=0),
        Column("recording_id", TEXT, "Recording shown.", refers_to="recordings.recording_id"),
        Column("segment_id", TEXT, "Segment asked about, where it is one.", nullable=True),
        Column(
            "start_s",
            FLOAT,
            "Start of what is shown; null: from the start.",
            unit="s",
            nullable=True,
        ),
        Column("end_s", FLOAT, "End of what is shown.", unit="s", nullable=True),
        Column("target_start_s", FLOAT, "Start of what is asked for.", unit="s", nullable=True),
        Column("target_end_s", FLOAT, "End of what is asked for.", unit="s", nullable=True),
        Column("verbs", pl.List(INT), "Verb classes asked for.", nullable=True),
        Column("nouns", pl.List(INT), "Noun classes asked for.", nullable=True),
        Column("classes", pl.List(INT), "Other classes asked for, in order.", nullable=True),
        Column(
            "runs",
            pl.List(pl.Struct({"class_id": pl.Int64(), "n": pl.Int64()})),
            "Class of each frame at 25 fps, as lengths of equal runs.",
            nullable=True,
        ),
        Column("text", TEXT, "Caption asked for.", nullable=True),
        Column(
            "references",
            pl.List(
                pl.Struct(
                    {
                        "segment_id": pl.String(),
                        "recording_id": pl.String(),
                        "start_s": pl.Float64(),
                        "end_s": pl.Float64(),
                        "text": pl.String(),
                    }
                )
            ),
            "Clips of the other view that are given with it.",
            nullable=True,
        ),
    ),
)

SET_CLASSES = Table(
    name="set_classes",
    stage="task_sets",
    row="candidate class of a task set, kept or not",
    key=("source", "set", "list", "kind", "class_id"),
    unit="set",
    columns=(
        SOURCE,
        Column("set", TEXT, "`task/mode`."),
        _TASK,
        _MODE,
        Column(
            "list",
            TEXT,
            "View, or `view/split`, that is closed by itself; null: the set is closed as a whole.",
            nullable=True,
        ),
        Column("kind", TEXT, "Vocabulary of the class.", one_of=("verb", "noun", "coarse")),
        Column("class_id", INT, "Class, as the source counts.", low=0),
        Column("label", TEXT, "Its label."),
        Column(
            "position", INT, "Index in the closed set; null where left out.", nullable=True, low=0
        ),
        Column("n", INT, "Segments that carry it.", low=0),
        Column("kept", BOOL, "Whether the closed set holds it."),
        Column("reason", TEXT, "Rule that left it out.", nullable=True),
    ),
)

RELEASED_TRUTH = Table(
    name="released_truth",
    stage="task_sets",
    row="recording of a list whose targets are read from a released file",
    key=("source", "set", "list", "split", "recording_id"),
    unit="set",
    columns=(
        SOURCE,
        Column("set", TEXT, "`task/mode`."),
        _TASK,
        _MODE,
        Column("list", TEXT, "List it stands in."),
        Column("split", TEXT, "Split of the list.", nullable=True),
        Column("recording_id", TEXT, "Recording shown.", refers_to="recordings.recording_id"),
        SOURCE_FILE,
        Column("n", INT, "Frames (segmentation) or items that the file states.", low=0),
        Column(
            "n_annotated",
            INT,
            "The same, made from the annotations by the rules of the release; null where the"
            " recording is not annotated.",
            nullable=True,
            low=0,
        ),
        Column(
            "n_differing",
            INT,
            "Frames or items in which the two differ, or that only one of them has; null where the"
            " recording is not annotated.",
            nullable=True,
            low=0,
        ),
    ),
)

TABLES = (TASK_SETS, SET_CLASSES, RELEASED_TRUTH)
