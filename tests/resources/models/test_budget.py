"""Budgets: never passed, whatever is under way; prices and forecasts that they reckon by."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

import polars as pl
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from resources.models.costs.budget import Budget
from resources.models.costs.forecast import Past, TokenForecast
from resources.models.costs.prices import Prices, Usage, call_dollars
from resources.models.costs.spending import Spending
from resources.models.prompt import Clip, Prompt
from resources.models.reply import Reply
from resources.models.runs import RunConfig

CENTS = st.integers(0, 500)
"""Whole cents, so that sums are exact."""


class Spent(RuleBasedStateMachine):
    """Calls reserve, reserve more, and settle for at most that; in any order."""

    @initialize(limit=CENTS, before=CENTS)
    def open(self, limit: int, before: int) -> None:
        self.budget = Budget(limit, before)
        self.limit, self.before = limit, before
        self.reserved: dict[str, int] = {}
        self.spent = before

    @rule(key=st.sampled_from("abcde"), cents=CENTS)
    def reserve(self, key: str, cents: int) -> None:
        others = sum(amount for name, amount in self.reserved.items() if name != key)
        fits = self.spent + others + cents <= self.limit
        less = cents <= self.reserved.get(key, 0)
        assert self.budget.reserve(key, cents) == (fits or less)
        if fits and not less:
            self.reserved[key] = cents

    @precondition(lambda self: self.reserved)
    @rule(which=st.integers(0, 9), share=st.floats(0, 1))
    def settle(self, which: int, share: float) -> None:
        key = sorted(self.reserved)[which % len(self.reserved)]
        cost = int(self.reserved.pop(key) * share)
        self.budget.settle(key, cost)
        self.spent += cost

    @invariant()
    def it_is_never_passed(self) -> None:
        if hasattr(self, "budget"):
            assert self.budget.spent == self.spent <= max(self.limit, self.before)


TestSpent = Spent.TestCase
TestSpent.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)


def test_prices_are_one_number_or_a_table() -> None:
    assert Prices.parse(2) == Prices(2.0, 2.0)
    dear = Prices.parse({"prompt": 2.5, "completion": 10, "cached": 1.25})
    assert dear.dollars(Usage(1_000_000, 100_000, cached=400_000)) == pytest.approx(
        0.6 * 2.5 + 0.4 * 1.25 + 1.0
    )
    assert Prices(2.0, 1.0).dollars(Usage(10, 0, cached=4)) == pytest.approx(20e-6)


def test_a_call_costs_what_was_recorded_and_else_its_tokens() -> None:
    rows = pl.DataFrame(
        {
            "dollars": [0.5, None, None, None],
            "prompt_tokens": [9, 1_000_000, 1_000_000, None],
            "completion_tokens": [9, 500_000, None, None],
            "cached_tokens": [None, None, 1_000_000, None],
        }
    )
    cost = rows.select(call_dollars(Prices(2.0, 10.0, 1.0))).to_series().to_list()
    assert cost == [0.5, 7.0, 1.0, None]
    assert rows.select(call_dollars(None)).to_series().to_list() == [0.5, None, None, None]


def run(**changes: object) -> RunConfig:
    base = {"price_per_million_tokens": 1_000, "budget": 1.0} | changes
    return RunConfig("r", "random", "direct", **base)  # type: ignore[arg-type]


def prompt(key: str = "k", frames: int = 0, max_tokens: int = 100) -> Prompt:
    shown = tuple((0, i, float(i)) for i in range(frames))
    clips = (Clip("query", "rec", "c", 0.0, 1.0, shown),) if frames else ()
    return Prompt(key, (*clips, "x" * 336), max_tokens=max_tokens)


def admitted(spending: Spending, prompts: list[Prompt]) -> list[Prompt]:
    """The first of some prompts, as many as may be under way at once."""
    return list(takewhile(spending.may_spend, prompts))


def ok(key: str, read: int | None = 100, written: int | None = 10, **more: object) -> Reply:
    return Reply(key, "ok", "B", prompt_tokens=read, completion_tokens=written, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"budget": 5.0}, "budget = 5 without a price"),
        ({"budget": 5.0, "price_per_million_tokens": 0}, "without a price"),
        ({"budget": 0.0, "price_per_million_tokens": 1}, "not a number above 0"),
        ({"price_per_million_tokens": {"prompt": 1}}, "neither a number nor a table"),
        ({"price_per_million_tokens": {"prompt": 1, "completion": 2, "x": 3}}, "neither a number"),
        ({"price_per_million_tokens": -1}, "neither a number"),
        ({"price_per_million_tokens": True}, "neither a number"),
        ({"price_per_million_tokens": 1, "prompt_price": 1.0}, "keep the first alone"),
        ({"prompt_price": 1.0}, "prompt_price without completion_price; state both"),
        ({"completion_price": 0.0}, "completion_price without prompt_price; state both"),
    ],
)
def test_a_price_in_part_and_a_budget_without_one_are_refused(keys: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        RunConfig("r", "random", "direct", **keys)


def test_both_ways_to_state_a_price_are_one() -> None:
    pair = RunConfig("r", "random", "direct", prompt_price=2.0, completion_price=10.0)
    table = run(price_per_million_tokens={"prompt": 2.0, "completion": 10.0})
    assert pair.prices == table.prices == Prices(2.0, 10.0)
    assert RunConfig("r", "random", "direct").prices is None
    assert hash(table) == hash(run(price_per_million_tokens={"prompt": 2.0, "completion": 10.0}))


def past(*calls: tuple[int, int, int, int]) -> Past:
    """Past calls: bytes of text, frames, tokens read, tokens written; of a second each."""
    names = ("n_bytes", "n_frames", "prompt_tokens", "completion_tokens")
    rows = pl.DataFrame(list(calls), schema=dict.fromkeys(names, pl.Int64), orient="row")
    return Past.of(rows.with_columns(seconds=pl.lit(1.0), n_requests=pl.lit(1)))


TEXT = (336, 0, 100, 10)
"""A call of `prompt()`, as it turned out."""


def test_until_a_reply_shows_what_a_prompt_costs_one_call_is_under_way() -> None:
    spending = Spending(run(max_frame_tokens=100, budget=2.0), past(TEXT))
    waiting = [prompt(str(i), frames=4) for i in range(40)]
    first = waiting[0]
    assert admitted(spending, waiting) == [first]
    # What is known of texts is no reason to let one go beside it.
    assert not spending.may_spend(prompt("text"))
    spending.settle(first, ok("0", read=180, written=10))
    # $0.19 are spent. Of the next, each may cost $0.98: a token for each byte, 100 for each frame, 80 around
    # them, and the longest reply.
    assert [one.key for one in admitted(spending, waiting[1:])] == ["1"]
    empty = Spending(run(max_frame_tokens=100), Past(), spent=1.0)
    assert not empty.may_spend(first)


def test_a_reserve_counts_the_frames_of_the_prompt_at_hand() -> None:
    short = past((400, 2, 700, 10))
    for known in (short, past(TEXT), Past()):
        most = TokenForecast(known).most(prompt(frames=300))
        assert most.prompt >= 300 * 2_000
    # Where frames are seen to need more than is stated, that counts.
    dear = TokenForecast(past((8, 2, 17_001, 10)))
    assert dear.most(prompt(frames=300)).prompt >= 300 * 8_400 * 1.25
    scored = replace(prompt(frames=300), likelihood="sum", choice_texts=("left", "right"))
    assert TokenForecast(short).most(scored).prompt >= 3 * 300 * 2_000
    assert TokenForecast(short).expected_of_request(scored).prompt < 300 * 350


def test_options_are_expected_to_be_read_as_often_as_they_were() -> None:
    scored = replace(prompt(frames=2), likelihood="sum", choice_texts=("left", "right"))
    once = TokenForecast(past((336, 2, 700, 10)))
    each = TokenForecast(Past().with_call(336, 2, 3 * 700, 3, n_requests=3))
    assert once.expected(scored).prompt == 700 + 2
    assert each.expected(scored).prompt == 3 * 700 + 2
    assert once.expected_of_request(scored).prompt == each.expected_of_request(scored).prompt == 700


def test_a_call_that_may_be_too_dear_is_not_made_and_its_price_is_said() -> None:
    spending = Spending(run(), past((400, 2, 700, 10)), spent=0.5)
    assert not spending.may_spend(prompt(frames=3))
    assert str(spending.reached()) == (
        "run r: stopped by its budget, $0.5000 of $1.00 are spent and the next call might pass it (it may"
        " cost up to $6.5160, at 2,000 tokens for a frame by `max_frame_tokens`); raise `budget` and run again to go on"
    )


def test_frames_that_cost_more_than_is_stated_are_said() -> None:
    spending = Spending(run(max_frame_tokens=100), past((8, 2, 1_001, 10)), spent=0.5)
    assert not spending.may_spend(prompt(frames=3))
    assert "at 585 tokens for a frame)" in str(spending.reached())


def test_it_stops_only_when_nothing_under_way_can_give_room_back() -> None:
    spending = Spending(run(), past(TEXT), spent=0.1)
    asked: list[str] = []
    while now := admitted(spending, [prompt(str(i)) for i in range(len(asked), 10)]):
        for one in now:
            spending.settle(one, ok(one.key))
            asked.append(one.key)
    # $0.11 each; what one may cost at most is $0.50, and still fitted before the last.
    assert asked == ["0", "1", "2", "3"]
    assert str(spending.reached().with_left("6 questions are left")) == (
        "run r: stopped by its budget, $0.5400 of $1.00 are spent and the next call might pass it (it may"
        " cost up to $0.5000); 6 questions are left; raise `budget` and run again to go on"
    )


class WithinBudget(RuleBasedStateMachine):
    """Calls of any length, several under way, some asked again or failed: a server that keeps to the stated
    worst never makes a run pass its budget."""

    @initialize(
        budget=st.integers(1, 3_000_000),
        known=st.sampled_from([Past(), past(TEXT), past((400, 2, 700, 10)), past(TEXT, (8, 1, 9_000, 1))]),
        at_once=st.integers(1, 6),
        most=st.sampled_from([50, 2_000]),
    )  # fmt: skip
    def open(self, budget: int, known: Past, at_once: int, most: int) -> None:
        self.run = run(budget=budget / 1_000, max_frame_tokens=most)
        self.spending = Spending(self.run, known)
        self.at_once = at_once
        self.under_way: dict[str, tuple[Prompt, int, list[Usage]]] = {}
        self.n = self.paid = 0

    @precondition(lambda self: len(self.under_way) < self.at_once)
    @rule(
        n_bytes=st.integers(0, 3_000),
        frames=st.sampled_from([0, 0, 1, 2, 8, 64, 300]),
        written=st.integers(1, 300),
        n_options=st.sampled_from([0, 0, 4]),
    )
    def ask(self, n_bytes: int, frames: int, written: int, n_options: int) -> None:
        self.n += 1
        scored = {"likelihood": "sum", "choice_texts": ("abcd",) * n_options} if n_options else {}
        one = replace(prompt(str(self.n), frames, written), **scored)
        one = replace(one, parts=(*one.clips, "x" * n_bytes))
        if self.spending.may_spend(one):
            self.under_way[one.key] = (one, 0, [])

    def usage(self, one: Prompt, room: int, share: float) -> Usage:
        """What the server bills, up to the worst that is stated."""
        n = 1 + len(one.choice_texts)
        frames = sum(len(clip.frames) for clip in one.clips)
        read = frames * self.run.max_frame_tokens + len(one.text) + 64
        return Usage(int(share * (n * read + 4 * (n - 1))), n if n > 1 else int(share * (one.max_tokens + room)))  # fmt: skip

    @precondition(lambda self: self.under_way)
    @rule(which=st.integers(0, 5), share=st.floats(0, 1), room=st.sampled_from([0, 0, 500]))
    def try_again(self, which: int, share: float, room: int) -> None:
        key = sorted(self.under_way)[which % len(self.under_way)]
        one, before, lost = self.under_way[key]
        lost.append(self.usage(one, before, share))
        if self.spending.may_spend(one, room, lost):
            self.under_way[key] = (one, room, lost)
        else:
            del self.under_way[key]
            self.settle(one, Reply(key, "error", None, error="no", lost=tuple(lost)))

    @precondition(lambda self: self.under_way)
    @rule(which=st.integers(0, 5), share=st.floats(0, 1))
    def reply(self, which: int, share: float) -> None:
        key = sorted(self.under_way)[which % len(self.under_way)]
        one, room, lost = self.under_way.pop(key)
        last = self.usage(one, room, share)
        self.settle(one, ok(key, last.prompt, last.completion, lost=tuple(lost)))

    def settle(self, one: Prompt, reply: Reply) -> None:
        usages = [*reply.lost, Usage(reply.prompt_tokens or 0, reply.completion_tokens or 0)]
        self.paid += sum(usage.prompt + usage.completion for usage in usages)
        self.spending.settle(one, reply)

    @invariant()
    def it_is_never_passed(self) -> None:
        if hasattr(self, "run"):
            assert self.paid / 1_000 <= (self.run.budget or 0) + 1e-9


TestWithinBudget = WithinBudget.TestCase
TestWithinBudget.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)


def test_what_failed_and_was_billed_counts() -> None:
    spending = Spending(run(), past(TEXT))
    one = prompt()
    assert spending.may_spend(one)
    lost = (Usage(100, 50), Usage(100, 50))
    failed = Reply("k", "error", None, error="no", lost=lost)
    assert spending.settle(one, failed)["dollars"] == pytest.approx(0.3)
    good = ok("k", cached_tokens=60, lost=lost[:1])
    cheap = Spending(run(price_per_million_tokens={"prompt": 1_000, "completion": 1_000, "cached": 0}), Past())  # fmt: skip
    row = cheap.settle(prompt(), good)
    assert (row["dollars"], row["cached_tokens"]) == (pytest.approx(0.15 + 0.04 + 0.01), 60)


def test_tokens_that_a_server_does_not_count_are_estimated() -> None:
    spending = Spending(run(), past((336, 0, 80, 10)))
    row = spending.settle(prompt(), ok("k", read=None, written=None))
    assert row["dollars"] == pytest.approx((80 + 1) * 1_000 / 1e6)


def test_what_was_expected_is_what_was_known_before_the_update() -> None:
    spending = Spending(run(budget=None), past((336, 0, 70, 6), (336, 0, 90, 8)))
    spending.settle(prompt(), ok("k", read=500, written=90))
    row = spending.settle(prompt(), ok("k", read=500, written=90))
    assert (row["estimated_prompt_tokens"], row["estimated_completion_tokens"]) == (80, 7)
    assert row["estimated_seconds"] == 1.0
    new = Spending(run(budget=None), Past())
    by_text = new.settle(prompt(), ok("k"))
    assert (by_text["estimated_prompt_tokens"], by_text["estimated_completion_tokens"]) == (
        100,
        100,
    )


def test_nobody_claims_to_know_what_a_picture_costs() -> None:
    new = Spending(run(budget=None), Past())
    assert new.settle(prompt(frames=2), ok("k"))["estimated_prompt_tokens"] is None
    assert Spending(run(budget=None, price_per_million_tokens=None), Past()).settle(
        prompt(), ok("k")
    )["dollars"] is None  # fmt: skip


def test_a_forecast_learns_what_pictures_and_replies_need() -> None:
    forecast = TokenForecast()
    forecast.learn(prompt(), ok("k"))
    assert forecast.knows(prompt()) and not forecast.knows(prompt(frames=4))
    for _ in range(2):
        forecast.learn(prompt(frames=4), ok("k", read=100 + 4 * 250, written=30))
    assert forecast.expected(prompt(frames=8)) == Usage(100 + 8 * 250, round((10 + 2 * 30) / 3))
    assert forecast.most(prompt(frames=8), room=900).completion == 1_000
    assert forecast.most(prompt(frames=8)).prompt >= 100 + 8 * 250
