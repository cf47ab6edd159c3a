"""Candidates: ego and exo segments of one pool with the same verbs and nouns (EgoBridge B6).

Stage 2 of the paper's funnel ("exactly the same nouns and verbs"). All such pairs grow with the square
of a pool's recordings, so a query keeps those in its `POSITIVES` next recordings of the other view:
recordings that have the query's sets lie on a ring of hashes, and a query takes those that follow its
own. A recording that joins displaces another only where it lies between, about as many choices as are
made in it; pairs and work grow with the recordings.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from blake3 import blake3

from assets.pairs.choice import (
    HASH_BYTES,
    RING_PLACES,
    numbers,
    pair_ranks,
    ring_places,
    share_limit,
)
from assets.pairs.pools import pool_of
from expectations.schemas import TABLES

MIN_SEGMENT_S = 0.5
EASY_NEGATIVES = 4
HARD_NEGATIVES = 19
# The paper's test split has 2,200 pairs on 23,174 released segments, after its sentence matching and
# checks by hand: far less than one each. Three leave room for what gates and reviews refuse.
POSITIVES = 3
DIRECTIONS = {"ego2exo": ("ego", "exo"), "exo2ego": ("exo", "ego")}
_SET_KEY = pl.concat_str(
    *(pl.col(c).cast(pl.List(pl.String)).list.join(",") for c in ("verbs", "nouns")), separator="|"
)
_KEY = ("source", "pool", "set_key")
_PLACES = [f"place_{i}" for i in range(RING_PLACES)]


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
        .with_columns(set_key=_SET_KEY)
        .sort("source", "segment_id")
    )


def find_candidates(
    segments: pl.DataFrame,
    labels: pl.DataFrame,
    recordings: pl.DataFrame,
    *,
    positives: int = POSITIVES,
    keep_share: float = 1.0,
    min_segment_s: float = MIN_SEGMENT_S,
) -> pl.DataFrame:
    """Candidates within the cap, each with the last stage of the funnel it reached.

    Args:
        segments: Rows of `segments`.
        labels: Rows of `labels`.
        recordings: Rows of `recordings`; those without scenario or split are in no pool
            (`pools.pool_refusals` tells which).
        positives: Recordings of the other view in which a query seeks its positives, at most;
            `count_candidates` counts what lies beyond.
        keep_share: Share of candidates kept, by a threshold on the hash of both segment ids.
        min_segment_s: Shorter segments are neither shown nor counted.

    Returns:
        Rows of `candidates` in key order. `stage` is `not_chosen` if another candidate is the
        positive of both its queries, else `sets`, `negatives_5` or `negatives_20` by how many
        negatives its better direction has.

    Raises:
        ValueError: `keep_share` is not in (0, 1], or `positives` is below 1.
    """
    limit = share_limit(keep_share)
    if positives < 1:
        raise ValueError(f"positives {positives} is below 1")
    table = TABLES["candidates"]
    options = option_segments(segments, labels, recordings, min_segment_s=min_segment_s)
    both = _in_both_views(options)
    both = both.with_columns(
        *ring_places(both["set_key"], both["recording_id"]),
        number=numbers(both["segment_id"]),
        negatives=_negative_counts(both, options),
    )
    columns = ["segment_id", "recording_id", "number", "negatives", *_PLACES]
    ego, exo = (
        both.filter(pl.col("view") == view).select(
            *_KEY, "verbs", "nouns", *(pl.col(c).alias(f"{view}_{c}") for c in columns)
        )
        for view in ("ego", "exo")
    )
    near = pl.concat(
        _nearest(*((ego, exo) if query == "ego" else (exo, ego)), query, answer, positives)
        for query, answer in DIRECTIONS.values()
    ).unique()
    ids = ["source", "ego_segment_id"], ["source", "exo_segment_id"]
    found = near.join(ego, on=ids[0]).join(exo.drop(*_KEY[1:], "verbs", "nouns"), on=ids[1])
    found = _ranked(found).filter(pl.col("ego2exo") <= limit)
    reached = pl.max_horizontal(
        pl.when(f"{direction}_chosen").then(pl.col(f"{answer}_negatives"))
        for direction, (_, answer) in DIRECTIONS.items()
    )
    found = found.with_columns(
        _is_chosen(direction, positives).alias(f"{direction}_chosen") for direction in DIRECTIONS
    ).with_columns(
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


def count_candidates(
    candidates: pl.DataFrame,
    segments: pl.DataFrame,
    labels: pl.DataFrame,
    recordings: pl.DataFrame,
    *,
    min_segment_s: float = MIN_SEGMENT_S,
) -> pl.DataFrame:
    """How many pairs with the same sets ended at each stage, those over the cap included.

    Args:
        candidates: Rows of `candidates`, from `find_candidates` on the same tables.
        segments: Rows of `segments`.
        labels: Rows of `labels`.
        recordings: Rows of `recordings`.
        min_segment_s: As given to `find_candidates`.

    Returns:
        Rows of `candidate_counts` in key order. A pair is counted once; `over_cap` are those that
        `candidates` does not hold.
    """
    table = TABLES["candidate_counts"]
    pool = ["source", "pool"]
    both = _in_both_views(
        option_segments(segments, labels, recordings, min_segment_s=min_segment_s)
    )
    of_view = [(pl.col("view") == v).sum().cast(pl.Int64) for v in ("ego", "exo")]
    all_of_pool = (
        both.group_by(_KEY).agg(n=of_view[0] * of_view[1]).group_by(pool).agg(pl.col("n").sum())
    )
    held = candidates.group_by(pool).agg(held=pl.len().cast(pl.Int64))
    over = (
        all_of_pool.join(held, on=pool, how="left")
        .select(*pool, stage=pl.lit("over_cap"), n=pl.col("n") - pl.col("held").fill_null(0))
        .filter(pl.col("n") > 0)
    )
    reached = candidates.group_by(*pool, "stage").agg(n=pl.len().cast(pl.Int64))
    return (
        pl.concat([reached, over]).select(table.schema.names()).cast(table.schema).sort(table.key)
    )


def chosen(candidates: pl.DataFrame, direction: str, *, positives: int = POSITIVES) -> pl.DataFrame:
    """Candidates that are the positive of their query in one direction.

    One per query segment and recording of the other view, by lowest rank, and of those recordings
    the nearest on the ring.

    Args:
        candidates: Rows of `candidates`; a query's nearest recordings are among them.
        direction: `ego2exo` or `exo2ego`.
        positives: At most so many recordings per query, as given to `find_candidates`.
    """
    coded = candidates.with_columns(
        *(numbers(candidates[f"{v}_segment_id"]).alias(f"{v}_number") for v in ("ego", "exo")),
        set_key=_SET_KEY,
    )
    ranked = _ranked(
        coded.with_columns(
            place.alias(f"{v}_{place.name}")
            for v in ("ego", "exo")
            for place in ring_places(coded["set_key"], coded[f"{v}_recording_id"])
        )
    )
    return ranked.filter(_is_chosen(direction, positives)).select(candidates.columns)


def _in_both_views(options: pl.DataFrame) -> pl.DataFrame:
    """Segments with verbs and nouns whose sets are seen in both views of their pool."""
    both = options.filter((pl.col("verbs").list.len() > 0) & (pl.col("nouns").list.len() > 0))
    views = both.group_by(_KEY).agg(pl.col("view").n_unique()).filter(pl.col("view") == 2)
    return both.join(views.select(_KEY), on=_KEY, how="semi")


def _nearest(
    queries: pl.DataFrame, answers: pl.DataFrame, query: str, answer: str, positives: int
) -> pl.DataFrame:
    """Pairs of each query and the segments of its nearest recordings: source and both segment ids.

    As many rows are held as are kept, times the places of a recording, whatever the pool's size.
    """
    uid, number = f"{answer}_recording_id", f"{query}_number"
    ring = (
        answers.unpivot([f"{answer}_{p}" for p in _PLACES], index=[*_KEY, uid], value_name="place")
        .select(*_KEY, "place", uid)
        .unique()
        .sort(*_KEY, "place", uid)
        .with_columns(turn=pl.int_range(pl.len()).over(_KEY), around=pl.len().over(_KEY))
        .with_columns(pl.col("turn", "around").cast(pl.Int64))
    )
    # So many places hold so many different recordings, if there are as many.
    most = pl.min_horizontal("around", pl.lit(positives * RING_PLACES, pl.Int64))
    near = (
        queries.select(*_KEY, f"{query}_segment_id", place=number)
        .sort("place")
        .join_asof(
            ring.select(*_KEY, "place", "turn").sort("place"),
            on="place",
            by=list(_KEY),
            strategy="forward",
            check_sortedness=False,
        )
        .join(ring.select(*_KEY, "around").unique(), on=_KEY)
        .with_columns(step=pl.int_ranges(0, most))
        .explode("step", empty_as_null=False)
        # Past the last place the ring begins anew.
        .with_columns(turn=(pl.col("turn").fill_null(0) + pl.col("step")) % pl.col("around"))
        .join(ring.select(*_KEY, "turn", uid), on=[*_KEY, "turn"])
        .group_by(*_KEY, f"{query}_segment_id", uid)
        .agg(pl.col("step").min())
        .filter(pl.col("step").rank("ordinal").over("source", f"{query}_segment_id") <= positives)
    )
    return near.join(answers.select(*_KEY, uid, f"{answer}_segment_id"), on=[*_KEY, uid]).select(
        "source", "ego_segment_id", "exo_segment_id"
    )


def _ranked(found: pl.DataFrame) -> pl.DataFrame:
    """With each direction's rank, and its way along the ring from query to recording."""
    added = []
    for direction, (query, answer) in DIRECTIONS.items():
        asked, given = found[f"{query}_number"], found[f"{answer}_number"]
        added.append(pair_ranks(asked, given).alias(direction))
        # Unsigned differences wrap around, as the ring does.
        ways = [found[f"{answer}_{p}"].to_numpy() - asked.to_numpy() for p in _PLACES]
        added.append(pl.Series(f"{direction}_way", np.minimum.reduce(ways), dtype=pl.UInt64))
    return found.with_columns(added)


def _is_chosen(direction: str, positives: int) -> pl.Expr:
    query, answer = (f"{view}_{{}}".format for view in DIRECTIONS[direction])
    ranks = pl.struct(direction, answer("segment_id"))
    of_recording = ("source", query("segment_id"), answer("recording_id"))
    lowest = ranks.rank("ordinal").over(of_recording) == 1
    ways = pl.struct(f"{direction}_way", answer("recording_id"))
    near = ways.rank("dense").over("source", query("segment_id")) <= positives
    return lowest & near


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
