"""The tables' declarations as a page of documentation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from expectations.schemas.core import Column, Table

_HEAD = """# Tables

Made from `expectations/schemas` by `make docs`. Every table is a Delta table below the store's URL,
partitioned by `partition_key` (a source, a benchmark, or a run on a benchmark) and sorted by unit.
Columns marked *volatile* are left out of content hashes.
"""


def document(tables: Iterable[Table]) -> str:
    """Markdown of all tables, stage by stage, in the order given."""
    lines = [_HEAD]
    stage = ""
    for table in tables:
        if table.stage != stage:
            stage = table.stage
            lines += [f"## {stage}", ""]
        lines += _table(table)
    return "\n".join(lines).rstrip() + "\n"


def _table(table: Table) -> Iterator[str]:
    yield f"### `{table.name}`"
    yield ""
    yield f"One row per {table.row}. Key: {', '.join(f'`{c}`' for c in table.key)}; unit: `{table.unit}`."
    yield ""
    yield "| column | type | meaning |"
    yield "|---|---|---|"
    for column in table.columns:
        yield f"| `{column.name}` | {_type(column)} | {_meaning(column)} |"
    if table.rules:
        yield ""
        yield from (f"- `{rule.name}`: refused if {rule.message}." for rule in table.rules)
    yield ""


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
