"""Scores of a run on a benchmark."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from assets.predictions.stage import ANSWERS as ANSWERS_STAGE
from assets.questions.gating import STAGE as GATES
from assets.questions.stage import STAGE as QUESTIONS
from assets.scores.table import score
from assets.sources.stage import STAGES as SOURCE_STAGES
from assets.unit_stage import UnitStage
from expectations.gates import published
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from expectations.set_checks.questions import effective_chances
from expectations.set_checks.rows import COLUMNS as ASKED_COLUMNS
from resources.config import Settings
from resources.store.code_version import code_version
from resources.store.incremental import Output, Stage
from resources.store.ledger import read_complete, read_ledger, table_digest

STAGE = Stage("scores", (TABLES["scores"],))


_VERDICTS = ("benchmark", "question_id", "question_hash", "gate", "protocol", "verdict")


_RECORDINGS_STAGE = SOURCE_STAGES["recordings"].name


# Worked out lately, by what they follow from: the runs of a benchmark share them.
_KNOWN: dict[tuple[str, ...], pl.DataFrame] = {}


_MOST_KNOWN = 16


def wanted(settings: Settings, key: str) -> dict[str, str]:
    """The run, and what its scores are made from."""
    answers = read_complete(settings.store, ANSWERS_STAGE.name, key)
    columns = TABLES["answers"].content_columns
    said = [f"{q}={e.inputs('answers', columns)}" for q, e in sorted(answers.items())]
    said += chance_inputs(settings, key.partition(".")[0])
    code = code_version(score, effective_chance_of)
    return {settings.runs[key.partition(".")[2]].name: digest([code, *said])}


def _compute(settings: Settings, key: str, todo: list[str]) -> Iterator[Output]:
    answers = settings.store.read(TABLES["answers"], key)
    chances = effective_chance_of(settings, key.partition(".")[0])
    yield Output(todo, {"scores": score(answers, chances)})


_UNITS = UnitStage(STAGE, wanted, _compute)


bring_up = _UNITS.bring_up


is_fresh = _UNITS.is_fresh


def chance_inputs(settings: Settings, benchmark: str) -> tuple[str, ...]:
    """Digests of the tables that effective chances follow from."""
    store = settings.store
    found = [
        table_digest(read_ledger(store, stage.name, benchmark), table)
        for stage, table in ((QUESTIONS, "questions"), (GATES, "question_gates"))
    ]
    # Of recordings only the places of those that questions show count.
    shown = store.read(TABLES["questions"], benchmark, columns=("source", "media"))
    pairs = shown.explode("media").select("source", pl.col("media").struct.field("recording_id"))
    recordings = {
        source: read_ledger(store, _RECORDINGS_STAGE, source)
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
    kept = published(questions, verdicts) if len(verdicts) else questions
    places: dict[str, str | None] = {}
    for source in settings.sources_of(benchmark):
        names = ["recording_id", "environment_id"]
        places |= dict(store.read(TABLES["recordings"], source, columns=names).iter_rows())
    known = any(place is not None for place in places.values())
    chances = effective_chances(kept, places if known else None)
    keys = ["benchmark", "subtask", "recipe"]
    found = kept.select(*keys, "question_id").join(chances, on=keys, how="left", nulls_equal=True)
    return found.select("question_id", "effective_chance").sort("question_id")
