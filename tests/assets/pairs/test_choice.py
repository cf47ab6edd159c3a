"""Hashes that choose."""

from __future__ import annotations

import polars as pl
import pytest
from blake3 import blake3

from assets.pairs.choice import (
    number_of,
    numbers,
    option_order,
    pair_ranks,
    share_limit,
    stable_hash,
)


def test_parts_cannot_run_together() -> None:
    assert stable_hash("ab", "c") != stable_hash("a", "bc")
    assert stable_hash("a", "") != stable_hash("a")
    assert len(stable_hash("a")) == 32


def test_numbers_are_the_first_bytes_of_blake3_in_row_order() -> None:
    texts = pl.Series(["b", "a", "b"])
    expected = [int.from_bytes(blake3(t.encode()).digest()[:8], "little") for t in texts]
    assert numbers(texts).to_list() == expected == [number_of(t) for t in texts]


def _splitmix(value: int) -> int:
    """SplitMix64's finaliser (Steele, Lea, Flood 2014), in plain integers."""
    mask = 2**64 - 1
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & mask
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & mask
    return value ^ (value >> 31)


def test_ranks_are_splitmix_of_both() -> None:
    q, c = number_of("query"), number_of("candidate")
    golden, mask = 0x9E3779B97F4A7C15, 2**64 - 1
    expected = _splitmix(_splitmix((q + golden) & mask) ^ ((c + 2 * golden) & mask))
    got = pair_ranks(pl.Series([q], dtype=pl.UInt64), pl.Series([c], dtype=pl.UInt64))
    assert got.to_list() == [expected]


def test_rank_depends_on_the_direction_and_spreads_evenly() -> None:
    ids = numbers(pl.Series([f"s{i}" for i in range(300)]))
    pairs = ids.to_frame("q").join(ids.to_frame("c"), how="cross")
    ranks = pair_ranks(pairs["q"], pairs["c"])
    assert ranks.n_unique() == len(ranks)
    assert (ranks != pair_ranks(pairs["c"], pairs["q"])).sum() > 0.99 * len(ranks)
    # The lowest of each query's ranks falls anywhere: no candidate is chosen by all.
    lowest = pairs.with_columns(rank=ranks).sort("rank").group_by("q").first()
    assert lowest["c"].n_unique() > 150
    assert 0.24 < (ranks <= share_limit(0.25)).sum() / len(ranks) < 0.26


def test_option_order_forgets_the_given_order_and_is_balanced() -> None:
    options = ["a", "b", "c", "d", "e"]
    shown = [options[i] for i in option_order("q", options)]
    turned = options[::-1]
    assert [turned[i] for i in option_order("q", turned)] == shown
    places = [option_order(str(q), options).index(0) for q in range(2000)]
    assert all(330 < places.count(p) < 470 for p in range(5))


@pytest.mark.parametrize("share", [0.0, -0.1, 1.5, float("nan")])
def test_share_out_of_range_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="share"):
        share_limit(share)


def test_whole_share_keeps_all() -> None:
    assert share_limit(1.0) == 2**64 - 1
