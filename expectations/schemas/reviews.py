"""Tables of people's decisions: what they said, how it stands now, and what each round changed.

Labels, translations and pairs belong to a source; questions and rewordings to a benchmark, and have tables
of their own.
"""

from __future__ import annotations

import polars as pl

from expectations.schemas.columns import (
    BOOL,
    FLOAT,
    INT,
    SOURCE_FILE,
    SOURCE_KEY,
    TEXT,
    agreement_columns,
)
from expectations.schemas.core import Column, Rule, Table
from expectations.schemas.questions import BENCHMARK, QUESTION_ID

QUESTION, WORDING = "question", "wording"
GRAPH = "graph"
ITEM_KINDS = ("label", "translation", "pair", "direction", GRAPH, QUESTION, WORDING)
OF_BENCHMARKS = (QUESTION, WORDING)
"""Kinds of items that belong to a benchmark: they are judged whole, accepted or rejected with a reason."""
PATCH_COLUMNS = {
    "identity": {
        "relations": ("subject", "object"),
        "object_states": ("object", "object_id"),
        "boxes": ("class_name", "object_id", "track_id"),
    },
    "link": {"relations": ("subject", "relation", "object", "role", "hand_side")},
    "state": {"object_states": ("attribute", "value", "moment", "start_s", "end_s")},
    "grounding": {"boxes": ("t_s", "x_min", "y_min", "x_max", "y_max")},
}
"""Reasons for which a row of a scene graph is corrected, and what of which table each may change."""
VERDICTS = ("accept", "reject", "correct")
STATES = ("standing", "stale", "gone", "conflict", "unusable")

_JUDGED = Column("source", TEXT, "Source whose item was judged.")
_KIND = Column("item_kind", TEXT, "What was judged.", one_of=ITEM_KINDS)
_ITEM = Column(
    "item_id",
    TEXT,
    "Key of the item: a segment's for labels and translations; of scene graphs table and key of a row.",
)
_HASH = Column("item_hash", TEXT, "Hash of the content that was judged.")
_REVIEWER = Column("reviewer", TEXT, "Who judged, by the name the file gives.")
ROUND = Column("round", INT, "Annotation round, from 1.", low=1)
OUTCOME = (
    Column("reason", TEXT, "What the reviewers remarked, separated by `; `.", nullable=True),
    Column("reviewer", TEXT, "Who decided; several names separated by `, `."),
    ROUND,
    Column("decided_at", TEXT, "UTC time of the latest decision.", nullable=True),
)
"""Who judged an item of a benchmark, when, and what they remarked."""
_VALUE = Column(
    "value",
    TEXT,
    "What is right, as JSON: the correction, or of an accepted item what was shown.",
    nullable=True,
)

REVIEWS = Table(
    name="reviews",
    stage="sources",
    row="reviewer's decision on one item",
    key=("source", "decision_id"),
    unit="item_id",
    columns=(
        _JUDGED,
        Column("decision_id", TEXT, "Hash of the decision: the same one in two files counts once."),
        _KIND,
        Column(
            "benchmark",
            TEXT,
            "Benchmark of a question or rewording; null for items of other kinds.",
            nullable=True,
        ),
        _ITEM,
        _HASH,
        Column("verdict", TEXT, "What was decided.", one_of=VERDICTS),
        _VALUE,
        Column("shown", TEXT, "What the reviewer was shown, as JSON.", nullable=True),
        _REVIEWER,
        ROUND,
        Column("decided_at", TEXT, "UTC time of the decision, ISO 8601.", nullable=True),
        Column(
            "note",
            TEXT,
            "Remark of the reviewer; of a rejected question or rewording the reason.",
            nullable=True,
        ),
        SOURCE_FILE,
        SOURCE_KEY,
    ),
    rules=(
        Rule(
            "correction_has_value",
            (pl.col("verdict") != "correct") | pl.col("value").is_not_null(),
            "a correction that does not say what is right",
            "fill in `value`, or reject the item",
        ),
        Rule(
            "question_has_benchmark",
            ~pl.col("item_kind").is_in(OF_BENCHMARKS) | pl.col("benchmark").is_not_null(),
            "a decision on a question or rewording that does not name its benchmark",
            "fill in `benchmark`",
        ),
        Rule(
            "rejection_has_reason",
            ~pl.col("item_kind").is_in(OF_BENCHMARKS)
            | (pl.col("verdict") != "reject")
            | pl.col("note").is_not_null(),
            "a question or rewording is rejected without a reason",
            "say in `note` what is wrong with it",
        ),
        Rule(
            "patch_has_reason",
            (pl.col("item_kind") != GRAPH)
            | (pl.col("verdict") != "reject")
            | pl.col("note")
            .str.contains(rf"^(?:{'|'.join(PATCH_COLUMNS)})\b")
            .fill_null(value=False),
            "a row of a scene graph is rejected without one of the four reasons",
            f"begin `note` with one of {', '.join(PATCH_COLUMNS)}, and a colon",
        ),
    ),
)

REVIEW_STATES = Table(
    name="review_states",
    stage="reviews",
    row="reviewed label set, translation, pair, direction or row of a scene graph, with the outcome of its decisions",
    key=("source", "item_kind", "item_id"),
    unit="item_kind",
    columns=(
        _JUDGED,
        _KIND,
        _ITEM,
        Column(
            "recording_id", TEXT, "Recording of the segment; null if it is gone.", nullable=True
        ),
        Column(
            "state",
            TEXT,
            "`standing` decisions count; `stale`: the content has changed since; `gone`: the item is"
            " no more; `conflict`: reviewers of one round disagree; `unusable`: the correction does"
            " not fit the source.",
            one_of=STATES,
        ),
        Column("verdict", TEXT, "Verdict; null in a conflict.", nullable=True, one_of=VERDICTS),
        _VALUE,
        Column("reviewer", TEXT, "Who decided; several names separated by `, `."),
        ROUND,
        Column("decided_at", TEXT, "UTC time of the latest decision.", nullable=True),
        Column("stale", BOOL, "Whether the content differs from what was judged."),
        Column("message", TEXT, "Why it does not count, where it does not.", nullable=True),
    ),
)

REVIEW_CHANGES = Table(
    name="review_changes",
    stage="reviews",
    row="reviewer and round, with the number of items judged and changed",
    key=("source", "item_kind", "round", "reviewer"),
    unit="item_kind",
    columns=(
        _JUDGED,
        _KIND,
        ROUND,
        _REVIEWER,
        Column("items", INT, "Items judged.", low=0),
        Column("accepted", INT, "Of these accepted.", low=0),
        Column("rejected", INT, "Rejected.", low=0),
        Column("corrected", INT, "Corrected.", low=0),
        Column("changed", INT, "Corrected to something else than what was shown.", low=0),
        Column("standing", INT, "Decisions that count now.", low=0),
        Column("superseded", INT, "Replaced by a later decision on the same content.", low=0),
        Column("stale", INT, "On content that has changed, or is gone.", low=0),
        Column("conflicts", INT, "In conflict with another reviewer of the round.", low=0),
        Column("unusable", INT, "Corrections that do not fit the source.", low=0),
    ),
)  # fmt: skip

REVIEW_AGREEMENT = Table(
    name="review_agreement",
    stage="reviews",
    row="annotation round, with the agreement of its reviewers on what to accept, reject and correct",
    key=("source", "item_kind", "round"),
    unit="item_kind",
    columns=(
        _JUDGED,
        _KIND,
        ROUND,
        *agreement_columns("Reviewers"),
        Column(
            "same_outcome",
            FLOAT,
            "Of all pairs of reviewers on the same item, the share whose decisions have the same effect:"
            " two corrections have it if they state the same.",
            nullable=True,
            low=0.0,
            high=1.0,
        ),
    ),
)

_SUBTASK = Column(
    "subtask", TEXT, "Subtask of the questions; empty for those that the benchmark no longer has."
)

QUESTION_REVIEWS = Table(
    name="question_reviews",
    stage="question_reviews",
    row="reviewed question, with the outcome of its decisions",
    key=("benchmark", "source", "question_id"),
    unit="source",
    columns=(
        BENCHMARK,
        _JUDGED,
        Column(
            "pool",
            TEXT,
            "Unit of the question; null if the benchmark no longer has it.",
            nullable=True,
        ),
        _SUBTASK,
        QUESTION_ID,
        Column(
            "question_hash",
            TEXT,
            "Hash of everything a model sees of the question as it is now; null if it is gone.",
            nullable=True,
        ),
        Column(
            "item_hash",
            TEXT,
            "Version that was judged: hash of everything a model sees and of the answer.",
        ),
        Column(
            "state",
            TEXT,
            "`standing` decisions count; `stale`: the question or its answer has changed since; `gone`:"
            " the benchmark no longer has it; `conflict`: reviewers of one round disagree.",
            one_of=("standing", "stale", "gone", "conflict"),
        ),
        Column(
            "verdict",
            TEXT,
            "Verdict; null in a conflict. The gate `reviewed` refuses a question that is rejected.",
            nullable=True,
            one_of=("accept", "reject"),
        ),
        *OUTCOME,
        Column("message", TEXT, "Why it does not count, where it does not.", nullable=True),
    ),
)

QUESTION_REVIEWROUNDS = Table(
    name="question_review_rounds",
    stage="question_reviews",
    row="reviewer, round and subtask, with the number of questions accepted and rejected",
    key=("benchmark", "source", "subtask", "round", "reviewer"),
    unit="source",
    columns=(
        BENCHMARK,
        _JUDGED,
        _SUBTASK,
        ROUND,
        _REVIEWER,
        Column("questions", INT, "Questions judged.", low=0),
        Column("accepted", INT, "Of the decisions, acceptances.", low=0),
        Column("rejected", INT, "Rejections.", low=0),
        Column("standing", INT, "Decisions that count now.", low=0),
        Column("superseded", INT, "Replaced by a later decision on the same content.", low=0),
        Column("stale", INT, "On questions that have changed, or are gone.", low=0),
        Column("conflicts", INT, "In conflict with another reviewer of the round.", low=0),
    ),
)

QUESTION_REVIEW_AGREEMENT = Table(
    name="question_review_agreement",
    stage="question_reviews",
    row="annotation round and subtask, with the agreement of its reviewers on what to accept and reject",
    key=("benchmark", "source", "subtask", "round"),
    unit="source",
    columns=(
        BENCHMARK,
        _JUDGED,
        _SUBTASK,
        ROUND,
        *agreement_columns("Reviewers"),
        REVIEW_AGREEMENT["same_outcome"],
    ),
)

TABLES = (
    REVIEWS,
    REVIEW_STATES,
    REVIEW_CHANGES,
    REVIEW_AGREEMENT,
    QUESTION_REVIEWS,
    QUESTION_REVIEWROUNDS,
    QUESTION_REVIEW_AGREEMENT,
)
