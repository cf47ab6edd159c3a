"""What recipes need of a source before they can ask anything, with the reason where it lacks.

Each need looks at a few columns of whole tables of one source: cheap enough to be checked when
somebody asks for the status.
"""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from assets.pairs.pools import pool_of
from assets.questions.kit.builder import Need, Tables

_POOL = ("source", "recording_id", "scenario", "scene", "split", "view")
# Stages of `candidates` in the order of the funnel, for the reason.
_FUNNEL = ("sets", "rejected", "not_chosen", "sentence", "negatives_5", "negatives_20", "verified")


def rows_where(table: str, columns: tuple[str, ...], keep: pl.Expr, without: str) -> Need:
    """At least one row of a table for which an expression holds.

    Args:
        table: Table.
        columns: Columns the expression uses.
        keep: Which rows count.
        without: Reason where there is none.
    """

    def missing(tables: Tables) -> str | None:
        return None if tables[table].filter(keep).height else without

    return Need({table: columns}, missing)


def rows_of(table: str, without: str) -> Need:
    """At least one row of a table."""
    return Need(
        {table: ("source",)}, lambda tables: None if tables[table].height else without, rows=1
    )


EGO = rows_where("recordings", ("view",), pl.col("view") == "ego", "no ego recording")


def _without_a_view(tables: Tables) -> str | None:
    views = set(tables["recordings"]["view"].unique())
    lacking = [view for view in ("ego", "exo") if view not in views]
    return f"no {' and no '.join(lacking)} recording" if lacking else None


BOTH_VIEWS = Need({"recordings": ("view",)}, _without_a_view)


def take_with_both_views(methods: Collection[str]) -> Need:
    """A take with an ego and an exo recording that are joined by one of these kinds of clock."""

    def missing(tables: Tables) -> str | None:
        def both(recordings: pl.DataFrame) -> int:
            views = recordings.group_by("take_id").agg(pl.col("view").n_unique())
            return views.filter(pl.col("view") == 2).height

        recordings = tables["recordings"]
        if not both(recordings):
            return "no take has both an ego and an exo recording"
        clocks = tables["clocks"].filter(pl.col("method").is_in(list(methods)))
        if not both(recordings.join(clocks, on="recording_id", how="semi")):
            return "no ego and exo recording of one take have synchronous clocks"
        return None

    return Need(
        {"recordings": ("recording_id", "take_id", "view"), "clocks": ("recording_id", "method")},
        missing,
    )


# -- association pairs -----------------------------------------------------------------------------


def _without_a_pool(tables: Tables) -> str | None:
    pools = pool_of(tables["recordings"])
    if pools.is_empty():
        return "no recording has both a scenario and a split, which pairs are looked for within"
    views = pools.group_by("pool").agg(pl.col("view").n_unique())
    if views.filter(pl.col("view") == 2).is_empty():
        return "no scenario and split has both an ego and an exo recording"
    return None


def _without_a_pair(tables: Tables) -> str | None:
    if tables["pairs"].height:
        return None
    counts = dict(tables["candidates"].group_by("stage").len().iter_rows())
    if not counts:
        return "no ego and exo segment of one scenario and split have the same verbs and nouns"
    reached = ", ".join(f"{stage} {counts[stage]}" for stage in _FUNNEL if stage in counts)
    return f"no candidate became a pair; they reached: {reached}"


def pairs_with(negatives: int, splits: tuple[str, ...]) -> tuple[Need, ...]:
    """Association pairs of some splits with enough negatives, and what such pairs are made from."""

    def too_few(tables: Tables) -> str | None:
        asked = tables["pairs"].filter(pl.col("split").is_in(splits))
        if asked.is_empty():
            found = ", ".join(sorted(tables["pairs"]["split"].unique()))
            return f"its pairs are of split {found}; {' and '.join(splits)} are asked"
        most = int(asked["negative_segment_ids"].list.len().max())  # type: ignore[arg-type]
        if most < negatives:
            return f"a pair has at most {most} negatives; {negatives} are needed"
        return None

    return (
        BOTH_VIEWS,
        Need({"recordings": _POOL}, _without_a_pool),
        rows_where("segments", ("kind",), pl.col("kind") == "fine", "no segment of kind fine"),
        rows_where(
            "labels",
            ("class_id",),
            pl.col("class_id").is_not_null(),
            "no narration has a verb or noun of the source's taxonomy",
        ),
        Need({"candidates": ("stage",), "pairs": ("split",)}, _without_a_pair),
        Need({"pairs": ("split", "negative_segment_ids")}, too_few),
    )
