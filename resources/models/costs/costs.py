"""What calls cost: from a partition of the table `calls` to the same partition of the table `costs`."""

from __future__ import annotations

import polars as pl

from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.models.costs.prices import Prices, call_dollars
from resources.models.runs import RunConfig
from resources.store.code_version import code_version
from resources.store.incremental import Output, Plan, Report, StageTables, make_plan, run_stage
from resources.store.tables import TableStore

COSTS = TABLES["costs"]
_CALLS = TABLES["calls"]
_UNITS = StageTables("costs", (COSTS,))
COUNTED = (
    "run",
    "benchmark",
    "call_key",
    "attempt",
    "question_id",
    "protocol",
    "model",
    "status",
    "prompt_tokens",
    "cached_tokens",
    "completion_tokens",
    "seconds",
    "dollars",
    "estimated_prompt_tokens",
    "estimated_completion_tokens",
    "estimated_seconds",
)
"""Columns of `calls` that costs follow from."""
CONTENT_COUNTED = tuple(name for name in COUNTED if not TABLES["calls"][name].volatile)
"""Those of them that count as content."""


def refresh_costs(store: TableStore, partition: str, run: RunConfig) -> Report:
    """Sum up what the calls of one partition of `calls` cost, in the same partition of `costs`.

    Args:
        store: Table store.
        partition: An evaluation, or what else asks: `texts.judging.<model>`.
        run: Run or text model that was asked.
    """
    return run_stage(
        store,
        _UNITS,
        partition,
        lambda: _wanted_costs(store, partition, run),
        lambda todo: [Output(todo, {"costs": _costs(store, partition, run)})],
        code=_code_of_costs,
    )


def plan_costs(store: TableStore, partition: str, run: RunConfig) -> Plan:
    """What `refresh_costs` would do."""
    wanted = _wanted_costs(store, partition, run)
    return make_plan(store, _UNITS, partition, wanted, code=_code_of_costs)


def _wanted_costs(store: TableStore, partition: str, run: RunConfig) -> dict[str, str]:
    """The run, where it asked anything, and what its costs are made from."""
    calls = store.read(_CALLS, partition, columns=CONTENT_COUNTED).sort("call_key", "attempt")
    if calls.is_empty():
        return {}
    prices = repr(run.prices)
    return {run.name: digest([code_version(cost_rows), prices, *map(repr, calls.iter_rows())])}


def _costs(store: TableStore, partition: str, run: RunConfig) -> pl.DataFrame:
    return cost_rows(store.read(_CALLS, partition, columns=COUNTED), run.prices)


def _code_of_costs(_run: str) -> str:
    return code_version(cost_rows)


def cost_rows(calls: pl.DataFrame, prices: Prices | None) -> pl.DataFrame:
    """Rows of `costs`: one per model and protocol that a run asked a benchmark's questions under.

    Every attempt that reached a model counts, also of questions that are no longer asked. Estimates are
    summed over the calls that have one, and are compared with `compared_*`: the actual numbers of the same
    calls.

    Args:
        calls: Columns `COUNTED` of the calls of one evaluation.
        prices: Prices of the run today, for calls that were made before it stated any, and for estimates.
    """
    # What could not be turned into a prompt was never sent.
    sent = calls.filter(~pl.col("call_key").str.starts_with("unasked-"))
    sent = sent.with_columns(dollars=call_dollars(prices).cast(pl.Float64))
    good = pl.col("status") == "ok"
    has_estimate = good & pl.col("estimated_prompt_tokens").is_not_null()
    is_timed = good & pl.col("estimated_seconds").is_not_null()
    tokens = ("prompt_tokens", "cached_tokens", "completion_tokens")
    rows = sent.group_by("benchmark", "run", "model", "protocol").agg(
        pl.col("question_id").n_unique().alias("n_questions"),
        pl.len().alias("n_calls"),
        (~good).sum().alias("n_failed"),
        (good & pl.col("prompt_tokens").is_null()).sum().alias("n_uncounted"),
        *(_sum(name) for name in (*tokens, "seconds", "dollars")),
        has_estimate.sum().alias("n_estimated"),
        *(
            _sum(name, has_estimate)
            for name in ("estimated_prompt_tokens", "estimated_completion_tokens")
        ),
        _sum("estimated_seconds", is_timed),
        _sum("prompt_tokens", has_estimate).alias("compared_prompt_tokens"),
        _sum("completion_tokens", has_estimate).alias("compared_completion_tokens"),
        _sum("seconds", is_timed).alias("compared_seconds"),
        _sum("dollars", has_estimate).alias("compared_dollars"),
    )
    estimated = pl.lit(None, pl.Float64)
    if prices is not None:
        estimated = (
            pl.col("estimated_prompt_tokens") * prices.prompt
            + pl.col("estimated_completion_tokens") * prices.completion
        ) / 1e6
    rows = rows.with_columns(estimated_dollars=estimated)
    return rows.select(pl.col(name).cast(kind) for name, kind in COSTS.schema.items()).sort(
        COSTS.key
    )


def _sum(name: str, where: pl.Expr | None = None) -> pl.Expr:
    """Sum of what is known; null where nothing is."""
    column = pl.col(name) if where is None else pl.col(name).filter(where)
    known = column.is_not_null().any()
    return pl.when(known).then(column.sum()).otherwise(None).alias(name)
