"""The rate limiter as a state machine: what leaves in any minute, and that nothing waits for ever."""

from __future__ import annotations

import threading

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from resources.models.server.rate_limit import WINDOW_S, Departure, Pacer, RateLimiter
from resources.models.server.server_limits import Remaining, ServerLimits

LIMITS = st.one_of(st.none(), st.integers(1, 12), st.integers(60, 400))
TOKENS = st.integers(0, 700)


class Limiter(RuleBasedStateMachine):
    """Requests come, wait, leave and are corrected in any order; servers interfere."""

    @initialize(requests=LIMITS, tokens=st.one_of(st.none(), st.integers(1, 2_000)))
    def open(self, requests: int | None, tokens: int | None) -> None:
        self.limiter = RateLimiter(requests, tokens)
        self.requests, self.tokens = requests, tokens
        self.now = 1_000.0
        self.paused_until = 0.0
        self.left: list[Departure] = []
        # Tokens at the time of leaving: corrections come too late to have been known.
        self.at_departure: list[tuple[float, int, int]] = []

    @rule(seconds=st.floats(0, 45))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    def _tokens_of_last_minute(self) -> int:
        return sum(one.tokens for one in self.left if one.at > self.now - WINDOW_S)

    def _leave(self, tokens: int) -> None:
        before = self._tokens_of_last_minute()
        departure = self.limiter.depart(self.now, tokens)
        assert self.now >= self.paused_until
        if self.tokens is not None:
            # More than the limit leaves only as a single request that is larger than it.
            assert before + tokens <= self.tokens or before == 0 or tokens == 0
        self.left.append(departure)

    @rule(tokens=TOKENS)
    def comes(self, tokens: int) -> None:
        if self.limiter.wait_s(self.now, tokens) > 0:
            with pytest.raises(RuntimeError):
                self.limiter.depart(self.now, tokens)
        else:
            self._leave(tokens)

    @rule(tokens=TOKENS)
    def waits_as_long_as_it_has_to(self, tokens: int) -> None:
        # Another wait may follow where several limits hold it, but not for ever.
        for _ in range(100):
            wait_s = self.limiter.wait_s(self.now, tokens)
            if not wait_s:
                break
            assert 0 < wait_s <= 2 * WINDOW_S
            self.now += wait_s
        self._leave(tokens)

    @precondition(lambda self: self.left)
    @rule(which=st.integers(0, 1 << 20), tokens=TOKENS)
    def is_corrected(self, which: int, tokens: int) -> None:
        self.limiter.correct(self.left[which % len(self.left)], tokens)

    @rule(seconds=st.floats(0, 60))
    def server_asks_for_a_pause(self, seconds: float) -> None:
        self.limiter.pause(self.now, seconds)
        self.paused_until = max(self.paused_until, self.now + seconds)

    @rule(amount=st.integers(0, 500), reset_s=st.floats(0, 60), of_tokens=st.booleans())
    def server_says_what_it_takes(self, amount: int, reset_s: float, of_tokens: bool) -> None:
        said = Remaining(amount, reset_s)
        self.limiter.heed(self.now, ServerLimits(*((None, said) if of_tokens else (said, None))))

    @invariant()
    def no_minute_has_too_many_requests(self) -> None:
        if not hasattr(self, "left") or self.requests is None:
            return
        times = [one.at for one in self.left]
        for at in times:
            assert sum(at <= other < at + WINDOW_S for other in times) <= self.requests


TestLimiter = Limiter.TestCase
TestLimiter.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)


def leave_all(limiter: RateLimiter, n: int, tokens: int = 0) -> list[float]:
    """Times at which so many requests leave that all came at once."""
    now, times = 0.0, []
    for _ in range(n):
        while wait_s := limiter.wait_s(now, tokens):
            now += wait_s
        limiter.depart(now, tokens)
        times.append(now)
    return times


def test_requests_are_spread_and_the_limit_is_used() -> None:
    times = leave_all(RateLimiter(requests_per_minute=600), 601)
    assert times[9] == 0.0, "one second's worth at once"
    assert 58 < times[599] <= 60.0, "600 in a minute, and no fewer"
    assert 0.09 < times[300] - times[299] < 0.11
    assert leave_all(RateLimiter(requests_per_minute=2), 3) == pytest.approx([0, 30, 60], abs=0.01)


def test_tokens_of_the_last_minute_count() -> None:
    assert leave_all(RateLimiter(tokens_per_minute=100), 4, 40) == pytest.approx(
        [0, 0, 60, 60], abs=0.01
    )
    large = RateLimiter(tokens_per_minute=100)
    assert leave_all(large, 2, 1_000) == pytest.approx([0, 60], abs=0.01), "alone, but at all"


def test_an_estimate_that_was_too_high_makes_room_at_once() -> None:
    limiter = RateLimiter(tokens_per_minute=100)
    first = limiter.depart(0.0, 90)
    assert limiter.wait_s(0.0, 40) == pytest.approx(60, abs=0.01)
    limiter.correct(first, 50)
    assert limiter.wait_s(0.0, 40) == 0
    limiter.correct(first, 200)
    assert limiter.wait_s(0.0, 40) > 0, "and one that was too low takes it"


def test_after_a_pause_requests_do_not_leave_all_together() -> None:
    limiter = RateLimiter(requests_per_minute=600)
    limiter.pause(0.0, 30.0)
    times = leave_all(limiter, 3)
    assert times == pytest.approx([30, 30.1, 30.2], abs=0.02)


def test_a_pause_is_no_refill() -> None:
    limiter = RateLimiter(requests_per_minute=1)
    limiter.depart(0.0, 0)
    limiter.pause(0.0, 0.0)
    assert limiter.wait_s(0.0, 0) == pytest.approx(60, abs=0.01)


def test_a_server_that_takes_no_more_is_waited_for() -> None:
    limiter = RateLimiter()
    limiter.heed(0.0, ServerLimits(requests=Remaining(2, 20.0)))
    assert leave_all(limiter, 3) == pytest.approx([0, 0, 20], abs=0.01)
    limiter = RateLimiter()
    limiter.heed(0.0, ServerLimits(tokens=Remaining(100, 5.0)))
    assert leave_all(limiter, 3, 60) == pytest.approx([0, 5, 5], abs=0.01)


def test_threads_leave_one_after_the_other_and_stop_together() -> None:
    class Clock:
        now = 0.0

    def sleep(seconds: float) -> bool:
        if Clock.now > 2.5:
            return False
        Clock.now += seconds
        return True

    pacer = Pacer(RateLimiter(requests_per_minute=60), sleep, lambda: Clock.now)
    found: list[Departure | None] = []
    threads = [threading.Thread(target=lambda: found.append(pacer.depart(1))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    left = [one.at for one in found if one is not None]
    assert left == pytest.approx([0, 1, 2, 3], abs=0.01)
    assert found.count(None) == 2, "those that would still have to wait"
