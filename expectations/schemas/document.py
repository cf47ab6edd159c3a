"""The tables' declarations as a page of documentation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from expectations.schemas.core import Column, Table
from expectations.schemas.views import View

_HEAD = """# Tables

Made from `expectations/schemas` by `make docs`. Every table is a Delta table below the store's URL,
partitioned by `partition_key` (a source, a benchmark, or a run on a benchmark) and sorted by unit.
Columns marked *volatile* are left out of content hashes.
"""


_VIEWS = """## views

Computed when `parallax sql` is asked for them, and never stored; see [analytics.md](analytics.md).
"""


def document(tables: Iterable[Table], views: Iterable[View] = ()) -> str:
    """Markdown of all tables, stage by stage, in the order given, and of the views over them."""
    lines = [_HEAD]
    stage = ""
    for table in tables:
        if table.stage != stage:
            stage = table.stage
            lines += [f"## {stage}", ""]
        lines += _table(table)
    views = list(views)
    if views:
        lines.append(_VIEWS)
    for view in views:
        lines += [
            f"### `{view.name}`",
            "",
            f"One row per {view.row}.",
            "",
            *_columns(view.columns),
            "",
        ]
    return "\n".join(lines).rstrip() + "\n"


def _table(table: Table) -> Iterator[str]:
    yield f"### `{table.name}`"
    yield ""
    yield f"One row per {table.row}. Key: {', '.join(f'`{c}`' for c in table.key)}; unit: `{table.unit}`."
    yield ""
    yield from _columns(table.columns)
    if table.rules:
        yield ""
        yield from (f"- `{rule.name}`: refused if {rule.message}." for rule in table.rules)
    yield ""


def _columns(columns: Iterable[Column]) -> Iterator[str]:
    yield "| column | type | meaning |"
    yield "|---|---|---|"
    for column in columns:
        yield f"| `{column.name}` | {_type(column)} | {_meaning(column)} |"


def _type(column: Column) -> str:
    text = str(column.dtype).replace("|", "\\|")
    return f"{text}{', nullable' if column.nullable else ''}{', *volatile*' if column.volatile else ''}"


def _meaning(column: Column) -> str:
    text = column.meaning + (f" [{column.unit}]" if column.unit else "")
    if column.one_of:
        text += " One of " + ", ".join(f"`{value}`" for value in column.one_of) + "."
    bounds = [
        f"{sign} {bound:g}"
        for sign, bound in (("≥", column.low), ("≤", column.high))
        if bound is not None
    ]
    if bounds:
        text += f" ({', '.join(bounds)})"
    if column.refers_to:
        text += f" In `{column.refers_to}`."
    return text
