"""Pictures of a table's rows in one partition, for the Dagster UI: Markdown by title."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from expectations.checks.drawing import histogram, stacked
from expectations.checks.markdown import picture

BINS = 30
_OUTCOMES = {
    "right": "#2c7a3f",
    "wrong": "#c98a1b",
    "withheld": "#2f6f8f",
    "unparsed": "#7a8690",
    "error": "#a8322a",
}
_LETTERS = ("#2f6f8f", "#b4560f", "#6a4c93", "#2c7a3f", "#c98a1b", "#a8322a", "#9aa5ab", "#15697a")

Pictures = Callable[[pl.DataFrame], dict[str, str]]


def pictures(table: str) -> Pictures | None:
    """What draws a table's rows; None where nothing of them is drawn."""
    return _PICTURES.get(table)


def _answers(rows: pl.DataFrame) -> dict[str, str]:
    """Right, wrong and unparsed answers of each subtask, and those whose right answer is withheld."""
    outcome = (
        pl.when(status="error")
        .then(pl.lit("error"))
        .when(pl.col("status") != "parsed")
        .then(pl.lit("unparsed"))
        .when(pl.col("right").is_null())
        .then(pl.lit("withheld"))
        .when("right")
        .then(pl.lit("right"))
        .otherwise(pl.lit("wrong"))
    )
    return _stacked(rows.select("subtask", part=outcome), "answers by subtask", _OUTCOMES)


def _questions(rows: pl.DataFrame) -> dict[str, str]:
    """Letters of the right options of each subtask: about as many of each, where none is favoured."""
    # Open questions have no letter, and released ones may withhold it.
    rows = rows.drop_nulls("answer")
    letters = sorted(rows["answer"].unique())
    colours = {letter: _LETTERS[at % len(_LETTERS)] for at, letter in enumerate(letters)}
    return _stacked(
        rows.select("subtask", part="answer"), "right options by subtask and letter", colours
    )


def _calls(rows: pl.DataFrame) -> dict[str, str]:
    """How long calls took."""
    seconds = rows["seconds"].drop_nulls()
    longest = seconds.max()
    if not isinstance(longest, float) or longest <= 0:
        return {}
    edges = [longest * i / BINS for i in range(BINS + 1)]
    places = (seconds / longest * BINS).floor().clip(0, BINS - 1).cast(pl.Int64)
    n_by_bin = dict(places.value_counts().iter_rows())
    counts = [n_by_bin.get(i, 0) for i in range(BINS)]
    title = "seconds per call"
    return {title: picture(title, histogram(title, edges, counts))}


def _stacked(rows: pl.DataFrame, title: str, colours: Mapping[str, str]) -> dict[str, str]:
    """Rows of each subtask, cut by part."""
    counts: dict[str, dict[str, float]] = {}
    for subtask, part, n in rows.group_by("subtask", "part").len().sort("subtask").iter_rows():
        counts.setdefault(subtask, {})[part] = n
    if not counts:
        return {}
    return {title: picture(title, stacked(list(counts.items()), title, colours))}


_PICTURES: Mapping[str, Pictures] = {"answers": _answers, "questions": _questions, "calls": _calls}
