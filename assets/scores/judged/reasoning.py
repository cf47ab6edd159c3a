"""Reasoning score and spurious correct rate, as EgoCoT-Bench defines them.

R is the mean mark from 0 to 5 over all answered questions, right or wrong; a reply in which no letter is read
answers none. SCR is the share of right answers
whose reasoning is weak (mark of at most 2). The paper does not say what becomes of an answer without a mark:
R leaves it out; SCR leaves it out as well (`excluded`), or counts it as not weak (`not_weak`), which makes a
judge that often fails look good.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import polars as pl

WEAK_UP_TO = 2.0
Unmarked = Literal["excluded", "not_weak"]


def weak_if_right(right: pl.Expr, mark: pl.Expr, unmarked: Unmarked = "excluded") -> pl.Expr:
    """1 for a right answer with weak reasoning, 0 for another right one, null for what does not count."""
    weak = (mark <= WEAK_UP_TO).cast(pl.Float64)
    counted = weak if unmarked == "excluded" else weak.fill_null(0.0)
    return pl.when(right.fill_null(value=False)).then(counted)


def summary(
    right: Sequence[bool], marks: Sequence[float | None], unmarked: Unmarked = "excluded"
) -> tuple[float | None, float | None]:
    """R and SCR of answers; null where nothing counts.

    Args:
        right: Whether each answer is right.
        marks: Mark of its reasoning; None where it has none.
        unmarked: What becomes of right answers without a mark in SCR.
    """
    rows = pl.DataFrame(
        {"right": list(right), "mark": list(marks)},
        schema={"right": pl.Boolean, "mark": pl.Float64},
    )
    found = rows.select(
        pl.col("mark").mean(),
        weak_if_right(pl.col("right"), pl.col("mark"), unmarked).mean().alias("weak"),
    )
    return found.row(0)
