"""From votes to pairs: three of four annotators must agree (EgoBridge sections 3.2 and 6.3.3)."""

from __future__ import annotations

import polars as pl

from assets.agreement import Agreement, Judgement, agreement

AGREE = 3
ANNOTATORS = 4
"""A pair holds when at least `AGREE` annotators agree, and they are at least `AGREE` of
`ANNOTATORS` of those who judged: two against one, and three against two, decide nothing."""


def judged(votes: pl.DataFrame, mode: str) -> pl.DataFrame:
    """Better clip of each pair, by votes where there are any, else by the released outcome.

    Args:
        votes: Rows of `skill_votes`.
        mode: `parity` takes the released pairs with their outcome, and no others.

    Returns:
        The rows (columns `votes` and `stated_better` kept) with `better` (null: undecided),
        `n_votes`, `n_agree`, `agreement` and `agrees_with_release`. A tie vote (`neither`) counts
        among those who judged and for no clip.
    """
    counted = votes.with_columns(_count("first"), _count("second"), n_votes=_n_votes())
    most = pl.max_horizontal("n_first", "n_second")
    leader = (
        pl.when(pl.col("n_first") > pl.col("n_second"))
        .then(pl.lit("first"))
        .when(pl.col("n_second") > pl.col("n_first"))
        .then(pl.lit("second"))
    )
    holds = (most >= AGREE) & (most * ANNOTATORS >= pl.col("n_votes") * AGREE)
    voted = pl.when(holds).then(leader)
    found = counted.with_columns(
        n_agree=pl.when(pl.col("n_votes").is_not_null()).then(most),
        agreement=most / pl.col("n_votes"),
        agrees_with_release=voted == pl.col("stated_better"),
    )
    if mode == "parity":
        found = found.filter(pl.col("stated_better").is_not_null())
        better = pl.col("stated_better")
    else:
        better = pl.when(pl.col("n_votes").is_null()).then(pl.col("stated_better")).otherwise(voted)
    return found.with_columns(better.alias("better")).drop("n_first", "n_second")


def _n_votes() -> pl.Expr:
    return pl.when(pl.col("votes").list.len() > 0).then(pl.col("votes").list.len().cast(pl.Int64))


def _count(side: str) -> pl.Expr:
    said = pl.element().struct.field("better") == side
    return pl.col("votes").list.eval(said).list.sum().cast(pl.Int64).alias(f"n_{side}")


def with_self_levels(pairs: pl.DataFrame, levels: pl.DataFrame) -> pl.DataFrame:
    """Put what performers say of themselves beside what annotators say of them.

    Args:
        pairs: Pairs with both recordings and `better`.
        levels: Columns `recording_id` and `level`, a row per recording.

    Returns:
        The pairs with `first_self_level`, `second_self_level`, `self_better` and `self_agrees`.
    """
    for side in ("first", "second"):
        own = levels.select(
            pl.col("recording_id").alias(f"{side}_recording_id"),
            pl.col("level").alias(f"{side}_self_level"),
        )
        pairs = pairs.join(own, on=f"{side}_recording_id", how="left", maintain_order="left")
    first, second = pl.col("first_self_level"), pl.col("second_self_level")
    return pairs.with_columns(
        self_better=pl.when(first > second)
        .then(pl.lit("first"))
        .when(second > first)
        .then(pl.lit("second"))
        .when(first == second)
        .then(pl.lit("equal"))
    ).with_columns(
        self_agrees=pl.when(pl.col("self_better") != "equal").then(
            pl.col("self_better") == pl.col("better")
        )
    )


def vote_agreement(pairs: pl.DataFrame) -> Agreement:
    """How far annotators agree on which clip of a pair is better.

    Votes are compared by the clips' names. By their place in the pair, a list that names the better clip first
    would look as if chance agreed too. A pair counts for both its recordings.

    Args:
        pairs: Rows with `pair_id`, both clips and recordings, and `votes`.
    """
    judgements: list[Judgement] = []
    clusters: dict[str, tuple[str, str]] = {}
    for row in pairs.filter(pl.col("votes").list.len() > 0).iter_rows(named=True):
        in_order = row["first_clip_id"] < row["second_clip_id"]
        names = {
            "first": "lesser" if in_order else "greater",
            "second": "greater" if in_order else "lesser",
            "neither": "neither",
        }
        item = row["pair_id"]
        clusters[item] = (row["first_recording_id"], row["second_recording_id"])
        judgements += [
            Judgement(vote["annotator"], item, names[vote["better"]]) for vote in row["votes"]
        ]
    return agreement(judgements, clusters)
