"""Tables of the sources stage: where things are, in space and in pictures."""

from __future__ import annotations

import polars as pl

from expectations.schemas.columns import (
    BOOL,
    FLOAT,
    INT,
    POSE_COLUMNS,
    RECORDING,
    SOURCE,
    SOURCE_FILE,
    SOURCE_KEY,
    TEXT,
    unit_quaternion,
)
from expectations.schemas.core import Column, Rule, Table

OBJECTS_3D = Table(
    name="objects_3d",
    stage="sources",
    row="3D box of an object at an instant",
    key=("source", "recording_id", "object_id", "pose"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("object_id", TEXT, "The source's own id, as text."),
        Column("pose", INT, "Index in time order, from 0.", low=0),
        Column(
            "t_s",
            FLOAT,
            "Time from the recording's start; null for an object that never moves.",
            unit="s",
            nullable=True,
        ),
        Column("name", TEXT, "Name of the instance."),
        Column("category", TEXT, "Category.", nullable=True),
        Column("motion", TEXT, "Whether it can move.", one_of=("static", "dynamic")),
        Column("world_frame_id", TEXT, "World of T_world_object: metres, z up."),
        *POSE_COLUMNS,
        *(
            Column(f"{axis}_{end}_m", FLOAT, f"Box in the object's frame, {axis} {end}.", unit="m")
            for axis in "xyz"
            for end in ("min", "max")
        ),
        Column("method", TEXT, "Where it comes from.", one_of=("annotated", "hand_mean")),
    ),
    rules=(
        unit_quaternion(),
        Rule(
            "box_has_size",
            pl.all_horizontal(pl.col(f"{a}_max_m") >= pl.col(f"{a}_min_m") for a in "xyz"),
            "3D box ends before it begins",
            "check the order of the columns in the file",
        ),
    ),
)

BOXES = Table(
    name="boxes",
    stage="sources",
    row="2D box in one picture",
    key=("source", "box_id"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("box_id", TEXT, "Key made of the source's own keys."),
        Column("source_frame", INT, "The source's own frame number.", nullable=True),
        Column("t_s", FLOAT, "Time from the recording's start.", unit="s", nullable=True),
        Column("segment_id", TEXT, "Segment it was drawn for.", nullable=True),
        Column(
            "moment",
            TEXT,
            "Moment of that segment.",
            nullable=True,
            one_of=("pre", "contact", "post"),
        ),
        Column("class_name", TEXT, "Name of what is boxed, as the dataset writes it."),
        Column("class_id", INT, "Class, as the dataset counts.", nullable=True),
        Column("object_id", TEXT, "Instance, where boxes have one.", nullable=True),
        Column("track_id", TEXT, "Track, where boxes have one.", nullable=True),
        Column("person_id", TEXT, "Person boxed.", nullable=True),
        Column(
            "hand_side",
            TEXT,
            "Side of a boxed or acting hand.",
            nullable=True,
            one_of=("left", "right", "both"),
        ),
        Column(
            "hand_owner",
            TEXT,
            "Whose hand it is, seen from the wearer.",
            nullable=True,
            one_of=("wearer", "other"),
        ),
        Column(
            "contact",
            TEXT,
            "What a boxed hand touches: box id, `none`, or `inconclusive`; null if not annotated.",
            nullable=True,
        ),
        Column("operator", TEXT, "Who operates a boxed tool.", nullable=True),
        Column(
            "image_space",
            TEXT,
            "Picture the box lies in: as stored, upright, or the unrotated sensor's.",
            one_of=("stored", "upright", "sensor", "undistorted"),
        ),
        *(
            Column(
                name,
                pl.Float32(),
                f"{meaning} in the upright picture, 0 to 1 (after clamping); null where the boxed"
                " space cannot be turned into it.",
                nullable=True,
                low=0.0,
                high=1.0,
            )
            for name, meaning in (
                ("x_min", "Left"),
                ("y_min", "Top"),
                ("x_max", "Right"),
                ("y_max", "Bottom"),
            )
        ),
        Column("raw", pl.List(FLOAT), "The four numbers as the source has them."),
        Column(
            "raw_form",
            TEXT,
            "What they are.",
            one_of=("xyxy_px", "xywh_px", "xyxy_norm", "xywh_norm", "xxyy_px", "polygon_px"),
        ),
        Column(
            "polygons",
            pl.List(pl.List(FLOAT)),
            "Outlines the box was drawn around, x and y by turns, as the source has them (`raw` is"
            " their extent).",
            nullable=True,
        ),
        Column("clipped", BOOL, "Whether it reached beyond the picture."),
        Column(
            "visibility",
            pl.Float32(),
            "Visible share, 0 to 1; null if not stated.",
            nullable=True,
            low=0.0,
            high=1.0,
        ),
        Column(
            "method", TEXT, "Who made it.", one_of=("manual", "interpolated", "projected", "mask")
        ),
        SOURCE_FILE,
        SOURCE_KEY,
    ),
    rules=(
        Rule(
            "box_has_area",
            ((pl.col("x_max") > pl.col("x_min")) & (pl.col("y_max") > pl.col("y_min"))).fill_null(
                True
            ),
            "2D box has no area inside the picture",
            "check the order of the numbers in the file",
        ),
    ),
)

TRACKS = Table(
    name="tracks",
    stage="sources",
    row="span over which an object is tracked",
    key=("source", "track_id"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("track_id", TEXT, "Key made of the source's own keys."),
        Column("object_id", TEXT, "Instance followed.", nullable=True),
        Column("name", TEXT, "Name of the instance."),
        Column("start_s", FLOAT, "Start from the recording's start.", unit="s", low=0.0),
        Column("end_s", FLOAT, "End from the recording's start.", unit="s", low=0.0),
        Column("start_place", TEXT, "Fixture or place at the start.", nullable=True),
        Column("end_place", TEXT, "Fixture or place at the end.", nullable=True),
        Column(
            "moves",
            BOOL,
            "Whether the span is one movement of the object; null if not said.",
            nullable=True,
        ),
        SOURCE_FILE,
        SOURCE_KEY,
    ),
    rules=(
        Rule(
            "track_ends_after_start",
            pl.col("end_s") >= pl.col("start_s"),
            "track ends before its start",
            "correct the times in the annotation file",
        ),
    ),
)

ANNOTATED_FRAMES = Table(
    name="annotated_frames",
    stage="sources",
    row="frame that was annotated completely for a kind of object (needed to conclude absence)",
    key=("source", "recording_id", "what", "source_frame"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("what", TEXT, "Kind of thing annotated exhaustively (`tools`, `objects`)."),
        Column("source_frame", INT, "The source's own frame number.", low=0),
        Column("t_s", FLOAT, "Time from the recording's start.", unit="s", nullable=True, low=0.0),
    ),
)

LISTED_PEOPLE = Table(
    name="listed_people",
    stage="sources",
    row="third-person frame with the listed people in it, paired with a wearer's frame",
    key=("source", "recording_id", "source_frame", "ego_recording_id"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("source_frame", INT, "The source's own frame number, in both recordings.", low=0),
        Column("ego_recording_id", TEXT, "Recording of the wearer it is paired with."),
        Column("wearer_id", TEXT, "Who wears that camera; not always among those listed."),
        Column("people", pl.List(TEXT), "Everybody in the picture, in the order of the source."),
        Column("raw", TEXT, "The list as the source writes it."),
        Column("split", TEXT, "Split the pair is released in.", nullable=True),
        SOURCE_FILE,
        SOURCE_KEY,
    ),
)

TABLES = (
    OBJECTS_3D,
    BOXES,
    TRACKS,
    ANNOTATED_FRAMES,
    LISTED_PEOPLE,
)
