"""Decisions on a benchmark's questions: one unit per source whose questions anybody judged."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from assets.agreement import Agreement
from assets.question_reviews.flow import Flow, criterion_agreement, flows
from assets.question_reviews.outcomes import ITEM_COLUMNS, question_items, question_outcomes
from assets.sources.stage import reviews_of
from assets.stage import Batch, Inputs, Stage, Unit
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from expectations.schemas.reviews import QUESTION
from resources.config import Settings
from resources.store.incremental import Output


def outcomes_of(settings: Settings, benchmark: str, source: str) -> dict[str, pl.DataFrame]:
    """Rows of the stage's tables about one source; empty where nobody judged its questions.

    Raises:
        IncompleteUpstream: A source of decisions was left half-written.
    """
    return outcomes_and_flows(settings, benchmark, source)[0]


def outcomes_and_flows(
    settings: Settings, benchmark: str, source: str, screenings: int = 0
) -> tuple[dict[str, pl.DataFrame], dict[str, Flow]]:
    """What was decided on questions of a source (see `outcomes_of`), and where the review of each stands, by its id.

    Args:
        settings: The configuration.
        benchmark: The benchmark.
        source: Source of the questions.
        screenings: How many people have to screen a question; 0 if it is not reviewed in steps.

    Raises:
        IncompleteUpstream: A source of decisions was left half-written.
    """
    reviews = _decisions(settings, benchmark, source)
    if reviews.is_empty():
        return {}, {}
    judged = _judged(settings, benchmark, source)
    stands = flows(reviews, question_items(judged), screenings) if screenings else {}
    return question_outcomes(benchmark, source, reviews, judged), stands


def review_progress(
    settings: Settings, benchmark: str, source: str, screenings: int
) -> tuple[pl.DataFrame, list[tuple[int, str, Agreement]]]:
    """How many judged questions of a source wait for which step, and how far reviewers agree on each criterion.

    Args:
        settings: The configuration.
        benchmark: The benchmark.
        source: Source of the questions.
        screenings: How many people have to screen a question.

    Returns:
        Counts (subtask, state, questions), and round, criterion and agreement.

    Raises:
        IncompleteUpstream: A source of decisions was left half-written.
    """
    reviews = _decisions(settings, benchmark, source)
    items = question_items(_judged(settings, benchmark, source))
    flow_of = flows(reviews, items, screenings)
    stands = pl.DataFrame(
        {"item_id": [*flow_of], "state": [flow.state for flow in flow_of.values()]},
        schema={"item_id": pl.String, "state": pl.String},
    )
    counts = stands.join(items, on="item_id").group_by("subtask", "state")
    counts = counts.agg(questions=pl.len()).sort("subtask", "state")
    return counts, [*criterion_agreement(reviews, items)]


def _decisions(settings: Settings, benchmark: str, source: str) -> pl.DataFrame:
    """Decisions on questions that a source's configuration takes, of one benchmark."""
    return reviews_of(settings, source, QUESTION).filter(pl.col("benchmark") == benchmark)


def _judged(settings: Settings, benchmark: str, source: str) -> pl.DataFrame:
    """Questions of a source, with what is judged of them."""
    scan = settings.store.scan(TABLES["questions"], benchmark, columns=("source", *ITEM_COLUMNS))
    return scan.filter(pl.col("source") == source).drop("source").sort("question_id").collect()


def _units(inputs: Inputs) -> Iterator[Unit]:
    """Sources with decisions on questions of the benchmark."""
    settings, benchmark = inputs.settings, inputs.partition
    for source in settings.sources_of(benchmark):
        reviews = _decisions(settings, benchmark, source)
        if reviews.is_empty():
            continue
        inputs.stored_units("questions")  # which raises where they were interrupted
        now = _judged(settings, benchmark, source)
        judged = now.filter(pl.col("question_id").is_in(reviews["item_id"].implode()))
        parameters = (
            *reviews["decision_id"].sort(),
            digest(repr(row) for row in reviews.sort("decision_id").select("note").iter_rows()),
            *(repr(row) for row in judged.iter_rows()),
        )
        yield Unit(source, dict.fromkeys(inputs.stage.reads, ()), parameters)


def _make(batch: Batch) -> Iterator[Output]:
    settings, benchmark = batch.settings, batch.partition
    for source in batch.names:
        yield Output([source], outcomes_of(settings, benchmark, source))


STAGE = Stage(
    name="question_reviews",
    group="question_reviews",
    summary="Decisions of people on questions: which of them count now, by subtask, reviewer and round.",
    partition="benchmark",
    tables=("question_reviews", "question_review_rounds", "question_review_agreement"),
    reads={"reviews": None, "questions": ("source", *ITEM_COLUMNS)},
    units=_units,
    make=_make,
    code=(question_outcomes,),
    lineage={
        "question_reviews": {
            "state": [("reviews", "item_hash"), ("questions", "question_hash")],
            "reason": [("reviews", "note")],
            "question_id": [("reviews", "item_id"), ("questions", "question_id")],
        },
        "question_review_rounds": {
            "standing": [("reviews", "item_hash"), ("questions", "question_hash")],
            "rejected": [("reviews", "verdict")],
        },
        "question_review_agreement": {
            "alpha": [("reviews", "verdict"), ("reviews", "reviewer"), ("reviews", "item_hash")],
            "kappa": [("reviews", "verdict"), ("reviews", "reviewer"), ("reviews", "item_hash")],
            "same_outcome": [("reviews", "verdict")],
        },
    },
)
