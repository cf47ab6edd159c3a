"""Moments that a narrator described (Ego-Exo4D), with the time that may be shown around each."""

from __future__ import annotations

import polars as pl

WEARER = "C"
"""Whom a description is about: the wearer."""
REACH_S = 2.0
SHORTEST_S = 0.5


def described_moments(segments: pl.DataFrame) -> pl.DataFrame:
    """Descriptions with the time to be shown around each, in the wearer's recording.

    A description is an instant without an end. What is shown reaches half-way to the descriptions before
    and after, at most `REACH_S` to each side; moments with less than `SHORTEST_S` are left out.

    Args:
        segments: Rows of `segments`.

    Returns:
        The rows of descriptions, with `shown_from` and `shown_to` in seconds.
    """
    at = pl.col("start_s")
    moments = (
        segments.filter((pl.col("kind") == "atomic") & pl.col("narration").is_not_null())
        .sort("recording_id", "start_s", "segment_id")
        .with_columns(
            before=(at - at.shift(1).over("recording_id")).fill_null(2 * REACH_S) / 2,
            after=(at.shift(-1).over("recording_id") - at).fill_null(2 * REACH_S) / 2,
        )
        .with_columns(
            shown_from=at - pl.min_horizontal("before", pl.lit(REACH_S)),
            shown_to=at + pl.min_horizontal("after", pl.lit(REACH_S)),
        )
        .with_columns(shown_from=pl.col("shown_from").clip(lower_bound=0.0))
    )
    return moments.filter(pl.col("shown_to") - pl.col("shown_from") >= SHORTEST_S)
