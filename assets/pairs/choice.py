"""Choice without chance: hashes of what is chosen from, so that nothing else can change a choice.

Two kinds. `stable_hash` is blake3 over length-prefixed parts, for identities. `pair_ranks` orders
many (query, candidate) pairs at once: the blake3 of each id is taken once, and the two are mixed in
64-bit integers by the SplitMix64 finaliser, which costs nanoseconds where a hash per pair costs a
microsecond. Ties (about one in 2^64 pairs) are for the caller to break by id.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl
from blake3 import blake3

from expectations.schemas.identity import stable_hash

RING_PLACES = 4
_ODD = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


def number_of(text: str) -> int:
    """First 64 bits of the blake3 of a text."""
    return int.from_bytes(blake3(text.encode()).digest(length=8), "little")


def numbers(texts: pl.Series) -> pl.Series:
    """`number_of` each text, as uint64; each different text is hashed once."""
    unique = texts.unique()
    table = pl.DataFrame(
        {"text": unique, "number": pl.Series([number_of(t) for t in unique], dtype=pl.UInt64)}
    )
    return texts.to_frame("text").join(table, on="text", how="left", maintain_order="left")[
        "number"
    ]


def pair_ranks(queries: pl.Series, candidates: pl.Series) -> pl.Series:
    """Rank hash of each (query, candidate), as uint64; the lowest is chosen.

    Args:
        queries: Numbers of the query ids (uint64, from `numbers`).
        candidates: Numbers of the candidate ids, same length.
    """
    q, c = queries.to_numpy(), candidates.to_numpy()
    with np.errstate(over="ignore"):
        mixed = _finalise(_finalise(q + _ODD) ^ (c + _ODD * np.uint64(2)))
    return pl.Series("rank", mixed, dtype=pl.UInt64)


def ring_places(groups: pl.Series, members: pl.Series) -> list[pl.Series]:
    """Where the members of each group lie on its ring, as uint64; each group has an order of its own.

    Every member has `RING_PLACES` places, so that what falls on each is more alike.

    Args:
        groups: Text of each group.
        members: Text of its member, same length.

    Returns:
        Series `place_0` and so on.
    """
    first = pair_ranks(numbers(groups), numbers(members))
    turns = (pl.Series(np.full(len(first), i, dtype=np.uint64)) for i in range(RING_PLACES))
    return [pair_ranks(first, turn).alias(f"place_{i}") for i, turn in enumerate(turns)]


def share_limit(share: float) -> int:
    """Highest rank kept when a share of all pairs is kept.

    Raises:
        ValueError: The share is not in (0, 1].
    """
    if not 0.0 < share <= 1.0:
        raise ValueError(f"share {share} is not in (0, 1]")
    return min(int(share * 2.0**64), 2**64 - 1)


def option_order(question: str, options: Iterable[str]) -> list[int]:
    """Indices of the options in shown order: by hash of (question, option).

    The order of the options as given does not matter unless two are equal; positions of the right
    option are balanced in expectation.
    """
    keyed = [(stable_hash(question, option), i) for i, option in enumerate(options)]
    return [i for _, i in sorted(keyed)]


def _finalise(values: np.ndarray) -> np.ndarray:
    values = (values ^ (values >> np.uint64(30))) * _MIX_1
    values = (values ^ (values >> np.uint64(27))) * _MIX_2
    return values ^ (values >> np.uint64(31))
