"""Results of checks as Markdown for the Dagster UI: tables, and pictures inside the text.

Everything a table shows may come from data: it is escaped so that it stays text.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence

LONGEST = 160
_MARKS = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    "|": "&#124;",
    "`": "&#96;",
    "[": "&#91;",
    "]": "&#93;",
    "*": "&#42;",
    "_": "&#95;",
    "~": "&#126;",
    "\\": "&#92;",
    "!": "&#33;",
    ":": "&#58;",
}


def cell(value: object, longest: int = LONGEST) -> str:
    """A value as text of one table cell, without any mark-up of its own."""
    if value is None:
        return ""
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    text = " ".join(text.split())
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    return "".join(_MARKS.get(c, c) for c in text)


def table(
    columns: Sequence[str],
    rows: Iterable[Mapping[str, object]],
    most: int = 20,
    longest: int = LONGEST,
) -> str:
    """Rows as a Markdown table.

    Args:
        columns: Columns shown, in order.
        rows: Rows; a column a row lacks is empty.
        most: Rows shown; how many were left out stands below.
        longest: Longest text of a cell.
    """
    held = list(rows)
    if not held:
        return "none"
    lines = ["| " + " | ".join(cell(c) for c in columns) + " |", "|" + "---|" * len(columns)]
    lines += [
        "| " + " | ".join(cell(row.get(c), longest) for c in columns) + " |" for row in held[:most]
    ]
    if len(held) > most:
        lines += ["", f"{len(held) - most} more are not shown."]
    return "\n".join(lines)


def picture(what: str, svg: str) -> str:
    """A drawing of ours (see `drawing`) as a picture inside the text.

    Args:
        what: What it shows, for readers who cannot see it.
        svg: The drawing.
    """
    data = base64.b64encode(svg.encode()).decode("ascii")
    return f"![{cell(what)}](data:image/svg+xml;base64,{data})"
