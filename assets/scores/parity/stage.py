"""What published extractors and configured language models read in a run's replies, and what it does to scores.

A benchmark that was published with an extractor has it as a reader; text models that the benchmark names
under `readers` are others. Calls of a model are in `calls`, in the partition `texts.reading.<model>`, and
are made once per reply and model.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from assets.benchmarks import about
from assets.extract.released.parser import letter_of_parser, parser_prompt
from assets.options import Options, Tell
from assets.scores.parity.readers import PUBLISHED, OtherReading, PublishedReader
from assets.scores.parity.table import Reader, parity_answers, parity_scores, replies_of
from assets.stage import Inputs, Stage, Unit, ledger_name
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.config import Settings
from resources.models.calls.calls import TextModel, TextReply
from resources.models.costs.costs import refresh_costs
from resources.models.costs.estimate import PlannedCalls
from resources.models.runs import RunConfig
from resources.store.incremental import Output, Progress
from resources.store.ledger import read_ledger, table_digest

PURPOSE = "reading"
_VERSION = 1
_MAX_TOKENS = 32
_OF_QUESTION = ("question_id", "question_hash", "text", "options", "answer", "answer_text")
_OF_CALL = ("call_key", "attempt", "reply")


def published_reader(settings: Settings, benchmark: str) -> PublishedReader | None:
    """The extractor a benchmark was published with, if any.

    Benchmarks of released questions have the names of people's choice: of them the sources' layout counts.
    """
    config = settings.benchmarks[benchmark]
    if not config.released:
        return PUBLISHED.get(about(benchmark, settings.benchmark_folders).published_reader)
    layouts = {settings.sources[name].layout for name in settings.sources_of(benchmark)}
    return PUBLISHED.get(min(layouts)) if len(layouts) == 1 else None


def _models(settings: Settings, benchmark: str, retry_errors: bool = False) -> list[TextModel]:
    return [
        TextModel(
            settings.store,
            PURPOSE,
            settings.text_models[name],
            _VERSION,
            max_tokens=_MAX_TOKENS,
            retry_errors=retry_errors,
        )
        for name in settings.benchmarks[benchmark].readers
    ]


def _units(inputs: Inputs) -> Iterator[Unit]:
    """The run, where its replies have another reader."""
    settings = inputs.settings
    benchmark, _, run = inputs.partition.partition(".")
    if not _filled(settings, inputs.partition):
        return
    published = published_reader(settings, benchmark)
    models = _models(settings, benchmark)
    inputs.stored_units("answers")
    questions = read_ledger(settings.store, ledger_name("questions"), benchmark)
    yield Unit(
        run,
        {"questions": (), "calls": ()},
        (
            published.version if published is not None else "",
            *(f"{model.run.name} {model.identity}" for model in models),
            table_digest(questions, "questions"),
        ),
    )


def _compute(
    inputs: Inputs, units: Sequence[Unit], options: Options, tell: Tell
) -> Iterator[Output]:
    settings = inputs.settings
    benchmark = inputs.partition.partition(".")[0]
    replies = _replies(settings, inputs.partition)
    readers: list[Reader] = []
    published = published_reader(settings, benchmark)
    if published is not None:
        readers.append(_published(published))
    is_settled = True
    for model in _models(settings, benchmark, options.retry_errors):
        buy = options.may_ask(model.run)
        found = _asked(model, replies, buy, tell(f"{model.run.name} reads replies"))
        refresh_costs(settings.store, model.partition, model.run)
        is_settled &= all(reply.settled for reply in found.values())
        readers.append(_model(model, found))
    answers = parity_answers(replies, readers)
    tables = {"parity_answers": answers, "parity_scores": parity_scores(answers)}
    yield Output([unit.name for unit in units], tables, lasting=is_settled)


def _replies(settings: Settings, key: str) -> pl.DataFrame:
    benchmark = key.partition(".")[0]
    store = settings.store
    answers = store.read(TABLES["answers"], key)
    calls = store.read(TABLES["calls"], key, columns=_OF_CALL)
    questions = store.read(TABLES["questions"], benchmark, columns=_OF_QUESTION)
    return replies_of(answers, calls, questions)


def _published(reader: PublishedReader) -> Reader:
    def read(reply: Mapping[str, Any]) -> tuple[OtherReading, None] | None:
        found = reader.read(reply["reply"] or "", reply)
        return None if found is None else (found, None)

    return Reader(reader.name, "published", reader.version, read)


def _texts(replies: pl.DataFrame) -> dict[str, str]:
    """What a model is asked about each reply to a question with options."""
    with_options = replies.filter(pl.col("options").list.len() > 0)
    return {
        _item(row["call_key"], row["attempt"]): parser_prompt(row["reply"] or "")
        for row in with_options.select(_OF_CALL).iter_rows(named=True)
    }


def _item(call_key: str, attempt: int) -> str:
    return digest([call_key, str(attempt)])


def _asked(
    model: TextModel, replies: pl.DataFrame, buy: bool, progress: Progress
) -> dict[str, TextReply]:
    texts = _texts(replies)
    return model.ask(texts, buy=buy, progress=progress) if texts else {}


def _model(model: TextModel, found: Mapping[str, TextReply]) -> Reader:
    def read(reply: Mapping[str, Any]) -> tuple[OtherReading, str | None] | None:
        parsed = found.get(_item(reply["call_key"], reply["attempt"]))
        return None if parsed is None else (_read_by_model(parsed, reply), parsed.call_key)

    # Without a reply to read no engine is opened.
    version = model.engine.model if found else ""
    return Reader(model.run.name, "model", version, read)


def _read_by_model(parsed: TextReply, reply: Mapping[str, Any]) -> OtherReading:
    """What a model's reply about a reply says."""
    if parsed.status != "ok":
        return OtherReading(parsed.status)
    letters = [option["letter"] for option in reply["options"]]
    cut = parsed.finish_reason == "length"
    letter = letter_of_parser(parsed.text or "", letters, truncated=cut)
    right = None if reply["answer"] is None else letter == reply["answer"]
    return OtherReading("unread" if letter is None else "read", letter, letter, right)


def planned_readings(settings: Settings, key: str, options: Options) -> list[PlannedCalls]:
    """Calls that reading a run's replies by models would make, if no answer changed before."""
    replies = _replies(settings, key)
    return [
        model.planned(f"readings of {key}", _texts(replies))
        for model in _models(settings, key.partition(".")[0], options.retry_errors)
    ]


def failed_readings(settings: Settings, key: str) -> int:
    """Replies of a run that a model failed to read."""
    outcomes = settings.store.scan(TABLES["parity_answers"], key, columns=("outcome",))
    return outcomes.filter(pl.col("outcome") == "error").collect().height


def _due(inputs: Inputs, options: Options) -> frozenset[str]:
    """The run, where a model failed on a reply and is to be asked again, though nothing changed."""
    if not failed_readings(inputs.settings, inputs.partition):
        return frozenset()
    benchmark, _, run = inputs.partition.partition(".")
    models = _models(inputs.settings, benchmark, options.retry_errors)
    due = any(model.failed_items(due=True) for model in models)
    return frozenset([run]) if due else frozenset()


def _filled(settings: Settings, key: str) -> Collection[str]:
    benchmark = key.partition(".")[0]
    read = published_reader(settings, benchmark) is not None
    return STAGE.tables if read or settings.benchmarks[benchmark].readers else ()


def _asks(settings: Settings) -> Iterator[RunConfig]:
    for key in settings.evaluations():
        yield from (model.run for model in _models(settings, key.partition(".")[0]))


STAGE = Stage(
    name="parity_scores",
    group="scores",
    summary="What published extractors and configured models read in the replies, and the scores that follow.",
    partition="evaluation",
    tables=("parity_answers", "parity_scores"),
    reads={"answers": None, "calls": None, "questions": _OF_QUESTION},
    units=_units,
    compute=_compute,
    again=_due,
    code=(replies_of, parser_prompt, _read_by_model, parity_answers, parity_scores),
    adds_to=("calls", "costs"),
    fills=_filled,
    asks=_asks,
    derived_from={
        "parity_answers": ("answers", "calls", "questions"),
        "parity_scores": ("parity_answers",),
    },
    lineage={
        "parity_answers": {
            "theirs": [("calls", "reply")],
            "ours": [("answers", "letter")],
            "right": [("questions", "answer")],
            "our_right": [("answers", "right")],
            "our_status": [("answers", "status")],
        },
        "parity_scores": {
            "value": [("parity_answers", "right")],
            "ours": [("parity_answers", "our_right")],
            "n": [("parity_answers", "question_id")],
            "n_differ": [("parity_answers", "agrees")],
        },
    },
)
