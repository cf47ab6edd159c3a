"""Tables of the sources stage: what datasets say, in one form, before anything is derived."""

from __future__ import annotations

import polars as pl

from expectations.schemas.columns import (
    BOOL,
    FLOAT,
    INT,
    RECORDING,
    SOURCE,
    SOURCE_FILE,
    SOURCE_KEY,
    TEXT,
)
from expectations.schemas.core import Column, Rule, Table

WEB = "web:"
"""Begins the `environment_id` of a video from the web: no other recording was filmed there."""

RECORDINGS = Table(
    name="recordings",
    stage="sources",
    row="camera stream or image set",
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
        Column(
            "environment_id",
            TEXT,
            "Place; null where the dataset is silent. `web:` and a recording: its video comes from the web, so"
            " that no other recording was filmed there.",
            nullable=True,
        ),
        Column(
            "person_id",
            TEXT,
            "Wearer or performer, pseudonymous; in scene graphs of ego recordings this person is the"
            " `camera wearer`.",
            nullable=True,
        ),
        Column(
            "species", TEXT, "Kind of animal that wears the camera; null for people.", nullable=True
        ),
        Column("split", TEXT, "Split of the recording.", nullable=True),
        Column(
            "split_from",
            TEXT,
            "Who decided the split: the dataset; the dataset, for a recording of this take or of one"
            " linked to it; or a hash.",
            nullable=True,
            one_of=("published", "linked", "hashed"),
        ),
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

IMAGES = Table(
    name="images",
    stage="sources",
    row="image file of an image sequence or set of stills",
    key=("source", "recording_id", "source_frame"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("source_frame", INT, "The source's own number of the picture.", low=0),
        Column("path", TEXT, "File under the source's root."),
        Column("content", TEXT, "Content identity of the file."),
        Column(
            "t_s",
            FLOAT,
            "Time from the recording's start, where frame numbers have a rate.",
            unit="s",
            nullable=True,
            low=0.0,
        ),
    ),
)

CLOCKS = Table(
    name="clocks",
    stage="sources",
    row="recording's clock mapping to its take: t_take = offset_s + rate * t_s",
    key=("source", "recording_id"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("take_id", TEXT, "Take whose clock it is."),
        Column("offset_s", FLOAT, "Take time of the recording's time 0.", unit="s"),
        Column("rate", FLOAT, "Take seconds per recording second.", low=0.0),
        Column(
            "method",
            TEXT,
            "How the recordings of the take are synchronous.",
            one_of=("frame_aligned", "timesync", "same_index", "linear", "alone"),
        ),
        Column(
            "residual_ms",
            FLOAT,
            "Stated or measured error; null if unknown.",
            unit="ms",
            nullable=True,
        ),
        SOURCE_FILE,
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
        Column(
            "kind",
            TEXT,
            "Layer of annotation.",
            one_of=(
                "coarse",
                "fine",
                "keystep",
                "phase",
                "atomic",
                "action",
                "interaction",
                "scene",
                "sound",
            ),
        ),
        Column("actor_id", TEXT, "Who acts, where several people may.", nullable=True),
        Column(
            "is_point",
            BOOL,
            "True for an instant without a length; null or false for an interval.",
            nullable=True,
        ),
        Column("start_s", FLOAT, "Start from the recording's start.", unit="s", low=0.0),
        Column("end_s", FLOAT, "End from the recording's start.", unit="s", low=0.0),
        Column(
            "stated_end_s",
            FLOAT,
            "End as stated, where it lay behind the recording's end and was cut to it.",
            unit="s",
            nullable=True,
        ),
        Column(
            "precision_s",
            FLOAT,
            "How far the stated times may be off (a frame of a sparse sampling, a rounded second).",
            unit="s",
            nullable=True,
            low=0.0,
        ),
        Column(
            "list_position",
            INT,
            "Order of its recording's rows in the file, ascending with gaps, where that order"
            " decides released sets.",
            nullable=True,
            low=0,
        ),
        Column("step_order", INT, "Stated place in the procedure.", nullable=True, low=0),
        Column("essential", BOOL, "Whether the procedure needs the step.", nullable=True),
        Column("ego_visible", BOOL, "Whether the wearer's camera sees it.", nullable=True),
        Column("split", TEXT, "Split of the annotation.", nullable=True),
        Column("class_id", INT, "Class of the segment, as the dataset counts.", nullable=True),
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
            (pl.col("end_s") > pl.col("start_s"))
            | (pl.col("is_point").fill_null(False) & (pl.col("end_s") == pl.col("start_s"))),
            "segment ends at or before its start",
            "correct the times in the annotation file",
        ),
    ),
)

RELATIONS = Table(
    name="relations",
    stage="sources",
    row="annotated relation in a segment (who does what to what)",
    key=("source", "relation_id"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("relation_id", TEXT, "Key made of the source's own keys."),
        Column("segment_id", TEXT, "Segment it holds in.", refers_to="segments.segment_id"),
        Column("subject", TEXT, "Actor, tool or verb that the relation starts from."),
        Column(
            "relation",
            TEXT,
            "`verb` joins an actor to what it does, `direct object` and prepositions join a verb"
            " to things; else the dataset's own word.",
        ),
        Column("object", TEXT, "What it ends at."),
        Column(
            "role",
            TEXT,
            "Part the object plays.",
            nullable=True,
            one_of=("direct", "tool", "hand", "container", "source", "target", "location", "other"),
        ),
        Column(
            "hand_side",
            TEXT,
            "Hand that acts, where it is stated.",
            nullable=True,
            one_of=("left", "right", "both"),
        ),
        Column("actor_id", TEXT, "Who acts.", nullable=True),
        SOURCE_FILE,
        SOURCE_KEY,
    ),
)

TAXONOMIES = Table(
    name="taxonomies",
    stage="sources",
    row="vocabulary class",
    key=("source", "taxonomy", "class_id"),
    unit="taxonomy",
    columns=(
        SOURCE,
        Column(
            "taxonomy",
            TEXT,
            "Vocabulary.",
            one_of=(
                "verb",
                "noun",
                "coarse",
                "phase",
                "tool",
                "operator",
                "target",
                "action",
                "object",
            ),
        ),
        Column("class_id", INT, "Class number, as the dataset counts.", low=0),
        Column("label", TEXT, "Class label as released."),
        Column("terms", pl.List(TEXT), "Words and phrases that name the class."),
        Column(
            "flags",
            pl.List(TEXT),
            "What else is known of the class (`direction`, `special`).",
            nullable=True,
        ),
        Column(
            "closed_position",
            INT,
            "Index in the release's closed set of anticipation; null where it leaves the class out.",
            nullable=True,
            low=0,
        ),
        Column(
            "refined",
            TEXT,
            "Class that questions count it as, by the reviewed list of its dataset (`refined.csv`); null where"
            " the list leaves it out, so that it counts as itself.",
            nullable=True,
        ),
        SOURCE_FILE,
    ),
)

TAKE_LINKS = Table(
    name="take_links",
    stage="sources",
    row="link between two takes (one imitates or follows the other)",
    key=("source", "take_id", "link", "other_take_id"),
    unit="take_id",
    columns=(
        SOURCE,
        Column("take_id", TEXT, "Take that imitates."),
        Column(
            "link",
            TEXT,
            "`imitates`: the wearer watched the other take before; `re_enacts`: the same script by"
            " the same person, each on its own clock; `follows`: the other take is one of the"
            " demonstrations the wearer worked from.",
            one_of=("imitates", "re_enacts", "follows"),
        ),
        Column("other_take_id", TEXT, "Take that was imitated."),
        Column("faithful", BOOL, "False where the imitation is wrong on purpose.", nullable=True),
        SOURCE_FILE,
    ),
)

OBJECT_STATES = Table(
    name="object_states",
    stage="sources",
    row="annotated object state, over an interval or at a segment boundary",
    key=("source", "state_id"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("state_id", TEXT, "Key made of the source's own keys."),
        Column("segment_id", TEXT, "Segment whose edge it holds at.", nullable=True),
        Column(
            "moment",
            TEXT,
            "Edge of that segment.",
            nullable=True,
            one_of=("before", "after", "during"),
        ),
        Column("start_s", FLOAT, "Start from the recording's start.", unit="s", nullable=True),
        Column("end_s", FLOAT, "End from the recording's start.", unit="s", nullable=True),
        Column("object", TEXT, "Object, as the dataset names it."),
        Column("object_id", TEXT, "Instance, where the dataset has ids.", nullable=True),
        Column("attribute", TEXT, "What is said of it (`opened`, `cleanliness`, `on`)."),
        Column(
            "value",
            TEXT,
            "Its value, as the dataset writes it; a second object's name where"
            " the attribute is a place.",
        ),
        Column("actor_id", TEXT, "Person the segment belongs to.", nullable=True),
        SOURCE_FILE,
        SOURCE_KEY,
    ),
)

SKILL_LEVELS = Table(
    name="skill_levels",
    stage="sources",
    row="proficiency rating of a take",
    key=("source", "take_id", "actor_id", "scale"),
    unit="take_id",
    columns=(
        SOURCE,
        Column("take_id", TEXT, "Take judged."),
        Column("actor_id", TEXT, "Who performs."),
        Column("scale", TEXT, "Scale, as the dataset names it."),
        Column("task", TEXT, "Task performed, as the dataset names it.", nullable=True),
        Column("level", INT, "Level, 0 is the lowest of the scale.", low=0),
        Column("label", TEXT, "Its name."),
        Column("split", TEXT, "Split it is released in.", nullable=True),
        SOURCE_FILE,
        SOURCE_KEY,
    ),
)

IMPORTED_QUESTIONS = Table(
    name="imported_questions",
    stage="sources",
    row="question released with a dataset",
    key=("source", "question_set", "released_id"),
    unit="question_set",
    columns=(
        SOURCE,
        Column("question_set", TEXT, "Released file or prototype the question belongs to."),
        Column("released_id", TEXT, "The release's own id."),
        Column("subtask", TEXT, "Question type, as released.", nullable=True),
        Column("domain", TEXT, "Domain or dataset it is about, as released.", nullable=True),
        Column("split", TEXT, "Split it is released in.", nullable=True),
        Column("text", TEXT, "Question, as released."),
        Column("options", pl.List(TEXT), "Option texts in the released order, without letters."),
        Column("options_sorted", BOOL, "Whether that order is alphabetical."),
        Column(
            "answer",
            pl.List(INT),
            "Indices of the right options, from 0; null where the answer is not released.",
            nullable=True,
        ),
        Column("answer_text", TEXT, "Answer in words, where released.", nullable=True),
        Column("detailed_answer", TEXT, "How it is found, where released.", nullable=True),
        Column(
            "media",
            pl.List(
                pl.Struct(
                    {
                        "role": pl.String(),
                        "recording_id": pl.String(),
                        "paths": pl.List(pl.String()),
                        "start_s": pl.Float64(),
                        "end_s": pl.Float64(),
                    }
                )
            ),
            "Media in order: recording with an interval (equal ends: an instant; null: the whole),"
            " or released pictures.",
        ),
        Column("fps", FLOAT, "Rate the release states for its media.", unit="1/s", nullable=True),
        SOURCE_FILE,
        SOURCE_KEY,
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
        Column("position", INT, "Place in the list, from 0 (order matters to parity).", low=0),
        SOURCE_FILE,
    ),
)

RELEASED_FRAMES = Table(
    name="released_frames",
    stage="sources",
    row="recording whose frames a released file labels",
    key=("source", "recording_id"),
    unit="recording_id",
    columns=(
        SOURCE,
        Column("recording_id", TEXT, "Recording labelled.", refers_to="recordings.recording_id"),
        Column(
            "runs",
            pl.List(pl.Struct({"class_id": pl.Int64(), "n": pl.Int64()})),
            "Class of each frame at 25 fps as the file states it, as lengths of equal runs; 0 is not"
            " an action.",
        ),
        SOURCE_FILE,
    ),
)

RELEASED_ROWS = Table(
    name="released_rows",
    stage="sources",
    row="row of a list that was released for a task",
    key=("source", "source_file", "position"),
    unit="released_list",
    columns=(
        SOURCE,
        Column("released_list", TEXT, "`task/list/split`."),
        Column(
            "task",
            TEXT,
            "Task the list is for.",
            one_of=("anticipation", "association", "planning", "skill"),
        ),
        Column(
            "list",
            TEXT,
            "Recordings the list is about: a view, a part of a view (`ego_gaze`), or a mixture of"
            " both for training (its name begins with `cotrain`).",
        ),
        Column("split", TEXT, "Split of the list.", one_of=("train", "val", "test")),
        Column(
            "position",
            INT,
            "Line on which the row starts, so that the order of the file is kept; gaps are lines"
            " that were refused or empty.",
            low=1,
        ),
        Column("recording_id", TEXT, "Recording shown.", refers_to="recordings.recording_id"),
        Column("source_key", TEXT, "The release's own key of the row.", nullable=True),
        Column(
            "seen_until_s",
            FLOAT,
            "End of what is shown, where the row states it.",
            unit="s",
            nullable=True,
            low=0,
        ),
        Column(
            "target_start_s",
            FLOAT,
            "Start of what is asked for, where the row states it.",
            unit="s",
            nullable=True,
            low=0,
        ),
        Column("target_end_s", FLOAT, "End of what is asked for.", unit="s", nullable=True, low=0),
        Column("verbs", pl.List(INT), "Verb classes, in the row's order.", nullable=True),
        Column("nouns", pl.List(INT), "Noun classes, in the row's order.", nullable=True),
        Column("classes", pl.List(INT), "Coarse classes, in the row's order.", nullable=True),
        Column(
            "text",
            TEXT,
            "The row as the file writes it; null where only its place is used (`association`).",
            nullable=True,
        ),
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
    IMAGES,
    CLOCKS,
    TAKE_LINKS,
    SEGMENTS,
    RELATIONS,
    OBJECT_STATES,
    SKILL_LEVELS,
    IMPORTED_QUESTIONS,
    TAXONOMIES,
    SPLITS,
    RELEASED_FRAMES,
    RELEASED_ROWS,
    QUARANTINE,
)
