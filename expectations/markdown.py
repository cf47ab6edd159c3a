"""Results of checks as Markdown for the Dagster UI: tables, and plots as pictures inside the text.

Everything a table shows may come from data: it is escaped so that it stays text.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from html import escape

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
COLOURS = {"pass": "#2c7a3f", "warn": "#c98a1b", "unknown": "#7a8690", "refuse": "#a8322a"}
_BAR = "#15697a"


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
        most: Rows shown; how many were left out is said below.
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


def histogram(
    what: str,
    edges: Sequence[float],
    counts: Sequence[int],
    limits: tuple[float | None, float | None] = (None, None),
) -> str:
    """Counts per bin as a picture.

    Args:
        what: What is counted, for the line below.
        edges: Ascending borders, one more than counts.
        counts: Count of each bin.
        limits: Limits drawn as dashed lines where they lie inside.

    Raises:
        ValueError: The number of borders does not fit the number of counts.
    """
    if len(edges) != len(counts) + 1:
        raise ValueError(f"{len(edges)} borders for {len(counts)} counts; wanted one more")
    width, height, most = 420.0, 110.0, max([1, *counts])
    step = width / max(1, len(counts))
    marks = [
        f'<rect x="{i * step + 0.5:.1f}" y="{10 + height * (1 - n / most):.1f}" '
        f'width="{max(0.5, step - 1):.1f}" height="{height * n / most:.1f}" fill="{_BAR}"/>'
        for i, n in enumerate(counts)
    ]
    span = (edges[-1] - edges[0]) or 1.0
    for limit in limits:
        if limit is not None and edges[0] <= limit <= edges[-1]:
            x = width * (limit - edges[0]) / span
            marks.append(
                f'<path d="M{x:.1f} 6V{height + 10:.1f}" stroke="#b4560f" stroke-width="1.5"'
                ' stroke-dasharray="4 3"/>'
            )
    marks.append(f'<path d="M0 {height + 10:.1f}H{width}" stroke="#5c666b"/>')
    marks.append(_text(0, height + 26, f"{edges[0]:.4g}"))
    marks.append(_text(width, height + 26, f"{edges[-1]:.4g}", "end"))
    marks.append(_text(width / 2, height + 26, f"{what} (highest bar {most})", "middle"))
    return _picture(what, width, height + 36, marks)


def stacked(rows: Sequence[tuple[str, Mapping[str, int]]], what: str) -> str:
    """Counts per row and verdict as stacked bars.

    Args:
        rows: Name and counts by verdict, in shown order.
        what: What is counted, for readers who cannot see it.
    """
    width, left, step = 560.0, 190.0, 22.0
    most = max([1, *(sum(counts.values()) for _, counts in rows)])
    marks: list[str] = []
    for i, (name, counts) in enumerate(rows):
        x, y = left, 6 + i * step
        marks.append(_text(left - 8, y + 13, name[:28], "end"))
        for verdict, colour in COLOURS.items():
            length = (width - left - 50) * counts.get(verdict, 0) / most
            if length:
                marks.append(
                    f'<rect x="{x:.1f}" y="{y:.1f}" width="{length:.1f}" height="16" fill="{colour}"/>'
                )
            x += length
        marks.append(_text(x + 5, y + 13, str(sum(counts.values()))))
    y = 12 + len(rows) * step
    x = left
    for verdict, colour in COLOURS.items():
        marks.append(
            f'<rect x="{x:.0f}" y="{y:.0f}" width="10" height="10" fill="{colour}"/>'
            + _text(x + 14, y + 9, verdict)
        )
        x += 84
    return _picture(what, width, y + 20, marks)


def _text(x: float, y: float, said: str, anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="11"'
        f' font-family="sans-serif" fill="#333">{escape(said)}</text>'
    )


def _picture(what: str, width: float, height: float, marks: Iterable[str]) -> str:
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 24:.0f}" '
        f'height="{height + 12:.0f}" viewBox="-12 -6 {width + 24:.0f} {height + 12:.0f}">'
        f'<rect x="-12" y="-6" width="100%" height="100%" fill="#fff"/>{"".join(marks)}</svg>'
    )
    data = base64.b64encode(svg.encode()).decode("ascii")
    return f"![{cell(what)}](data:image/svg+xml;base64,{data})"
