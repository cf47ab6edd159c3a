"""Predictions for a task's set: read, scored, written as a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from assets.scores.prediction_files import UnusablePredictions, read_predictions
from assets.scores.task_sets import score_set
from expectations.contracts import Refusal
from pipelines.cli.stored_sets import read_set
from resources.config import Settings
from resources.meteor import MeteorUnavailable, meteor, meteor_command


@dataclass(frozen=True, slots=True)
class SetScores:
    """What scoring a set gave.

    Attributes:
        scores: Table of scores.
        refusals: Predictions that could not be read.
        path: CSV file written.
        note: Word on a metric that is left out.
    """

    scores: pl.DataFrame
    refusals: list[Refusal]
    path: Path
    note: str | None


def score_predictions(
    settings: Settings, source: str, name: str, given: Path, out: Path
) -> SetScores:
    """Score a file or folder of predictions.

    Args:
        settings: Configuration.
        source: Source the set was made of.
        name: `task/mode`; the metrics are read in the same mode.
        given: File, or folder whose files are read.
        out: CSV file to write.

    Raises:
        NoSet: The source or the set is not there.
        UnusablePredictions: There are no predictions, or they do not fit the set.
    """
    made = read_set(settings, source, name)
    files = (
        sorted(path for path in given.iterdir() if path.is_file()) if given.is_dir() else [given]
    )
    if not files or not files[0].is_file():
        raise UnusablePredictions(f"{given}: no file of predictions lies there")
    task, _, mode = name.partition("/")
    read = read_predictions(task, {path.name: path.read_bytes() for path in files})
    note = None
    if task == "captioning":
        try:
            meteor_command()
        except MeteorUnavailable as error:
            note = f"without METEOR: {error}"
    scores = score_set(
        task,
        made.items,
        made.classes,
        read.of,
        "parity" if mode == "parity" else "paper",
        None if note else lambda captions, references: meteor(captions, references).corpus,
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    scores.write_csv(out)
    return SetScores(scores, read.refusals, out, note)
