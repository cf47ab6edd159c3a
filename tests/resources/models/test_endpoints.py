"""Which of several servers is asked next."""

from __future__ import annotations

from resources.models.server.endpoints import Endpoints

URLS = ("http://a/v1", "http://b/v1", "http://c/v1")


def taken(pool: Endpoints, n: int, now: float = 0.0) -> str:
    """Letters of the servers that are taken, none of which is given back."""
    return "".join(pool.take(now).url[7] for _ in range(n))


def test_requests_are_spread_by_what_is_under_way() -> None:
    pool = Endpoints(URLS)
    assert taken(pool, 6) == "abcabc"
    pool = Endpoints(URLS)
    first, second = pool.take(0), pool.take(0)
    pool.done(second)
    assert taken(pool, 4) == "bcab"
    assert first.under_way == 2


def test_one_that_fails_is_left_out_and_tried_again_later() -> None:
    pool = Endpoints(URLS)
    bad = pool.take(0)
    assert pool.leave_out(bad, 0)
    assert "a" not in taken(pool, 6, now=14)
    assert taken(pool, 1, now=16) == "a"
    # Each time for longer, until it answers.
    assert pool.leave_out(bad, 16)
    assert "a" not in taken(pool, 6, now=45)
    assert pool.leave_out(bad, 100)
    pool.succeeded(bad)
    assert bad.times_out == 0


def test_one_failure_is_no_reason_and_two_in_a_row_are() -> None:
    pool = Endpoints(URLS)
    bad = pool.take(0)
    assert not pool.failed(bad, 0)
    pool.succeeded(bad)
    assert not pool.failed(bad, 0)
    assert pool.failed(bad, 0)


def test_the_last_one_stays() -> None:
    pool = Endpoints(URLS[:2])
    a, b = pool.take(0), pool.take(0)
    assert pool.leave_out(a, 0)
    assert not pool.leave_out(b, 1)
    assert taken(pool, 2, now=2) == "bb"
    alone = Endpoints(URLS[:1])
    assert not alone.leave_out(alone.take(0), 0)


def test_one_that_asked_for_a_pause_comes_last() -> None:
    pool = Endpoints(URLS[:2])
    a = pool.take(0)
    pool.done(a)
    pool.pause(a, 30)
    assert taken(pool, 2, now=1) == "bb"
    assert taken(pool, 2, now=31) == "aa"
