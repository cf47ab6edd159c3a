"""Association pairs: a query, its positive, and negatives from the positive's own recording (B6).

Stage 4 of the paper's funnel ("randomly choose video clips from the same video as negative
samples"), with choice by lowest hash and one rule more: a negative with the query's verb and noun
sets is not a negative.
"""

from __future__ import annotations

import polars as pl

from assets.pairs.candidates import (
    EASY_NEGATIVES,
    HARD_NEGATIVES,
    MIN_SEGMENT_S,
    chosen,
    negatives_of,
    option_segments,
)
from assets.pairs.choice import numbers, pair_ranks
from assets.pairs.nearest import DIRECTIONS
from expectations.schemas import TABLES
from expectations.schemas.pairs import POSITIVES_PER_QUERY

# Positives x segments per recording are held at once: about 150 rows per pair.
_PAIRS_AT_ONCE = 20_000


def make_pairs(
    candidates: pl.DataFrame,
    segments: pl.DataFrame,
    labels: pl.DataFrame,
    recordings: pl.DataFrame,
    *,
    positives: int = POSITIVES_PER_QUERY,
    min_segment_s: float = MIN_SEGMENT_S,
    verified_only: bool = False,
) -> pl.DataFrame:
    """Pairs of both directions from the candidates that are positives.

    Args:
        candidates: Rows of `candidates`, from `find_candidates` on the same tables.
        segments: Rows of `segments`.
        labels: Rows of `labels`.
        recordings: Rows of `recordings`.
        positives: At most so many pairs per query and direction, as given to `find_candidates`.
        min_segment_s: Shorter segments cannot be options.
        verified_only: Whether only candidates a person accepted make pairs.

    Returns:
        Rows of `pairs` in key order; a candidate with fewer than 4 negatives makes none. Negatives
        are ranked by hash of (query, negative), the best of each verb and noun set first, so that
        two options show the same set only where a recording has too few sets.
    """
    table = TABLES["pairs"]
    options = option_segments(segments, labels, recordings, min_segment_s=min_segment_s)
    options = options.with_columns(number=numbers(options["segment_id"]))
    splits = options.select("source", "segment_id", "split")
    accepted = pl.col("verdict").eq_missing("accept") if verified_only else pl.lit(True)
    made: list[pl.DataFrame] = [table.empty()]
    for direction, (query, answer) in DIRECTIONS.items():
        pairs = (
            chosen(candidates, direction, positives=positives)
            .filter((pl.col(f"{answer}_negatives") >= EASY_NEGATIVES) & accepted)
            .select(
                "source",
                "pool",
                "pair_id",
                pl.lit(direction).alias("direction"),
                pl.col(f"{query}_segment_id").alias("query_segment_id"),
                pl.col(f"{query}_recording_id").alias("query_recording_id"),
                pl.col(f"{answer}_segment_id").alias("positive_segment_id"),
                pl.col(f"{answer}_recording_id").alias("positive_recording_id"),
            )
            .sort("source", "positive_segment_id", "query_segment_id")
        )
        for part in pairs.iter_slices(_PAIRS_AT_ONCE):
            made.append(
                part.join(_negatives(part, options), on=["source", "pair_id"])
                .join(
                    splits,
                    left_on=["source", "query_segment_id"],
                    right_on=["source", "segment_id"],
                )
                .select(table.schema.names())
                .cast(table.schema)
            )
    return pl.concat(made).sort(table.key)


def _negatives(positives: pl.DataFrame, options: pl.DataFrame) -> pl.DataFrame:
    """Ranked negatives of each pair: columns source, pair_id, negative_segment_ids.

    Sorting is on integers: an option's index stands for its id (options are in id order).
    """
    coded = options.with_row_index("option").select(
        "source", "segment_id", "number", "option", set=pl.col("set_key").rank("dense")
    )
    pairs = positives.with_row_index("pair")
    possible = negatives_of(
        pairs.select("source", pl.col("positive_segment_id").alias("segment_id")), options
    ).join(coded, on=["source", "segment_id"])
    rows = (
        pairs.select("source", "pair", "query_segment_id", "positive_segment_id")
        .join(
            coded.select("source", pl.col("segment_id").alias("query_segment_id"), query="number"),
            on=["source", "query_segment_id"],
        )
        .join(possible, on=["source", "positive_segment_id"])
        .select("pair", "query", "number", "option", "set")
    )
    ranked = (
        rows.select("pair", "option", "set", rank=pair_ranks(rows["query"], rows["number"]))
        .sort("pair", "rank", "option")
        .with_columns(turn=pl.int_range(pl.len(), dtype=pl.UInt32).over("pair", "set"))
        .sort("pair", "turn", "rank", "option")
        .group_by("pair", maintain_order=True)
        .agg(pl.col("option").head(HARD_NEGATIVES))
        .explode("option", empty_as_null=False)
        .join(coded.select("option", "segment_id"), on="option", maintain_order="left")
        .group_by("pair", maintain_order=True)
        .agg(negative_segment_ids="segment_id")
    )
    return pairs.join(ranked, on="pair").select("source", "pair_id", "negative_segment_ids")
