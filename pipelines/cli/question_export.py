"""Questions and the frames that a run would send, as files that the official toolkit reads."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from PIL import Image

from assets.options import Options
from assets.predictions.stage import Evaluation, prompts_of
from assets.questions.egocross.released_form import (
    ITEMS,
    TESTBED_LAYOUT,
    AskedItem,
    NotOfTheTestbed,
    items_file,
    picture_folder,
    picture_suffix,
    states_rate,
)
from assets.questions.egoexobench.released_form import (
    RUNNER,
    TABLE,
    WrittenMedium,
    question_table,
    runner,
)
from assets.questions.egoprox.released_form import (
    SAMPLES,
    AskedSample,
    UnknownGroupError,
    sample_file,
)
from expectations.schemas import TABLES
from pipelines.cli.reply_sheets import engineless
from pipelines.cli.shown_questions import media_reader
from pipelines.cli.written_files import write_files, write_pictures
from resources.config import Settings
from resources.errors import ExpectedError
from resources.media.reader import MediaReader
from resources.models.base import decode_clip, to_jpeg
from resources.models.engines.given_replies import shown_hash
from resources.models.prompt import Clip, Prompt

_ENCODING = "jpeg-95"
_READ_LETTERS = frozenset("ABCD")
"""Letters that the official scorer knows."""


class NothingToExport(ExpectedError, ValueError):
    """There is nothing to write."""


def export_questions(settings: Settings, run: str, benchmark: str, folder: Path) -> tuple[int, int]:
    """Write a benchmark's questions as a run asks them.

    Args:
        settings: Configuration.
        run: Run whose questions, protocol and limit count; its engine is not opened.
        benchmark: Benchmark.
        folder: Folder to write into; files of an earlier export are replaced.

    Returns:
        Questions written, and how many of these have options beyond D, which the official scorer
        never reads.

    Raises:
        NothingToExport: The run asks no question of the benchmark that has options.
    """
    evaluation = Evaluation(engineless(settings, run), f"{benchmark}.{run}")
    questions = evaluation.questions(Options())
    rows: Mapping[str, Mapping[str, Any]] = {
        row["question_id"]: row for row in questions.iter_rows(named=True)
    }
    asked = [p for p in prompts_of(evaluation, questions) if p.sample == 0 and p.choices]
    if not asked:
        raise NothingToExport(
            f"run {run!r} asks no question of {benchmark} with options and media that are here; make"
            " its questions with `parallax run`, or name another run"
        )
    readers: dict[str, MediaReader] = {}
    written = []
    for prompt in asked:
        row = rows[prompt.item]
        source = row["source"]
        if source not in readers:
            readers[source] = media_reader(settings, source)
        media = tuple(_written(prompt, readers[source], folder))
        written.append((row, media, shown_hash(prompt)))
    write_files(folder, {TABLE: question_table(written), RUNNER: runner()})
    return len(asked), sum(not _READ_LETTERS.issuperset(prompt.choices) for prompt in asked)


def export_samples(settings: Settings, run: str, benchmark: str, folder: Path) -> int:
    """Write a benchmark's questions as a run asks them, in the form of EgoProx's released samples.

    Args:
        settings: Configuration.
        run: Run whose questions, protocols and limit count; its engine is not opened.
        benchmark: Benchmark.
        folder: Folder to write into; files of an earlier export are replaced.

    Returns:
        Questions written.

    Raises:
        NothingToExport: The run asks no question of the benchmark, or one that the released evaluator has no
            group for.
    """
    samples = list(asked_samples(settings, run, benchmark, folder))
    if not samples:
        raise NothingToExport(
            f"run {run!r} asks no question of {benchmark} with media that are here; make its questions with"
            " `parallax run`, or name another run"
        )
    try:
        write_files(folder, {SAMPLES: sample_file(samples)})
    except UnknownGroupError as error:
        raise NothingToExport(str(error)) from None
    return len(samples)


def export_items(settings: Settings, run: str, benchmark: str, folder: Path) -> tuple[int, int]:
    """Write a benchmark's questions as a run asks them, in the form of EgoCross's released testbed.

    Args:
        settings: Configuration.
        run: Run whose questions, protocols and limit count; its engine is not opened.
        benchmark: Benchmark.
        folder: Folder to write into, and to run the scripts in; files of an earlier export are replaced.

    Returns:
        Questions written, and how many of these show frames at another rate than the scripts state.

    Raises:
        NothingToExport: The run asks no question of the benchmark, or one that does not fit the form.
    """
    evaluation = Evaluation(engineless(settings, run), f"{benchmark}.{run}")
    questions = evaluation.questions(Options())
    rows = {row["question_id"]: row for row in questions.iter_rows(named=True)}
    readers: dict[str, MediaReader] = {}
    items, misstated = [], 0
    try:
        for prompt in prompts_of(evaluation, questions):
            if prompt.sample:
                continue
            row, source = rows[prompt.item], rows[prompt.item]["source"]
            layout = settings.sources[source].layout
            place = Path(picture_folder(row, layout, shown_hash(prompt)))
            if len(prompt.clips) != 1:
                raise NotOfTheTestbed(
                    f"question {prompt.item} shows {len(prompt.clips)} media, EgoCross's files hold one;"
                    " export another form"
                )
            (clip,) = prompt.clips
            if source not in readers:
                readers[source] = media_reader(settings, source)
            suffix = picture_suffix(layout, clip.sampling_fps)
            if layout == TESTBED_LAYOUT:
                suffix = _suffix_of(settings, source, clip.recording_id)
            name = f"frame_{{:05d}}{suffix}"
            pictures = _frames(prompt, clip, readers[source], folder, place, name)
            items.append(AskedItem(row, layout, pictures, clip.original_fps))
            misstated += not states_rate(layout, clip.sampling_fps)
        if not items:
            raise NothingToExport(
                f"run {run!r} asks no question of {benchmark} with media that are here; make its questions"
                " with `parallax run`, or name another run"
            )
        write_files(folder, {ITEMS: items_file(items)})
    except NotOfTheTestbed as error:
        raise NothingToExport(str(error)) from None
    return len(items), misstated


def _suffix_of(settings: Settings, source: str, recording_id: str) -> str:
    """Ending of released pictures: their scripts tell the rate of some by it."""
    images = settings.store.read(TABLES["images"], source, [recording_id], columns=("path",))
    return ".png" if any(path.endswith(".png") for path in images["path"]) else ".jpg"


def asked_samples(
    settings: Settings,
    run: str,
    benchmark: str,
    folder: Path,
    only: Collection[str] | None = None,
) -> Iterator[AskedSample]:
    """Questions as a run asks them; the frames it sends are written into a folder.

    Args:
        settings: Configuration.
        run: Run whose questions, protocols and limit count; its engine is not opened.
        benchmark: Benchmark.
        folder: Folder of the frames.
        only: Ids of the questions wanted; all that the run asks if None.
    """
    evaluation = Evaluation(engineless(settings, run), f"{benchmark}.{run}")
    questions = evaluation.questions(Options())
    if only is not None:
        questions = questions.filter(pl.col("question_id").is_in(list(only)))
    rows = {row["question_id"]: row for row in questions.iter_rows(named=True)}
    readers: dict[str, MediaReader] = {}
    for prompt in prompts_of(evaluation, questions):
        if prompt.sample:
            continue
        source = rows[prompt.item]["source"]
        if source not in readers:
            readers[source] = media_reader(settings, source)
        media = _written(prompt, readers[source], folder)
        pictures = [path for medium in media for path in medium.paths]
        yield AskedSample(
            rows[prompt.item], prompt.system, prompt.text, pictures, shown_hash(prompt)
        )


def _written(prompt: Prompt, media: MediaReader, folder: Path) -> Iterator[WrittenMedium]:
    for clip in prompt.clips:
        place = Path("media") / prompt.item / clip.role
        paths = _frames(prompt, clip, media, folder, place, "{:04d}.jpg")
        yield WrittenMedium(clip.role, clip.label, tuple(paths))


def _frames(
    prompt: Prompt, clip: Clip, media: MediaReader, folder: Path, place: Path, name: str
) -> list[str]:
    """Paths below a folder of a clip's frames, which are written there.

    Args:
        prompt: Prompt that sends the clip.
        clip: Clip.
        media: Reader of its recording.
        folder: Folder.
        place: Folder below it.
        name: Name of a frame by its number.
    """
    frames = decode_clip(clip, media, prompt.short_side_px)
    encode = _to_png if name.endswith(".png") else _to_jpeg
    return write_pictures(folder, place, map(encode, frames), name)


def _to_jpeg(frame: np.ndarray) -> bytes:
    return to_jpeg(frame, _ENCODING)


def _to_png(frame: np.ndarray) -> bytes:
    file = BytesIO()
    Image.fromarray(frame).save(file, "png")
    return file.getvalue()
