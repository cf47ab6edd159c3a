"""Prices of a model's tokens, and what calls cost by them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

_MILLION = 1e6


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one exchange with a model.

    Attributes:
        prompt: Tokens read, pictures included.
        completion: Tokens written, reasoning included.
        cached: Of the tokens read, those that the server took from its cache.
    """

    prompt: int
    completion: int
    cached: int = 0


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars per million tokens.

    Attributes:
        prompt: Price of what the model reads.
        completion: Price of what it writes.
        cached: Price of what it reads from the server's cache; None where it costs as much as the rest.
    """

    prompt: float
    completion: float
    cached: float | None = None

    @classmethod
    def parse(cls, value: Any) -> Prices:
        """Prices as `price_per_million_tokens` states them: one number, or a table.

        Args:
            value: A number that holds for reading and writing alike, or a table with `prompt`,
                `completion` and perhaps `cached`. It has been checked (`is_price`).
        """
        if isinstance(value, Mapping):
            return cls(**{name: float(price) for name, price in value.items()})
        return cls(float(value), float(value))

    @property
    def are_zero(self) -> bool:
        """Whether nothing costs anything."""
        return not (self.prompt or self.completion or self.cached)

    def dollars(self, usage: Usage) -> float:
        """Price of one exchange."""
        cached = min(usage.cached, usage.prompt)
        cached_price = self.prompt if self.cached is None else self.cached
        return (
            (usage.prompt - cached) * self.prompt
            + cached * cached_price
            + usage.completion * self.completion
        ) / _MILLION


def call_dollars(prices: Prices | None) -> pl.Expr:
    """Cost of rows of `calls`: as recorded, else by their tokens; null where neither is known.

    Args:
        prices: Prices of today, for calls that were made before the run stated any.
    """
    if prices is None:
        return pl.col("dollars")
    cached = pl.min_horizontal(pl.col("cached_tokens").fill_null(0), pl.col("prompt_tokens"))
    cached_price = prices.prompt if prices.cached is None else prices.cached
    by_tokens = (
        (pl.col("prompt_tokens") - cached) * prices.prompt
        + cached * cached_price
        + pl.col("completion_tokens").fill_null(0) * prices.completion
    ) / _MILLION
    return pl.coalesce("dollars", by_tokens)
