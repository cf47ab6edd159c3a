"""Predictions for a task's set: read, scored, written as a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from assets.scores.prediction_files import UnusablePredictions, read_predictions
from assets.scores.task_sets import score_set
from expectations.contracts import Refusal
from pipelines.cli.stored_sets import read_set, truth_notes
from pipelines.cli.written_files import writing
from resources.config import Settings
from resources.meteor import MeteorUnavailable, meteor, meteor_command


@dataclass(frozen=True, slots=True)
class SetScores:
    """Scores of predictions for a set, and where they were written.

    Attributes:
        scores: Table of scores.
        refusals: Predictions that could not be read.
        path: CSV file written.
        note: Why a metric is left out; None where none is.
        truth: What of the truth was read from released files, a line per list and split.
    """

    scores: pl.DataFrame
    refusals: list[Refusal]
    path: Path
    note: str | None
    truth: list[str]


def score_predictions(
    settings: Settings, source: str, name: str, predictions: Path, out: Path
) -> SetScores:
    """Score a file or folder of predictions.

    Args:
        settings: Configuration.
        source: Source the set was made of.
        name: `task/mode`; the metrics are read in the same mode.
        predictions: File, or folder whose files are read.
        out: CSV file to write.

    Raises:
        NoSet: The source or the set is not there.
        UnusablePredictions: There are no predictions, or they do not fit the set.
        UnwritableFile: The system refuses to write the CSV file.
    """
    stored = read_set(settings, source, name)
    files = sorted(predictions.iterdir()) if predictions.is_dir() else [predictions]
    files = [path for path in files if path.is_file()]
    if not files:
        raise UnusablePredictions(
            f"{predictions}: no file of predictions lies there; name a file, or a folder of files"
        )
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
        stored.items,
        stored.classes,
        read.of,
        "parity" if mode == "parity" else "paper",
        None if note else lambda captions, references: meteor(captions, references).corpus,
    )
    with writing(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        scores.write_csv(out)
    truth = truth_notes(settings, source, name, stored)
    return SetScores(scores, read.refusals, out, note, truth)
