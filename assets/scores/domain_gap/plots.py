"""Questions as points in a picture, coloured by their domain."""

from __future__ import annotations

import polars as pl

from assets.statistics.plots import Plot
from expectations.checks.drawing import drawing, escaped, text_mark
from expectations.schemas.domain_gap import KINDS

_TITLES = {"text": "What questions say, by domain", "image": "What clips show, by domain"}
# As in Figure 4; what is not a domain of EgoCross is about daily life.
_COLOURS = {
    "surgery": "#c0392b",
    "industry": "#2f5fa8",
    "extreme_sports": "#2c7a3f",
    "animals": "#d9822b",
}
_DAILY = "#7d4fa0"
_SIZE_PX, _LINE_PX = 420.0, 16.0


def point_plots(points: pl.DataFrame) -> list[Plot]:
    """A picture of each kind that there are points of.

    Args:
        points: Rows of `domain_points` of one benchmark.
    """
    plots = []
    for kind in KINDS:
        mine = points.filter(kind=kind).sort("question_id")
        if mine.height:
            title = f"{_TITLES[kind]} ({mine['encoder'][0]})"
            plots.append(Plot(title, _scatter(title, mine)))
    return plots


def _scatter(title: str, points: pl.DataFrame) -> str:
    x, y = (points[name].to_numpy() for name in ("x", "y"))
    span = max(float(x.max() - x.min()), float(y.max() - y.min())) or 1.0
    domains = points["domain"].to_list()
    colours = {name: _COLOURS.get(name, _DAILY) for name in sorted(set(domains))}
    marks = [
        f'<circle cx="{(a - x.min()) / span * _SIZE_PX:.1f}" cy="{(b - y.min()) / span * _SIZE_PX:.1f}"'
        f' r="3" fill="{colours[name]}" fill-opacity="0.7"><title>{escaped(name)}</title></circle>'
        for a, b, name in zip(x, y, domains, strict=True)
    ]
    for row, (name, colour) in enumerate(colours.items()):
        height = _SIZE_PX + 18 + row * _LINE_PX
        label = f"{name.replace('_', ' ')} ({domains.count(name)})"
        marks.append(f'<circle cx="5" cy="{height - 4:.1f}" r="4" fill="{colour}"/>')
        marks.append(text_mark(16, height, label))
    return drawing(title, _SIZE_PX, _SIZE_PX + 12 + len(colours) * _LINE_PX, marks)
