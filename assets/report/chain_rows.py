"""What became of replies with chains of actions, for the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from expectations.schemas.predictions import CHAIN_OUTCOMES, CHAIN_RIGHT_STEPS
from expectations.schemas.scores import CHAIN_METRICS


@dataclass(frozen=True, slots=True)
class ChainMetric:
    """A metric of chains in a subtask.

    Attributes:
        value: Value; None where nothing counts.
        low: Lower end of its interval; None where it has none.
        high: Upper end.
        n: Questions it is the mean of.
        chance: Expected value of a blind guess.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    chance: float | None


@dataclass(frozen=True, slots=True)
class ChainRow:
    """Chains of one run in one subtask.

    Attributes:
        outcomes: Number of replies by outcome, in the order of `CHAIN_OUTCOMES`.
        directions: Of replies with right steps, their number by right directions and directions asked for,
            in order.
        metrics: Metrics by name, in the order of `CHAIN_METRICS`.
    """

    run: str
    subtask: str
    outcomes: Mapping[str, int]
    directions: tuple[tuple[int, int, int], ...]
    metrics: Mapping[str, ChainMetric]


def chain_rows(answers: pl.DataFrame, scores: pl.DataFrame) -> tuple[ChainRow, ...]:
    """Outcomes and metrics of chains, by run and subtask.

    Args:
        answers: Rows of `answers` of one benchmark.
        scores: Rows of `scores` of the benchmark.

    Returns:
        Rows in order of run and subtask; none where no reply is a chain.
    """
    chains = answers.filter(pl.col("chain_outcome").is_not_null())
    found: list[ChainRow] = []
    for (run, subtask), part in sorted(chains.partition_by("run", "subtask", as_dict=True).items()):
        counted = dict(part.group_by("chain_outcome").len().iter_rows())
        right = part.filter(pl.col("chain_outcome") == CHAIN_RIGHT_STEPS)
        by_directions = right.group_by("moves", "right_directions").len().sort(pl.all())
        measured = {
            row.pop("metric"): ChainMetric(**row)
            for row in scores.filter((pl.col("run") == run) & (pl.col("slice") == subtask))
            .select("metric", *ChainMetric.__dataclass_fields__)
            .to_dicts()
        }
        found.append(
            ChainRow(
                run=str(run),
                subtask=str(subtask),
                outcomes={name: counted.get(name, 0) for name in CHAIN_OUTCOMES},
                directions=tuple(
                    (right_ones, moves, n) for moves, right_ones, n in by_directions.iter_rows()
                ),
                metrics={name: measured[name] for name in CHAIN_METRICS if name in measured},
            )
        )
    return tuple(found)
