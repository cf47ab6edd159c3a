"""What the calls of one log cost: expected before they are made, kept within a budget, recorded after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import polars as pl

from expectations.schemas import TABLES
from resources.models.base import REASONING_TOKENS
from resources.models.calls.call_journal import CallJournal
from resources.models.costs.budget import Budget, BudgetReachedError
from resources.models.costs.estimate import past_calls
from resources.models.costs.forecast import Past, TokenForecast, n_frames, text_tokens
from resources.models.costs.prices import Prices, Usage, call_dollars
from resources.models.prompt import Prompt
from resources.models.reply import Reply
from resources.models.runs import RunConfig
from resources.store.tables import TableStore

CALLS = TABLES["calls"]
_SPENT_BY = (
    "call_key",
    "attempt",
    "dollars",
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
)


@runtime_checkable
class MakesSeveralAttempts(Protocol):
    """An engine that asks again by itself, and then for permission first.

    Attributes:
        may_spend: Whether the budget allows the next attempt at a prompt, given the tokens it may
            spend on reasoning and those of the attempts made before (see `Spending.may_spend`).
    """

    may_spend: Callable[[Prompt, int, Sequence[Usage]], bool]


class Spending:
    """What calls of one run cost, those of one protocol and log.

    Args:
        run: Run.
        past: Past calls of the model under the protocol.
        spent: Dollars that the run spent before.
    """

    def __init__(self, run: RunConfig, past: Past, spent: float = 0.0) -> None:
        self._run = run
        self._prices: Prices | None = run.prices
        self._past = past
        self._forecast = TokenForecast(past, run.max_frame_tokens)
        self._before = TokenForecast(past, run.max_frame_tokens)
        self._budget = None if run.budget is None else Budget(run.budget, spent)
        self._reasons = False
        # What was refused last, in words.
        self._refused = ""

    @property
    def has_budget(self) -> bool:
        """Whether calls are limited."""
        return self._budget is not None

    def restart(self, spent: float) -> None:
        """Take over what the run spent by now; nothing of it is under way."""
        if self._run.budget is not None:
            self._budget = Budget(self._run.budget, spent)

    def may_spend(
        self, prompt: Prompt, room: int | None = None, lost: Sequence[Usage] = ()
    ) -> bool:
        """Whether the budget allows the next attempt of a call; the money for it is set aside.

        Until a reply shows how many tokens prompts of its kind have, one call is under way at a time.

        Args:
            prompt: Prompt.
            room: Tokens that the model may spend on reasoning; None for what is known of it.
            lost: Tokens of attempts made before, which are billed too.
        """
        if self._budget is None or self._prices is None:
            return True
        if room is None:
            room = prompt.reasoning_tokens
        if room is None:
            room = REASONING_TOKENS if self._reasons else 0
        before = sum(self._prices.dollars(usage) for usage in lost)
        most = before + self._prices.dollars(self._forecast.most(prompt, room))
        if self._forecast.knows(prompt) or self._budget.holds(prompt.key):
            allowed = self._budget.reserve(prompt.key, most)
        else:
            allowed = self._budget.reserve_alone(prompt.key, most)
        if not allowed:
            self._refused = f"it may cost up to ${most:,.4f}"
            if n_frames(prompt):
                most_tokens = self._forecast.most_per_frame()
                is_stated = most_tokens == self._run.max_frame_tokens
                self._refused += f", at {most_tokens:,} tokens for a frame"
                self._refused += " by `max_frame_tokens`" if is_stated else ""
        return allowed

    def settle(self, prompt: Prompt, reply: Reply) -> dict[str, float | int | None]:
        """Record what a call cost.

        Returns:
            Columns of `calls`: `cached_tokens`, `dollars` and what was expected before the update.
        """
        dollars = self._dollars(prompt, reply)
        self._forecast.learn(prompt, reply)
        if (reply.completion_tokens or 0) > prompt.max_tokens:
            self._reasons = True
        if self._budget is not None:
            self._budget.settle(prompt.key, dollars or 0.0)
        expected = self._before.expected(prompt)
        # Nobody knows what a picture costs before the first reply.
        is_known = self._before.knows(prompt) or not prompt.clips
        return {
            "cached_tokens": reply.cached_tokens,
            "dollars": dollars,
            "estimated_prompt_tokens": expected.prompt if is_known else None,
            "estimated_completion_tokens": expected.completion if is_known else None,
            "estimated_seconds": self._past.seconds,
        }

    def reached(self) -> BudgetReachedError:
        """The error of a run that may not make its next call."""
        budget = self._budget
        assert budget is not None
        return BudgetReachedError(
            f"run {self._run.name}: stopped by its budget, ${budget.spent:,.4f} of ${budget.limit:,.2f}"
            f" are spent and the next call might pass it ({self._refused})"
        )

    def _dollars(self, prompt: Prompt, reply: Reply) -> float | None:
        """Price of all attempts of a call; by estimate where the server counts no tokens."""
        if self._prices is None:
            return None
        usages = list(reply.lost)
        if reply.status == "ok":
            expected = self._forecast.expected(prompt)
            read, written = reply.prompt_tokens, reply.completion_tokens
            usages.append(
                Usage(
                    expected.prompt if read is None else read,
                    text_tokens(reply.text or "") if written is None else written,
                    reply.cached_tokens or 0,
                )
            )
        return sum(self._prices.dollars(usage) for usage in usages)


def open_spending(store: TableStore, run: RunConfig, model: str, asked_as: str) -> Spending:
    """What calls of a run cost, with past calls to judge by.

    Args:
        store: Table store.
        run: Run.
        model: Model and revision.
        asked_as: Protocol and version.
    """
    rows = past_calls(store, model).filter(pl.col("protocol") == asked_as)
    return Spending(run, Past.of(rows))


def spent_by(store: TableStore, run: RunConfig) -> float:
    """Dollars that a run spent so far, over everything it was asked, failed calls included.

    Calls without a recorded cost count by their tokens and today's prices.
    """
    ending = f".{run.name}"
    total = 0.0
    for partition in store.partitions(CALLS):
        if partition.endswith(ending):
            rows = store.read(CALLS, partition, columns=_SPENT_BY)
            journal = CallJournal(store, partition)
            waiting = [{k: row.get(k) for k in _SPENT_BY} for row in journal.rows(journal.names())]
            schema = {name: CALLS.schema[name] for name in _SPENT_BY}
            every = pl.concat([rows.select(_SPENT_BY), pl.DataFrame(waiting, schema=schema)])
            every = every.unique(["call_key", "attempt"], keep="first")
            total += float(every.select(call_dollars(run.prices).sum()).item() or 0.0)
    return total
