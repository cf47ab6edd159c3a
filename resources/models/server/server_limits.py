"""What a server's headers say about when it may be asked again.

`Retry-After` holds seconds or an HTTP date (RFC 9110, section 10.2.3), `retry-after-ms` milliseconds;
`x-ratelimit-remaining-requests`, `x-ratelimit-reset-requests` and their like for tokens are those of OpenAI,
which vLLM gateways and most providers send too. What cannot be read counts as not said.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

MOST_WAIT_S = 60.0
"""Longest wait that a header can ask for: a server that is away for longer is found to be so."""

_SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True, slots=True)
class Remaining:
    """What a server still takes before its own limit is renewed.

    Attributes:
        amount: Requests or tokens.
        reset_s: Seconds until the limit is renewed.
    """

    amount: int
    reset_s: float


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Limits as the headers of one reply state them; None where they do not."""

    requests: Remaining | None = None
    tokens: Remaining | None = None


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds that a reply asks to wait before the next attempt; None where it does not say.

    Args:
        headers: Headers of the reply, found under names in small letters.
        now: Time to count a date from; by default the reply's own `Date`, so that a clock that is wrong
            does no harm, else the time of this machine.
    """
    millis = _number(headers.get("retry-after-ms", ""))
    if millis is not None:
        return _bounded(millis / 1000)
    text = headers.get("retry-after", "").strip()
    seconds = _number(text)
    if seconds is not None:
        return _bounded(seconds)
    at = _date(text)
    if at is None:
        return None
    since = now or _date(headers.get("date", "")) or datetime.now(UTC)
    return _bounded(max(0.0, (at - since).total_seconds()))


def server_limits(headers: Mapping[str, str]) -> ServerLimits:
    """Limits that the headers of a reply state, found under names in small letters."""
    return ServerLimits(_remaining(headers, "requests"), _remaining(headers, "tokens"))


def _remaining(headers: Mapping[str, str], what: str) -> Remaining | None:
    amount = _number(headers.get(f"x-ratelimit-remaining-{what}", ""))
    reset_s = _span(headers.get(f"x-ratelimit-reset-{what}", ""))
    if amount is None or reset_s is None:
        return None
    return Remaining(int(amount), reset_s)


def _span(text: str) -> float | None:
    """Seconds of `6m0s`, `1h2m`, `20ms` or a plain number; None where it is not one of these."""
    plain = _number(text)
    if plain is not None:
        return _bounded(plain)
    text = text.strip()
    if not text or _SPAN.sub("", text):
        return None
    return _bounded(sum(float(n) * _SECONDS[unit] for n, unit in _SPAN.findall(text)))


def _number(text: str) -> float | None:
    """A finite number of at least 0, else None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _date(text: str) -> datetime | None:
    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError):
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def _bounded(seconds: float) -> float:
    return min(seconds, MOST_WAIT_S)
