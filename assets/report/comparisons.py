"""Differences between the runs of a benchmark, as its page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from assets.scores.paired import comparable_runs, paired_tests

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Comparison:
    """Difference of two runs on one slice (a row of `paired_tests`).

    Attributes:
        pair: Place of the pair in the table, from 0.
        first: Run.
        second: Run that differs from it in one thing.
        differs_in: That thing, in words.
        slice: Subtask, `micro` or `macro`.
        n: Questions that both replied to.
        n_clusters: Recordings these come from.
        difference: Accuracy of the second less that of the first.
        low: Lower end of its 95 % interval; None where nothing can be tested.
        high: Upper end.
        p: P value.
        p_holm: The same, corrected for all comparisons of the table.
    """

    pair: int
    first: str
    second: str
    differs_in: str
    slice: str
    n: int
    n_clusters: int
    difference: float
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None

    @property
    def is_clear(self) -> bool:
        """Whether the corrected p value is below `LEVEL`."""
        return self.p_holm is not None and self.p_holm < LEVEL


def compare_runs(
    answers: pl.DataFrame, about: Sequence[tuple[str, str, str]]
) -> tuple[Comparison, ...]:
    """Comparisons of all runs that differ in one thing; means over subtasks first.

    Args:
        answers: Rows of `answers` of one benchmark.
        about: Name, model and protocol of each run that is compared.
    """
    known = {name: (model, protocol) for name, model, protocol in about}
    pairs = comparable_runs(about)
    means = pl.col("slice").is_in(["macro", "micro"])
    found: list[Comparison] = []
    tests = paired_tests(answers, pairs).with_columns((~means).alias("_of_subtask"))
    for place, (first, second) in enumerate(pairs):
        (model, protocol), (other_model, other_protocol) = known[first], known[second]
        what = (
            f"protocol {other_protocol} against {protocol}"
            if model == other_model
            else f"model {other_model} against {model}"
        )
        mine = tests.filter(first=first, second=second).sort("_of_subtask", "slice")
        found += [
            Comparison(pair=place, differs_in=what, **row)
            for row in mine.drop("_of_subtask").iter_rows(named=True)
        ]
    return tuple(found)
