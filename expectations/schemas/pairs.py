"""Tables of the pairs stage: candidates, pairs, and the sentences they are compared by."""

from __future__ import annotations

import polars as pl

from expectations.schemas.columns import INT, RECORDING, SOURCE, TEXT
from expectations.schemas.core import Column, Table

POSITIVES_PER_QUERY = 3
"""Recordings of the other view in which a segment seeks its positives, unless configured."""
SENTENCE_THRESHOLD = 0.75
"""Least cosine at which two narrations match, unless configured; see `assets.pairs.sentence_match`."""

# Each implies those before it.
STAGES_OF_ASSOCIATION = ("sets", "sentence", "negatives_5", "negatives_20", "verified")

# Ends beside the way: another candidate answers both its queries; a person refused it.
ENDS_OF_ASSOCIATION = ("not_chosen", "rejected")

CANDIDATES = Table(
    name="candidates",
    stage="pairs",
    row="ego and exo segment of one scenario with the same verb and noun sets",
    key=("source", "pair_id"),
    unit="pool",
    columns=(
        SOURCE,
        Column("pool", TEXT, "Scenario and split the search stays in."),
        Column("pair_id", TEXT, "Hash of both segment ids."),
        Column("ego_segment_id", TEXT, "Egocentric segment.", refers_to="segments.segment_id"),
        Column("exo_segment_id", TEXT, "Exocentric segment.", refers_to="segments.segment_id"),
        Column("ego_recording_id", TEXT, "Its recording."),
        Column("exo_recording_id", TEXT, "Its recording."),
        Column("verbs", pl.List(INT), "Common verb set, ascending."),
        Column("nouns", pl.List(INT), "Common noun set, ascending."),
        Column(
            "ego_negatives", pl.Int32(), "Segments of the ego recording with another set.", low=0
        ),
        Column(
            "exo_negatives", pl.Int32(), "Segments of the exo recording with another set.", low=0
        ),
        Column(
            "stage",
            TEXT,
            "Last stage of the funnel it reached: same sets; same by its sentences; negatives for 5"
            " and 20 options; accepted by a person. `rejected`: by a person; `not_chosen`: others"
            " answer both its queries.",
            one_of=(*STAGES_OF_ASSOCIATION, *ENDS_OF_ASSOCIATION),
        ),
        Column(
            "sentence_similarity",
            pl.Float64(),
            "Cosine of the narrations' vectors, to 4 decimals; null where none were compared.",
            nullable=True,
            low=-1,
            high=1,
        ),
        Column(
            "matched_by",
            TEXT,
            "What compared the narrations: embedder or model; null where nothing did.",
            nullable=True,
        ),
        Column(
            "verdict",
            TEXT,
            "Standing decision of a person on the pair as it is.",
            nullable=True,
            one_of=("accept", "reject"),
        ),
    ),
)

CANDIDATE_COUNTS = Table(
    name="candidate_counts",
    stage="pairs",
    row="funnel stage of a pool, with the number of pairs that ended there",
    key=("source", "pool", "stage"),
    unit="pool",
    columns=(
        SOURCE,
        Column("pool", TEXT, "Scenario and split the search stays in."),
        Column(
            "stage",
            TEXT,
            "Last stage reached; `scenario`: of one pool, other verbs or nouns; `over_cap`: same sets,"
            " not kept, its queries have enough recordings nearer.",
            one_of=("scenario", *STAGES_OF_ASSOCIATION, *ENDS_OF_ASSOCIATION, "over_cap"),
        ),
        Column("n", INT, "Pairs of an ego and an exo segment.", low=0),
    ),
)

PAIRS = Table(
    name="pairs",
    stage="pairs",
    row="query with its positive and ranked negatives, in one direction",
    key=("source", "pair_id", "direction"),
    unit="pool",
    columns=(
        SOURCE,
        Column("pool", TEXT, "Scenario and split the search stays in."),
        Column("pair_id", TEXT, "Candidate the pair comes from."),
        Column(
            "direction",
            TEXT,
            "View of the query to view of the options.",
            one_of=("ego2exo", "exo2ego"),
        ),
        Column("split", TEXT, "Split of both recordings.", nullable=True),
        Column("query_segment_id", TEXT, "Segment shown.", refers_to="segments.segment_id"),
        Column("query_recording_id", TEXT, "Its recording."),
        Column(
            "positive_segment_id",
            TEXT,
            "Segment that shows the same action.",
            refers_to="segments.segment_id",
        ),
        Column("positive_recording_id", TEXT, "Its recording."),
        Column(
            "negative_segment_ids",
            pl.List(TEXT),
            "Up to 19, in rank order: K = 5 takes the first 4.",
        ),
    ),
)

SENTENCE_VECTORS = Table(
    name="sentence_vectors",
    stage="pairs",
    row="distinct narration of a recording, as an embedding vector",
    key=("source", "recording_id", "sentence"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("sentence", TEXT, "Hash of the narration in use."),
        Column("model", TEXT, "Embedder, with the hash of its weights."),
        Column("vector", pl.List(pl.Float32()), "Unit vector; a dot product is a similarity."),
    ),
)

TABLES = (
    CANDIDATES,
    CANDIDATE_COUNTS,
    PAIRS,
    SENTENCE_VECTORS,
)
