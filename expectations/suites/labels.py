"""Suite of `labels`: how many words of the narrations became labels, and which."""

from __future__ import annotations

import polars as pl

from expectations.suites.core import Expectation, Suite, Tables, View


def _classed(tables: Tables) -> pl.LazyFrame:
    """Labels with a class; the open reader's rows have none and follow no taxonomy."""
    return tables["labels"].filter(pl.col("class_id").is_not_null())


def _labels(tables: Tables) -> pl.LazyFrame:
    """Labels of free narrations; where a dataset states its verbs and nouns, it owes no hands."""
    narrated = _segments(tables).select("segment_id")
    return (
        _classed(tables)
        .join(narrated, on="segment_id", how="semi")
        .select(
            "segment_id",
            "term",
            (pl.col("body_part") == "unspecified_hand").cast(pl.Float64).alias("hand_unspecified"),
            (pl.col("kind") == "verb").cast(pl.Float64).alias("is_verb"),
            (pl.col("span_end") - pl.col("span_start")).cast(pl.Int64).alias("characters"),
        )
    )


def _segments(tables: Tables) -> pl.LazyFrame:
    counts = (
        _classed(tables)
        .group_by("segment_id")
        .agg(
            pl.len().cast(pl.Float64).alias("labels"),
            (pl.col("kind") == "verb").any().cast(pl.Float64).alias("has_verb"),
            (pl.col("kind") == "noun").any().cast(pl.Float64).alias("has_noun"),
        )
    )
    return (
        tables["segments"]
        .filter((pl.col("kind") == "fine") & pl.col("narration").is_not_null())
        .select("segment_id", "recording_id")
        .join(counts, on="segment_id", how="left")
        .with_columns(pl.col("labels", "has_verb", "has_noun").fill_null(0.0))
    )


def _vocabulary(tables: Tables) -> pl.LazyFrame:
    """Classes of a source that has narrations to label; a source without them has none to use."""
    narrated = _segments(tables).select(pl.len().alias("narrated"))
    used = (
        _classed(tables).select("kind", "class_id").unique().with_columns(pl.lit(1.0).alias("used"))
    )
    return (
        tables["taxonomies"]
        .filter(pl.col("taxonomy").is_in(["verb", "noun"]))
        .select(pl.col("taxonomy").alias("kind"), "class_id", "label")
        .join(used, on=["kind", "class_id"], how="left")
        .with_columns(pl.col("used").fill_null(0.0))
        .join(narrated, how="cross")
        .filter(pl.col("narrated") > 0)
    )


SUITE = Suite(
    table="labels",
    reads={
        "labels": (
            "segment_id",
            "kind",
            "class_id",
            "term",
            "body_part",
            "span_start",
            "span_end",
        ),
        "segments": ("segment_id", "recording_id", "kind", "narration"),
        "taxonomies": ("taxonomy", "class_id", "label"),
    },
    views=(
        View(
            "labels",
            "label",
            ("segment_id", "term"),
            _labels,
            (
                Expectation(
                    "hands_are_told",
                    "mean",
                    "hand_unspecified",
                    "narrators were asked to name the hand; where most labels have none, the rule"
                    " that reads hands does not fit the text",
                    low=0.0,
                    high=0.8,
                ),
                Expectation(
                    "verbs_and_nouns_balance",
                    "mean",
                    "is_verb",
                    "a clause has one verb and one to three nouns",
                    low=0.2,
                    high=0.65,
                ),
                Expectation(
                    "matches_are_words",
                    "between",
                    "characters",
                    "a match is a word or short phrase, not a letter and not a sentence",
                    low=2.0,
                    high=40.0,
                    mostly=0.99,
                ),
            ),
        ),
        View(
            "segments",
            "fine segment with a narration",
            ("segment_id",),
            _segments,
            (
                Expectation(
                    "labels_per_segment",
                    "mean",
                    "labels",
                    "a fine narration is a clause or two of two to four labels each",
                    low=1.5,
                    high=12.0,
                ),
                Expectation(
                    "segments_have_a_verb",
                    "mean",
                    "has_verb",
                    "the verb taxonomy was made from these narrations",
                    low=0.75,
                    high=1.0,
                ),
                Expectation(
                    "segments_have_a_noun",
                    "mean",
                    "has_noun",
                    "the noun taxonomy was made from these narrations",
                    low=0.75,
                    high=1.0,
                ),
            ),
        ),
        View(
            "vocabulary",
            "class of a vocabulary",
            ("kind", "label"),
            _vocabulary,
            (
                Expectation(
                    "vocabulary_is_used",
                    "mean",
                    "used",
                    "a small part of a source uses a tenth of the classes; less means that terms"
                    " and narrations do not meet (language, case, spelling)",
                    low=0.05,
                    high=1.0,
                ),
            ),
        ),
    ),
    plot=("segments", "labels"),
)
