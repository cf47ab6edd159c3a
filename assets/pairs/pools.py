"""Pools: the recordings among which pairs are sought (EgoBridge supplement, stage 1).

A pool is a source's scenario, scene and split. A recording's pool depends on its own row alone.
"""

from __future__ import annotations

import polars as pl


def pool_of(recordings: pl.DataFrame) -> pl.DataFrame:
    """Pool of each recording that has one.

    Args:
        recordings: Rows of `recordings`.

    Returns:
        Columns source, recording_id, pool, view, split. `pool` is `scenario/scene/split`, where
        `%` and `/` inside a part are escaped and an unknown scene is empty.
    """
    return (
        recordings.filter(_known("scenario") & _known("split"))
        .select(
            "source",
            "recording_id",
            pl.concat_str(_part("scenario"), _part("scene"), _part("split"), separator="/").alias(
                "pool"
            ),
            "view",
            "split",
        )
        .sort("source", "recording_id")
    )


def _known(name: str) -> pl.Expr:
    return pl.col(name).is_not_null() & (pl.col(name) != "")


def _part(name: str) -> pl.Expr:
    return (
        pl.col(name)
        .fill_null("")
        .str.replace_all("%", "%25", literal=True)
        .str.replace_all("/", "%2F", literal=True)
    )
