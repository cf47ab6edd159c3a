"""The split of recordings for which none is published: one decision each, shared by what belongs together.

Recordings of one take, and takes that are linked (a wearer follows a demonstration), show the same
doing: they get one split. Where a published one is among them, it holds for all that have none, the most
protected if there are several; else a hash of the group decides. Published splits stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

import polars as pl

from expectations.schemas.identity import digest

SHARES = {"train": 387, "val": 81, "test": 117}
"""Recordings of each split as EgoExoLearn publishes them: hashed ones fall in the same shares."""
PROTECTED = ("test", "val", "train")
_HASH_DIGITS = 15


def with_splits(recordings: pl.DataFrame, links: pl.DataFrame, *, hashed: bool) -> pl.DataFrame:
    """Recordings with where their split is from and, if asked for, a split for those without one.

    Args:
        recordings: Rows of `recordings`; `split` as published.
        links: Rows of `take_links`.
        hashed: Whether recordings without a published split get one.

    Returns:
        The rows, with `split_from`: `published`, `linked` (published for a recording of the group) or
        `hashed`; null where there is no split.
    """
    takes, splits = recordings["take_id"].to_list(), recordings["split"].to_list()
    said = ["published" if split is not None else None for split in splits]
    if hashed:
        pairs = links.select("take_id", "other_take_id").rows()
        groups = _groups((take for take in takes if take is not None), pairs)
        published: dict[str, set[str]] = {}
        for take, split in zip(takes, splits, strict=True):
            if take is not None and split is not None:
                published.setdefault(groups[take], set()).add(split)
        for place, take in enumerate(takes):
            if splits[place] is None and take is not None:
                found = published.get(groups[take])
                said[place] = "linked" if found else "hashed"
                splits[place] = _most_protected(found) if found else split_by_hash(groups[take])
    return recordings.with_columns(
        pl.Series("split", splits, dtype=pl.String), pl.Series("split_from", said, dtype=pl.String)
    )


def split_by_hash(group: str) -> str:
    """Split of a group of takes that are linked, in the shares of `SHARES`.

    Args:
        group: The take a group goes by (see `_groups`): nothing but the source's own name of it is
            hashed, so that neither order, nor number, nor what is added elsewhere moves it.
    """
    place = int(digest(["split", group])[:_HASH_DIGITS], 16) * sum(SHARES.values())
    at = place >> (4 * _HASH_DIGITS)
    ends = accumulate(SHARES.values())
    return next(split for split, end in zip(SHARES, ends, strict=True) if at < end)


def _groups(takes: Iterable[str], links: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The take that each take's group goes by: the least that others follow, else the least.

    One more follower of a demonstration therefore moves none of the group.
    """
    least = {take: take for take in takes}
    for first, second in links:
        # A take that is not here joins those that are linked to it.
        one, other = (_root(least, take) for take in (first, second))
        least[max(one, other)] = min(one, other)
    followed: dict[str, str] = {}
    for _, other in links:
        root = _root(least, other)
        followed[root] = min(other, followed.get(root, other))
    roots = {take: _root(least, take) for take in least}
    return {take: followed.get(root, root) for take, root in roots.items()}


def _root(least: dict[str, str], take: str) -> str:
    """The take a group goes by so far; what was walked through points to it afterwards."""
    root = take
    while (up := least.setdefault(root, root)) != root:
        root = up
    while take != root:
        least[take], take = root, least[take]
    return root


def _most_protected(splits: Iterable[str]) -> str:
    found = set(splits)
    return next((split for split in PROTECTED if split in found), min(found))
