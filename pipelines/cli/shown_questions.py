"""Questions as a model is shown them, for people to look at: a sample, its texts and its frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from assets.benchmarks import about
from assets.options import Options
from assets.predictions.stage import Evaluation, prompts_of
from assets.question_reviews.sample import sample_per_group, sample_per_subtask
from assets.sources.stage import root_of
from expectations.schemas import TABLES
from pipelines.cli.written_files import write_pictures
from resources.config import Settings
from resources.errors import ExpectedError
from resources.media.reader import MediaReader
from resources.models.base import decode_clip, to_jpeg
from resources.models.prompt import Clip, Prompt
from resources.models.runs import RunConfig

LOOKING = "looking"
"""Name of a run that asks nothing: people look at what it would send."""
ENCODING = "jpeg-85"
"""Of frames that people look at."""


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """A question with what a run sends of it.

    Attributes:
        row: Row of `questions`.
        prompt: What the run's engine would be asked.
    """

    row: dict[str, Any]
    prompt: Prompt


@dataclass(frozen=True, slots=True)
class Draw:
    """Which questions are drawn.

    Attributes:
        purpose: What the sample is for (see `sample_per_subtask`).
        per_subtask: Questions per subtask, where there are so many.
        per_group: Questions per group of the benchmark's subtasks instead; None for none.
        whole: Kinds of answers of whose questions all are drawn, where it is drawn by subtask.
    """

    purpose: str
    per_subtask: int
    per_group: int | None = None
    whole: tuple[str, ...] = ()

    def of(self, questions: pl.DataFrame, groups: Mapping[str, Sequence[str]]) -> pl.DataFrame:
        """Questions drawn; `groups` are those of the benchmark."""
        if self.per_group is not None:
            return sample_per_group(questions, self.per_group, self.purpose, groups)
        return sample_per_subtask(questions, self.per_subtask, self.purpose, self.whole)


def as_looked_at(settings: Settings, benchmark: str) -> Settings:
    """Configuration with a run that would ask all questions of a benchmark under its own protocol."""
    run = RunConfig(LOOKING, "random", "own", benchmarks=(benchmark,))
    return replace(settings, runs={**settings.runs, LOOKING: run})


def published_questions(settings: Settings, benchmark: str, run: str = LOOKING) -> pl.DataFrame:
    """Questions of a benchmark that no gate refuses and a run can ask, whatever its limit.

    Args:
        settings: Configuration; without a run, that of `as_looked_at`.
        benchmark: Benchmark.
        run: Run, whose engine must not need to be opened.
    """
    asking = replace(settings.runs[run], limit=None)
    unlimited = replace(settings, runs={**settings.runs, run: asking})
    return Evaluation(unlimited, f"{benchmark}.{run}").questions(Options())


def sampled_questions(
    settings: Settings,
    benchmark: str,
    questions: pl.DataFrame,
    draw: Draw,
    run: str = LOOKING,
) -> list[ShownQuestion]:
    """A sample of questions with their prompts, in the order drawn; nothing is decoded.

    Args:
        settings: Configuration; without a run, that of `as_looked_at`.
        benchmark: Benchmark.
        questions: Questions to draw from.
        draw: What is drawn.
        run: Run, whose engine must not need to be opened.

    Raises:
        ExpectedError: There is nothing to show.
    """
    groups = about(benchmark, settings.benchmark_folders).groups
    drawn = draw.of(questions, groups)
    prompts = prompts_of(Evaluation(settings, f"{benchmark}.{run}"), drawn)
    by_id = {prompt.item: prompt for prompt in prompts if prompt.sample == 0}
    found = [
        ShownQuestion(row, by_id[row["question_id"]])
        for row in drawn.iter_rows(named=True)
        if row["question_id"] in by_id
    ]
    if not found:
        raise ExpectedError(
            f"benchmark {benchmark} has no question with media that are here and that is left to look"
            " at; make its questions with `parallax run`"
        )
    return found


class Pictures:
    """Frames of shown questions as JPEG, with the marks that a model sees on them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._readers: dict[str, MediaReader] = {}

    def clips(self, shown: ShownQuestion) -> Iterator[tuple[Clip, Sequence[bytes]]]:
        """Clips of a question in shown order, each with its frames."""
        source = shown.row["source"]
        if source not in self._readers:
            self._readers[source] = media_reader(self._settings, source)
        for clip in shown.prompt.clips:
            frames = decode_clip(clip, self._readers[source], shown.prompt.short_side_px)
            yield clip, [to_jpeg(frame, ENCODING) for frame in frames]


def media_reader(settings: Settings, source: str) -> MediaReader:
    """Reader of all recordings of a source."""
    recordings = settings.store.read(TABLES["recordings"], source)
    images = settings.store.read(TABLES["images"], source)
    return MediaReader.of(root_of(settings, source), recordings, images)


def local_files(folder: Path, paths: Sequence[str]) -> list[str]:
    """Where Label Studio finds files of a local storage (https://labelstud.io/guide/storage).

    Args:
        folder: Folder, whose parent is the storage's root.
        paths: Paths below it.
    """
    return [f"/data/local-files/?d={folder.name}/{path}" for path in paths]


def write_frames(
    settings: Settings, questions: Sequence[ShownQuestion], folder: Path
) -> dict[str, list[str]]:
    """Write the frames of questions as files.

    Args:
        settings: Configuration.
        questions: Questions.
        folder: Folder to write into; files of an earlier call are replaced.

    Returns:
        Paths below the folder by question id, in shown order.
    """
    pictures = Pictures(settings)
    written: dict[str, list[str]] = {}
    for shown in questions:
        key = shown.prompt.item
        for clip, frames in pictures.clips(shown):
            written.setdefault(key, []).extend(
                write_pictures(folder, Path(key) / clip.role, frames)
            )
    return written
