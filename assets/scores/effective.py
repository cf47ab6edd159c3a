"""What somebody would score who sees no video: the effective chance of the questions of a benchmark."""

from __future__ import annotations

import polars as pl

from assets.questions.gating import STAGE as GATES
from assets.questions.stage import STAGE as QUESTIONS
from assets.sources.stage import STAGES as SOURCE_STAGES
from expectations.gates import published
from expectations.schemas import TABLES
from expectations.set_checks import effective_chances
from expectations.set_rows import COLUMNS
from resources.config import Settings
from resources.ledger import read_ledger, table_digest

_VERDICTS = ("benchmark", "question_id", "question_hash", "gate", "protocol", "verdict")
_RECORDINGS = SOURCE_STAGES["recordings"].name
# Worked out lately, by what they follow from: the runs of a benchmark share them.
_KNOWN: dict[tuple[str, ...], pl.DataFrame] = {}
_MOST_KNOWN = 16


def chance_inputs(settings: Settings, benchmark: str) -> tuple[str, ...]:
    """Digests of the tables that effective chances follow from."""
    store = settings.store
    found = [
        table_digest(read_ledger(store, stage.name, benchmark), table)
        for stage, table in ((QUESTIONS, "questions"), (GATES, "question_gates"))
    ]
    found += [
        table_digest(read_ledger(store, _RECORDINGS, source), "recordings")
        for source in settings.sources_of(benchmark)
    ]
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
    questions = store.read(TABLES["questions"], benchmark, columns=COLUMNS).rechunk()
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
