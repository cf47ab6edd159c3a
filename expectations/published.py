"""What a dataset's publication says of its full release, against what a source holds.

Each layout may hold a `published.toml` in its folder; each figure names the sentence it comes from. A partial
download deviates. That is a warning, never a refusal.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import polars as pl

from expectations.schemas import TABLES


@dataclass(frozen=True, slots=True)
class Figure:
    """A published figure.

    Attributes:
        about: What it counts, in the publication's words.
        value: The figure.
        said: Where it is printed.
        table: Table that should show it.
        measure: `rows`, `distinct` (values of `column`), `hours` (summed `column`, seconds) or
            `mean` (of `column`; of `end_s - start_s` for `length_s`).
        column: Column measured, empty for rows.
        where: Columns that must hold a value.
        tolerance: Share by which a full release may deviate (rounding in print).
    """

    about: str
    value: float
    said: str
    table: str
    measure: str
    column: str = ""
    where: Mapping[str, str] | None = None
    tolerance: float = 0.0


@dataclass(frozen=True, slots=True)
class Found:
    """A figure and what a source holds of it; `share` is found over published."""

    figure: Figure
    found: float
    share: float
    holds: bool


_MEASURES: dict[str, Callable[[str], pl.Expr]] = {
    "rows": lambda _: pl.len(),
    "distinct": lambda column: pl.col(column).drop_nulls().n_unique(),
    "hours": lambda column: pl.col(column).sum() / 3600,
    "mean": lambda column: (
        (pl.col("end_s") - pl.col("start_s")).mean() if column == "length_s" else pl.mean(column)
    ),
}


@cache
def figures(layout: str, text: str) -> tuple[Figure, ...]:
    """Published figures of a layout, none where nothing is known.

    Args:
        layout: Name of the layout.
        text: Content of its `published.toml`; empty where it has none.

    Raises:
        ValueError: A figure names a table, column or measure that does not exist.
    """
    declared: list[dict[str, Any]] = tomllib.loads(text).get("figure", [])
    return tuple(_checked(Figure(**figure), layout) for figure in declared)


def _checked(figure: Figure, layout: str) -> Figure:
    table = TABLES.get(figure.table)
    if table is None or figure.measure not in _MEASURES:
        raise ValueError(f"{layout}: {figure.about!r} names no table or measure")
    named = {*(figure.where or {}), figure.column} - {"", "length_s"}
    if unknown := named - set(table.schema):
        raise ValueError(f"{layout}: {figure.about!r} names columns {sorted(unknown)}")
    return figure


def compare(published: Iterable[Figure], scan: Callable[[str], pl.LazyFrame]) -> list[Found]:
    """What a source holds of each published figure of its layout.

    Args:
        published: Figures (see `figures`).
        scan: Gives the source's rows of a table.
    """
    return [_compare(figure, scan(figure.table)) for figure in published]


def _compare(figure: Figure, rows: pl.LazyFrame) -> Found:
    kept = rows.filter(*(pl.col(c) == v for c, v in (figure.where or {}).items()))
    found = kept.select(_MEASURES[figure.measure](figure.column).alias("n")).collect().item() or 0
    share = found / figure.value
    return Found(figure, float(found), share, abs(share - 1) <= figure.tolerance)
