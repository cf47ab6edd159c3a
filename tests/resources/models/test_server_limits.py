"""What is read of the headers by which a server says when it may be asked again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from resources.models.server.server_limits import MOST_WAIT_S, Remaining, retry_after, server_limits

NOW = datetime(2026, 11, 23, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2", 2.0),
        ("0.5", 0.5),
        ("0", 0.0),
        ("86400", MOST_WAIT_S),
        ("Mon, 23 Nov 2026 12:00:07 GMT", 7.0),
        ("Monday, 23-Nov-26 12:00:07 GMT", 7.0),
        ("Mon, 23 Nov 2026 11:00:00 GMT", 0.0),
        ("Tue, 24 Nov 2026 12:00:00 GMT", MOST_WAIT_S),
        ("Mon, 23 Nov 2026 12:00:07 -0000", 7.0),
        ("", None),
        ("-3", None),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("Mon, 99 Nov 2026 12:00:07 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(text: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": text}, NOW) == seconds


def test_a_date_counts_from_the_servers_own_clock() -> None:
    theirs = datetime.now(UTC) - timedelta(hours=3)
    headers = {
        "date": format_datetime(theirs, usegmt=True),
        "retry-after": format_datetime(theirs + timedelta(seconds=9), usegmt=True),
    }
    assert retry_after(headers) == 9.0


def test_milliseconds_are_more_precise() -> None:
    assert retry_after({"retry-after": "1", "retry-after-ms": "250"}) == 0.25


@pytest.mark.parametrize(
    ("reset", "seconds"),
    [("1s", 1.0), ("6m0s", 60.0), ("120ms", 0.12), ("1m1.5s", 60.0), ("17", 17.0), ("0s", 0.0)],
)
def test_what_is_left_of_a_limit(reset: str, seconds: float) -> None:
    headers = {"x-ratelimit-remaining-tokens": "149984", "x-ratelimit-reset-tokens": reset}
    found = server_limits(headers)
    assert found.tokens == Remaining(149_984, seconds)
    assert found.requests is None


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"x-ratelimit-remaining-requests": "3"},
        {"x-ratelimit-remaining-requests": "many", "x-ratelimit-reset-requests": "1s"},
        {"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "later"},
        {"x-ratelimit-remaining-requests": "-1", "x-ratelimit-reset-requests": "1s"},
    ],
)
def test_what_cannot_be_read_counts_as_not_said(headers: dict[str, str]) -> None:
    assert server_limits(headers).requests is None
