"""Tuning sets: questions with their right replies, of recordings that a test run does not ask about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from assets.predictions.stage import asked_questions
from assets.questions.egoprox.tuning_form import drawn_questions, tuning_files
from expectations.schemas import TABLES
from pipelines.cli.question_export import NothingToExport, asked_samples
from pipelines.cli.written_files import write_files
from resources.config import Settings
from resources.errors import ExpectedError

_NAMED = 3


class SharedRecordings(ExpectedError, ValueError):
    """A tuning set and the test set show the same take."""


def export_tuning_sets(
    settings: Settings,
    run: str,
    test_run: str,
    benchmark: str,
    folder: Path,
    *,
    by: str,
    most: int,
    reasons: bool,
) -> dict[str, int]:
    """Write a benchmark's questions as tuning sets, with the prompts and frames of a run.

    Args:
        settings: Configuration.
        run: Run whose questions and protocols count; its engine is not opened.
        test_run: Run that asks the test set.
        benchmark: Benchmark.
        folder: Folder to write into; files of an earlier export are replaced.
        by: What a set is made of, `category` or `source`.
        most: Most questions in a set.
        reasons: Whether a reply explains its answer first.

    Returns:
        Questions written, by set.

    Raises:
        NothingToExport: The run asks no question of the benchmark.
        SharedRecordings: Both runs ask about the same recording or take, or the run asks about the
            split `test`. Nothing is written.
    """
    questions = asked_questions(settings, benchmark, settings.runs[run]).asked
    tested = asked_questions(settings, benchmark, settings.runs[test_run]).asked
    _require_apart(settings, benchmark, (run, questions), (test_run, tested))
    sets = drawn_questions(questions.iter_rows(named=True), by, most)
    wanted = {row["question_id"] for rows in sets.values() for row in rows}
    samples = {
        sample.question["question_id"]: sample
        for sample in asked_samples(settings, run, benchmark, folder, wanted)
    }
    chosen = {
        name: [samples[row["question_id"]] for row in rows if row["question_id"] in samples]
        for name, rows in sets.items()
    }
    write_files(folder, tuning_files(chosen, reasons=reasons))
    return {name: len(found) for name, found in chosen.items()}


def _require_apart(
    settings: Settings,
    benchmark: str,
    tuning: tuple[str, pl.DataFrame],
    test: tuple[str, pl.DataFrame],
) -> None:
    (run, questions), (test_run, tested) = tuning, test
    for name, asked in (tuning, test):
        if asked.is_empty():
            splits = settings.runs[name].splits
            told = f" of split {' or '.join(splits)}" if splits else ""
            raise NothingToExport(
                f"run {name!r} asks no question of {benchmark}{told} with media that are here; make its"
                " questions with `parallax run`, give a source without published splits"
                " `hashed_splits = true`, or name another run"
            )
    official = questions.filter(pl.col("split") == "test")
    if not official.is_empty():
        raise SharedRecordings(
            f"run {run!r} asks about {official.height} questions of the split `test`, which no model may"
            f' be tuned on; give it `splits = ["train"]`'
        )
    takes = _takes(settings, benchmark)
    shared = sorted(_shown(questions, takes) & _shown(tested, takes))
    if shared:
        more = f" and {len(shared) - _NAMED} others" if len(shared) > _NAMED else ""
        raise SharedRecordings(
            f"runs {run!r} and {test_run!r} both ask about {', '.join(shared[:_NAMED])}{more}; give each"
            " its own `splits`, and a source without published splits `hashed_splits = true`"
        )


def _takes(settings: Settings, benchmark: str) -> Mapping[tuple[str, str], str]:
    """Take of each recording that belongs to one."""
    columns = ("recording_id", "take_id")
    return {
        (source, uid): take
        for source in settings.sources_of(benchmark)
        for uid, take in settings.store.read(
            TABLES["recordings"], source, columns=columns
        ).iter_rows()
        if take
    }


def _shown(questions: pl.DataFrame, takes: Mapping[tuple[str, str], str]) -> set[str]:
    """Takes, or recordings that belong to none, of everything that questions show, with their source."""
    media: Iterable[tuple[str, list[dict[str, Any]]]] = questions.select(
        "source", "media"
    ).iter_rows()
    return {
        f"{source}/{takes.get((source, medium['recording_id']), medium['recording_id'])}"
        for source, shown in media
        for medium in shown
    }
