"""What people corrected of the rows that scene graphs are computed from (EgoCoT-Bench 3.2.1: verified graphs).

A reviewer judges one row of `relations`, `object_states` or `boxes`, and names one of four reasons: the row is about
another thing (identity), joins things that are not joined so (link), states what is not so or not then (state), or
shows a place at which the thing is not (grounding). A rejected row makes nothing of the graph; a corrected one makes
what the correction says, and all that follows from it: states, causes and places. The gates judge questions about
the graph by the same rows. A row that has changed since it was judged, or whose action lies at other times, is taken
as it stands; the decision is shown as stale.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from assets.sources.reviews.standing import item_hash, standing
from expectations.schemas import TABLES, Column
from expectations.schemas.reviews import GRAPH, PATCH_COLUMNS

PATCHED = {"relations": "relation_id", "object_states": "state_id", "boxes": "box_id"}
"""Tables whose rows are judged, with the column of their key."""
# What is judged of a row is what may be corrected of it, for whatever reason.
_CONTENT = {
    table: tuple(
        sorted({name for by_table in PATCH_COLUMNS.values() for name in by_table.get(table, ())})
    )
    for table in PATCHED
}
READS = {
    "segments": ("segment_id", "start_s", "end_s"),
    **{
        table: ("recording_id", key, "segment_id", *_CONTENT[table])
        for table, key in PATCHED.items()
    },
}
"""Columns that say what is judged."""
_ITEMS = pl.Schema({"item_id": pl.String(), "item_hash": pl.String(), "recording_id": pl.String()})

Tables = Mapping[str, pl.DataFrame]


def patch_items(tables: Tables) -> pl.DataFrame:
    """What there is to judge: one item per row, with the row's content and the times of its action.

    Args:
        tables: Columns of `READS` of some recordings.

    Returns:
        `item_id` (table and key of the row), `item_hash`, `recording_id`.
    """
    spans = {
        uid: (str(start_s), str(end_s))
        for uid, start_s, end_s in tables["segments"]
        .select("segment_id", "start_s", "end_s")
        .iter_rows()
    }
    rows = [
        {
            "item_id": f"{table}/{row[key]}",
            "item_hash": item_hash(
                GRAPH, *map(_text, content), *spans.get(str(row["segment_id"]), ())
            ),
            "recording_id": row["recording_id"],
        }
        for table, key in PATCHED.items()
        for row in tables[table].iter_rows(named=True)
        for content in [[row[name] for name in _CONTENT[table]]]
    ]
    return pl.DataFrame(rows, schema=_ITEMS)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def judged_rows(tables: Tables, reviews: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The same tables with the rows that were judged alone; segments stay.

    Args:
        tables: Columns of `READS`.
        reviews: Decisions on rows of graphs.
    """
    items = reviews["item_id"].unique().implode()
    judged = {
        table: tables[table].filter(pl.format(f"{table}/{{}}", key).is_in(items))
        for table, key in PATCHED.items()
    }
    return {**tables, **judged}


def graph_patches(source: str, tables: Tables, reviews: pl.DataFrame) -> pl.DataFrame:
    """Rows of `graph_patches`: decisions that stand and can be followed.

    Args:
        source: Name of the source.
        tables: Columns of `READS` of one recording.
        reviews: Decisions on rows of the source's graphs.
    """
    table = TABLES["graph_patches"]
    if reviews.is_empty():
        return table.empty()
    items = patch_items(judged_rows(tables, reviews))
    mine = reviews.filter(pl.col("item_id").is_in(items["item_id"].implode()))
    stands = standing(mine, items).filter(
        (pl.col("state") == "standing") & (pl.col("verdict") != "accept")
    )
    recordings = dict(items.select("item_id", "recording_id").iter_rows())
    rows = [
        {
            "source": source,
            "recording_id": recordings[row["item_id"]],
            "patched_table": row["item_id"].partition("/")[0],
            "patched_row": row["item_id"].partition("/")[2],
            "verdict": row["verdict"],
            "reason": reason_of(row["value"], row["reason"]),
            "value": row["value"],
            "reviewer": row["reviewer"],
        }
        for row in stands.iter_rows(named=True)
        if not why_unusable(row["item_id"], row["value"])
    ]
    return table.frame(rows).sort(table.key)


def reason_of(value: str | None, note: str | None) -> str:
    """Reason of a patch: a correction names it, the note of a rejection begins with it."""
    if value is not None:
        return str(json.loads(value)["reason"])
    return str(note).partition(":")[0].strip()


def why_unusable(item: str, value: str | None) -> str:
    """Why a correction cannot be applied to its row; empty if it can.

    Args:
        item: Table and key of the row.
        value: The correction, None of a rejection.
    """
    if value is None:
        return ""
    correction, table = json.loads(value), item.partition("/")[0]
    known = PATCH_COLUMNS[correction["reason"]].get(table, ())
    other = sorted(correction.keys() - {"reason", *known})
    if other:
        may = f"may change {', '.join(known)}" if known else "changes nothing"
        return f"reason {correction['reason']} {may} of {table}, and not {', '.join(other)}"
    columns = {column.name: column for column in TABLES[table].columns}
    changes = ((name, new) for name, new in correction.items() if name != "reason")
    wrong = (
        f"{name} of {table} cannot be {new!r}"
        for name, new in changes
        if not _fits(new, columns[name])
    )
    return next(wrong, "")


def _fits(value: Any, column: Column) -> bool:
    """Whether a column may hold a value."""
    if value is None:
        return column.nullable
    if not column.dtype.is_numeric():
        is_text = isinstance(value, str) and bool(value)
        return is_text and (column.one_of is None or value in column.one_of)
    low = -math.inf if column.low is None else column.low
    high = math.inf if column.high is None else column.high
    return type(value) in (int, float) and low <= value <= high


def unusable_patches(reviews: pl.DataFrame, items: pl.DataFrame) -> dict[str, str]:
    """Standing corrections that cannot be applied, by item, and why.

    Args:
        reviews: Decisions on rows of a source's graphs.
        items: As `patch_items` gives them.
    """
    stands = standing(reviews, items).filter(pl.col("state") == "standing")
    values = stands.select("item_id", "value").iter_rows()
    return {item: why for item, value in values if (why := why_unusable(item, value))}


def patched(tables: Tables, patches: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Tables without the rejected rows, and with the corrected ones as they are right.

    Args:
        tables: Rows of some tables; those that are not judged stay as they are.
        patches: Rows of `graph_patches`.
    """
    right = dict(tables)
    for (table,), mine in patches.group_by("patched_table"):
        name = str(table)
        if name in right:
            right[name] = _patched(right[name], PATCHED[name], mine)
    return right


def _patched(rows: pl.DataFrame, key: str, patches: pl.DataFrame) -> pl.DataFrame:
    rejected = patches.filter(pl.col("verdict") == "reject")["patched_row"].implode()
    kept = rows.filter(~pl.col(key).is_in(rejected))
    for row, name, value in _changes(patches):
        if name in kept.columns:
            new = pl.when(pl.col(key) == row).then(pl.lit(value, kept.schema[name]))
            kept = kept.with_columns(new.otherwise(pl.col(name)).alias(name))
    return kept


def _changes(patches: pl.DataFrame) -> Iterator[tuple[str, str, Any]]:
    """Row, column and value of each change."""
    corrected = patches.filter(pl.col("verdict") == "correct")
    for row, value in corrected.select("patched_row", "value").iter_rows():
        changes = json.loads(value)
        yield from ((row, name, changes[name]) for name in changes.keys() - {"reason"})
