"""Scores of a run on a benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from assets.benchmarks import about
from assets.scores.table import Groups, score
from assets.stage import Batch, Inputs, Stage, Unit, ledger_name
from expectations.gates import published
from expectations.schemas import TABLES
from expectations.set_checks.questions import effective_chances
from expectations.set_checks.rows import COLUMNS as ASKED_COLUMNS
from resources.config import Settings
from resources.store.incremental import Output
from resources.store.ledger import read_ledger, table_digest

_VERDICTS = ("benchmark", "question_id", "question_hash", "gate", "protocol", "verdict")
# Worked out lately, by what they follow from: the runs of a benchmark share them.
_KNOWN: dict[tuple[str, ...], pl.DataFrame] = {}
_MOST_KNOWN = 16


def _units(inputs: Inputs) -> Iterator[Unit]:
    """The run."""
    benchmark, _, run = inputs.partition.partition(".")
    inputs.stored_units("answers")
    # Effective chances are the same for all runs of a benchmark: what they follow from is a parameter.
    keys = {"questions": (), "question_gates": (), "recordings": ()}
    parameters = (
        *chance_inputs(inputs.settings, benchmark),
        repr(groups_of(inputs.settings, benchmark)),
        repr(_domain_of_source(inputs.settings, benchmark)),
    )
    yield Unit(run, keys, parameters)


def _make(batch: Batch) -> Iterator[Output]:
    benchmark = batch.source.partition(".")[0]
    chances = effective_chance_of(batch.settings, benchmark)
    groups = groups_of(batch.settings, benchmark)
    domains = domains_of(batch.settings, benchmark)
    yield Output(batch.names, {"scores": score(batch.tables["answers"], chances, groups, domains)})


def groups_of(settings: Settings, benchmark: str) -> Groups:
    """Groups of subtasks that the paper of a benchmark gives means of."""
    return about(benchmark, settings.benchmark_folders).groups


def domains_of(settings: Settings, benchmark: str) -> dict[str, str]:
    """Domain of every question of a benchmark whose paper has domains, by the question's id."""
    of_source = _domain_of_source(settings, benchmark)
    if not of_source:
        return {}
    columns = ("question_id", "source")
    rows = settings.store.read(TABLES["questions"], benchmark, columns=columns)
    known = rows.filter(pl.col("source").is_in(list(of_source)))
    return {uid: of_source[source] for uid, source in known.select(columns).iter_rows()}


def _domain_of_source(settings: Settings, benchmark: str) -> dict[str, str]:
    declared = about(benchmark, settings.benchmark_folders).domains
    of_layout = {layout: name for name, layouts in declared.items() for layout in layouts}
    layouts = {name: settings.sources[name].layout for name in settings.sources_of(benchmark)}
    return {name: of_layout[one] for name, one in sorted(layouts.items()) if one in of_layout}


def chance_inputs(settings: Settings, benchmark: str) -> tuple[str, ...]:
    """Digests of the tables that effective chances follow from."""
    store = settings.store
    found = [
        table_digest(read_ledger(store, ledger_name(table), benchmark), table)
        for table in ("questions", "question_gates")
    ]
    # Of recordings only the places of those that questions show count.
    shown = store.read(TABLES["questions"], benchmark, columns=("source", "media"))
    pairs = shown.explode("media").select("source", pl.col("media").struct.field("recording_id"))
    recordings = {
        source: read_ledger(store, ledger_name("recordings"), source)
        for source in settings.sources_of(benchmark)
    }
    for source, uid in pairs.unique().sort("source", "recording_id").iter_rows():
        entry = recordings.get(source, {}).get(uid)
        if entry is not None:
            found.append(entry.inputs("recordings", ("recording_id", "environment_id")))
    return tuple(found)


def effective_chance_of(settings: Settings, benchmark: str) -> pl.DataFrame:
    """Effective chance of every published question of a benchmark.

    Returns:
        Columns question_id and effective_chance: that of the question's subtask and recipe, null where
        these have too few questions to say.
    """
    key = (settings.store.url, benchmark, *chance_inputs(settings, benchmark))
    if key not in _KNOWN:
        while len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.pop(next(iter(_KNOWN)))
        _KNOWN[key] = _work_out(settings, benchmark)
    return _KNOWN[key]


def _work_out(settings: Settings, benchmark: str) -> pl.DataFrame:
    store = settings.store
    questions = store.read(TABLES["questions"], benchmark, columns=ASKED_COLUMNS).rechunk()
    verdicts = store.read(TABLES["question_gates"], benchmark, columns=_VERDICTS)
    places: dict[str, str | None] = {}
    for source in settings.sources_of(benchmark):
        names = ["recording_id", "environment_id"]
        places |= dict(store.read(TABLES["recordings"], source, columns=names).iter_rows())
    return chance_by_question(questions, verdicts, places)


def chance_by_question(
    questions: pl.DataFrame, verdicts: pl.DataFrame, places: Mapping[str, str | None]
) -> pl.DataFrame:
    """Effective chance of every published question.

    Args:
        questions: Rows of `questions`, of one benchmark.
        verdicts: Their rows of `question_gates`; without any, all questions count as published.
        places: Environment by recording, null where it is not known.

    Returns:
        Columns question_id and effective_chance, as `effective_chance_of`.
    """
    kept = published(questions, verdicts) if len(verdicts) else questions
    # No shortcut can be measured where nobody knows the answer.
    kept = kept.filter(pl.col("answer").is_not_null())
    known = any(place is not None for place in places.values())
    chances = effective_chances(kept, dict(places) if known else None)
    keys = ["benchmark", "subtask", "recipe"]
    found = kept.select(*keys, "question_id").join(chances, on=keys, how="left", nulls_equal=True)
    return found.select("question_id", "effective_chance").sort("question_id")


STAGE = Stage(
    name="scores",
    group="scores",
    summary="Metrics with counts and intervals clustered by recording.",
    partition="evaluation",
    tables=("scores",),
    reads={
        "answers": None,
        "questions": tuple(dict.fromkeys((*ASKED_COLUMNS, "source", "media"))),
        "question_gates": _VERDICTS,
        "recordings": ("recording_id", "environment_id"),
    },
    units=_units,
    make=_make,
    code=(score, chance_by_question),
    lineage={
        "scores": {
            "value": [("answers", "right"), ("answers", "subtask")],
            "n": [("answers", "question_id")],
            "n_unparsed": [("answers", "status"), ("answers", "chain_outcome")],
            "n_errors": [("answers", "status")],
            "n_withheld": [("answers", "right")],
            "n_clusters": [("answers", "recording_id")],
            "low": [("answers", "right"), ("answers", "recording_id")],
            "effective_chance": [("questions", "options"), ("questions", "media")],
            "high": [("answers", "right"), ("answers", "recording_id")],
        }
    },
)
