"""A benchmark beside questions about daily life: how these are sorted, how a run does on both, how far they lie apart.

Nothing is computed for a benchmark that names no `daily_life`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from assets.benchmarks import about
from assets.options import Options, Tell
from assets.protocols.clips import build_clip
from assets.protocols.declared import all_protocols
from assets.questions.egocross.released_form import SUBTASKS, TESTBED_LAYOUT, testbed_layout
from assets.scores.domain_gap.gaps import domain_gaps
from assets.scores.domain_gap.plots import point_plots
from assets.scores.domain_gap.points import (
    COLOURS,
    WORDS,
    colour_vectors,
    domain_points,
    drawn,
    said_of,
    word_vectors,
)
from assets.scores.domain_gap.sorting import (
    RULES,
    Change,
    InvalidRounds,
    read_rounds,
    read_rules,
    sort_questions,
)
from assets.scores.stage import domains_of
from assets.sources.stage import root_of
from assets.stage import Batch, Inputs, Stage, Unit, ledger_name
from expectations.checks.markdown import picture
from expectations.schemas import TABLES
from expectations.schemas.domain_gap import ALIGNED_QUESTIONS, KINDS
from expectations.schemas.sampling import NoFrameError, frames_in_order
from resources.config import Settings
from resources.errors import ExpectedError
from resources.media.reader import MediaReader
from resources.media.video import VideoError
from resources.models.embedder import Embedder, EmbedderUnavailableError, embedder_name
from resources.models.image_encoder import ImageEncoder, image_encoder_name
from resources.store.incremental import Output
from resources.store.ledger import read_ledger, table_digest

_SORTED = ("question_id", "text", "answer", "evidence")
_SHOWN = ("question_id", "source", "recording_id", "text", "options", "media", "media_present")
_ANSWERED = ("benchmark", "run", "question_id", "sample", "subtask", "recording_id", "right")
_FRAMES = {"recordings": None, "images": None, "frames": None}
# Whole frames, a few of a clip: its middle one is drawn.
_PROTOCOL = "direct"
_BENCHMARK = "egocross"
"""Benchmark whose domains the released testbed has."""


def compared_with(settings: Settings, benchmark: str) -> str:
    """Benchmark of questions about daily life that a benchmark is compared with; empty for none."""
    return settings.benchmarks[benchmark].daily_life


def review_rounds(settings: Settings, benchmark: str) -> tuple[Change, ...]:
    """Rounds of review of how the questions are sorted; none where no file is configured.

    Raises:
        ExpectedError: The file cannot be read, or breaks a rule.
    """
    path = settings.benchmarks[benchmark].sorting_rounds
    if not path:
        return ()
    try:
        return read_rounds(Path(path).read_text(encoding="utf-8-sig"), read_rules())
    except (OSError, UnicodeDecodeError, InvalidRounds) as error:
        raise ExpectedError(f"sorting_rounds of benchmark {benchmark}: {path}: {error}") from error


def _digest(inputs: Inputs, table: str, partition: str) -> str:
    return table_digest(read_ledger(inputs.store, ledger_name(table), partition), table)


def _domains(settings: Settings, benchmark: str) -> dict[str, str]:
    """Domain of each question, by its id: by the layout of its source, or of a released one's dataset."""
    known = domains_of(settings, benchmark)
    if known or not settings.benchmarks[benchmark].released:
        return known
    of_layout = {
        layout: name
        for name, layouts in about(_BENCHMARK, settings.benchmark_folders).domains.items()
        for layout in layouts
    }
    columns = ("question_id", "source", "recording_id")
    rows = settings.store.read(TABLES["questions"], benchmark, columns=columns).select(columns)
    layouts = {
        uid: testbed_layout(recording)
        for uid, source, recording in rows.iter_rows()
        if settings.sources[source].layout == TESTBED_LAYOUT
    }
    return {uid: of_layout[layout] for uid, layout in layouts.items() if layout in of_layout}


# -- sorting ----------------------------------------------------------------------------------------


def _sorted_units(inputs: Inputs) -> Iterator[Unit]:
    settings, benchmark = inputs.settings, inputs.partition
    compared = compared_with(settings, benchmark)
    if compared:
        parameters = (
            _digest(inputs, "questions", compared),
            repr(review_rounds(settings, benchmark)),
            RULES.read_text(encoding="utf-8"),
        )
        yield Unit(compared, {"questions": ()}, parameters)


def _make_sorted(batch: Batch) -> Iterator[Output]:
    settings, benchmark = batch.settings, batch.partition
    compared = compared_with(settings, benchmark)
    questions = settings.store.read(TABLES["questions"], compared, columns=_SORTED)
    rows = {
        row["evidence"][0]["key"].partition("/")[0]: row for row in questions.iter_rows(named=True)
    }
    texts = {released: row["text"] for released, row in rows.items()}
    changes = review_rounds(settings, benchmark)
    sorted_as = sort_questions(texts, read_rules(), changes)
    table = ALIGNED_QUESTIONS.frame(
        {
            "benchmark": benchmark,
            "compared": compared,
            "question_id": rows[released]["question_id"],
            "released_id": released,
            "subtask": one.category or None,
            "keyword": one.keyword or None,
            "round": one.round or None,
            "is_answered": rows[released]["answer"] is not None,
        }
        for released, one in sorted_as.items()
    )
    yield Output(batch.names, {"aligned_questions": table.sort(ALIGNED_QUESTIONS.key)})


def _filled(settings: Settings, partition: str) -> bool:
    return bool(compared_with(settings, partition.partition(".")[0]))


SORTING = Stage(
    name="aligned_questions",
    group="scores",
    summary="Questions about daily life, sorted into a benchmark's subtasks by keywords and reviewed rounds.",
    partition="benchmark",
    tables=("aligned_questions",),
    reads={"questions": _SORTED},
    units=_sorted_units,
    make=_make_sorted,
    code=(sort_questions, read_rounds),
    fills=lambda settings, key: SORTING.tables if _filled(settings, key) else (),
    lineage={
        "aligned_questions": {
            "subtask": [("questions", "text")],
            "keyword": [("questions", "text")],
            "is_answered": [("questions", "answer")],
            "released_id": [("questions", "evidence")],
        }
    },
)


# -- accuracies -------------------------------------------------------------------------------------


def _gap_units(inputs: Inputs) -> Iterator[Unit]:
    settings = inputs.settings
    benchmark, _, run = inputs.partition.partition(".")
    compared = compared_with(settings, benchmark)
    if not compared or f"{compared}.{run}" not in settings.evaluations():
        return
    inputs.stored_units("answers")
    parameters = (
        _digest(inputs, "answers", f"{compared}.{run}"),
        _digest(inputs, "aligned_questions", benchmark),
        _digest(inputs, "questions", benchmark),
        repr([one.subtask for one in read_rules().aligned]),
    )
    yield Unit(run, {"aligned_questions": (), "questions": ()}, parameters)


def _make_gaps(batch: Batch) -> Iterator[Output]:
    settings = batch.settings
    benchmark, _, run = batch.partition.partition(".")
    compared = compared_with(settings, benchmark)
    daily = settings.store.read(TABLES["answers"], f"{compared}.{run}", columns=_ANSWERED)
    placed = settings.store.read(
        TABLES["aligned_questions"], benchmark, columns=("question_id", "subtask")
    ).drop_nulls()
    rows = domain_gaps(
        daily,
        batch.tables["answers"].with_columns(pl.col("subtask").replace(SUBTASKS)),
        dict(placed.select("question_id", "subtask").iter_rows()),
        _domains(settings, benchmark),
        [one.subtask for one in read_rules().aligned],
    )
    yield Output(batch.names, {"domain_gaps": rows})


GAPS = Stage(
    name="domain_gaps",
    group="scores",
    summary="Accuracy of a run on questions about daily life and on each domain, by the subtasks that both ask.",
    partition="evaluation",
    tables=("domain_gaps",),
    reads={
        "answers": _ANSWERED,
        "aligned_questions": ("question_id", "subtask"),
        "questions": ("question_id", "source", "recording_id"),
    },
    units=_gap_units,
    make=_make_gaps,
    code=(domain_gaps, testbed_layout),
    fills=lambda settings, key: GAPS.tables if _filled(settings, key) else (),
    lineage={
        "domain_gaps": {
            "value": [("answers", "right")],
            "daily_value": [("answers", "right"), ("aligned_questions", "subtask")],
            "difference": [("answers", "right"), ("aligned_questions", "subtask")],
            "difference_low": [("answers", "right"), ("answers", "recording_id")],
            "difference_high": [("answers", "right"), ("answers", "recording_id")],
            "domain": [("questions", "source")],
        }
    },
)


# -- points -----------------------------------------------------------------------------------------


def _encoders(settings: Settings, benchmark: str) -> dict[str, str]:
    """What makes the vectors of each kind."""
    folder = settings.benchmarks[benchmark].image_encoder
    try:
        text = embedder_name()
    except EmbedderUnavailableError:
        text = WORDS
    return {"text": text, "image": image_encoder_name(Path(folder)) if folder else COLOURS}


def _point_units(inputs: Inputs) -> Iterator[Unit]:
    settings, benchmark = inputs.settings, inputs.partition
    compared = compared_with(settings, benchmark)
    if not compared:
        return
    digests = [_digest(inputs, "questions", name) for name in (benchmark, compared)]
    sources = {source for name in (benchmark, compared) for source in settings.sources_of(name)}
    seen = [
        f"{source} {_digest(inputs, table, source)}"
        for source in sorted(sources)
        for table in _FRAMES
    ]
    encoders = _encoders(settings, benchmark)
    for kind in KINDS:
        parameters = (*digests, encoders[kind], *(seen if kind == "image" else ()))
        yield Unit(kind, dict.fromkeys(("questions", *_FRAMES), ()), parameters)


def _compute_points(
    inputs: Inputs, units: Sequence[Unit], _options: Options, tell: Tell
) -> Iterator[Output]:
    settings, benchmark = inputs.settings, inputs.partition
    compared = compared_with(settings, benchmark)
    encoders = _encoders(settings, benchmark)
    questions = pl.concat(
        settings.store.read(TABLES["questions"], name, columns=_SHOWN).select(_SHOWN)
        for name in (benchmark, compared)
    )
    daily = settings.store.read(TABLES["questions"], compared, columns=("question_id",))
    domains = _domains(settings, benchmark) | dict.fromkeys(daily["question_id"], compared)
    for unit in units:
        usable = questions if unit.name == "text" else questions.filter("media_present")
        known = [uid for uid in usable["question_id"] if uid in domains]
        chosen = drawn({uid: domains[uid] for uid in known})
        rows = usable.filter(pl.col("question_id").is_in(chosen))
        if unit.name == "text":
            vectors = _text_vectors(rows, encoders["text"])
        else:
            vectors = _image_vectors(settings, benchmark, rows)
        points = domain_points(benchmark, unit.name, encoders[unit.name], vectors, domains)
        yield Output([unit.name], {"domain_points": points})


def _text_vectors(questions: pl.DataFrame, encoder: str) -> dict[str, np.ndarray]:
    ids = questions["question_id"].to_list()
    texts = [said_of(row) for row in questions.iter_rows(named=True)]
    if not texts:
        return {}
    vectors = word_vectors(texts) if encoder == WORDS else Embedder().embed(texts)
    return dict(zip(ids, vectors, strict=True))


def _image_vectors(
    settings: Settings, benchmark: str, questions: pl.DataFrame
) -> dict[str, np.ndarray]:
    images = dict(_middle_frames(settings, questions))
    if not images:
        return {}
    folder = settings.benchmarks[benchmark].image_encoder
    shown = list(images.values())
    vectors = ImageEncoder(Path(folder)).encode(shown) if folder else colour_vectors(shown)
    return dict(zip(images, vectors, strict=True))


def _middle_frames(settings: Settings, questions: pl.DataFrame) -> Iterator[tuple[str, np.ndarray]]:
    """The middle frame of each question's first clip; questions whose frames cannot be read have none."""
    protocol = all_protocols(settings)[_PROTOCOL]
    for (source,), part in sorted(questions.partition_by("source", as_dict=True).items()):
        uids = sorted({media[0]["recording_id"] for media in part["media"]})
        tables = {name: settings.store.read(TABLES[name], str(source), uids) for name in _FRAMES}
        reader = MediaReader.of(
            root_of(settings, str(source)), tables["recordings"], tables["images"]
        )
        in_order = set(
            tables["recordings"].filter(pl.col("time_base") == "index_only")["recording_id"]
        )
        for row in part.iter_rows(named=True):
            medium = row["media"][0]
            uid = medium["recording_id"]
            rows = tables["images" if uid in in_order else "frames"].filter(recording_id=uid)
            try:
                clip = build_clip(
                    medium, protocol, frames_in_order(rows) if uid in in_order else rows
                )
                part_no, pts, _ = clip.frames[len(clip.frames) // 2]
                yield row["question_id"], reader(uid, part_no, [pts])[0]
            except (NoFrameError, VideoError):
                continue


def _drawings(points: pl.DataFrame) -> dict[str, str]:
    return {plot.title: picture(plot.title, plot.svg) for plot in point_plots(points)}


def _filled_points(settings: Settings, benchmark: str) -> Collection[str]:
    return POINTS.tables if _filled(settings, benchmark) else ()


POINTS = Stage(
    name="domain_points",
    group="scores",
    summary="What questions of each domain say and show, as points of a picture, beside those about daily life.",
    partition="benchmark",
    tables=("domain_points",),
    reads={"questions": _SHOWN, **_FRAMES},
    units=_point_units,
    compute=_compute_points,
    code=(domain_points, drawn, said_of, word_vectors, colour_vectors, testbed_layout),
    fills=_filled_points,
    plots={"domain_points": _drawings},
    lineage={
        "domain_points": {
            "x": [("questions", "text"), ("questions", "options"), ("frames", "source_pts")],
            "y": [("questions", "text"), ("questions", "options"), ("frames", "source_pts")],
            "domain": [("questions", "source")],
        }
    },
)
