"""Tables of the scores stage."""

from __future__ import annotations

import polars as pl

from expectations.schemas.columns import FLOAT, INT, TEXT
from expectations.schemas.core import Column, Table
from expectations.schemas.questions import BENCHMARK, RUN

CHAIN_METRICS = ("chain_steps", "chain_directions", "chain_directions_relaxed")
"""Metrics of chains of actions; the last two count replies with right steps alone."""

SCORES = Table(
    name="scores",
    stage="scores",
    row="metric of a run on a slice",
    key=("benchmark", "run", "slice", "metric"),
    unit="run",
    columns=(
        BENCHMARK,
        RUN,
        Column(
            "slice",
            TEXT,
            "Subtask, group of subtasks (`micro` over it), `micro` or `macro`; domain, group within a domain, or"
            " `macro_domains`, the mean over domains.",
        ),
        Column(
            "subtasks",
            pl.List(TEXT),
            "Subtasks of its answers, ascending; of a subtask itself alone.",
        ),
        Column(
            "metric",
            TEXT,
            "`accuracy`; of answers in words also `matched_accuracy`, which counts those that mean the same as"
            " the released one by any step of `answers.match`; of chains of actions also `chain_steps` (Act-Acc),"
            " the share with right steps, and over these alone `chain_directions` (Rel-Acc-S) and"
            " `chain_directions_relaxed` (Rel-Acc-L), the share of right directions.",
            one_of=("accuracy", "matched_accuracy", *CHAIN_METRICS),
        ),
        Column(
            "value",
            FLOAT,
            "Value over the questions that were replied to; unparsed replies count as wrong, and of"
            " several replies to a question their mean counts. Null where every call failed or every"
            " answer is withheld, and of directions where no chain has right steps (of a subtask, for `macro`).",
            nullable=True,
            low=0.0,
            high=1.0,
        ),
        Column(
            "low", FLOAT, "Lower end of the 95 % interval, clustered by recording.", nullable=True
        ),
        Column("high", FLOAT, "Upper end.", nullable=True),
        Column(
            "n",
            INT,
            "Questions scored: those that were replied to and whose answer is known; of directions those with"
            " a reply with right steps.",
            low=0,
        ),
        Column("n_unparsed", INT, "Replies to these without a letter.", low=0),
        Column(
            "n_errors",
            INT,
            "Further questions of which every call failed, or gave a reply that a reader failed on: they are in no"
            " other number of this row.",
            low=0,
        ),
        Column(
            "n_withheld",
            INT,
            "Further questions that were replied to and whose answer the release withholds: they are in"
            " no other number of this row.",
            low=0,
        ),
        Column("n_clusters", INT, "Recordings the scored questions come from.", low=0),
        Column(
            "chance", FLOAT, "Expected value of a blind guess; null without value.", nullable=True
        ),
        Column(
            "effective_chance",
            FLOAT,
            "What the best shortcut that the set checks find reaches without any video, at least"
            " chance; null without value, and where too few questions are published to say.",
            nullable=True,
            low=0.0,
            high=1.0,
        ),
        Column(
            "samples",
            INT,
            "Replies to each question, the most of any; the interval is that of the questions' means.",
            low=1,
        ),
    ),
)

TABLES = (SCORES,)
