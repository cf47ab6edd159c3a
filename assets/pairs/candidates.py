"""Candidates: ego and exo segments of one pool that may show the same action (EgoBridge B6).

The paper's funnel (supplement 6.1): (1) scenario, the pool; (2) "exactly the same nouns and verbs";
(3) sentence match; (4) negatives from the positive's own video; (5) verification by people. A
candidate keeps the last stage it reached. A query keeps its nearest recordings alone (see `nearest`);
what lies beyond is counted.
"""

from __future__ import annotations

import polars as pl
from blake3 import blake3

from assets.pairs.choice import numbers, ring_places, share_limit
from assets.pairs.nearest import DIRECTIONS, KEY, PLACES, is_chosen, nearest, ranked
from assets.pairs.pools import pool_of
from assets.pairs.sentence_match import Compare, not_compared
from assets.pairs.verification import verdicts
from expectations.schemas import TABLES
from expectations.schemas.identity import HASH_BYTES
from expectations.schemas.labels import DONE
from expectations.schemas.pairs import POSITIVES_PER_QUERY

MIN_SEGMENT_S = 0.5
EASY_NEGATIVES = 4
HARD_NEGATIVES = 19
# The paper's test split has 2,200 pairs on 23,174 released segments, after its sentence matching and
# checks by hand: far less than one each. Three leave room for what gates and reviews refuse.
# Candidates that are not positives whatever lies beside them: other sentences, or refused by a person.
_FAILED = ("sets", "rejected")
_SET_KEY = pl.concat_str(
    *(pl.col(c).cast(pl.List(pl.String)).list.join(",") for c in ("verbs", "nouns")), separator="|"
)


def option_segments(
    segments: pl.DataFrame,
    labels: pl.DataFrame,
    recordings: pl.DataFrame,
    *,
    min_segment_s: float = MIN_SEGMENT_S,
) -> pl.DataFrame:
    """Fine segments that can be shown: in a pool, labelled, and long enough.

    Returns:
        Columns source, pool, view, split, recording_id, segment_id, start_s, end_s, narration,
        verbs, nouns (ascending unique classes) and set_key, sorted by segment. Segments without any
        class are left out: nothing would say that they differ from a query. So are those whose
        narration says of an action that it was not done, or not to the end: their classes say it was.
    """
    classed = labels.filter(pl.col("class_id").is_not_null())
    undone = labels.filter((pl.col("kind") == "verb") & (pl.col("status") != DONE))
    sets = classed.group_by("source", "segment_id").agg(
        pl.col("class_id").filter(pl.col("kind") == kind).unique().sort().alias(f"{kind}s")
        for kind in ("verb", "noun")
    )
    return (
        segments.filter(
            (pl.col("kind") == "fine") & (pl.col("end_s") - pl.col("start_s") >= min_segment_s)
        )
        .select("source", "recording_id", "segment_id", "start_s", "end_s", "narration")
        .join(pool_of(recordings), on=["source", "recording_id"])
        .join(sets, on=["source", "segment_id"])
        .join(undone, on=["source", "segment_id"], how="anti")
        .with_columns(set_key=_SET_KEY)
        .sort("source", "segment_id")
    )


def find_candidates(
    segments: pl.DataFrame,
    labels: pl.DataFrame,
    recordings: pl.DataFrame,
    *,
    positives: int = POSITIVES_PER_QUERY,
    keep_share: float = 1.0,
    min_segment_s: float = MIN_SEGMENT_S,
    compare: Compare = not_compared,
    decisions: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Candidates within the cap, each with the last stage of the funnel it reached.

    Args:
        segments: Rows of `segments`.
        labels: Rows of `labels`.
        recordings: Rows of `recordings`; those without scenario or split are in no pool.
        positives: Recordings of the other view in which a query seeks its positives, at most;
            `count_candidates` counts what lies beyond.
        keep_share: Share of candidates kept, by a threshold on the hash of both segment ids.
        min_segment_s: Shorter segments are neither shown nor counted.
        compare: Tells which candidates' sentences match (see `sentence_match`).
        decisions: Rows of `reviews` on pairs of these sources; those on other content are stale.

    Returns:
        Rows of `candidates` in key order. `stage` is `sets` where the sentences do not match,
        `rejected` where a person refused, `not_chosen` where another candidate is the positive of
        both its queries; else `sentence`, `negatives_5` or `negatives_20` by how many negatives its
        better direction has, and `verified` where a person accepted one of the last.

    Raises:
        ValueError: `keep_share` is not in (0, 1], or `positives` is below 1.
    """
    limit = share_limit(keep_share)
    if positives < 1:
        raise ValueError(f"positives {positives} is below 1")
    table = TABLES["candidates"]
    options = option_segments(segments, labels, recordings, min_segment_s=min_segment_s)
    found = _near(options, positives).filter(pl.col("ego2exo") <= limit)
    found = found.with_columns(pair_id=_pair_ids(found)).sort("source", "pair_id")
    found = found.with_columns(compare(found).get_columns())
    found = found.join(verdicts(found, decisions), on="pair_id", how="left", maintain_order="left")
    matches, rejected = pl.col("sentence_match"), pl.col("verdict").eq_missing("reject")
    found = found.with_columns(
        is_chosen(direction, positives, matches & ~rejected).alias(f"{direction}_chosen")
        for direction in DIRECTIONS
    )
    reached = pl.max_horizontal(
        pl.when(f"{direction}_chosen").then(pl.col(f"{answer}_negatives"))
        for direction, (_, answer) in DIRECTIONS.items()
    )
    hard = pl.when(pl.col("verdict").eq_missing("accept")).then(pl.lit("verified"))
    found = found.with_columns(
        stage=pl.when(~matches)
        .then(pl.lit("sets"))
        .when(rejected)
        .then(pl.lit("rejected"))
        .when(reached.is_null())
        .then(pl.lit("not_chosen"))
        .when(reached >= HARD_NEGATIVES)
        .then(hard.otherwise(pl.lit("negatives_20")))
        .when(reached >= EASY_NEGATIVES)
        .then(pl.lit("negatives_5"))
        .otherwise(pl.lit("sentence"))
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
    """How many ego-exo pairs of each pool ended at each stage, those over the cap included.

    Args:
        candidates: Rows of `candidates`, from `find_candidates` on the same tables.
        segments: Rows of `segments`.
        labels: Rows of `labels`.
        recordings: Rows of `recordings`.
        min_segment_s: As given to `find_candidates`.

    Returns:
        Rows of `candidate_counts` in key order. A pair is counted once; `scenario` are those whose
        sets differ, and `over_cap` those with the same sets that `candidates` does not hold.
    """
    table = TABLES["candidate_counts"]
    pool = ["source", "pool"]
    options = option_segments(segments, labels, recordings, min_segment_s=min_segment_s)
    of_view = [(pl.col("view") == v).sum().cast(pl.Int64) for v in ("ego", "exo")]
    same = (
        _in_both_views(options)
        .group_by(KEY)
        .agg(n=of_view[0] * of_view[1])
        .group_by(pool)
        .agg(same=pl.col("n").sum())
    )
    held = candidates.group_by(pool).agg(held=pl.len().cast(pl.Int64))
    of_pool = (
        options.group_by(pool)
        .agg(n=of_view[0] * of_view[1])
        .join(same, on=pool, how="left")
        .join(held, on=pool, how="left")
        .with_columns(pl.col("same", "held").fill_null(0))
    )
    beside = [
        of_pool.select(*pool, stage=pl.lit("scenario"), n=pl.col("n") - pl.col("same")),
        of_pool.select(*pool, stage=pl.lit("over_cap"), n=pl.col("same") - pl.col("held")),
    ]
    reached = candidates.group_by(*pool, "stage").agg(n=pl.len().cast(pl.Int64))
    counts = pl.concat([reached, *beside]).filter(pl.col("n") > 0)
    return counts.select(table.schema.names()).cast(table.schema).sort(table.key)


def chosen(
    candidates: pl.DataFrame, direction: str, *, positives: int = POSITIVES_PER_QUERY
) -> pl.DataFrame:
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
    told = ranked(
        coded.with_columns(
            place.alias(f"{v}_{place.name}")
            for v in ("ego", "exo")
            for place in ring_places(coded["set_key"], coded[f"{v}_recording_id"])
        )
    )
    possible = ~pl.col("stage").is_in(_FAILED)
    return told.filter(is_chosen(direction, positives, possible)).select(candidates.columns)


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


def _in_both_views(options: pl.DataFrame) -> pl.DataFrame:
    """Segments with verbs and nouns whose sets are seen in both views of their pool."""
    both = options.filter((pl.col("verbs").list.len() > 0) & (pl.col("nouns").list.len() > 0))
    views = both.group_by(KEY).agg(pl.col("view").n_unique()).filter(pl.col("view") == 2)
    return both.join(views.select(KEY), on=KEY, how="semi")


def _near(options: pl.DataFrame, positives: int) -> pl.DataFrame:
    """Pairs with the same sets in each other's nearest recordings, ranked, with both sides' columns."""
    both = _in_both_views(options)
    both = both.with_columns(
        *ring_places(both["set_key"], both["recording_id"]),
        number=numbers(both["segment_id"]),
        negatives=_negative_counts(both, options),
    )
    columns = ["segment_id", "recording_id", "number", "negatives", *PLACES]
    columns += ["narration", "start_s", "end_s"]
    ego, exo = (
        both.filter(pl.col("view") == view).select(
            *KEY, "verbs", "nouns", *(pl.col(c).alias(f"{view}_{c}") for c in columns)
        )
        for view in ("ego", "exo")
    )
    near = pl.concat(
        nearest(*((ego, exo) if query == "ego" else (exo, ego)), query, answer, positives)
        for query, answer in DIRECTIONS.values()
    ).unique()
    ids = ["source", "ego_segment_id"], ["source", "exo_segment_id"]
    found = near.join(ego, on=ids[0]).join(exo.drop(*KEY[1:], "verbs", "nouns"), on=ids[1])
    return ranked(found)


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
