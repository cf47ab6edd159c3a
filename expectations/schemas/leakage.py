"""Table of leakage: what two splits of a source share."""

from __future__ import annotations

import polars as pl

from expectations.schemas.columns import FLOAT, INT, SOURCE, TEXT
from expectations.schemas.core import Column, Table

SPLIT_OVERLAPS = Table(
    name="split_overlaps",
    stage="leakage",
    row="pair of splits that overlap",
    key=("source", "unit", "set", "split", "other_set", "other_split"),
    unit="unit",
    columns=(
        SOURCE,
        Column("unit", TEXT, "What is shared.", one_of=("recording", "segment", "pair")),
        Column(
            "set",
            TEXT,
            "Where the split is from: `recordings` (the one decision that `paper` goes by),"
            " `annotations` (splits stated with segments), a published list family, `skill/released`,"
            " `skill/paper`, `association`, or a task set, `task/mode`.",
        ),
        Column("split", TEXT, "Split of it."),
        Column("other_set", TEXT, "The same set or another one, in alphabetical order."),
        Column("other_split", TEXT, "Split of that, of another name."),
        Column("n", INT, "Shared.", low=1),
        Column("n_of_split", INT, "All of `split`.", low=1),
        Column("n_of_other", INT, "All of `other_split`.", low=1),
        Column("share", FLOAT, "Shared, of the smaller one.", low=0.0, high=1.0),
        Column("examples", pl.List(TEXT), "The first of them, ascending."),
    ),
)

TABLES = (SPLIT_OVERLAPS,)
