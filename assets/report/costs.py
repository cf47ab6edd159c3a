"""What the calls of each run cost, as the page of a benchmark shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

# What text models are asked for is kept where a run has its benchmark.
_TEXTS = "texts."
_MINUTE_S, _HOUR_S = 60, 3600


@dataclass(frozen=True, slots=True)
class CostRow:
    """Row of the table of costs (a row of `costs`).

    Attributes:
        run: Run, or text model.
        purpose: What a text model is asked for, on behalf of all benchmarks that name it; empty for a run.
        model: Model and revision.
        protocol: Protocol and version.
        n_questions: Questions asked.
        n_calls: Calls made.
        n_failed: Of these, calls that failed.
        tokens: Tokens read and written, in words.
        time: Time of all calls one after the other, in words.
        dollars: Price, in words.
        estimated: How the calls with an estimate compare with it, in words; empty for none.
    """

    run: str
    purpose: str
    model: str
    protocol: str
    n_questions: int
    n_calls: int
    n_failed: int
    tokens: str
    time: str
    dollars: str
    estimated: str


def cost_table(costs: pl.DataFrame, benchmark: str) -> list[CostRow]:
    """The table of costs, by run; dearest calls first within a run, and text models behind all runs.

    Args:
        costs: Rows of `costs`: of runs, of which those of other benchmarks are left out, and of text models.
        benchmark: Benchmark.
    """
    is_text = pl.col("benchmark").str.starts_with(_TEXTS)
    mine = costs.filter((pl.col("benchmark") == benchmark) | is_text)
    order = mine.sort(is_text, "run", "dollars", "n_calls", "model", "protocol", descending=[False, False, True, True, False, False], nulls_last=True)  # fmt: skip
    return [_row(row) for row in order.iter_rows(named=True)]


def _row(row: dict[str, Any]) -> CostRow:
    return CostRow(
        run=row["run"],
        purpose=row["benchmark"].removeprefix(_TEXTS).replace("_", " ")
        if row["benchmark"].startswith(_TEXTS)
        else "",
        model=row["model"],
        protocol=row["protocol"],
        n_questions=row["n_questions"],
        n_calls=row["n_calls"],
        n_failed=row["n_failed"],
        tokens=_tokens(row),
        time=_time(row["seconds"]),
        dollars="no price stated" if row["dollars"] is None else _dollars(row["dollars"]),
        estimated=_estimated(row),
    )


def _tokens(row: dict[str, Any]) -> str:
    if row["prompt_tokens"] is None:
        return "not counted"
    cached = f", {row['cached_tokens']:,} of them cached" if row["cached_tokens"] else ""
    missing = f"; {row['n_uncounted']:,} replies not counted" if row["n_uncounted"] else ""
    return (
        f"{row['prompt_tokens']:,} read{cached}, {row['completion_tokens'] or 0:,} written{missing}"
    )


def _estimated(row: dict[str, Any]) -> str:
    """Estimate and actual number of the same calls."""
    if not row["n_estimated"] or row["compared_prompt_tokens"] is None:
        return ""
    parts = [
        f"{row['estimated_prompt_tokens']:,} read for {row['compared_prompt_tokens']:,}",
        f"{row['estimated_completion_tokens']:,} written for {row['compared_completion_tokens'] or 0:,}",
    ]
    if row["estimated_dollars"] is not None and row["compared_dollars"] is not None:
        parts.append(
            f"{_dollars(row['estimated_dollars'])} for {_dollars(row['compared_dollars'])}"
        )
    few = row["n_estimated"] < row["n_calls"] - row["n_failed"]
    return ", ".join(parts) + (f" ({row['n_estimated']:,} replies)" if few else "")


def _dollars(amount: float) -> str:
    return f"${amount:,.2f}" if amount >= 0.01 or not amount else f"${amount:,.4f}"


def _time(seconds: float | None) -> str:
    """Time in whole minutes: what differs from run to run is not news."""
    if seconds is None or seconds < _MINUTE_S:
        return "under a minute"
    if seconds < _HOUR_S:
        return f"{round(seconds / _MINUTE_S)} min"
    return f"{seconds / _HOUR_S:,.1f} h"
