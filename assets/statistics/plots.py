"""Figures as pictures: bars that both the Dagster UI and the page show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from expectations.checks.drawing import histogram, stacked

MOST_BARS = 20
_HANDS: Mapping[str, str] = {
    "left_hand": "#2f6f8f",
    "right_hand": "#b4560f",
    "both_hands": "#6a4c93",
    "unspecified_hand": "#9aa5ab",
}
_VIEWS: Mapping[str, str] = {"ego": "#2c7a3f", "exo": "#c98a1b"}
_SPLITS: Mapping[str, str] = {
    "train": "#2f6f8f",
    "val": "#c98a1b",
    "test": "#a8322a",
    "not stated": "#9aa5ab",
}

# Texts about a whole recording or step are lists, no captions.
_WHOLE = ("coarse", "scene")


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture of a figure.

    Attributes:
        title: What it shows.
        svg: The picture.
    """

    title: str
    svg: str


def plots(statistics: pl.DataFrame) -> list[Plot]:
    """Pictures of one source's figures, in the order a reader wants them; of none there are none.

    Args:
        statistics: Rows of `statistics` of one source.
    """
    of = {str(f): part for (f,), part in statistics.partition_by("figure", as_dict=True).items()}
    made: list[Plot | None] = [
        _bars(of, "recordings", "Minutes by scenario", "view", _VIEWS, seconds=60),
        _bars(of, "segments", "Segments by kind", "view", _VIEWS),
        _bars(of, "sets", "Items of task sets", "part", _SPLITS),
    ]
    for kind in ("verbs", "nouns"):
        made.append(_bars(of, kind, f"{kind.capitalize()}: segments by hand", "part", _HANDS))
        made.append(
            _bars(of, kind, f"{kind.capitalize()}: minutes by hand", "part", _HANDS, seconds=60)
        )
    made.append(_lengths(of))
    made += _gaze(of)
    return [plot for plot in made if plot is not None]


def _bars(
    of: Mapping[str, pl.DataFrame],
    figure: str,
    title: str,
    by: str,
    colours: Mapping[str, str],
    seconds: float | None = None,
) -> Plot | None:
    """The longest bars, parted by a column; what has no colour of its own is grey."""
    if figure not in of:
        return None
    value = pl.col("n").cast(pl.Float64) if seconds is None else pl.col("seconds") / seconds
    other = "other"
    groups = (
        of[figure]
        .with_columns(
            value=value,
            by=pl.when(pl.col(by).is_in(list(colours))).then(by).otherwise(pl.lit(other)),
        )
        .group_by("label", "by")
        .agg(pl.col("value").sum())
    )
    if groups["value"].sum() == 0:
        return None
    order = (
        groups.group_by("label")
        .agg(pl.col("value").sum())
        .sort(["value", "label"], descending=[True, False])
    )
    shown = order["label"].head(MOST_BARS).to_list()
    rows: dict[str, dict[str, float]] = {label: {} for label in shown}
    for label, part, n in groups.select("label", "by", "value").iter_rows():
        if label in rows:
            rows[label][part] = n
    more = len(order) - len(shown)
    said = f"{title} ({len(shown)} of {len(order)})" if more else title
    used = {part for counts in rows.values() for part in counts}
    palette = {**colours, other: "#9aa5ab"}
    named = {part.replace("_", " "): c for part, c in palette.items() if part in used}
    told = [
        (label, {part.replace("_", " "): n for part, n in counts.items()})
        for label, counts in rows.items()
    ]
    return Plot(said, stacked(told, said, named))


def _lengths(of: Mapping[str, pl.DataFrame]) -> Plot | None:
    told = of["captions"].filter(~pl.col("part").is_in(_WHOLE)) if "captions" in of else None
    if told is None or told.is_empty():
        return None
    counts = told.group_by("place").agg(pl.col("n").sum()).sort("place")
    last = int(counts["place"][-1])
    by_words = dict(counts.iter_rows())
    return Plot(
        "Captions by number of words",
        histogram("words", list(range(last + 2)), [by_words.get(n, 0) for n in range(last + 1)]),
    )


def _gaze(of: Mapping[str, pl.DataFrame]) -> list[Plot]:
    if "gaze" not in of:
        return []
    drawn = []
    tenths = [n / 20 for n in range(21)]
    shares = of["gaze"]["share"].to_list()
    drawn.append(
        Plot("Recordings by share of ticks with valid gaze", _counted("share", tenths, shares))
    )
    residuals = [value for value in of["gaze"]["mean"].to_list() if value is not None]
    if residuals:
        top = max(1.0, *residuals)
        edges = [top * n / 20 for n in range(21)]
        title = "Recordings by mean distance of gaze samples to their tick, ms"
        drawn.append(Plot(title, _counted("ms", edges, residuals)))
    return drawn


def _counted(what: str, edges: list[float], values: list[float]) -> str:
    counts = [0] * (len(edges) - 1)
    for value in values:
        at = sum(value >= edge for edge in edges[1:-1])
        counts[at] += 1
    return histogram(what, edges, counts)
