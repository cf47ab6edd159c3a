"""Tables of the sources stage: what datasets say, in one form, before anything is derived."""

from __future__ import annotations

import polars as pl

from expectations.schemas.core import Column, Rule, Table

TEXT = pl.String()
FLOAT = pl.Float64()
INT = pl.Int64()
BOOL = pl.Boolean()

SOURCE = Column("source", TEXT, "Named root that holds one dataset's layout.")
RECORDING = Column("recording_id", TEXT, "One camera's stream, by the source's own key.")
SOURCE_FILE = Column("source_file", TEXT, "File under the source's root that holds the row.")
SOURCE_KEY = Column(
    "source_key",
    TEXT,
    "Key of the row inside that file, never its position: a line put in before moves no other row.",
)

RECORDINGS = Table(
    name="recordings",
    stage="sources",
    row="one camera's stream or image set",
    key=("source", "recording_id"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("take_id", TEXT, "Staged performance the recording shows."),
        Column("view", TEXT, "Wearer's or observer's camera.", one_of=("ego", "exo")),
        Column("device", TEXT, "Recording device, where the layout tells.", nullable=True),
        Column("scenario", TEXT, "Task performed, as the dataset names it.", nullable=True),
        Column("scene", TEXT, "Kind of place (kitchen, lab).", nullable=True),
        Column("environment_id", TEXT, "Place; null where the dataset is silent.", nullable=True),
        Column("person_id", TEXT, "Wearer or performer, pseudonymous.", nullable=True),
        Column("split", TEXT, "Split of the recording.", nullable=True),
        Column(
            "media_kind",
            TEXT,
            "What the pixels are stored as.",
            one_of=("video", "image_sequence", "still_set"),
        ),
        Column(
            "time_base",
            TEXT,
            "What times mean: container stamps, a nominal rate, or only an order.",
            one_of=("pts", "nominal_fps", "index_only"),
        ),
        Column("duration_s", FLOAT, "Length the dataset states.", unit="s", nullable=True, low=0.0),
        Column(
            "media_duration_s",
            FLOAT,
            "Length the container states, where one file holds the recording.",
            unit="s",
            nullable=True,
            low=0.0,
        ),
        Column("declared_frames", INT, "Frame count the dataset states.", nullable=True, low=0),
        Column(
            "declared_fps", FLOAT, "Rate the dataset states.", unit="1/s", nullable=True, low=0.0
        ),
        Column("width_px", INT, "Stated width.", unit="px", nullable=True, low=1),
        Column("height_px", INT, "Stated height.", unit="px", nullable=True, low=1),
        Column(
            "media",
            TEXT,
            "Whether the pixels are here; unreadable is decided by the frame index.",
            one_of=("present", "missing"),
        ),
        Column(
            "media_paths",
            pl.List(TEXT),
            "Media files under the root, parts in time order; empty if missing.",
        ),
        Column(
            "media_hashes", pl.List(TEXT), "Content identity of each media file, in the same order."
        ),
        Column("licence", TEXT, "Licence that travels with the row."),
        SOURCE_FILE,
        SOURCE_KEY,
    ),
)

CLOCKS = Table(
    name="clocks",
    stage="sources",
    row="frame stamps of a recording by another clock (one row per media part)",
    key=("source", "recording_id", "part"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("part", INT, "Index of the media part the stamps belong to.", low=0),
        Column(
            "clock",
            TEXT,
            "Clock that stamped (the gaze samples carry the same).",
            one_of=("device",),
        ),
        Column(
            "frame_stamps_ns",
            pl.List(INT),
            "Stamp of each stored frame, in stored order; repaired rows are in quarantine.",
            unit="ns",
        ),
        SOURCE_FILE,
    ),
)

CAMERAS = Table(
    name="cameras",
    stage="sources",
    row="intrinsics of a recording's camera",
    key=("source", "recording_id"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("model", TEXT, "Projection and distortion model.", one_of=("opencv_rational",)),
        Column("width_px", INT, "Image width of the calibration.", unit="px", nullable=True, low=1),
        Column(
            "height_px", INT, "Image height of the calibration.", unit="px", nullable=True, low=1
        ),
        Column("fx_px", FLOAT, "Focal length, x.", unit="px", low=0.0),
        Column("fy_px", FLOAT, "Focal length, y.", unit="px", low=0.0),
        Column("cx_px", FLOAT, "Principal point, x.", unit="px"),
        Column("cy_px", FLOAT, "Principal point, y.", unit="px"),
        Column("distortion", pl.List(FLOAT), "Coefficients in the model's order."),
        SOURCE_FILE,
    ),
)

GAZE_SAMPLES = Table(
    name="gaze_samples",
    stage="sources",
    row="2D gaze sample",
    key=("source", "recording_id", "sample"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("sample", INT, "Row of the sample in its file(s), from 0.", low=0),
        Column(
            "t_ns",
            INT,
            "Stamp by the device clock; null where the file has none.",
            unit="ns",
            nullable=True,
        ),
        Column(
            "t_s", FLOAT, "Time the file states, where it states no clock.", unit="s", nullable=True
        ),
        Column("x", FLOAT, "Horizontal position over image width, 0 = left.", nullable=True),
        Column("y", FLOAT, "Vertical position over image height, 0 = top.", nullable=True),
        Column("worn", BOOL, "Whether the glasses were worn; null if not recorded.", nullable=True),
        Column("blink", BOOL, "Inside a detected blink; null if not recorded.", nullable=True),
        Column(
            "validity",
            TEXT,
            "Why a sample counts or not.",
            one_of=("valid", "not_worn", "blink", "outside", "flagged", "not_finite"),
        ),
    ),
    rules=(
        Rule(
            "has_time",
            pl.col("t_ns").is_not_null() | pl.col("t_s").is_not_null(),
            "gaze sample has neither a device stamp nor a time",
            "check the recording's time file",
        ),
        Rule(
            "valid_is_finite",
            (pl.col("validity") != "valid") | (pl.col("x").is_finite() & pl.col("y").is_finite()),
            "gaze sample counts as valid but its position is not finite",
            "the adapter must mark it not_finite",
        ),
    ),
)

SEGMENTS = Table(
    name="segments",
    stage="sources",
    row="annotated interval of a recording",
    key=("source", "segment_id"),
    unit="recording_id",
    columns=(
        SOURCE,
        Column(
            "segment_id", TEXT, "The source's own key, prefixed where it is only unique in a file."
        ),
        Column(
            "recording_id",
            TEXT,
            "Recording the interval lies in.",
            refers_to="recordings.recording_id",
        ),
        Column("kind", TEXT, "Layer of annotation.", one_of=("coarse", "fine")),
        Column("start_s", FLOAT, "Start from the recording's start.", unit="s", low=0.0),
        Column("end_s", FLOAT, "End from the recording's start.", unit="s", low=0.0),
        Column("split", TEXT, "Split of the annotation.", nullable=True),
        Column("class_id", INT, "Class of a coarse segment.", nullable=True),
        Column("class_name", TEXT, "Name of that class.", nullable=True),
        Column("narration", TEXT, "English narration.", nullable=True),
        Column("narration_original", TEXT, "Narration as it was written.", nullable=True),
        Column("released_verbs", pl.List(INT), "Verb classes the release states.", nullable=True),
        Column("released_nouns", pl.List(INT), "Noun classes the release states.", nullable=True),
        SOURCE_FILE,
        SOURCE_KEY,
    ),
    rules=(
        Rule(
            "end_after_start",
            pl.col("end_s") > pl.col("start_s"),
            "segment ends at or before its start",
            "correct the times in the annotation file",
        ),
    ),
)

TAXONOMIES = Table(
    name="taxonomies",
    stage="sources",
    row="class of a vocabulary",
    key=("source", "taxonomy", "class_id"),
    unit="taxonomy",
    columns=(
        SOURCE,
        Column("taxonomy", TEXT, "Vocabulary.", one_of=("verb", "noun", "coarse")),
        Column("class_id", INT, "Class number, as the dataset counts.", low=0),
        Column("label", TEXT, "Class label as released."),
        Column("terms", pl.List(TEXT), "Words and phrases that name the class."),
        SOURCE_FILE,
    ),
)

SPLITS = Table(
    name="splits",
    stage="sources",
    row="membership of a recording in a published split",
    key=("source", "split_set", "split", "recording_id"),
    unit="split_set",
    columns=(
        SOURCE,
        Column("split_set", TEXT, "Published list family (for example `segmentation_ego`)."),
        Column("recording_id", TEXT, "Recording listed.", refers_to="recordings.recording_id"),
        Column("split", TEXT, "Split it is listed in.", one_of=("train", "val", "test")),
        Column("position", INT, "Line of the list, from 0 (order matters to parity).", low=0),
        SOURCE_FILE,
    ),
)

QUARANTINE = Table(
    name="quarantine",
    stage="sources",
    row="refused row, file or unit",
    key=("source", "stage", "unit", "refusal"),
    unit="unit",
    columns=(
        SOURCE,
        Column("stage", TEXT, "Stage that refused."),
        Column("unit", TEXT, "Unit of work the refusal belongs to."),
        Column("refusal", TEXT, "Stable id of the refusal (hash of its content)."),
        Column("table", TEXT, "Table the row was meant for.", nullable=True),
        Column("recording_id", TEXT, "Recording it concerns, if known.", nullable=True),
        Column("file", TEXT, "File under the source's root.", nullable=True),
        Column("row", TEXT, "Key or line of the row.", nullable=True),
        Column("rule", TEXT, "Rule that was broken."),
        Column("value", TEXT, "Offending value, cut at 200 characters.", nullable=True),
        Column("message", TEXT, "What is wrong."),
        Column("remedy", TEXT, "What its owner can do."),
    ),
)

TABLES = (
    RECORDINGS,
    CLOCKS,
    CAMERAS,
    GAZE_SAMPLES,
    SEGMENTS,
    TAXONOMIES,
    SPLITS,
    QUARANTINE,
)
