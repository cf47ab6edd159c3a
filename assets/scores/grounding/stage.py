"""What the replies of a run cite of their questions' evidence: one unit, the run.

Only protocols that ask for reasoning are read (`asks_reasoning`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import polars as pl

from assets.options import Options, Tell
from assets.protocols.declared import protocol_of
from assets.scores.grounding.facts import READS as EVIDENCE_READS
from assets.scores.grounding.facts import evidence_rows, facts
from assets.scores.grounding.matching import Facts
from assets.scores.grounding.table import grounding_scores, groundings
from assets.scores.stage import groups_of
from assets.stage import Inputs, Stage, Unit, ledger_name
from assets.synonyms import READS as SYNONYM_READS
from assets.synonyms import synonym_versions, synonyms
from expectations.schemas import TABLES
from resources.config import Settings
from resources.store.incremental import Output
from resources.store.ledger import read_ledger, table_digest

_OF_QUESTION = (
    "source",
    "question_id",
    "question_hash",
    "recording_id",
    "text",
    "media",
    "rationale",
    "evidence",
)
_OF_CALL = ("call_key", "attempt", "reply", "finish_reason")


def _asks_reasoning(settings: Settings, key: str) -> bool:
    benchmark, _, run = key.partition(".")
    return protocol_of(settings, benchmark, settings.runs[run]).asks_reasoning


def _units(inputs: Inputs) -> Iterator[Unit]:
    """The run, where its protocol asks for reasoning."""
    settings, key = inputs.settings, inputs.partition
    if not _asks_reasoning(settings, key):
        return
    benchmark, _, run = key.partition(".")
    inputs.stored_units("answers")
    sources = sorted(settings.sources_of(benchmark))
    parameters = [_digest(inputs, "questions", benchmark), repr(groups_of(settings, benchmark))]
    for source in sources:
        parameters += [f"{source} {_digest(inputs, table, source)}" for table in EVIDENCE_READS]
    parameters += [repr(sorted(synonym_versions(settings, sources).items()))]
    # An answer names the call it was read from, which never changes.
    elsewhere = (*EVIDENCE_READS, *SYNONYM_READS, "questions", "calls")
    yield Unit(run, dict.fromkeys(elsewhere, ()), tuple(parameters))


def _digest(inputs: Inputs, table: str, partition: str) -> str:
    return table_digest(read_ledger(inputs.store, ledger_name(table), partition), table)


def _compute(
    inputs: Inputs, units: Sequence[Unit], _options: Options, _tell: Tell
) -> Iterator[Output]:
    settings, key = inputs.settings, inputs.partition
    benchmark = key.partition(".")[0]
    questions = inputs.store.read(TABLES["questions"], benchmark, columns=_OF_QUESTION)
    replies = _replies(inputs, questions)
    asked = questions.join(replies, on="question_id", how="semi")
    known = synonyms(settings, asked["source"].unique().to_list())
    rows = groundings(replies.iter_rows(named=True), _facts(inputs, asked), known)
    scores = grounding_scores(rows, groups_of(settings, benchmark))
    tables = {"groundings": rows, "grounding_scores": scores}
    yield Output([unit.name for unit in units], tables)


def _replies(inputs: Inputs, questions: pl.DataFrame) -> pl.DataFrame:
    """Answers to the questions as they are now, each with its reply; a failed call is not an answer."""
    calls = inputs.store.read(TABLES["calls"], inputs.partition, columns=_OF_CALL)
    current = questions.select("question_id", "question_hash", "source")
    return (
        inputs.store.read(TABLES["answers"], inputs.partition)
        .filter(pl.col("status") != "error")
        .join(calls.select(_OF_CALL), on=["call_key", "attempt"])
        .join(current, on=["question_id", "question_hash"])
        .sort("question_id", "sample")
    )


def _facts(inputs: Inputs, questions: pl.DataFrame) -> dict[str, Facts]:
    """Evidence of each question."""
    by_question: dict[str, Facts] = {}
    for (source,), part in questions.partition_by("source", as_dict=True).items():
        recordings = part["recording_id"].unique().to_list()
        tables = {
            name: inputs.store.read(TABLES[name], str(source), recordings, columns=columns)
            for name, columns in EVIDENCE_READS.items()
        }
        rows = evidence_rows(tables)
        row: dict[str, Any]
        for row in part.iter_rows(named=True):
            by_question[row["question_id"]] = facts(row, rows)
    return by_question


def _filled(settings: Settings, key: str) -> Collection[str]:
    return STAGE.tables if _asks_reasoning(settings, key) else ()


STAGE = Stage(
    name="grounding_scores",
    group="scores",
    summary="Which times, things and boxes of the evidence replies with reasoning cite, and how precisely.",
    partition="evaluation",
    tables=("groundings", "grounding_scores"),
    reads={
        "answers": None,
        "calls": _OF_CALL,
        "questions": _OF_QUESTION,
        **EVIDENCE_READS,
        **SYNONYM_READS,
    },
    units=_units,
    compute=_compute,
    code=(groundings, facts, grounding_scores),
    fills=_filled,
    derived_from={
        "groundings": (
            "answers",
            "calls",
            "questions",
            *EVIDENCE_READS,
            *SYNONYM_READS,
        ),
        "grounding_scores": ("groundings",),
    },
    lineage={
        "groundings": {
            "status": [("calls", "reply")],
            "times_supported": [
                ("calls", "reply"),
                ("questions", "text"),
                ("graph_edges", "start_s"),
                ("segments", "start_s"),
            ],
            "objects_supported": [("calls", "reply"), ("graph_nodes", "name")],
            "boxes_supported": [("calls", "reply"), ("boxes", "x_min")],
        },
        "grounding_scores": {
            "value": [
                ("groundings", f"{kind}_{part}")
                for kind in ("times", "objects", "boxes")
                for part in ("supported", "found")
            ],
            "n": [("groundings", "question_id")],
            "n_unread": [("groundings", "status")],
        },
    },
)
