"""Plots as SVG text: bars and histograms, with every text of data escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

COLOURS = {"pass": "#2c7a3f", "warn": "#c98a1b", "unknown": "#7a8690", "refuse": "#a8322a"}
_BAR = "#15697a"
# What XML cannot hold in any way of writing.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
    marks.append(text_mark(0, height + 26, f"{edges[0]:.4g}"))
    marks.append(text_mark(width, height + 26, f"{edges[-1]:.4g}", "end"))
    marks.append(text_mark(width / 2, height + 26, f"{what} (highest bar {most})", "middle"))
    return drawing(what, width, height + 36, marks)


def stacked(
    rows: Sequence[tuple[str, Mapping[str, float]]],
    what: str,
    colours: Mapping[str, str] = COLOURS,
) -> str:
    """Amounts per row and part as stacked bars.

    Args:
        rows: Name and amounts by part, in shown order.
        what: What is shown, for readers who cannot see it.
        colours: Colour of each part, in stacked order; parts without one are not drawn.
    """
    width, left, step = 560.0, 190.0, 22.0
    most = max((sum(counts.values()) for _, counts in rows), default=0) or 1
    marks: list[str] = []
    for i, (name, counts) in enumerate(rows):
        x, y = left, 6 + i * step
        marks.append(text_mark(left - 8, y + 13, name[:28], "end"))
        for part, colour in colours.items():
            length = (width - left - 50) * counts.get(part, 0) / most
            if length:
                marks.append(
                    f'<rect x="{x:.1f}" y="{y:.1f}" width="{length:.1f}" height="16" fill="{colour}"/>'
                )
            x += length
        marks.append(text_mark(x + 5, y + 13, _amount(sum(counts.values()))))
    y = 12 + len(rows) * step
    x = left
    for part, colour in colours.items():
        marks.append(
            f'<rect x="{x:.0f}" y="{y:.0f}" width="10" height="10" fill="{colour}"/>'
            + text_mark(x + 14, y + 9, part)
        )
        x += 24 + 7 * len(part)
    return drawing(what, width, y + 20, marks)


def _amount(value: float) -> str:
    return f"{value:.0f}" if value == round(value) or value >= 100 else f"{value:.1f}"


def escaped(text: str) -> str:
    """Text of data as text of a drawing, whatever it holds."""
    return escape(_FORBIDDEN.sub("", text))


def text_mark(
    x: float,
    y: float,
    said: str,
    anchor: str = "start",
    size: int = 11,
    colour: str = "#333",
) -> str:
    """A line of text.

    Args:
        x: Where it is anchored (px).
        y: Its base line (px).
        said: The text, which is escaped.
        anchor: `start`, `middle` or `end`.
        size: Height of the letters (px).
        colour: Colour.
    """
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"'
        f' font-family="sans-serif" fill="{colour}">{escaped(said)}</text>'
    )


def drawing(what: str, width: float, height: float, marks: Iterable[str]) -> str:
    """Marks as a picture with a white ground and a border of its own.

    Args:
        what: What is shown, for readers who cannot see it; it is escaped.
        width: Width (px).
        height: Height (px).
        marks: Elements, those below first.
    """
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 24:.0f}" '
        f'height="{height + 12:.0f}" viewBox="-12 -6 {width + 24:.0f} {height + 12:.0f}">'
        f"<title>{escaped(what)}</title>"
        f'<rect x="-12" y="-6" width="100%" height="100%" fill="#fff"/>{"".join(marks)}</svg>'
    )
