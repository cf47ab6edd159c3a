"""Tables between the sources and the questions: streams, frames, labels, candidates, pairs."""

from __future__ import annotations

import polars as pl

from expectations.schemas.columns import BOOL, FLOAT, INT, RECORDING, SOURCE, TEXT
from expectations.schemas.core import Column, Rule, Table

STREAMS = Table(
    name="streams",
    stage="frames",
    row="video stream of a recording, as its container says",
    key=("source", "recording_id", "part"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("part", INT, "Index of the media part.", low=0),
        Column("stream", INT, "Index of the chosen video stream in its container.", low=0),
        Column("codec", TEXT, "Codec name."),
        Column("width_px", INT, "Stored width.", unit="px", low=1),
        Column("height_px", INT, "Stored height.", unit="px", low=1),
        Column(
            "rotation_deg",
            INT,
            "Clockwise turn that makes the stored image upright.",
            unit="deg",
            one_of=None,
            low=0,
            high=270,
        ),
        Column("time_base_num", INT, "Stamp unit, numerator.", unit="s", low=1),
        Column("time_base_den", INT, "Stamp unit, denominator.", unit="1/s", low=1),
        Column("frames", INT, "Presented frames.", low=0),
        Column("first_pts", INT, "First presented stamp.", nullable=True),
        Column("last_pts", INT, "Last presented stamp.", nullable=True),
        Column("offset_s", FLOAT, "Recording time of the part's first presented frame.", unit="s"),
        Column(
            "interval_min_ms",
            FLOAT,
            "Shortest gap between presented frames.",
            unit="ms",
            nullable=True,
        ),
        Column("interval_median_ms", FLOAT, "Median gap.", unit="ms", nullable=True),
        Column("interval_max_ms", FLOAT, "Longest gap.", unit="ms", nullable=True),
        Column("reordered", BOOL, "Stored order differs from presentation (B-frames)."),
        Column("discarded", INT, "Packets an edit list hides.", low=0),
        Column("duplicates", INT, "Packets dropped since their stamp is taken.", low=0),
        Column("unstamped", INT, "Packets without a stamp.", low=0),
    ),
)

FRAMES = Table(
    name="frames",
    stage="frames",
    row="tick of a recording's grid",
    key=("source", "recording_id", "grid", "tick"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("grid", TEXT, "Grid the tick counts in.", one_of=("cfr25", "native", "presampled")),
        Column("tick", pl.Int32(), "Index on the grid, from 0.", low=0),
        Column("t_s", FLOAT, "Time of the tick from the recording's start.", unit="s", low=0.0),
        Column("part", pl.Int16(), "Media part of the source frame.", low=0),
        Column(
            "source_frame",
            pl.Int32(),
            "Presented frame shown at the tick, counted over parts.",
            low=0,
        ),
        Column("source_pts", INT, "Its stamp, in the stream's time base."),
        Column("residual_ms", pl.Float32(), "Source frame's time minus the tick's.", unit="ms"),
        Column("gaze_x", pl.Float32(), "Mean of valid samples, over image width.", nullable=True),
        Column("gaze_y", pl.Float32(), "Mean of valid samples, over image height.", nullable=True),
        Column("gaze_valid", pl.Int16(), "Valid samples averaged.", low=0),
        Column("gaze_samples", pl.Int16(), "Samples registered to the tick, valid or not.", low=0),
        Column(
            "gaze_residual_ms",
            pl.Float32(),
            "Mean distance in time of the averaged samples to the tick.",
            unit="ms",
            nullable=True,
        ),
    ),
    rules=(
        Rule(
            "mean_needs_samples",
            (pl.col("gaze_valid") > 0) == pl.col("gaze_x").is_not_null(),
            "mean gaze without a valid sample, or valid samples without a mean",
            "report this: the frame stage is wrong",
        ),
    ),
)

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
    row="stage of the funnel and how many pairs of a pool ended there",
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
    row="query, its positive and its ranked negatives, in one direction",
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
    row="different narration of a recording, as a vector",
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

TABLES = (STREAMS, FRAMES, LABELS, CANDIDATES, CANDIDATE_COUNTS, PAIRS, SENTENCE_VECTORS)
