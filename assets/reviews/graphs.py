"""Queue of the rows that scene graphs are computed from, for people to correct."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import polars as pl

from assets.sources.reviews.forms import QUEUE
from assets.sources.reviews.patches import PATCHED, patch_items
from expectations.schemas.reviews import GRAPH

_AGAIN = ("conflict", "unusable", "stale", "gone")
_WORDS = {
    "relations": ("hand_side", "subject", "relation", "object", "role"),
    "object_states": ("object", "attribute", "value", "moment"),
    "boxes": ("class_name", "object_id", "t_s", "x_min", "y_min", "x_max", "y_max"),
}


def graph_queue(
    source: str, tables: Mapping[str, pl.DataFrame], states: pl.DataFrame, doubted: Collection[str]
) -> pl.DataFrame:
    """Rows on which no decision stands: first those to be judged again, then those behind rejected questions.

    Args:
        source: Name of the source.
        tables: Its rows, in the columns of `patches.READS`.
        states: Rows of `review_states`.
        doubted: Items that rejected questions rest on.

    Returns:
        Columns of `QUEUE`; `text` holds the row in words.
    """
    mine = states.filter(pl.col("item_kind") == GRAPH)
    state_of = dict(mine.select("item_id", "state").iter_rows())
    hashes = dict(patch_items(tables).select("item_id", "item_hash").iter_rows())
    spans = {row[0]: row[1:] for row in tables["segments"].iter_rows()}
    rows = [
        _row(source, item, hashes[item], why, table, row, spans)
        for table, item, row in _items(tables)
        if (state := state_of.get(item)) != "standing"
        for why in [state or ("rejected_question" if item in doubted else "not_judged")]
    ]
    order = {name: at for at, name in enumerate((*_AGAIN, "rejected_question", "not_judged"))}
    rows.sort(key=lambda r: (order[r["why"]], r["recording_id"], r["start_s"] or 0.0, r["item_id"]))
    return pl.DataFrame(rows, schema=QUEUE)


def _items(tables: Mapping[str, pl.DataFrame]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for table, key in PATCHED.items():
        for row in tables[table].iter_rows(named=True):
            yield table, f"{table}/{row[key]}", row


def _row(
    source: str,
    item: str,
    content: str,
    why: str,
    table: str,
    row: Mapping[str, Any],
    spans: Mapping[str, tuple[float, float]],
) -> dict[str, Any]:
    start_s, end_s = spans.get(row["segment_id"] or "", (row.get("t_s"), row.get("t_s")))
    words = (f"{name}: {row[name]}" for name in _WORDS[table] if row[name] is not None)
    return {
        "source": source,
        "item_kind": GRAPH,
        "item_id": item,
        "item_hash": content,
        "why": why,
        "text": ", ".join(words),
        "original": None,
        "shown": None,
        "other_reading": None,
        "recording_id": row["recording_id"],
        "start_s": start_s,
        "end_s": end_s,
    }
