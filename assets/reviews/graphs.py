"""Queue of the rows that scene graphs are computed from, for people to correct."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from assets.scene_graphs.patches import KIND, PATCHED, READS, patch_items
from assets.sources.reviews.forms import QUEUE
from expectations.schemas import TABLES
from resources.config import Settings

_AGAIN = ("conflict", "unusable", "stale", "gone")
_WORDS = {
    "relations": ("hand_side", "subject", "relation", "object", "role"),
    "object_states": ("object", "attribute", "value", "moment"),
    "boxes": ("class_name", "object_id", "t_s", "x_min", "y_min", "x_max", "y_max"),
}


def graph_queue(settings: Settings, source: str) -> pl.DataFrame:
    """Rows on which no decision stands: first those to be judged again, then those behind rejected questions.

    Args:
        settings: Configuration.
        source: Source.

    Returns:
        Columns of `QUEUE`; `text` holds the row in words.
    """
    store = settings.store
    tables = {name: store.read(TABLES[name], source, columns=of) for name, of in READS.items()}
    states = store.read(TABLES["review_states"], source).filter(pl.col("item_kind") == KIND)
    state_of = dict(states.select("item_id", "state").iter_rows())
    doubted = _behind_rejected_questions(settings, source)
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
        "item_kind": KIND,
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


def _behind_rejected_questions(settings: Settings, source: str) -> set[str]:
    """Items that the evidence of questions with a standing rejection leads to."""
    store = settings.store
    rejected: list[dict[str, str]] = []
    for benchmark in settings.benchmarks:
        outcomes = store.read(TABLES["question_reviews"], benchmark)
        ids = outcomes.filter((pl.col("state") == "standing") & (pl.col("verdict") == "reject"))
        questions = store.scan(TABLES["questions"], benchmark, columns=("question_id", "source", "evidence"))  # fmt: skip
        mine = questions.filter(
            (pl.col("source") == source) & pl.col("question_id").is_in(ids["question_id"].implode())
        )
        rejected += [one for rows in mine.collect()["evidence"] for one in rows]
    found = {f"{one['table']}/{one['key']}" for one in rejected}
    for table, key in (("graph_edges", "edge_id"), ("graph_nodes", "node_id")):
        keys = [one["key"] for one in rejected if one["table"] == table]
        columns = (key, "source_table", "source_row")
        rows = store.scan(TABLES[table], source, columns=columns).filter(pl.col(key).is_in(keys))
        found |= {f"{of}/{row}" for _, of, row in rows.collect().iter_rows()}
    return found
