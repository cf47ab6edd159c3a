"""Scores that a benchmark's paper prints, as data: shown beside measured ones and never mixed with them.

A benchmark's folder may hold `published_scores.csv`: where a number is printed, model, questions it is
about, condition, metric, subtask (or group of subtasks; `macro` for the mean over subtasks, `micro` for that over
questions) and value, in percent but for marks. A printed gain (`accuracy_gain`, in points) names both conditions:
`with reference less without reference`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from resources.plugins import PluginError

FILE = "published_scores.csv"
MACRO = "macro"
_COLUMNS = {
    "place": pl.String,
    "model": pl.String,
    "questions": pl.String,
    "condition": pl.String,
    "metric": pl.String,
    "subtask": pl.String,
    "value": pl.Float64,
}
METRICS = {
    "accuracy": (0.0, 100.0),
    "accuracy_gain": (-100.0, 100.0),
    "reasoning_score": (0.0, 5.0),
    "spurious_correct_rate": (0.0, 100.0),
}
"""Metrics that papers print, with their lowest and highest value."""
GAIN = "accuracy_gain"
LESS = " less "
"""Stands between the two conditions of a gain: what was changed, and what it is compared with."""
_KEY = ["place", "model", "questions", "condition", "metric"]
# Rounding of the printed numbers, to one decimal each: of the mean, and of what it is the mean of.
_ROUNDING = 0.05 + 0.05 + 1e-9
# Of a gain, and of the two numbers it is the difference of.
_ROUNDING_OF_GAIN = 0.05 + 0.05 + 0.05 + 1e-9


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """What one row of a paper's table prints.

    Attributes:
        place: Table or section.
        model: Model, as printed there.
        questions: Questions that it is about.
        condition: What was changed; empty for nothing.
        metric: What is printed.
        values: Value by subtask.
    """

    place: str
    model: str
    questions: str
    condition: str
    metric: str
    values: dict[str, float]


def read_published(folder: Path) -> pl.DataFrame:
    """Printed scores of a benchmark.

    Args:
        folder: Folder of the benchmark.

    Returns:
        Columns place, model, questions, condition, metric, subtask and value, in the order of the file; no
        rows where there is no file.

    Raises:
        PluginError: The file has other columns, an unknown metric, a value out of its range, or a score twice.
    """
    file = folder / FILE
    if not file.is_file():
        return pl.DataFrame(schema=_COLUMNS)
    try:
        found = pl.read_csv(file, schema=_COLUMNS).with_columns(pl.col(pl.String).fill_null(""))
    except (pl.exceptions.PolarsError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0]
        raise PluginError(f"{file}: {reason}; its columns are {', '.join(_COLUMNS)}") from None
    unknown = found.filter(~pl.col("metric").is_in(list(METRICS)))
    if len(unknown):
        raise PluginError(
            f"{file}: unknown metric {unknown['metric'][0]!r}; use {', '.join(METRICS)}"
        )
    lowest, highest = (
        pl.col("metric").replace_strict(
            {m: ends[i] for m, ends in METRICS.items()}, return_dtype=pl.Float64
        )
        for i in (0, 1)
    )
    wrong = found.filter(~pl.col("value").is_between(lowest, highest).fill_null(value=False))
    if len(wrong):
        model, metric = wrong.row(0, named=True)["model"], wrong["metric"][0]
        low, high = METRICS[metric]
        raise PluginError(f"{file}: {model} has no {metric} from {low:g} to {high:g}; correct it")
    twice = found.filter(pl.struct(*_KEY, "subtask").is_duplicated())
    if len(twice):
        raise PluginError(
            f"{file}: {twice['place'][0]} has {twice['subtask'][0]} of {twice['model'][0]} twice; keep one"
        )
    return found


def published_rows(scores: pl.DataFrame) -> list[PublishedRow]:
    """Rows of the printed tables, in the order of the file.

    Args:
        scores: As `read_published` gives them.
    """
    return [
        PublishedRow(
            *(str(value) for value in values),
            values=dict(part.select("subtask", "value").iter_rows()),
        )
        for values, part in scores.group_by(_KEY, maintain_order=True)
    ]


def contradictions(scores: pl.DataFrame) -> list[str]:
    """Where the printed numbers disagree with each other, as sentences.

    A printed mean is compared with the mean of the subtasks printed beside it, a printed gain with the two
    numbers it is the difference of, and numbers of one model, subtask and condition with each other wherever
    they are printed.

    Args:
        scores: As `read_published` gives them.
    """
    return [*_wrong_means(scores), *_wrong_gains(scores), *_printed_differently(scores)]


def _wrong_means(scores: pl.DataFrame) -> Iterator[str]:
    for row in published_rows(scores):
        parts = [value for subtask, value in row.values.items() if subtask != MACRO]
        if MACRO not in row.values or not parts:
            continue
        mean = sum(parts) / len(parts)
        if abs(mean - row.values[MACRO]) > _ROUNDING:
            yield (
                f"{row.place}: the mean of {row.model} is printed as {row.values[MACRO]:.1f}; its"
                f" {len(parts)} subtasks give {mean:.2f}"
            )


def _wrong_gains(scores: pl.DataFrame) -> Iterator[str]:
    rows = published_rows(scores)
    printed = {(r.place, r.model, r.questions, r.condition, r.metric): r.values for r in rows}
    for row in rows:
        if row.metric != GAIN:
            continue
        changed, compared = (
            printed.get((row.place, row.model, row.questions, condition, "accuracy"), {})
            for condition in row.condition.split(LESS, 1)
        )
        for subtask in row.values.keys() & changed.keys() & compared.keys():
            gain = changed[subtask] - compared[subtask]
            if abs(gain - row.values[subtask]) > _ROUNDING_OF_GAIN:
                yield (
                    f"{row.place}: the gain of {row.model}, {subtask.replace('_', ' ')}, is printed as"
                    f" {row.values[subtask]:+.1f}; {changed[subtask]:.1f} less {compared[subtask]:.1f} is {gain:+.1f}"
                )


def _printed_differently(scores: pl.DataFrame) -> Iterator[str]:
    # Of the questions without a condition the tables show the same experiment.
    for (model, _, condition, _, subtask), part in scores.group_by(
        "model", "questions", "condition", "metric", "subtask", maintain_order=True
    ):
        if part["value"].n_unique() > 1:
            printed = ", ".join(
                f"{value:.1f} ({place})"
                for place, value in part.select("place", "value").iter_rows()
            )
            what = "mean" if subtask == MACRO else str(subtask).replace("_", " ")
            under = f" {condition}" if condition else ""
            yield f"{model}, {what}{under}: printed as {printed}"
