"""Figures about a source: how much of what it holds."""

from __future__ import annotations

from expectations.schemas.columns import FLOAT, INT, SOURCE, TEXT
from expectations.schemas.core import Column, Table

FIGURES = ("recordings", "segments", "sets", "verbs", "nouns", "captions", "gaze")

STATISTICS = Table(
    name="statistics",
    stage="statistics",
    row="bar of a figure (one group of a count)",
    key=("source", "figure", "view", "part", "label"),
    unit="unit",
    columns=(
        SOURCE,
        Column("unit", TEXT, "The figure, or `gaze/` and the recording."),
        Column(
            "figure",
            TEXT,
            "What is counted: recordings by scenario, segments by kind, items of sets by split, verbs"
            " and nouns by hand, captions by their words, gaze by recording.",
            one_of=FIGURES,
        ),
        Column("view", TEXT, "View of the recordings.", one_of=("ego", "exo")),
        Column(
            "part",
            TEXT,
            "Hand, split or kind of segment that parts the bar; empty where none does.",
        ),
        Column("label", TEXT, "Scenario, kind, set, class, number of words or recording."),
        Column(
            "place", INT, "Order on the axis, where the label has one of its own.", nullable=True
        ),
        Column("n", INT, "Recordings, segments, items, or ticks of gaze.", low=0),
        Column("seconds", FLOAT, "What they last together.", unit="s", nullable=True, low=0.0),
        Column(
            "share",
            FLOAT,
            "Share of the ticks with a valid gaze.",
            nullable=True,
            low=0.0,
            high=1.0,
        ),
        Column(
            "mean",
            FLOAT,
            "Mean length in seconds; of gaze the mean distance in time to the tick, in ms.",
            nullable=True,
        ),
        Column(
            "high",
            FLOAT,
            "95th percentile of the same (nearest rank).",
            nullable=True,
        ),
    ),
)

TABLES = (STATISTICS,)
