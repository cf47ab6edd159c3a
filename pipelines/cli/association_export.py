"""Association questions as files: in the form of EgoExoLearn's, so that the official code can read them."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from assets.questions.egobridge.association import RECIPE
from assets.questions.egobridge.released_form import association_files
from assets.translations.stage import narrated
from expectations.gates.judging import published
from expectations.schemas import TABLES
from pipelines.cli.written_files import write_files
from resources.config import Settings
from resources.errors import ExpectedError, require_known

_SEGMENT = ("segment_id", "recording_id", "start_s", "end_s", "narration")


class NoQuestions(ExpectedError, ValueError):
    """There is nothing to write."""


def export_association(settings: Settings, source: str, folder: Path) -> list[Path]:
    """Write the questions of a source that no gate refuses.

    Args:
        settings: Configuration.
        source: Source the questions are about: the official files name its videos alone.
        folder: Folder to write into; files of an earlier export are replaced.

    Returns:
        Files written, ascending.

    Raises:
        NoQuestions: The source has no published questions with 20 options.
        ValueError: A file would lie outside the folder.
    """
    require_known("source", [source], settings.sources)
    store = settings.store
    of_source = pl.col("source") == source
    questions = store.read(TABLES["questions"], RECIPE.benchmark).filter(of_source)
    kept = published(questions, store.read(TABLES["question_gates"], RECIPE.benchmark))
    segments = narrated(settings, source).select(_SEGMENT)
    files = association_files(kept, segments)
    if not files:
        raise NoQuestions(
            f"{RECIPE.benchmark} has no published association questions of {source!r} with 20 options"
        )
    return write_files(folder, files)
