"""What splits share that should not: of the published lists, of the sets made from them, of both.

EgoBridge says that its split is without leaks between benchmarks (section 4.2); its files share
recordings and clips. Everything that has a split is held against everything else: a recording that is
in one's training split and another's test split is a row, whichever two they are.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

EXAMPLES = 5
UNITS = ("recording", "segment", "pair")
_MEMBER = ("set", "split", "member")


def members(tables: Mapping[str, pl.DataFrame], unit: str) -> pl.DataFrame:
    """Everything that is split, as rows `set`, `split`, `member`, each once.

    Args:
        tables: `recordings`, `splits`, `segments`, `pairs`, `skill_votes`, `skill_pairs`,
            `skill_triplets` and `task_sets`, with the columns that are read here.
        unit: One of `UNITS`.
    """
    held = {
        "recording": _recordings,
        "segment": _segments,
        "pair": _pairs,
    }[unit](tables)
    kept = [frame.select(_MEMBER).cast(pl.String()).drop_nulls() for frame in held]
    return pl.concat(kept).unique().sort(_MEMBER)


def overlaps(split: pl.DataFrame) -> pl.DataFrame:
    """Rows of `split_overlaps` from `set` on.

    Args:
        split: What `members` gives.
    """
    size = split.group_by("set", "split").agg(n_of=pl.len().cast(pl.Int64))
    other = split.rename({"set": "other_set", "split": "other_split"})
    earlier = (pl.col("set") < pl.col("other_set")) | (
        (pl.col("set") == pl.col("other_set")) & (pl.col("split") < pl.col("other_split"))
    )
    # Of most recordings all splits agree: only those of two names are joined.
    mixed = split.group_by("member").agg(pl.col("split").n_unique().alias("names"))
    mixed = mixed.filter(pl.col("names") > 1).select("member")
    shared = (
        split.join(mixed, on="member", how="semi")
        .join(other, on="member")
        .filter((pl.col("split") != pl.col("other_split")) & earlier)
        .group_by("set", "split", "other_set", "other_split")
        .agg(
            n=pl.len().cast(pl.Int64),
            examples=pl.col("member").sort().head(EXAMPLES),
        )
    )
    return (
        shared.join(size.rename({"n_of": "n_of_split"}), on=["set", "split"])
        .join(
            size.rename({"n_of": "n_of_other", "set": "other_set", "split": "other_split"}),
            on=["other_set", "other_split"],
        )
        .with_columns(share=pl.col("n") / pl.min_horizontal("n_of_split", "n_of_other"))
        .sort("set", "split", "other_set", "other_split")
    )


def _recordings(tables: Mapping[str, pl.DataFrame]) -> list[pl.DataFrame]:
    items = tables["task_sets"]
    given = items.select("set", "split", pl.col("references").alias("one")).explode(
        "one", empty_as_null=False
    )
    return [
        _named(tables["recordings"], "recordings", "recording_id"),
        _named(tables["segments"], "annotations", "recording_id"),
        tables["splits"].rename({"split_set": "set", "recording_id": "member"}),
        items.rename({"recording_id": "member"}),
        given.with_columns(member=pl.col("one").struct.field("recording_id")),
        *_association(tables, "recording_id"),
        *_skill(tables, "recording_id", "recording_id"),
    ]


def _segments(tables: Mapping[str, pl.DataFrame]) -> list[pl.DataFrame]:
    items = tables["task_sets"]
    given = items.select("set", "split", pl.col("references").alias("one")).explode(
        "one", empty_as_null=False
    )
    return [
        items.rename({"segment_id": "member"}),
        given.with_columns(member=pl.col("one").struct.field("segment_id")),
        *_association(tables, "segment_id"),
        *_skill(tables, "clip_id", "segment_id"),
    ]


def _pairs(tables: Mapping[str, pl.DataFrame]) -> list[pl.DataFrame]:
    # A pair is the same in either order.
    names = pl.concat_list("first_clip_id", "second_clip_id").list.sort().list.join(" ")
    return [frame.with_columns(member=names) for frame in _lists(tables)]


def _association(tables: Mapping[str, pl.DataFrame], column: str) -> list[pl.DataFrame]:
    # Negatives come from the positive's own recording.
    return [
        _named(tables["pairs"], "association", f"{role}_{column}") for role in ("query", "positive")
    ]


def _skill(tables: Mapping[str, pl.DataFrame], column: str, given: str) -> list[pl.DataFrame]:
    triplets = tables["skill_triplets"].filter(pl.col("mode") == "paper")
    return [
        _named(triplets, "skill/paper", f"reference_{given}"),
        *(
            frame.with_columns(member=pl.col(f"{side}_{column}"))
            for frame in _lists(tables)
            for side in ("first", "second")
        ),
    ]


def _lists(tables: Mapping[str, pl.DataFrame]) -> list[pl.DataFrame]:
    """Pairs of the released lists, and those kept in `paper`, with set and split."""
    released = (
        tables["skill_votes"]
        .with_columns(split=pl.col("splits"))
        .explode("split", empty_as_null=False)
        .with_columns(set=pl.lit("skill/released"))
    )
    kept = tables["skill_pairs"].filter((pl.col("mode") == "paper") & (pl.col("state") == "kept"))
    return [released, kept.with_columns(set=pl.lit("skill/paper"))]


def _named(frame: pl.DataFrame, name: str, member: str) -> pl.DataFrame:
    return frame.with_columns(set=pl.lit(name), member=pl.col(member))
