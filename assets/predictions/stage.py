"""Replies and answers of a run on a benchmark: one unit per question.

Calls are only ever added: a reply that is there for a request is never bought again. The partition
is `benchmark.run`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import polars as pl

from assets.frames.stage import STAGE as FRAMES
from assets.options import Options, Tell
from assets.predictions.answers import extract_answers
from assets.predictions.protocols import (
    Protocol,
    RunConfig,
    select_questions,
)
from assets.predictions.replies import Reply, call_row, unasked_row
from assets.predictions.requests import Request, build_request
from assets.predictions.sampling import NoFrameError
from assets.questions.gating import verdicts
from assets.questions.stage import STAGE as QUESTIONS
from assets.sources.stage import root_of
from expectations.gates import published
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.code_version import code_version
from resources.config import Settings
from resources.engines import Engine, open_engine
from resources.incremental import ALL, Output, Report, Selection, Stage, make_plan, run_stage
from resources.ledger import read_complete
from resources.media import MediaReader

REQUESTS = TABLES["requests"]
REPLIES = Stage("replies", (REQUESTS,))
ANSWERS = Stage("answers", (TABLES["answers"],))
CALLS = TABLES["calls"]
_FRAME = ("recording_id", "grid", "t_s", "part", "source_frame", "source_pts")
_GAZE = ("gaze_x", "gaze_y")
_BATCH = 16


class Evaluation:
    """A run on a benchmark, opened once per step."""

    def __init__(self, settings: Settings, key: str) -> None:
        self.settings = settings
        self.key = key
        self.benchmark, _, name = key.partition(".")
        self.run: RunConfig = settings.runs[name]
        self.protocol: Protocol = settings.protocol_of(self.benchmark, self.run)
        self.engine: Engine = open_engine(self.run, self.protocol)

    def questions(self, options: Options) -> pl.DataFrame:
        """Published questions the run asks, narrowed to a person's choice."""
        read_complete(self.settings.store, QUESTIONS.name, self.benchmark)
        rows = self.settings.store.read(TABLES["questions"], self.benchmark)
        judged = verdicts(self.settings, self.benchmark)
        rows = published(rows, judged, self.protocol.label)
        chosen = select_questions(rows, self.run, self.protocol)
        if options.subtasks:
            chosen = chosen.filter(pl.col("subtask").is_in(options.subtasks))
        if options.recordings:
            chosen = chosen.filter(pl.col("recording_id").is_in(options.recordings))
        return chosen if options.limit is None else chosen.head(options.limit)

    def wanted(self, questions: pl.DataFrame) -> dict[str, str]:
        """Questions, and what the request of each is made from."""
        frames = self._frame_hashes() if self.protocol.sends_media else {}
        views = self._views() if self.protocol.crop != "full" else {}
        shared = digest([code_version(build_request), repr(self.protocol), self.engine.model])
        return {
            row["question_id"]: digest(
                [
                    shared,
                    row["question_hash"],
                    *sorted(
                        {frames.get((row["source"], m["recording_id"]), "") for m in row["media"]}
                    ),
                    *sorted(
                        {
                            f"{m['recording_id']} {views.get((row['source'], m['recording_id']))}"
                            for m in row["media"]
                            if views
                        }
                    ),
                ]
            )
            for row in questions.select(
                "question_id", "question_hash", "source", "media"
            ).iter_rows(named=True)
        }

    def _frame_hashes(self) -> dict[tuple[str, str], str]:
        # Only a crop around the gaze is made anew where gaze changes.
        columns = (*_FRAME, *_GAZE) if self.protocol.crop == "gaze" else _FRAME
        return {
            (source, uid): entry.inputs("frames", columns)
            for source in self.settings.sources_of(self.benchmark)
            for uid, entry in read_complete(self.settings.store, FRAMES.name, source).items()
        }

    def _views(self) -> dict[tuple[str, str], str]:
        columns = ("recording_id", "view")
        return {
            (source, uid): view
            for source in self.settings.sources_of(self.benchmark)
            for uid, view in self.settings.store.read(
                TABLES["recordings"], source, columns=columns
            ).iter_rows()
        }


def selection_of(options: Options) -> Selection:
    """Whether a person narrowed the questions; narrowed runs delete nothing."""
    narrowed = options.subtasks or options.recordings or options.limit is not None
    return Selection(limit=1 << 60) if narrowed else ALL


def bring_up(settings: Settings, key: str, options: Options, tell: Tell) -> list[Report]:
    """Ask what has no reply yet, then read the replies that changed."""
    evaluation = Evaluation(settings, key)
    questions = evaluation.questions(options)
    selection = selection_of(options)
    reports = []
    if options.ask:
        replies = run_stage(
            settings.store,
            REPLIES,
            key,
            lambda: evaluation.wanted(questions),
            lambda todo: _ask(
                evaluation, questions.filter(pl.col("question_id").is_in(todo)), tell
            ),
            selection=selection,
        )
        reports.append(replies)
    answers = run_stage(
        settings.store,
        ANSWERS,
        key,
        lambda: wanted_answers(settings, key, questions),
        lambda todo: [_read(settings, key, questions, todo)],
        selection=selection,
        progress=tell("answers"),
    )
    return [*reports, answers]


def is_fresh(settings: Settings, key: str, options: Options) -> bool:
    """Whether nothing is to be asked or read."""
    evaluation = Evaluation(settings, key)
    questions = evaluation.questions(options)
    selection = selection_of(options)
    asked = make_plan(settings.store, REPLIES, key, evaluation.wanted(questions), selection)
    if not asked.is_fresh:
        return False
    wanted = wanted_answers(settings, key, questions)
    return make_plan(settings.store, ANSWERS, key, wanted, selection).is_fresh


def _ask(evaluation: Evaluation, questions: pl.DataFrame, tell: Tell) -> Iterator[Output]:
    """Ask in small batches; each is committed to `calls` before the next."""
    store = evaluation.settings.store
    told = tell(f"{evaluation.run.engine} is asked")
    total, done = questions.height, 0
    for source in questions["source"].unique().sort():
        mine = questions.filter(pl.col("source") == source)
        ids = sorted({m["recording_id"] for media in mine["media"] for m in media})
        recordings = store.read(TABLES["recordings"], source, ids)
        reader = MediaReader.of(
            root_of(evaluation.settings, source),
            recordings,
            store.read(TABLES["images"], source, ids),
        )
        frames = _frames(evaluation, source, ids)
        views = dict(recordings.select("recording_id", "view").iter_rows())
        known = _known_calls(evaluation)
        for at in range(0, mine.height, _BATCH):
            batch = mine.slice(at, _BATCH)
            rows, asked = _ask_batch(evaluation, batch, frames, views, reader, known)
            store.append(CALLS, evaluation.key, CALLS.frame(rows))
            done += batch.height
            told(done, total, batch["subtask"][-1])
            yield Output(batch["question_id"].to_list(), {"requests": REQUESTS.frame(asked)})


def _ask_batch(
    evaluation: Evaluation,
    batch: pl.DataFrame,
    frames: Mapping[str, pl.DataFrame],
    views: Mapping[str, str],
    reader: MediaReader,
    known: Mapping[str, int],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of `calls` for questions whose request has no good reply yet, and of `requests`."""
    requests: list[Request] = []
    rows: list[dict[str, Any]] = []
    asked: list[dict[str, Any]] = []
    run, benchmark, engine = evaluation.run.name, evaluation.benchmark, evaluation.engine
    for question in batch.iter_rows(named=True):
        try:
            request = build_request(question, evaluation.protocol, engine.model, frames, views)
        except NoFrameError as error:
            row = unasked_row(
                benchmark, run, question, evaluation.protocol.label, engine.model, error, _now()
            )
            rows.extend([row] if row["call_key"] not in known else [])
            asked.append({name: row[name] for name in REQUESTS.schema})
            continue
        asked.append(
            {
                "benchmark": benchmark,
                "run": run,
                "question_id": request.question_id,
                "question_hash": request.question_hash,
                "call_key": request.call_key,
                "protocol": request.protocol,
                "model": request.model,
            }
        )
        if known.get(request.call_key) != -1:
            requests.append(request)
    replies: Sequence[Reply] = engine.ask(requests, reader) if requests else []
    for request, reply in zip(requests, replies, strict=True):
        attempt = known.get(request.call_key, 0)
        rows.append(call_row(benchmark, run, request, reply, attempt, _now()))
    return rows, asked


def _known_calls(evaluation: Evaluation) -> dict[str, int]:
    """Requests asked before: -1 where a good reply is there, else the next attempt's number."""
    columns = ("call_key", "attempt", "status")
    known: dict[str, int] = {}
    for key, attempt, status in evaluation.settings.store.read(
        CALLS, evaluation.key, columns=columns
    ).iter_rows():
        if status == "ok" or known.get(key) == -1:
            known[key] = -1
        else:
            known[key] = max(known.get(key, 0), attempt + 1)
    return known


def _frames(evaluation: Evaluation, source: str, ids: Sequence[str]) -> dict[str, pl.DataFrame]:
    if not evaluation.protocol.sends_media:
        return {}
    rows = evaluation.settings.store.read(TABLES["frames"], source, ids)
    empty = TABLES["frames"].empty()
    found = {str(k[0]): v for k, v in rows.partition_by("recording_id", as_dict=True).items()}
    return {uid: found.get(uid, empty) for uid in ids}


def wanted_answers(settings: Settings, key: str, questions: pl.DataFrame) -> dict[str, str]:
    """Questions with a reply to their request, and what the answer of each is made from."""
    code = code_version(extract_answers)
    calls: dict[str, list[str]] = defaultdict(list)
    said = ("question_id", "question_hash", "call_key", "attempt", "status", "reply")
    for row in _current_calls(settings, key).select(said).iter_rows():
        calls[row[0]].append(repr(row[1:]))
    return {
        row["question_id"]: digest([code, repr(row), *sorted(calls[row["question_id"]])])
        for row in questions.select(
            "question_id", "question_hash", "subtask", "recording_id", "options", "answer", "chance"
        ).iter_rows(named=True)
        if row["question_id"] in calls
    }


def _current_calls(settings: Settings, key: str) -> pl.DataFrame:
    """Calls that answer the questions as the run asks them now.

    A reply to another prompt, model or video stays in `calls` and may count again one day; it is
    not the reply to this request.
    """
    now = settings.store.read(REQUESTS, key, columns=("question_id", "call_key"))
    calls = settings.store.read(CALLS, key)
    return calls.join(now, on=["question_id", "call_key"], how="semi", maintain_order="left")


def _read(settings: Settings, key: str, questions: pl.DataFrame, todo: list[str]) -> Output:
    calls = _current_calls(settings, key).filter(pl.col("question_id").is_in(todo))
    asked = questions.filter(pl.col("question_id").is_in(todo))
    return Output(todo, {"answers": extract_answers(asked, calls)})


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
