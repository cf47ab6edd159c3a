"""How fast a server may be asked: requests and tokens per minute, and what the server itself says.

`RateLimiter` is a state machine without a clock or a thread of its own: whoever uses it says what time it
is and waits. `Pacer` is the same for threads; `shared_limits` is the same for all engines of a process that ask
one model at one address.

Requests are spread: after a burst of one second's worth they leave at an even rate, because servers measure
over less than a minute too. In any 60 seconds no more than the limit leave. Tokens are counted over the
last 60 seconds. They are estimated before a request leaves and corrected once its reply says how many there
were; the estimate of a request that failed before the model worked is given back.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from resources.models.server.server_limits import Remaining, ServerLimits

WINDOW_S = 60.0
# Waits end a little late rather than a little early: floats of times differ in their last digits.
_SLACK_S = 1e-6


@dataclass(slots=True)
class Departure:
    """A request that was let go.

    Attributes:
        at: Time it left.
        tokens: Tokens it counts with: an estimate until it is corrected.
    """

    at: float
    tokens: int


@dataclass(slots=True)
class _Allowance:
    """What a server said that it still takes, less what was sent since."""

    amount: int
    until: float


class RateLimiter:
    """When the next request may leave.

    Times are seconds of any clock that does not run backwards.

    Args:
        requests_per_minute: Most requests in any 60 seconds; None for no limit.
        tokens_per_minute: Most tokens in any 60 seconds; None for no limit. A single request that needs
            more leaves alone.
    """

    def __init__(
        self, requests_per_minute: int | None = None, tokens_per_minute: int | None = None
    ) -> None:
        self._tokens_per_minute = tokens_per_minute
        self._spread = None if requests_per_minute is None else _Spread(requests_per_minute)
        self._recent: deque[Departure] = deque()
        self._recent_tokens = 0
        self._paused_until = float("-inf")
        self._allowed_requests: _Allowance | None = None
        self._allowed_tokens: _Allowance | None = None

    def wait_s(self, now: float, tokens: int) -> float:
        """Seconds until a request of so many tokens may leave, as far as is known now; 0 for at once.

        Args:
            now: Time.
            tokens: Tokens that it is expected to read and write.
        """
        self._forget(now)
        until = max(
            self._paused_until,
            now if self._spread is None else self._spread.ready_at(now),
            self._tokens_ready_at(now, tokens),
            _ready_at(self._allowed_requests, 1, now),
            _ready_at(self._allowed_tokens, tokens, now),
        )
        return until - now + _SLACK_S if until > now else 0.0

    def depart(self, now: float, tokens: int) -> Departure:
        """Count a request that leaves now.

        Args:
            now: Time.
            tokens: Tokens that it is expected to read and write.

        Raises:
            RuntimeError: It has to wait (see `wait_s`).
        """
        if self.wait_s(now, tokens) > 0:
            raise RuntimeError("a request left before the rate limit let it go")
        if self._spread is not None:
            self._spread.take(now)
        for allowance, amount in ((self._allowed_requests, 1), (self._allowed_tokens, tokens)):
            if allowance is not None:
                allowance.amount -= amount
        departure = Departure(now, tokens)
        if self._tokens_per_minute is not None:
            self._recent.append(departure)
            self._recent_tokens += tokens
        return departure

    def correct(self, departure: Departure, tokens: int) -> None:
        """Replace the estimate of a request that left by the number of its tokens.

        Args:
            departure: As `depart` returned it.
            tokens: Tokens read and written; 0 where the model did no work.
        """
        # One that left the window counts no more.
        if any(one is departure for one in self._recent):
            self._recent_tokens += tokens - departure.tokens
        departure.tokens = tokens

    def pause(self, now: float, seconds: float) -> None:
        """Let no request go for a while, and only one at once after it.

        Args:
            now: Time.
            seconds: What a server asked for.
        """
        self._paused_until = max(self._paused_until, now + seconds)
        if self._spread is not None:
            self._spread.empty(self._paused_until)

    def heed(self, now: float, limits: ServerLimits) -> None:
        """Take over what a server says that it still takes.

        Args:
            now: Time.
            limits: Limits from the headers of a reply.
        """
        if limits.requests is not None:
            self._allowed_requests = _allowance(limits.requests, now)
        if limits.tokens is not None:
            self._allowed_tokens = _allowance(limits.tokens, now)

    def _forget(self, now: float) -> None:
        """Drop what no longer counts."""
        while self._recent and self._recent[0].at <= now - WINDOW_S:
            self._recent_tokens -= self._recent.popleft().tokens
        if self._allowed_requests is not None and self._allowed_requests.until <= now:
            self._allowed_requests = None
        if self._allowed_tokens is not None and self._allowed_tokens.until <= now:
            self._allowed_tokens = None

    def _tokens_ready_at(self, now: float, tokens: int) -> float:
        most = self._tokens_per_minute
        if most is None:
            return now
        excess = self._recent_tokens + min(tokens, most) - most
        at = now
        for departure in self._recent:
            if excess <= 0:
                break
            excess -= departure.tokens
            at = departure.at + WINDOW_S
        return at


class _Spread:
    """A bucket of requests: it holds one second's worth, and fills evenly.

    Args:
        per_minute: Most requests in any 60 seconds.
    """

    def __init__(self, per_minute: int) -> None:
        self._capacity = max(1.0, per_minute / WINDOW_S)
        # What the full bucket gives at once is missing from what it is filled with.
        self._per_s = (per_minute - self._capacity + 1) / WINDOW_S
        self._level = self._capacity
        self._at: float | None = None

    def ready_at(self, now: float) -> float:
        level = self._level_at(now)
        return now if level >= 1 else now + (1 - level) / self._per_s

    def take(self, now: float) -> None:
        self._level, self._at = self._level_at(now) - 1, now

    def empty(self, until: float) -> None:
        """Let the bucket hold no more than one request at a time to come."""
        self._level, self._at = min(self._level_at(until), 1.0), until

    def _level_at(self, now: float) -> float:
        if self._at is None:
            return self._level
        return min(self._capacity, self._level + max(0.0, now - self._at) * self._per_s)


def _allowance(remaining: Remaining, now: float) -> _Allowance:
    return _Allowance(remaining.amount, now + remaining.reset_s)


def _ready_at(allowance: _Allowance | None, amount: int, now: float) -> float:
    """When a server takes so much again; one that never takes as much is left to refuse it."""
    if allowance is None or amount <= allowance.amount:
        return now
    return allowance.until


_SHARED: dict[Hashable, tuple[RateLimiter, threading.Lock]] = {}
_SHARED_LOCK = threading.Lock()


def shared_limits(
    server: Hashable, requests_per_minute: int | None, tokens_per_minute: int | None
) -> tuple[RateLimiter, threading.Lock]:
    """The rate limiter of this process for a server under these limits, and the lock that guards it.

    An evaluation opens an engine of its own: what the one before it sent within the last minute counts too.

    Args:
        server: Whom the limits concern: addresses, model, account.
        requests_per_minute: As for `RateLimiter`.
        tokens_per_minute: As for `RateLimiter`.
    """
    with _SHARED_LOCK:
        key = (server, requests_per_minute, tokens_per_minute)
        if key not in _SHARED:
            _SHARED[key] = RateLimiter(requests_per_minute, tokens_per_minute), threading.Lock()
        return _SHARED[key]


class Pacer:
    """A rate limiter that threads share; they leave in the order in which they come.

    Args:
        limiter: The state.
        sleep: Waits for so many seconds; false where waiting is pointless, because all is to stop.
        clock: Time in seconds.
        lock: Guards the state, where other pacers share it.
    """

    def __init__(
        self,
        limiter: RateLimiter,
        sleep: Callable[[float], bool],
        clock: Callable[[], float] = time.monotonic,
        lock: threading.Lock | None = None,
    ) -> None:
        self._limiter = limiter
        self._sleep = sleep
        self._clock = clock
        self._state = lock or threading.Lock()
        self._turn = threading.Lock()

    def depart(self, tokens: int) -> Departure | None:
        """Wait until a request may leave; None where all is to stop.

        Args:
            tokens: Tokens that it is expected to read and write.
        """
        with self._turn:
            while True:
                with self._state:
                    now = self._clock()
                    wait_s = self._limiter.wait_s(now, tokens)
                    if wait_s <= 0:
                        return self._limiter.depart(now, tokens)
                if not self._sleep(wait_s):
                    return None

    def correct(self, departure: Departure, tokens: int) -> None:
        """See `RateLimiter.correct`."""
        with self._state:
            self._limiter.correct(departure, tokens)

    def pause(self, seconds: float) -> None:
        """See `RateLimiter.pause`."""
        with self._state:
            self._limiter.pause(self._clock(), seconds)

    def heed(self, limits: ServerLimits) -> None:
        """See `RateLimiter.heed`."""
        with self._state:
            self._limiter.heed(self._clock(), limits)
