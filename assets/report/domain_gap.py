"""What the page says of the domain gap: questions about daily life beside a benchmark's domains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.scores.domain_gap.plots import point_plots
from assets.scores.domain_gap.sorting import AlignedSubtask, Rules
from assets.statistics.plots import Plot
from expectations.schemas.domain_gap import ALIGNED, ALL, EVERY_DOMAIN


@dataclass(frozen=True, slots=True)
class SortedCount:
    """How many questions with public answers a category has.

    Attributes:
        category: Category; empty for questions that none fits.
        n: Questions.
        n_placed: Of these, those that people placed.
        printed: The paper's count; None where it prints none.
    """

    category: str
    n: int
    n_placed: int
    printed: int | None


@dataclass(frozen=True, slots=True)
class GapRow:
    """Accuracies of a run on one slice.

    Attributes:
        run: Run.
        slice: Subtask, `aligned` or `all`.
        daily: Row of `domain_gaps` against all domains, which also holds the accuracy on daily life.
        domains: The rows against each domain.
        printed: What the paper prints of the subtask; None where it prints nothing.
    """

    run: str
    slice: str
    daily: Mapping[str, Any]
    domains: Mapping[str, Mapping[str, Any]]
    printed: AlignedSubtask | None


@dataclass(frozen=True, slots=True)
class DomainGap:
    """The section about the domain gap.

    Attributes:
        compared: Benchmark of questions about daily life.
        counts: Counts by category, in the order of priority.
        domains: Domains in shown order.
        rows: Accuracies by run and slice.
        plots: Pictures of questions as points.
    """

    compared: str
    counts: tuple[SortedCount, ...]
    domains: tuple[str, ...]
    rows: tuple[GapRow, ...]
    plots: tuple[Plot, ...]


def domain_gap(
    compared: str, rules: Rules, placed: pl.DataFrame, gaps: pl.DataFrame, points: pl.DataFrame
) -> DomainGap | None:
    """The section; None where nothing is compared.

    Args:
        compared: Benchmark of questions about daily life; empty for none.
        rules: Categories and what the paper prints of them.
        placed: Rows of `aligned_questions` of the benchmark.
        gaps: Rows of `domain_gaps`.
        points: Rows of `domain_points`.
    """
    if not compared:
        return None
    domains = tuple(sorted(set(gaps["domain"]) - {EVERY_DOMAIN}))
    return DomainGap(
        compared,
        _counts(rules, placed.filter("is_answered")),
        domains,
        tuple(_rows(rules, gaps)),
        tuple(point_plots(points)),
    )


def _counts(rules: Rules, placed: pl.DataFrame) -> tuple[SortedCount, ...]:
    counts = []
    for name, printed in (*((one.name, one.printed) for one in rules.categories), ("", None)):
        mine = placed.filter(pl.col("subtask").fill_null("") == name)
        counts.append(SortedCount(name, mine.height, mine["round"].count(), printed))
    return tuple(counts)


def _rows(rules: Rules, gaps: pl.DataFrame) -> list[GapRow]:
    printed = {one.subtask: one for one in rules.aligned}
    order = [ALIGNED, *printed, ALL]
    gap_rows = []
    for (run, name), part in gaps.partition_by("run", "slice", as_dict=True).items():
        by_domain = {row["domain"]: row for row in part.iter_rows(named=True)}
        daily = by_domain.pop(EVERY_DOMAIN)
        gap_rows.append(GapRow(str(run), str(name), daily, by_domain, printed.get(str(name))))
    return sorted(gap_rows, key=lambda row: (row.run, order.index(row.slice)))
