"""Narrations as later stages read them: the translation in use in place of the English that is given.

A stage that reads `segments.narration` reads it through here, so that captions, statistics, references
and questions say what the labels were read from.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from expectations.schemas.core import Reads

TRANSLATED = ("segment_id", "text", "used")
"""Columns of `translations` that the text in use depends on."""


def with_translations(reads: Reads) -> dict[str, tuple[str, ...] | None]:
    """What is read, and `translations` with it where narrations are among it.

    Args:
        reads: Columns by table; None stands for all.
    """
    said = reads.get("segments", ())
    told = said is None or "narration" in said
    return {**reads, "translations": TRANSLATED} if told else dict(reads)


def in_use(tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Tables with the narrations that are in use, without `translations` (see `with_translations`)."""
    held = dict(tables)
    made = held.pop("translations", None)
    if made is not None and not made.is_empty():
        held["segments"] = with_used(held["segments"], made)
    return held


def with_used(segments: pl.DataFrame, made: pl.DataFrame) -> pl.DataFrame:
    """Segments with the used text of those that have rows of `translations`.

    Args:
        segments: Rows of `segments`: `segment_id`, `narration` and any others.
        made: Columns `TRANSLATED` of the same source.

    Returns:
        The rows; `narration` is null where a translation is owed and none can be used.
    """
    text = made.sort("used").group_by("segment_id").agg(
        pl.col("text").filter("used").last().alias("_text"), pl.lit(True).alias("_told")
    )  # fmt: skip
    joined = segments.join(text, on="segment_id", how="left", maintain_order="left")
    used = pl.when(pl.col("_told").is_null()).then("narration").otherwise("_text")
    return joined.with_columns(narration=used).drop("_text", "_told")
