"""Which recordings a query seeks its positives in, and which candidate there is the positive.

All pairs with the same sets grow with the square of a pool's recordings, so a query keeps those in its
next recordings of the other view: recordings that have the query's sets lie on a ring of hashes, and a
query takes those that follow its own. A recording that joins displaces another only where it lies
between, about as many choices as are made in it; pairs and work grow with the recordings.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from assets.pairs.choice import RING_PLACES, pair_ranks

KEY = ("source", "pool", "set_key")
PLACES = [f"place_{i}" for i in range(RING_PLACES)]
DIRECTIONS = {"ego2exo": ("ego", "exo"), "exo2ego": ("exo", "ego")}


def nearest(
    queries: pl.DataFrame, answers: pl.DataFrame, query: str, answer: str, positives: int
) -> pl.DataFrame:
    """Pairs of each query and the segments of its nearest recordings: source and both segment ids.

    As many rows are held as are kept, times the places of a recording, whatever the pool's size.
    """
    uid, number = f"{answer}_recording_id", f"{query}_number"
    ring = (
        answers.unpivot([f"{answer}_{p}" for p in PLACES], index=[*KEY, uid], value_name="place")
        .select(*KEY, "place", uid)
        .unique()
        .sort(*KEY, "place", uid)
        .with_columns(turn=pl.int_range(pl.len()).over(KEY), around=pl.len().over(KEY))
        .with_columns(pl.col("turn", "around").cast(pl.Int64))
    )
    # So many places hold so many different recordings, if there are as many.
    most = pl.min_horizontal("around", pl.lit(positives * RING_PLACES, pl.Int64))
    near = (
        queries.select(*KEY, f"{query}_segment_id", place=number)
        .sort("place")
        .join_asof(
            ring.select(*KEY, "place", "turn").sort("place"),
            on="place",
            by=list(KEY),
            strategy="forward",
            check_sortedness=False,
        )
        .join(ring.select(*KEY, "around").unique(), on=KEY)
        .with_columns(step=pl.int_ranges(0, most))
        .explode("step", empty_as_null=False)
        # Past the last place the ring begins anew.
        .with_columns(turn=(pl.col("turn").fill_null(0) + pl.col("step")) % pl.col("around"))
        .join(ring.select(*KEY, "turn", uid), on=[*KEY, "turn"])
        .group_by(*KEY, f"{query}_segment_id", uid)
        .agg(pl.col("step").min())
        .filter(pl.col("step").rank("ordinal").over("source", f"{query}_segment_id") <= positives)
    )
    return near.join(answers.select(*KEY, uid, f"{answer}_segment_id"), on=[*KEY, uid]).select(
        "source", "ego_segment_id", "exo_segment_id"
    )


def ranked(found: pl.DataFrame) -> pl.DataFrame:
    """With each direction's rank, and its way along the ring from query to recording."""
    added = []
    for direction, (query, answer) in DIRECTIONS.items():
        asked, given = found[f"{query}_number"], found[f"{answer}_number"]
        added.append(pair_ranks(asked, given).alias(direction))
        # Unsigned differences wrap around, as the ring does.
        ways = [found[f"{answer}_{p}"].to_numpy() - asked.to_numpy() for p in PLACES]
        added.append(pl.Series(f"{direction}_way", np.minimum.reduce(ways), dtype=pl.UInt64))
    return found.with_columns(added)


def is_chosen(direction: str, positives: int, possible: pl.Expr) -> pl.Expr:
    """Whether a ranked candidate is its query's positive in one direction.

    Of the possible ones in a recording the lowest rank; recordings count as near whether or not
    they hold a possible one, so that a refusal sends no query to another recording.
    """
    query, answer = (f"{view}_{{}}".format for view in DIRECTIONS[direction])
    ranks = pl.struct(~possible, direction, answer("segment_id"))
    of_recording = ("source", query("segment_id"), answer("recording_id"))
    lowest = possible & (ranks.rank("ordinal").over(of_recording) == 1)
    ways = pl.struct(f"{direction}_way", answer("recording_id"))
    near = ways.rank("dense").over("source", query("segment_id")) <= positives
    return lowest & near
