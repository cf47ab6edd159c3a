"""What Dagster shows of a table: columns with their lineage, rules, tags, and its first rows."""

from typing import Any

import dagster as dg

from assets.dagster.presentation import preview_columns, readable
from assets.stage import Stage
from expectations.checks.keys import asset_key
from expectations.checks.markdown import table as markdown_table
from expectations.schemas import Column, Table
from resources.store.tables import TableStore

PREVIEW_ROWS = 8
PREVIEW_CHARS = 160


def asset_tags(table: Table, stage: Stage) -> dict[str, str]:
    """Tags to search the graph by: the stage, how it is cut, and whether rows are only added."""
    return {
        "parallax/stage": stage.group,
        "parallax/partitions": stage.partition,
        "parallax/unit": table.unit,
        "parallax/append_only": "yes" if table.append_only else "no",
    }


def asset_metadata(table: Table, stage: Stage) -> dict[str, Any]:
    """What is known of a table before any row is made: its columns, key and rules."""
    return {**table_metadata(table), "dagster/column_lineage": column_lineage(table, stage)}


def table_metadata(table: Table) -> dict[str, Any]:
    """What a table's declaration says: its columns, key and rules."""
    rules = "\n".join(f"- `{r.name}`: {r.message}" for r in table.rules)
    return {
        "dagster/column_schema": column_schema(table),
        "dagster/table_name": table.name,
        "key": ", ".join(table.key),
        "rules": dg.MetadataValue.md(rules or "what the columns state, no more"),
    }


def column_schema(table: Table) -> dg.TableSchema:
    """A table's declaration as Dagster's column schema."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                c.name,
                type=str(c.dtype),
                description=f"{c.meaning}" + (f" [{c.unit}]" if c.unit else ""),
                constraints=dg.TableColumnConstraints(
                    nullable=c.nullable,
                    unique=table.key == (c.name,),
                    other=_other_constraints(c),
                ),
                tags={"volatile": ""} if c.volatile else {},
            )
            for c in table.columns
        ]
    )


def _other_constraints(column: Column) -> list[str]:
    """What Dagster's schema has no field for: the values a column may have, and the one it refers to."""
    values = [f"one of {column.one_of}"] if column.one_of else []
    return [*values, f"in {column.refers_to}"] if column.refers_to else values


def column_lineage(table: Table, stage: Stage) -> dg.TableColumnLineage:
    """Columns that a table's columns derive from, for Dagster."""
    return dg.TableColumnLineage(
        {
            column: [dg.TableColumnDep(asset_key(name), origin) for name, origin in origins]
            for column, origins in stage.column_origins(table.name).items()
        }
    )


def preview(store: TableStore, table: Table, partition: str) -> str:
    """First rows as a Markdown table, telling columns first; text from data is escaped."""
    rows = store.scan(table, partition).head(PREVIEW_ROWS).collect()
    if rows.is_empty():
        return "no rows"
    shown = (
        {name: readable(value) for name, value in row.items()} for row in rows.iter_rows(named=True)
    )
    columns = preview_columns(table.name, rows.columns)
    return markdown_table(columns, shown, PREVIEW_ROWS, PREVIEW_CHARS)
