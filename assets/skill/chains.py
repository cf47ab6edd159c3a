"""Chains of clips, each better than the next, of three and of four."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assets.pairs.choice import numbers, pair_ranks

PER_CLIP = 20
"""Chains kept per best clip, length and completeness: the counts are of all."""
LENGTHS = (3, 4)
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Chains:
    """Chains of one length.

    Attributes:
        clips: Clips of each chain, best first; shape (chains, length).
        closed: Whether all pairs of the chain were compared and say the same, none the opposite.
    """

    clips: Ints
    closed: NDArray[np.bool_]


def find_chains(n: int, better: Ints, worse: Ints) -> dict[int, Chains]:
    """All chains of different clips, by length.

    Args:
        n: Number of clips.
        better: Better clip of each pair, in [0, n).
        worse: Worse clip of each pair; no pair is given twice.
    """
    order = np.lexsort((worse, better))
    better, worse = better[order], worse[order]
    first = np.searchsorted(better, np.arange(n + 1))
    codes = better * n + worse
    chains = np.column_stack([better, worse])
    closed = ~_has(codes, worse * n + better)
    found = {}
    for length in LENGTHS:
        last = chains[:, -1]
        counts = first[last + 1] - first[last]
        at = np.repeat(np.arange(last.size), counts)
        offset = np.arange(at.size) - np.repeat(np.cumsum(counts) - counts, counts)
        following = worse[first[last[at]] + offset]
        chains, closed = chains[at], closed[at]
        new = (chains != following[:, None]).all(axis=1)
        chains, closed, following = chains[new], closed[new], following[new]
        for place in range(chains.shape[1]):
            above = chains[:, place]
            closed &= ~_has(codes, following * n + above)
            if place < chains.shape[1] - 1:
                closed &= _has(codes, above * n + following)
        chains = np.column_stack([chains, following])
        found[length] = Chains(chains, closed)
    return found


def _has(codes: Ints, wanted: Ints) -> NDArray[np.bool_]:
    """Which wanted codes are among the ascending codes."""
    if not codes.size:
        return np.zeros(wanted.size, dtype=np.bool_)
    at = np.minimum(np.searchsorted(codes, wanted), codes.size - 1)
    return codes[at] == wanted


def chosen_chains(
    clips: pl.Series, recordings: Mapping[str, str], found: Mapping[int, Chains]
) -> pl.DataFrame:
    """The chains of lowest hash, `PER_CLIP` of each best clip, length and completeness.

    Args:
        clips: Ids of the clips, by number.
        recordings: Recording of each clip.
        found: Chains by length.

    Returns:
        Columns length, closed, clip_ids, recording_ids and n_recordings, in order of the ids.
    """
    hashes = numbers(clips)
    recording = pl.Series([recordings[c] for c in clips], dtype=pl.String())
    frames = []
    for length, chains in found.items():
        if not chains.clips.size:
            continue
        rank = hashes.gather(chains.clips[:, 0])
        for place in range(1, length):
            rank = pair_ranks(rank, hashes.gather(chains.clips[:, place]))
        best = chains.clips[:, 0]
        kept = _lowest(rank.to_numpy(), best * 2 + chains.closed, PER_CLIP)
        parts = [chains.clips[kept, place] for place in range(length)]
        frames.append(
            pl.DataFrame(
                {
                    "length": np.full(kept.size, length, dtype=np.int64),
                    "closed": chains.closed[kept],
                    "clip_ids": _lists(clips, parts),
                    "recording_ids": _lists(recording, parts),
                }
            )
        )
    if not frames:
        text = pl.List(pl.String())
        return pl.DataFrame(
            schema={"length": pl.Int64(), "closed": pl.Boolean(), "clip_ids": text,
                    "recording_ids": text, "n_recordings": pl.Int64()}
        )  # fmt: skip
    different = pl.col("recording_ids").list.n_unique().cast(pl.Int64)
    return pl.concat(frames).with_columns(n_recordings=different).sort("length", "clip_ids")


def _lists(names: pl.Series, parts: list[Ints]) -> pl.Series:
    columns = {str(place): names.gather(part) for place, part in enumerate(parts)}
    return pl.DataFrame(columns).select(pl.concat_list(pl.all()).alias("list"))["list"]


def _lowest(rank: NDArray[np.uint64], group: Ints, count: int) -> Ints:
    """Places of the `count` lowest ranks of each group."""
    order = np.lexsort((rank, group))
    sorted_group = group[order]
    head = np.r_[True, sorted_group[1:] != sorted_group[:-1]]
    start = np.flatnonzero(head)[np.cumsum(head) - 1]
    return order[np.arange(order.size) - start < count]
