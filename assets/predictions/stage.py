"""Replies and answers of a run on a benchmark: one unit per question.

Calls are only ever added: a reply that is there for a request is never bought again, and a call that
failed is asked again by later runs (see `resources.models.calls.call_log`). The partition is `benchmark.run`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import polars as pl
import polars.selectors as cs

from assets.frames.stage import STAGE as FRAMES
from assets.options import Options, Tell
from assets.predictions.answers import READER_ERROR, UnreadReply, extract_answers, log_unread
from assets.predictions.selection import askable, limited
from assets.protocols.asked import (
    FRAME,
    GAZE,
    Shown,
    by_source,
    frame_sizes,
    in_order_of_media,
    known_recordings,
    shown_by,
    vary_asked,
)
from assets.protocols.contexts import CONTEXT
from assets.protocols.declared import protocol_of
from assets.protocols.rendering import build_prompt
from assets.protocols.variants import SWAPPED_FROM, Varied
from assets.questions.gating import STAGE as GATES
from assets.questions.stage import STAGE as QUESTIONS
from assets.stage import Inputs, OwnRun, Stage
from assets.synonyms import READS as SYNONYM_READS
from assets.synonyms import synonym_versions, synonyms
from expectations.gates import published
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from expectations.schemas.sampling import NoFrameError
from resources.config import Settings
from resources.models import Engine, EngineUnavailableError, closed_after_use, open_engine
from resources.models.calls.call_log import CallLog, known_calls
from resources.models.costs.budget import BudgetReachedError
from resources.models.costs.costs import plan_costs, refresh_costs
from resources.models.costs.estimate import PlannedCalls
from resources.models.engines.given_replies import GivenReplies
from resources.models.prompt import Prompt
from resources.models.protocol import Protocol
from resources.models.reply import UNASKED, unasked_prompt
from resources.models.runs import RunConfig
from resources.store.code_version import code_version
from resources.store.incremental import (
    ALL,
    Output,
    Pending,
    Plan,
    Report,
    Selection,
    StageTables,
    make_plan,
    run_stage,
)
from resources.store.ledger import read_complete
from resources.store.tables import TableStore

REQUESTS = TABLES["requests"]
REPLIES = StageTables("replies", (REQUESTS,))
ANSWERS = StageTables("answers", (TABLES["answers"],))
CALLS = TABLES["calls"]


class Evaluation:
    """A run on a benchmark, opened once per step."""

    def __init__(self, settings: Settings, key: str, retry_errors: bool = False) -> None:
        self.settings = settings
        self.key = key
        self.benchmark, _, name = key.partition(".")
        self.run: RunConfig = settings.runs[name]
        self.protocol: Protocol = protocol_of(settings, self.benchmark, self.run)
        self.left_out = ""
        self.engine: Engine = open_engine(self.run, self.protocol.needs)
        self.log = CallLog(
            settings.store,
            key,
            self.benchmark,
            self.run,
            lambda: self.engine,
            retry_errors=retry_errors,
        )

    def questions(self, options: Options) -> pl.DataFrame:
        """Published questions the run asks, narrowed to a person's choice."""
        for stage in (QUESTIONS.name, GATES.name):
            read_complete(self.settings.store, stage, self.benchmark)
        varied = asked_questions(self.settings, self.benchmark, self.run)
        self.left_out = varied.sentence()
        chosen = varied.asked
        if options.subtasks:
            chosen = chosen.filter(pl.col("subtask").is_in(options.subtasks))
        if options.recordings:
            chosen = chosen.filter(pl.col("recording_id").is_in(options.recordings))
        return chosen if options.limit is None else chosen.head(options.limit)

    def wanted(self, questions: pl.DataFrame) -> dict[str, str]:
        """Questions, and what the request of each is made from."""
        frames = self._frame_hashes() if self.protocol.sends_media else {}
        views = self._views() if self._depends_on_views else {}
        shared = digest(
            [
                code_version(build_prompt),
                repr(self.protocol),
                self.engine.model,
                f"samples={self.run.samples}",
            ]
        )
        return {
            row["question_id"]: digest(
                [
                    shared,
                    row["question_hash"],
                    *([repr(row["media"])] if row.get(SWAPPED_FROM) else ()),
                    *([row[CONTEXT]] if row.get(CONTEXT) else ()),
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
                "question_id",
                "question_hash",
                "source",
                "media",
                cs.by_name(SWAPPED_FROM, CONTEXT, require_all=False),
            ).iter_rows(named=True)
        }

    @property
    def _depends_on_views(self) -> bool:
        views = {"ego_only", "exo_only"} & set(self.protocol.variants)
        return self.protocol.crop != "full" or bool(views)

    def due(self) -> frozenset[str]:
        """Questions whose request was made and is to be asked again, though nothing moved."""
        self.log.known()
        requests = self.settings.store.read(REQUESTS, self.key, columns=("question_id", "call_key"))
        return frozenset(
            question_id
            for question_id, call_key in requests.iter_rows()
            if not call_key.startswith(UNASKED) and self.log.is_due(call_key)
        )

    def _frame_hashes(self) -> dict[tuple[str, str], str]:
        # Only a crop around the gaze is made anew where gaze changes.
        columns = (*FRAME, *GAZE) if self.protocol.crop == "gaze" else FRAME
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


def asked_questions(settings: Settings, benchmark: str, run: RunConfig) -> Varied:
    """Published questions a run asks of a benchmark, and those its protocol's variants do not fit.

    Args:
        settings: Configuration.
        benchmark: Benchmark.
        run: Run.
    """
    protocol = protocol_of(settings, benchmark, run)
    rows = settings.store.read(TABLES["questions"], benchmark)
    judged = settings.store.read(TABLES["question_gates"], benchmark)
    rows = askable(published(rows, judged, protocol.judged_as), run, protocol)
    known = known_recordings(settings, benchmark, protocol)
    varied = vary_asked(settings, rows, protocol, known)
    return Varied(limited(varied.asked, run), varied.reasons)


def selection_of(options: Options) -> Selection:
    """Whether a person narrowed the questions; narrowed runs delete nothing."""
    narrowed = options.subtasks or options.recordings or options.limit is not None
    return Selection(limit=1 << 60) if narrowed else ALL


def _refresh(inputs: Inputs, options: Options, tell: Tell) -> list[Report]:
    """Ask what has no reply yet, then read the replies that changed."""
    settings, key = inputs.settings, inputs.partition
    evaluation = Evaluation(settings, key, options.retry_errors)
    questions = evaluation.questions(options)
    selection = selection_of(options)
    reports = []
    may_ask = options.may_ask(evaluation.run, needs_auto=True)
    if may_ask:
        if isinstance(evaluation.engine, GivenReplies):
            _check_reply_file(settings, evaluation.run, evaluation.engine, questions)
        due = evaluation.due() & set(questions["question_id"])
        try:
            with closed_after_use(evaluation.engine):
                replies = run_stage(
                    settings.store,
                    REPLIES,
                    key,
                    lambda: evaluation.wanted(questions),
                    lambda todo: _ask(
                        evaluation,
                        questions.filter(pl.col("question_id").is_in(todo)),
                        questions.height - len(todo),
                        tell,
                    ),
                    selection=selection,
                    again=due,
                    code=_code_of_requests,
                )
        except EngineUnavailableError:
            # What was asked before it stopped is paid.
            refresh_costs(settings.store, key, evaluation.run)
            raise
        failed = failed_calls(settings, key)
        failure = failed.sentence() if failed is not None else ""
        replies.note = "; ".join(filter(None, (failure, evaluation.left_out)))
        reports.append(replies)
    answers = run_stage(
        settings.store,
        ANSWERS,
        key,
        lambda: wanted_answers(settings, key, questions),
        lambda todo: [_read(settings, key, questions, todo)],
        selection=selection,
        progress=tell("answers"),
        code=_code_of_answers,
    )
    if not may_ask:
        answers.note = "not asked: automation asks only runs with `auto = true`"
    return [*reports, answers, refresh_costs(settings.store, key, evaluation.run)]


def _check_reply_file(
    settings: Settings, run: RunConfig, engine: GivenReplies, asked: pl.DataFrame
) -> None:
    """Refuse a file that replies to unknown questions, once all benchmarks of the run are built."""
    benchmarks = sorted(run.benchmarks or settings.benchmarks)
    known = set(asked["question_id"])
    for benchmark in benchmarks:
        rows = settings.store.read(TABLES["questions"], benchmark, columns=("question_id",))
        if rows.is_empty():
            return
        known |= set(rows["question_id"])
    engine.check_questions(known, benchmarks)


def _code_of_requests(_question_id: str) -> str:
    return code_version(build_prompt)


def _code_of_answers(_question_id: str) -> str:
    return code_version(extract_answers)


def _pending(inputs: Inputs, options: Options) -> Iterator[Pending]:
    """What is to be asked, and read."""
    settings, key = inputs.settings, inputs.partition
    evaluation = Evaluation(settings, key, options.retry_errors)
    questions = evaluation.questions(options)
    asked = _plan_of_requests(evaluation, questions, options)
    yield Pending.of(REPLIES.name, asked)
    wanted = wanted_answers(settings, key, questions)
    selection = selection_of(options)
    read = make_plan(settings.store, ANSWERS, key, wanted, selection, code=_code_of_answers)
    # What a reply will say is not known before it is there.
    yield Pending.of(ANSWERS.name, read, () if asked.is_fresh else (REPLIES.name,))
    summed = plan_costs(settings.store, key, evaluation.run)
    yield Pending.of("costs", summed, () if asked.is_fresh else (REPLIES.name,))


def _plan_of_requests(evaluation: Evaluation, questions: pl.DataFrame, options: Options) -> Plan:
    return make_plan(
        evaluation.settings.store,
        REPLIES,
        evaluation.key,
        evaluation.wanted(questions),
        selection_of(options),
        again=evaluation.due() & set(questions["question_id"]),
        code=_code_of_requests,
    )


def planned_calls(settings: Settings, key: str, options: Options) -> PlannedCalls:
    """Calls that an update would make for an evaluation, if nothing it reads changed before.

    Prompts are rendered to know which of them have a reply; no video is opened and no model asked.
    """
    evaluation = Evaluation(settings, key, options.retry_errors)
    questions = evaluation.questions(options)
    todo = _plan_of_requests(evaluation, questions, options).todo
    prompts = prompts_of(evaluation, questions.filter(pl.col("question_id").is_in(todo)))
    evaluation.log.known()
    run, model, label = evaluation.run, evaluation.engine.model, evaluation.protocol.label
    return PlannedCalls.of(
        key, run, model, label, prompts, evaluation.log.is_due, frame_sizes(settings, questions)
    )


def prompts_of(evaluation: Evaluation, questions: pl.DataFrame) -> Iterator[Prompt]:
    """Prompts of questions, source by source; those without a frame to show are left out.

    No video is opened and no model asked.
    """
    for source, mine in by_source(questions):
        shown = shown_by(evaluation.settings, evaluation.protocol, source, mine)
        yield from _prompts(evaluation, mine, shown, [])


@dataclass(frozen=True, slots=True)
class FailedCalls:
    """Calls that failed, of those that answer the questions of a run as they are now.

    Attributes:
        n_failed: Questions whose last call failed.
        n_asked: Questions asked.
        n_given_up: Of the failed ones, those that only `--retry-errors` asks again.
        last_error: Error of the latest.
    """

    n_failed: int
    n_asked: int
    n_given_up: int
    last_error: str

    def sentence(self) -> str:
        """What a person reads."""
        again = self.n_failed - self.n_given_up
        parts = [f"the next run asks {again} of them again"] if again else []
        if self.n_given_up:
            parts.append(f"{self.n_given_up} failed too often: `--retry-errors` asks them again")
        return (
            f"{self.n_failed} of {self.n_asked} calls failed (last: {self.last_error});"
            f" {'; '.join(parts)}"
        )


def failed_calls(settings: Settings, key: str) -> FailedCalls | None:
    """Calls of a run on a benchmark that failed; None where none did. Opens no engine."""
    requests = settings.store.read(REQUESTS, key, columns=("call_key",))
    asked = [k for k in requests["call_key"] if not k.startswith(UNASKED)]
    columns = ("call_key", "attempt", "status", "failures", "error", "asked_at")
    calls = settings.store.read(CALLS, key, columns=columns)
    # Of a call that was answered no failure counts.
    answered = calls.filter(status="ok").select("call_key")
    calls = calls.join(answered, on="call_key", how="anti")
    known = known_calls(calls.iter_rows(named=True))
    failed = [known[k] for k in asked if k in known]
    if not failed:
        return None
    most = settings.runs[key.partition(".")[2]].max_attempts
    latest = max(failed, key=lambda call: call.row["asked_at"])
    given_up = sum(call.is_settled(most) for call in failed)
    return FailedCalls(len(failed), len(asked), given_up, latest.row["error"] or "")


def _ask(
    evaluation: Evaluation, questions: pl.DataFrame, resumed: int, tell: Tell
) -> Iterator[Output]:
    """Ask batch by batch; the calls of each are in their table before its units are done.

    Args:
        evaluation: The run on the benchmark.
        questions: Questions to ask.
        resumed: Questions that were asked before, for progress.
        tell: Gives a progress callback.
    """
    samples = evaluation.run.samples
    progress = tell(f"{evaluation.run.engine} is asked")
    total, done = resumed + questions.height, resumed
    progress(done, total, "")
    for source, mine in by_source(questions):
        shown = shown_by(evaluation.settings, evaluation.protocol, source, mine)
        media = shown.media(evaluation.settings, source)
        unasked: list[tuple[Prompt, Exception]] = []
        without_reply: dict[tuple[str, int], Prompt] = {}
        prompts = _noted(
            _prompts(evaluation, in_order_of_media(mine), shown, unasked), without_reply
        )
        # Rows of questions with several replies, until all of them are there.
        rows: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)

        def say(n: int, last: str, before: int = done) -> None:
            progress(before + n // samples, total, last)

        try:
            with closing(evaluation.log.stream(prompts, media, say)) as stored:
                for group in stored:
                    for prompt in group:
                        without_reply.pop((prompt.item, prompt.sample), None)
                        rows[prompt.item].append(_request_row(evaluation, prompt))
                    whole = [item for item in list(rows) if len(rows[item]) == samples]
                    if whole:
                        done += len(whole)
                        found = [row for item in whole for row in rows.pop(item)]
                        yield Output(whole, {"requests": REQUESTS.frame(found)})
        except BudgetReachedError as stop:
            left = f"{total - done} of {total} questions have no reply yet"
            raise stop.with_left(left) from None
        if without_reply:
            # Nobody replied, as people may not: there is a request, and no call.
            for prompt in without_reply.values():
                rows[prompt.item].append(_request_row(evaluation, prompt))
            found = [row for of_item in rows.values() for row in of_item]
            done += len(rows)
            yield Output(list(rows), {"requests": REQUESTS.frame(found)})
        if unasked:
            # The log's lock is free again.
            evaluation.log.add_unasked(unasked)
            done += len(unasked)
            found = [_request_row(evaluation, prompt) for prompt, _ in unasked]
            yield Output([p.item for p, _ in unasked], {"requests": REQUESTS.frame(found)})
        progress(done, total, "")


def _noted(prompts: Iterator[Prompt], passed: dict[tuple[str, int], Prompt]) -> Iterator[Prompt]:
    """Prompts as they pass, noted in `passed` by question and sample."""
    for prompt in prompts:
        passed[prompt.item, prompt.sample] = prompt
        yield prompt


def _prompts(
    evaluation: Evaluation,
    questions: pl.DataFrame,
    shown: Shown,
    unasked: list[tuple[Prompt, Exception]],
) -> Iterator[Prompt]:
    """Prompts of questions; those that cannot be asked are added to `unasked`, with the reason."""
    protocol, model = evaluation.protocol, evaluation.engine.model
    for question in questions.iter_rows(named=True):
        try:
            prompts = [
                build_prompt(question, protocol, model, shown.frames, shown.views, sample=sample)
                for sample in range(evaluation.run.samples)
            ]
        except NoFrameError as error:
            ids = question["question_id"], question["question_hash"]
            unasked.append((unasked_prompt(*ids, protocol.label, model), error))
            continue
        yield from prompts


def _request_row(evaluation: Evaluation, prompt: Prompt) -> dict[str, Any]:
    return {
        "benchmark": evaluation.benchmark,
        "run": evaluation.run.name,
        "question_id": prompt.item,
        "question_hash": prompt.seed,
        "call_key": prompt.key,
        "protocol": prompt.asked_as,
        "model": prompt.model,
        "sample": prompt.sample,
    }


def wanted_answers(settings: Settings, key: str, questions: pl.DataFrame) -> dict[str, str]:
    """Questions with a reply to their request, and what the answer of each is made from."""
    code = code_version(extract_answers)
    known = synonym_versions(settings, _worded_sources(questions))
    calls: dict[str, list[str]] = defaultdict(list)
    said = ("question_id", "question_hash", "call_key", "attempt", "status", "reply")
    for row in _current_calls(settings, key).select(said).iter_rows():
        calls[row[0]].append(repr(row[1:]))
    return {
        row["question_id"]: digest(
            [
                code,
                repr({name: value for name, value in row.items() if name != "source"}),
                *sorted(calls[row["question_id"]]),
                *(() if row["options"] else (known[row["source"]],)),
            ]
        )
        for row in questions.select(
            "question_id",
            "question_hash",
            "subtask",
            "recording_id",
            "options",
            "answer",
            "answer_text",
            "chance",
            "source",
        ).iter_rows(named=True)
        if row["question_id"] in calls
    }


def _current_calls(settings: Settings, key: str) -> pl.DataFrame:
    """Calls that answer the questions as the run asks them now.

    A reply to another prompt, model or video stays in `calls` and may count again one day; it is
    not the reply to this request.
    """
    now = settings.store.read(REQUESTS, key, columns=("question_id", "call_key", "sample"))
    # Requests that were made before replies were numbered are the first and only ones.
    now = now.with_columns(pl.col("sample").fill_null(0))
    calls = settings.store.read(CALLS, key).drop("question_id")
    # A call is asked once, also where two questions show a model the same.
    return calls.join(now, on="call_key", how="inner", maintain_order="left").select(
        *CALLS.schema.names(), "sample"
    )


def _read(settings: Settings, key: str, questions: pl.DataFrame, todo: list[str]) -> Output:
    calls = _current_calls(settings, key).filter(pl.col("question_id").is_in(todo))
    asked = questions.filter(pl.col("question_id").is_in(todo))
    known = synonyms(settings, _worded_sources(asked))
    unread: list[UnreadReply] = []
    answers = extract_answers(asked, calls, known, unread.append)
    for one in unread:
        log_unread(one)
    refused = [(one.question_id, one.refusal) for one in unread]
    return Output(todo, {"answers": answers}, refused)


def unread_replies(settings: Settings, key: str) -> int:
    """Replies of a run on a benchmark that a reader failed on; each is in `quarantine`."""
    rules = settings.store.read(TABLES["answers"], key, columns=("rule",))["rule"]
    return int((rules == READER_ERROR).sum())


def _worded_sources(questions: pl.DataFrame) -> list[str]:
    """Sources of the questions that are answered in words."""
    return questions.filter(pl.col("options").list.len() == 0)["source"].unique().to_list()


def _calls_version(store: TableStore, partition: str) -> str:
    """Digest of calls by what was asked and came back."""
    columns = ("call_key", "attempt", "status", "reply")
    rows = store.scan(CALLS, partition, columns=columns)
    return digest(repr(row) for row in rows.sort(pl.all()).collect().iter_rows())


def _asks(settings: Settings) -> Iterator[RunConfig]:
    for key in settings.evaluations():
        yield settings.runs[key.partition(".")[2]]


STAGE = Stage(
    name="predictions",
    group="predictions",
    summary="Models are asked what has no reply yet; answers are read from replies, and costs summed up.",
    partition="evaluation",
    tables=("requests", "calls", "answers", "costs"),
    derived_from={
        "requests": ("questions", "question_gates"),
        "calls": ("requests", "recordings", "images", "frames"),
        "answers": ("calls", "questions", "taxonomies"),
        "costs": ("calls",),
    },
    reads={
        "questions": None,
        "question_gates": None,
        "recordings": None,
        "images": None,
        "frames": None,
        **SYNONYM_READS,
    },
    own=OwnRun(_refresh, _pending),
    data_versions={"calls": _calls_version},
    asks=_asks,
    lineage={
        "calls": {
            "prompt": [("questions", "text"), ("questions", "options")],
            "media_recipe": [
                ("questions", "media"),
                ("frames", "source_pts"),
                ("frames", "gaze_x"),
                ("frames", "gaze_y"),
            ],
        },
        "answers": {
            "letter": [("calls", "reply")],
            "right": [("questions", "answer")],
            "match": [("calls", "reply"), ("questions", "answer_text"), ("taxonomies", "terms")],
            **{
                column: [("calls", "reply"), ("questions", "answer_text")]
                for column in ("time_s", "time_end_s", "time_frame", "time_end_frame", "time_unit")
            },
        },
        "costs": {
            "n_questions": [("calls", "question_id")],
            "n_calls": [("calls", "call_key"), ("calls", "attempt")],
            "n_failed": [("calls", "status")],
            "dollars": [
                ("calls", "dollars"),
                ("calls", "prompt_tokens"),
                ("calls", "completion_tokens"),
            ],
        },
    },
)
