"""Scores of a run on a benchmark, and the page that shows them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from assets.pairs.stage import STAGE as PAIRS
from assets.predictions.protocols import default_protocols
from assets.predictions.sampling import NoFrameError, SamplingRule, choose_frames
from assets.predictions.stage import ANSWERS as ANSWERS_STAGE
from assets.questions.stage import STAGE as QUESTIONS
from assets.questions.stage import sources_of
from assets.scores.page import ClipKey, render_page
from assets.scores.page_model import build_page_model, clips_of, shown_questions
from assets.scores.table import score
from assets.sources.stage import STAGES as SOURCE_STAGES
from assets.unit_stage import UnitStage
from expectations.schemas import TABLES, Table
from expectations.schemas.identity import digest
from resources.code_version import code_version
from resources.config import Settings
from resources.files import open_root
from resources.incremental import Output, Stage
from resources.ledger import Entry, read_complete, read_ledger, table_digest, write_entries
from resources.media import MediaReader, to_jpeg
from resources.video import VideoError

STAGE = Stage("scores", (TABLES["scores"],))
PAGE = "page"
_SHOWN_FRAMES = SamplingRule.parse("midpoints(3)")
_SHOWN_PX = 120
_PER_SUBTASK = 3


def wanted(settings: Settings, key: str) -> dict[str, str]:
    """The run, and what its scores are made from."""
    answers = read_complete(settings.store, ANSWERS_STAGE.name, key)
    columns = TABLES["answers"].content_columns
    said = [f"{q}={e.inputs('answers', columns)}" for q, e in sorted(answers.items())]
    return {settings.runs[key.partition(".")[2]].name: digest([code_version(score), *said])}


def _compute(settings: Settings, key: str, todo: list[str]) -> Iterator[Output]:
    answers = settings.store.read(TABLES["answers"], key)
    yield Output(todo, {"scores": score(answers)})


_UNITS = UnitStage(STAGE, wanted, _compute)
bring_up = _UNITS.bring_up
is_fresh = _UNITS.is_fresh


def page_made_from(settings: Settings, benchmark: str) -> str:
    """Digest of everything the page shows."""
    store = settings.store
    parts = [code_version(render_page, build_page_model), repr(settings.runs), str(settings.page)]
    parts.append(_state(settings, benchmark))
    for key in _evaluations(settings, benchmark):
        for stage in (ANSWERS_STAGE.name, STAGE.name):
            table = stage
            parts.append(f"{key} {table_digest(read_ledger(store, stage, key), table)}")
    for source in sources_of(settings, benchmark):
        for stage, table in (
            (SOURCE_STAGES["recordings"].name, "recordings"),
            (PAIRS.name, "candidates"),
        ):
            parts.append(f"{source} {table_digest(read_ledger(store, stage, source), table)}")
        refused = _read_all(settings, TABLES["quarantine"], lambda p, s=source: p.endswith(f".{s}"))
        parts.append(digest(sorted(refused["refusal"])))
    return digest(parts)


def page_is_fresh(settings: Settings, benchmark: str) -> bool:
    """Whether the page on disk shows the tables as they are."""
    entry = read_ledger(settings.store, PAGE, benchmark).get(PAGE)
    same = entry is not None and entry.made_from == page_made_from(settings, benchmark)
    return same and settings.page.is_file()


def write_page(settings: Settings, benchmark: str) -> Path:
    """Write the page of a benchmark.

    Returns:
        Where it lies.
    """
    store = settings.store
    made_from = page_made_from(settings, benchmark)
    sources = sources_of(settings, benchmark)
    questions = store.read(TABLES["questions"], benchmark)
    keys = _evaluations(settings, benchmark)
    shown = shown_questions(questions, _PER_SUBTASK)
    model = build_page_model(
        title=f"Parallax: {benchmark}",
        benchmark=benchmark,
        questions=questions,
        calls=_concat(settings, TABLES["calls"], keys),
        answers=_concat(settings, TABLES["answers"], keys),
        scores=_concat(settings, TABLES["scores"], keys),
        candidates=_concat(settings, TABLES["candidates"], sources),
        quarantine=_read_all(
            settings, TABLES["quarantine"], lambda p: p.rpartition(".")[2] in sources
        ),
        recordings=_concat(settings, TABLES["recordings"], sources),
        source_status={s: _status(settings, s) for s in settings.benchmarks[benchmark].sources},
        frames=_clip_frames(settings, shown),
        protocol_notes={p.label: p.about for p in default_protocols().values()},
        state=_state(settings, benchmark),
        is_sample=any(s.startswith("sample") for s in sources),
        per_subtask=_PER_SUBTASK,
    )
    settings.page.parent.mkdir(parents=True, exist_ok=True)
    # Beside it and renamed: whoever looks meanwhile, or after a kill, sees a whole page.
    fresh = settings.page.with_suffix(".new")
    fresh.write_text(render_page(model), encoding="utf-8")
    fresh.replace(settings.page)
    write_entries(store, PAGE, benchmark, [Entry(PAGE, made_from, "ok", made_from, 0, {})])
    return settings.page


def _state(settings: Settings, benchmark: str) -> str:
    return table_digest(read_ledger(settings.store, QUESTIONS.name, benchmark), "questions")


def _evaluations(settings: Settings, benchmark: str) -> list[str]:
    return [key for key in settings.evaluations() if key.partition(".")[0] == benchmark]


def _status(settings: Settings, source: str) -> str:
    if source not in settings.sources:
        return "not configured"
    held = read_ledger(settings.store, SOURCE_STAGES["recordings"].name, source)
    return "read" if held else "configured, not read yet"


def _concat(settings: Settings, table: Table, partitions: list[str]) -> pl.DataFrame:
    return pl.concat([table.empty(), *(settings.store.read(table, p) for p in partitions)])


def _read_all(settings: Settings, table: Table, chosen) -> pl.DataFrame:
    return _concat(settings, table, [p for p in settings.store.partitions(table) if chosen(p)])


def _clip_frames(settings: Settings, shown: pl.DataFrame) -> dict[ClipKey, list[bytes]]:
    """Small JPEGs of the clips the page shows."""
    store = settings.store
    pictures: dict[ClipKey, list[bytes]] = {}
    clips = clips_of(shown)
    for source in sorted({source for source, _ in clips}):
        keys = [key for s, key in clips if s == source]
        ids = sorted({uid for uid, _, _ in keys})
        recordings = store.read(TABLES["recordings"], source, ids)
        reader = MediaReader(
            open_root(settings.sources[source].root),
            dict(recordings.select("recording_id", "media_paths").iter_rows()),
        )
        frames = store.read(TABLES["frames"], source, ids).partition_by(
            "recording_id", as_dict=True
        )
        for uid, start_s, end_s in keys:
            if (uid,) not in frames:
                continue
            try:
                chosen = choose_frames(frames[uid,], _SHOWN_FRAMES, start_s, end_s)
                pictures[uid, start_s, end_s] = [
                    to_jpeg(reader(uid, part, [pts])[0], _SHOWN_PX)
                    for part, pts in chosen.select("part", "source_pts").iter_rows()
                ]
            except (NoFrameError, VideoError):
                # The page shows the clip without pictures; the failure is in quarantine or calls.
                continue
    return pictures
