"""Rows of scene graphs for people to decide on."""

from __future__ import annotations

import polars as pl

from assets.reviews.graphs import graph_queue
from assets.sources.reviews.patches import READS
from expectations.schemas import TABLES
from resources.config import Settings


def graphs_of(settings: Settings, source: str) -> pl.DataFrame:
    """Queue of the rows of a source's graphs on which no decision stands.

    Args:
        settings: Configuration.
        source: Source.

    Returns:
        Columns of `QUEUE`.
    """
    read = settings.store.read
    tables = {name: read(TABLES[name], source, columns=of) for name, of in READS.items()}
    states = read(TABLES["review_states"], source)
    return graph_queue(source, tables, states, _behind_rejected_questions(settings, source))


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
    items = {f"{one['table']}/{one['key']}" for one in rejected}
    for table, key in (("graph_edges", "edge_id"), ("graph_nodes", "node_id")):
        keys = [one["key"] for one in rejected if one["table"] == table]
        columns = (key, "source_table", "source_row")
        rows = store.scan(TABLES[table], source, columns=columns).filter(pl.col(key).is_in(keys))
        items |= {f"{of}/{row}" for _, of, row in rows.collect().iter_rows()}
    return items
