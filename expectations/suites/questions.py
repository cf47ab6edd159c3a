"""Suite of `questions`: counts per subtask, options, answer letters, chance, length, media."""

from __future__ import annotations

import polars as pl

from expectations.suites.core import Expectation, Suite, Tables, View

_LETTERS = tuple("ABCDEFGHIJKLMNOPQRST")


def _questions(tables: Tables) -> pl.LazyFrame:
    # A released question may have no options: it is answered in words.
    n = pl.col("options").list.len().cast(pl.Int64)
    options = pl.when(n > 0).then(n)
    return tables["questions"].select(
        "question_id",
        "subtask",
        "answer",
        "chance",
        options.alias("options"),
        # One right option is the usual case; several raise chance, never lower it.
        (pl.col("chance") * options).alias("right_options"),
        pl.col("text").str.len_chars().cast(pl.Int64).alias("characters"),
        pl.col("media").list.len().cast(pl.Int64).alias("media"),
        pl.col("evidence").list.len().cast(pl.Int64).alias("evidence"),
    )


def _subtasks(tables: Tables) -> pl.LazyFrame:
    letters = (
        tables["questions"]
        .filter(pl.col("answer").is_not_null())  # of a released question it may be withheld
        .group_by("subtask", "answer")
        .agg(pl.len().alias("with_letter"))
        .group_by("subtask")
        .agg(
            pl.col("with_letter").max().cast(pl.Float64).alias("most"),
            pl.col("with_letter").sum().cast(pl.Float64).alias("known"),
        )
    )
    n, k = pl.col("known"), pl.col("options_max").cast(pl.Float64)
    return (
        tables["questions"]
        .group_by("subtask")
        .agg(
            pl.len().cast(pl.Float64).alias("questions"),
            pl.col("options").list.len().n_unique().cast(pl.Int64).alias("option_counts"),
            pl.col("options").list.len().max().alias("options_max"),
            pl.col("media_present").cast(pl.Float64).mean().alias("media_present_share"),
            pl.col("recording_id").n_unique().cast(pl.Int64).alias("recordings"),
        )
        .join(letters, on="subtask", how="left")
        .with_columns(
            # Surplus of the most frequent letter in standard deviations of fair placement.
            ((pl.col("most") - n / k) / (n * (1 / k) * (1 - 1 / k)).sqrt()).alias("letter_surplus")
        )
        .drop("options_max", "known")
    )


SUITE = Suite(
    table="questions",
    reads={
        "questions": (
            "question_id",
            "subtask",
            "answer",
            "chance",
            "options",
            "text",
            "media",
            "evidence",
            "media_present",
            "recording_id",
        )
    },
    views=(
        View(
            "questions",
            "question",
            ("question_id",),
            _questions,
            (
                Expectation(
                    "there_are_questions",
                    "rows",
                    "",
                    "a benchmark whose sources are read has at least one question",
                    low=1,
                ),
                Expectation(
                    "answer_is_a_letter",
                    "one_of",
                    "answer",
                    "options are lettered from A; twenty are the most of any of the papers",
                    one_of=_LETTERS,
                ),
                Expectation(
                    "options_per_question",
                    "between",
                    "options",
                    "two to twenty options",
                    low=2,
                    high=20,
                ),
                Expectation(
                    "chance_fits_the_options",
                    "between",
                    "right_options",
                    "chance is the share of right options: at least one, never all",
                    low=0.999,
                    high=4.0,
                ),
                Expectation(
                    "text_length",
                    "between",
                    "characters",
                    "a question is a sentence or a few; longer ones repeat their context",
                    low=15,
                    high=1500,
                    mostly=0.99,
                ),
                Expectation(
                    "has_media",
                    "between",
                    "media",
                    "a question about video shows at least one medium",
                    low=1,
                    high=21,
                ),
                Expectation(
                    "has_evidence",
                    "between",
                    "evidence",
                    "an answer rests on at least one stored row",
                    low=1,
                ),
            ),
        ),
        View(
            "subtasks",
            "subtask",
            ("subtask",),
            _subtasks,
            (
                Expectation(
                    "questions_per_subtask",
                    "between",
                    "questions",
                    "fewer than ten questions cannot tell models apart; the smallest published"
                    " subtask of the five papers has 32",
                    low=10,
                ),
                Expectation(
                    "one_number_of_options",
                    "between",
                    "option_counts",
                    "chance differs between questions of different option counts; most subtasks"
                    " have one",
                    low=1,
                    high=1,
                    mostly=0.5,
                ),
                Expectation(
                    "letters_are_spread",
                    "between",
                    "letter_surplus",
                    "hashing places right answers evenly: a surplus of four standard deviations"
                    " is no accident",
                    high=4.0,
                    low=-4.0,
                ),
                Expectation(
                    "media_are_here",
                    "mean",
                    "media_present_share",
                    "questions whose pixels are not here are not asked",
                    low=0.9,
                    high=1.0,
                ),
                Expectation(
                    "several_recordings",
                    "between",
                    "recordings",
                    "intervals are clustered by recording: one alone has none",
                    low=2,
                ),
            ),
        ),
    ),
    plot=("questions", "options"),
)
