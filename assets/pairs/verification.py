"""Verification of pairs by people: a queue out, decisions in (EgoBridge B6, stage 5).

"We manually check the semantic meaning of each ego-exo pair and corresponding ego-exo video." A pair is
judged by its two clips and what they are narrated as: a decision on other times or other words is stale.
"""

from __future__ import annotations

import polars as pl

from assets.sources.reviews.forms import QUEUE
from assets.sources.reviews.standing import item_hash, standing

KIND = "pair"
# Of `verdict`: a pair can be right or wrong; there is nothing in it to correct.
FOLLOWED = ("accept", "reject")
_TOLD = ("recording_id", "segment_id", "narration", "start_s", "end_s")
VERDICT = pl.Schema({"pair_id": pl.String(), "verdict": pl.String()})


def pair_hashes(pairs: pl.DataFrame) -> pl.Series:
    """Hash of what is judged of each pair.

    Args:
        pairs: Both sides' segment_id, narration, start_s and end_s, as `ego_` and `exo_` columns.
    """
    names = [f"{view}_{name}" for view in ("ego", "exo") for name in _TOLD[1:]]
    hashes = [
        item_hash(KIND, *(None if value is None else str(value) for value in row))
        for row in pairs.select(names).iter_rows()
    ]
    return pl.Series("item_hash", hashes, dtype=pl.String)


def verdicts(pairs: pl.DataFrame, decisions: pl.DataFrame | None) -> pl.DataFrame:
    """Verdicts that stand: columns pair_id and verdict, of judged pairs alone.

    Args:
        pairs: As for `pair_hashes`, with `pair_id`.
        decisions: Rows of `reviews`; those on other items are left out. None for none.
    """
    if decisions is None or decisions.is_empty():
        return VERDICT.to_frame()
    said = decisions.filter((pl.col("item_kind") == KIND) & pl.col("verdict").is_in(FOLLOWED)).join(
        pairs.select(item_id="pair_id"), on="item_id", how="semi"
    )
    judged = pairs.join(said.select(pair_id="item_id"), on="pair_id", how="semi")
    items = pl.DataFrame({"item_id": judged["pair_id"], "item_hash": pair_hashes(judged)})
    held = standing(said, items).filter(pl.col("state") == "standing")
    return held.select(pl.col("item_id").alias("pair_id"), "verdict")


def told_pairs(candidates: pl.DataFrame, segments: pl.DataFrame) -> pl.DataFrame:
    """Candidates with what is judged of both sides, as `pair_hashes` takes them."""
    told = candidates
    for view in ("ego", "exo"):
        side = segments.select("source", *(pl.col(c).alias(f"{view}_{c}") for c in _TOLD))
        side = side.drop(f"{view}_recording_id")
        told = told.join(side, on=["source", f"{view}_segment_id"], maintain_order="left")
    return told


def review_queue(
    candidates: pl.DataFrame, segments: pl.DataFrame, *, again: bool = False
) -> pl.DataFrame:
    """Pairs that questions are made of and nobody decided on yet, the doubtful first.

    Args:
        candidates: Rows of `candidates` of a source.
        segments: Rows of `segments` with the narrations the candidates were compared by.
        again: Whether pairs with a standing decision go out too.

    Returns:
        Rows of a queue (`reviews.QUEUE`): ego clip in its columns, the exo clip in `original`.
    """
    open_ = candidates.filter(pl.col("stage").is_in(("negatives_5", "negatives_20", "verified")))
    if not again:
        open_ = open_.filter(pl.col("verdict").is_null())
    told = told_pairs(open_, segments).sort("sentence_similarity", "pair_id", nulls_last=True)
    of_exo = pl.format(
        "{} | {} {} to {} s",
        pl.col("exo_narration").fill_null(""),
        "exo_recording_id",
        pl.col("exo_start_s").round(2),
        pl.col("exo_end_s").round(2),
    )
    why = pl.when(pl.col("sentence_similarity").is_null()).then(pl.lit("not_verified"))
    queue = told.with_columns(
        pl.lit(KIND).alias("item_kind"),
        pl.col("pair_id").alias("item_id"),
        pair_hashes(told),
        why.otherwise(pl.format("similarity_{}", "sentence_similarity")).alias("why"),
        pl.col("ego_narration").fill_null("").alias("text"),
        of_exo.alias("original"),
        pl.lit(None, pl.String).alias("shown"),
        pl.lit(None, pl.String).alias("other_reading"),
        pl.col("ego_recording_id").alias("recording_id"),
        pl.col("ego_start_s").alias("start_s"),
        pl.col("ego_end_s").alias("end_s"),
    )
    return queue.select(QUEUE.names()).cast(QUEUE)
