"""What model calls would cost, judged by past calls of the same model."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from expectations.schemas import TABLES
from resources.models.runs import RunConfig
from resources.store.tables import TableStore

_READ = ("model", "protocol", "status", "prompt_tokens", "completion_tokens", "seconds")


@dataclass(frozen=True, slots=True)
class PlannedCalls:
    """Calls that an update would make.

    Attributes:
        purpose: What asks: an evaluation, a gate, a stage of a source.
        run: Run or text model that is asked.
        model: Model and revision.
        asked_as: Protocol and version.
        n_asked: Prompts without a reply.
        n_from_log: Prompts that a stored reply answers.
    """

    purpose: str
    run: RunConfig
    model: str
    asked_as: str
    n_asked: int
    n_from_log: int = 0


@dataclass(frozen=True, slots=True)
class Estimate:
    """Rough cost of some calls.

    Attributes:
        n_past: Calls that the means are taken from.
        same_protocol: Whether these were made under the same protocol; else under any.
        prompt_tokens: Tokens read; null where no past call counted any.
        completion_tokens: Tokens written; null likewise.
        seconds: Time, with as many calls at once as the run allows.
        dollars: Price; null where the run states none, or no tokens are known.
    """

    n_past: int
    same_protocol: bool
    prompt_tokens: float | None
    completion_tokens: float | None
    seconds: float
    dollars: float | None


def past_calls(store: TableStore, model: str) -> pl.DataFrame:
    """Good calls of a model, whatever asked them: protocol, tokens and seconds."""
    rows = store.scan(TABLES["calls"], columns=_READ)
    return rows.filter((pl.col("model") == model) & (pl.col("status") == "ok")).collect()


def estimate(planned: PlannedCalls, past: pl.DataFrame) -> Estimate | None:
    """Cost of calls by the means of past ones, of the same protocol where there are any.

    Args:
        planned: The calls.
        past: Good calls of the same model, as `past_calls` reads them.

    Returns:
        None where nothing was asked of the model before.
    """
    alike = past.filter(pl.col("protocol") == planned.asked_as)
    rows = past if alike.is_empty() else alike
    if rows.is_empty():
        return None
    n, run = planned.n_asked, planned.run
    means = rows.select(pl.col("prompt_tokens", "completion_tokens", "seconds").mean())
    read, written, seconds = means.row(0)
    prices = ((read, run.prompt_price), (written, run.completion_price))
    known = [tokens * price for tokens, price in prices if tokens is not None and price is not None]
    return Estimate(
        n_past=rows.height,
        same_protocol=not alike.is_empty(),
        prompt_tokens=None if read is None else n * read,
        completion_tokens=None if written is None else n * written,
        seconds=n * (seconds or 0.0) / run.concurrency,
        dollars=n * sum(known) / 1e6 if len(known) == len(prices) else None,
    )
