"""Table of the labels stage: verbs and nouns of segments."""

from __future__ import annotations

import polars as pl

from expectations.schemas.columns import INT, RECORDING, SOURCE, TEXT
from expectations.schemas.core import Column, Table

LABELS = Table(
    name="labels",
    stage="labels",
    row="verb or noun of a segment",
    key=("source", "segment_id", "clause", "kind", "span_start", "class_id"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column(
            "segment_id", TEXT, "Segment the narration belongs to.", refers_to="segments.segment_id"
        ),
        Column("clause", pl.Int16(), "Clause of the narration, from 0.", low=0),
        Column("kind", TEXT, "Part of speech.", one_of=("verb", "noun")),
        Column("class_id", INT, "Class of the source's taxonomy.", low=0),
        Column("class_label", TEXT, "Its label."),
        Column("term", TEXT, "Words of the narration that matched, lower case."),
        Column(
            "body_part",
            TEXT,
            "Who of the body acts.",
            one_of=("left_hand", "right_hand", "both_hands", "unspecified_hand"),
        ),
        Column(
            "actor_id",
            TEXT,
            "Who acts, as the narration names somebody; null for the segment's own actor.",
            nullable=True,
        ),
        Column(
            "role",
            TEXT,
            "Part a noun plays for its verb.",
            nullable=True,
            one_of=("action", "direct", "tool", "container", "location", "other"),
        ),
        Column("span_start", pl.Int32(), "First character of the match in the narration.", low=0),
        Column("span_end", pl.Int32(), "Character after the match.", low=1),
        Column("rule", TEXT, "Rule that made the row."),
    ),
)

TABLES = (LABELS,)
