"""Candidates: ego and exo segments of one pool with the same verbs and nouns (EgoBridge B6).

Stage 2 of the paper's funnel ("exactly the same nouns and verbs"). A candidate depends on its two
recordings alone, so that a new recording adds candidates and changes none.
"""

from __future__ import annotations

import polars as pl
from blake3 import blake3

from assets.pairs.choice import HASH_BYTES, numbers, pair_ranks, share_limit
from assets.pairs.pools import pool_of
from expectations.schemas import TABLES

MIN_SEGMENT_S = 0.5
EASY_NEGATIVES = 4
HARD_NEGATIVES = 19
DIRECTIONS = {"ego2exo": ("ego", "exo"), "exo2ego": ("exo", "ego")}


def option_segments(
    segments: pl.DataFrame,
    labels: pl.DataFrame,
    recordings: pl.DataFrame,
    *,
    min_segment_s: float = MIN_SEGMENT_S,
) -> pl.DataFrame:
    """Fine segments that can be shown: in a pool, labelled, and long enough.

    Returns:
        Columns source, pool, view, split, recording_id, segment_id, start_s, end_s, verbs, nouns
        (ascending unique classes) and set_key, sorted by segment. Segments without any label are
        left out: nothing would say that they differ from a query.
    """
    sets = labels.group_by("source", "segment_id").agg(
        pl.col("class_id").filter(pl.col("kind") == kind).unique().sort().alias(f"{kind}s")
        for kind in ("verb", "noun")
    )
    return (
        segments.filter(
            (pl.col("kind") == "fine") & (pl.col("end_s") - pl.col("start_s") >= min_segment_s)
        )
        .select("source", "recording_id", "segment_id", "start_s", "end_s")
        .join(pool_of(recordings), on=["source", "recording_id"])
        .join(sets, on=["source", "segment_id"])
        .with_columns(
            set_key=pl.concat_str(
                *(pl.col(c).cast(pl.List(pl.String)).list.join(",") for c in ("verbs", "nouns")),
                separator="|",
            )
        )
        .sort("source", "segment_id")
    )


def find_candidates(
    segments: pl.DataFrame,
    labels: pl.DataFrame,
    recordings: pl.DataFrame,
    *,
    keep_share: float = 1.0,
    min_segment_s: float = MIN_SEGMENT_S,
) -> pl.DataFrame:
    """All candidates, each with the last stage of the funnel it reached.

    Args:
        segments: Rows of `segments`.
        labels: Rows of `labels`.
        recordings: Rows of `recordings`; those without scenario or split are in no pool
            (`pools.pool_refusals` tells which).
        keep_share: Share of candidates kept, by a threshold on the hash of both segment ids.
        min_segment_s: Shorter segments are neither shown nor counted.

    Returns:
        Rows of `candidates` in key order. `stage` is `not_chosen` if another candidate is the
        positive of both its queries, else `sets`, `negatives_5` or `negatives_20` by how many
        negatives its better direction has.

    Raises:
        ValueError: `keep_share` is not in (0, 1].
    """
    limit = share_limit(keep_share)
    table = TABLES["candidates"]
    options = option_segments(segments, labels, recordings, min_segment_s=min_segment_s)
    both = options.filter((pl.col("verbs").list.len() > 0) & (pl.col("nouns").list.len() > 0))
    key = ["source", "pool", "set_key"]
    in_both_views = both.group_by(key).agg(pl.col("view").n_unique()).filter(pl.col("view") == 2)
    both = both.join(in_both_views.select(key), on=key, how="semi")
    both = both.with_columns(number=numbers(both["segment_id"]))
    both = both.with_columns(negatives=_negative_counts(both, options))
    columns = ["segment_id", "recording_id", "number", "negatives"]
    ego = both.filter(pl.col("view") == "ego").select(
        *key, "verbs", "nouns", *(pl.col(c).alias(f"ego_{c}") for c in columns)
    )
    exo = both.filter(pl.col("view") == "exo").select(
        *key, *(pl.col(c).alias(f"exo_{c}") for c in columns)
    )
    found = ego.join(exo, on=key)
    found = found.with_columns(
        ego2exo=pair_ranks(found["ego_number"], found["exo_number"]),
        exo2ego=pair_ranks(found["exo_number"], found["ego_number"]),
    ).filter(pl.col("ego2exo") <= limit)
    reached = pl.max_horizontal(
        pl.when(_is_lowest(direction)).then(pl.col(f"{answer}_negatives"))
        for direction, (_, answer) in DIRECTIONS.items()
    )
    found = found.with_columns(
        stage=pl.when(reached.is_null())
        .then(pl.lit("not_chosen"))
        .when(reached >= HARD_NEGATIVES)
        .then(pl.lit("negatives_20"))
        .when(reached >= EASY_NEGATIVES)
        .then(pl.lit("negatives_5"))
        .otherwise(pl.lit("sets")),
        pair_id=_pair_ids(found),
    )
    return found.select(table.schema.names()).cast(table.schema).sort(table.key)


def chosen(candidates: pl.DataFrame, direction: str) -> pl.DataFrame:
    """Candidates that are the positive of their query in one direction.

    One per query segment and recording of the other view, by lowest rank; so no recording can
    displace a choice made in another.

    Args:
        candidates: Rows of `candidates`.
        direction: `ego2exo` or `exo2ego`.
    """
    query, answer = DIRECTIONS[direction]
    ranks = pair_ranks(
        numbers(candidates[f"{query}_segment_id"]), numbers(candidates[f"{answer}_segment_id"])
    )
    ranked = candidates.with_columns(ranks.alias(direction))
    return ranked.filter(_is_lowest(direction)).drop(direction)


def _is_lowest(direction: str) -> pl.Expr:
    query, answer = DIRECTIONS[direction]
    rank = pl.struct(direction, f"{answer}_segment_id")
    return rank.rank("ordinal").over("source", f"{query}_segment_id", f"{answer}_recording_id") == 1


def _negative_counts(both: pl.DataFrame, options: pl.DataFrame) -> pl.Series:
    """Negatives of each segment when it is the positive."""
    counts = (
        negatives_of(both.select("source", "segment_id"), options)
        .group_by("source", "positive_segment_id")
        .len("negatives")
    )
    joined = both.join(
        counts,
        left_on=["source", "segment_id"],
        right_on=["source", "positive_segment_id"],
        how="left",
        maintain_order="left",
    )
    return joined["negatives"].fill_null(0).cast(pl.Int32)


def negatives_of(positives: pl.DataFrame, options: pl.DataFrame) -> pl.DataFrame:
    """Segments that may be negatives beside each positive, unranked.

    They lie in the positive's recording, have another verb or noun set (the query has the
    positive's) and do not overlap it in time.

    Args:
        positives: Columns source, segment_id.
        options: From `option_segments`.

    Returns:
        Columns source, positive_segment_id, segment_id, set_key.
    """
    asked = options.join(positives.unique(), on=["source", "segment_id"], how="semi").select(
        "source",
        "recording_id",
        pl.col("segment_id").alias("positive_segment_id"),
        pl.col("set_key").alias("positive_set"),
        pl.col("start_s").alias("positive_start_s"),
        pl.col("end_s").alias("positive_end_s"),
    )
    return (
        asked.join(
            options.select("source", "recording_id", "segment_id", "set_key", "start_s", "end_s"),
            on=["source", "recording_id"],
        )
        .filter(
            (pl.col("set_key") != pl.col("positive_set"))
            & (
                (pl.col("start_s") >= pl.col("positive_end_s"))
                | (pl.col("end_s") <= pl.col("positive_start_s"))
            )
        )
        .select("source", "positive_segment_id", "segment_id", "set_key")
    )


def _pair_ids(found: pl.DataFrame) -> pl.Series:
    """Hash of source and segment ids: of digests of one length, so parts cannot run together."""
    columns = ["source", "ego_segment_id", "exo_segment_id"]
    digests = {
        text: blake3(text.encode()).digest()
        for column in columns
        for text in found[column].unique()
    }
    ids = [
        blake3(b"".join(digests[part] for part in row)).hexdigest(length=HASH_BYTES)
        for row in found.select(columns).iter_rows()
    ]
    return pl.Series("pair_id", ids, dtype=pl.String)
