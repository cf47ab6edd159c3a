"""Several servers of one model: which of them is asked next, and which are left out for a while.

A state machine without a clock: whoever uses it says what time it is. A request goes to the server with the
fewest under way. One that cannot be reached, refuses its key or fails several requests in a row is left out,
for longer each time, as long as another is left; the last one stays, and what happens when it fails is not
decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

_OUT_S, _OUT_MOST_S = 15.0, 240.0
# Failures in a row, of different requests, after which a server is left out.
_FAILURES = 2


@dataclass(slots=True, eq=False)
class Endpoint:
    """One server.

    Attributes:
        url: Its address.
        has_answered: Whether it ever did.
        under_way: Requests that it has not answered yet.
        failures: Requests in a row that it failed.
        times_out: How often in a row it was left out.
        out_until: Time until which it is left out.
        paused_until: Time until which it asked to be left alone.
    """

    url: str
    has_answered: bool = False
    under_way: int = 0
    failures: int = 0
    times_out: int = 0
    out_until: float = field(default=float("-inf"))
    paused_until: float = field(default=float("-inf"))


class Endpoints:
    """The servers of a run.

    Args:
        urls: Their addresses, at least one.
    """

    def __init__(self, urls: Sequence[str]) -> None:
        self._all = [Endpoint(url) for url in urls]

    def take(self, now: float) -> Endpoint:
        """The server to ask next; to be given back by `done`.

        Args:
            now: Time in seconds of a clock that does not run backwards.
        """
        chosen = min(
            self._in(now) or self._all,
            key=lambda one: (one.paused_until > now, one.under_way, self._all.index(one)),
        )
        chosen.under_way += 1
        return chosen

    def done(self, endpoint: Endpoint) -> None:
        """A request to a server is over."""
        endpoint.under_way -= 1

    def succeeded(self, endpoint: Endpoint) -> None:
        """A server gave a reply."""
        endpoint.has_answered = True
        endpoint.failures = endpoint.times_out = 0

    def failed(self, endpoint: Endpoint, now: float) -> bool:
        """A server failed a request.

        Returns:
            Whether it is left out from now on, so that others are asked.
        """
        endpoint.failures += 1
        return endpoint.failures >= _FAILURES and self.leave_out(endpoint, now)

    def leave_out(self, endpoint: Endpoint, now: float) -> bool:
        """Do not ask a server for a while, if there are others.

        Returns:
            Whether others are left; if not, it stays.
        """
        if not any(one is not endpoint for one in self._in(now)):
            return False
        endpoint.out_until = now + min(_OUT_S * 2**endpoint.times_out, _OUT_MOST_S)
        endpoint.times_out += 1
        endpoint.failures = 0
        return True

    def pause(self, endpoint: Endpoint, until: float) -> None:
        """Leave a server alone until a time, as it asked."""
        endpoint.paused_until = max(endpoint.paused_until, until)

    def _in(self, now: float) -> list[Endpoint]:
        return [one for one in self._all if one.out_until <= now]
