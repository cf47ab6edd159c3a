"""Judged scores of a run on a benchmark, and how far its judges agree."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from assets.predictions.judging.stage import judged_kind
from assets.scores.judged.agreement import agreements
from assets.scores.judged.table import judged_scores
from assets.scores.stage import groups_of
from assets.stage import Batch, Inputs, Stage, Unit, ledger_name
from expectations.schemas import TABLES
from resources.config import Settings
from resources.store.incremental import Output
from resources.store.ledger import read_ledger, table_digest

_TESTS = (
    "judge",
    "kind",
    "item",
    "question_id",
    "test",
    "test_class",
    "expected",
    "verdict",
    "mark",
)


def _units(inputs: Inputs) -> Iterator[Unit]:
    """The run."""
    if judged_kind(inputs.settings, inputs.partition) is None:
        return
    benchmark, _, run = inputs.partition.partition(".")
    inputs.stored_units("judgements")
    tested = table_digest(
        read_ledger(inputs.store, ledger_name("judge_tests"), benchmark), "judge_tests"
    )
    # The tests are those of the benchmark, whose partition is another.
    yield Unit(run, {"judge_tests": ()}, (tested, repr(groups_of(inputs.settings, benchmark))))


def _make(batch: Batch) -> Iterator[Output]:
    benchmark = batch.partition.partition(".")[0]
    tests = batch.settings.store.read(TABLES["judge_tests"], benchmark, columns=_TESTS)
    judgements = batch.tables["judgements"]
    groups = groups_of(batch.settings, benchmark)
    scores = judged_scores(judgements, batch.tables["answers"], tests, groups)
    tables = {"judged_scores": scores, "judge_agreements": agreements(judgements)}
    yield Output(batch.names, tables)


def _filled(settings: Settings, key: str) -> Collection[str]:
    return STAGE.tables if judged_kind(settings, key) is not None else ()


STAGE = Stage(
    name="judged_scores",
    group="scores",
    summary="What judges make of a run, with their own error rates, and how far two of them agree.",
    partition="evaluation",
    tables=("judge_agreements", "judged_scores"),
    reads={
        "judgements": None,
        "answers": ("run", "question_id", "sample", "status", "right"),
        "judge_tests": _TESTS,
    },
    units=_units,
    make=_make,
    code=(judged_scores, agreements),
    fills=_filled,
    derived_from={
        "judged_scores": ("judgements", "answers", "judge_tests"),
        "judge_agreements": ("judgements",),
    },
    lineage={
        "judged_scores": {
            "value": [
                ("judgements", "verdict"),
                ("judgements", "mark"),
                ("answers", "status"),
                ("answers", "right"),
            ],
            "low": [("judgements", "verdict"), ("judgements", "recording_id")],
            "high": [("judgements", "verdict"), ("judgements", "recording_id")],
            "n": [("judgements", "question_id")],
            "n_unjudged": [("judgements", "verdict")],
            "n_by_rule": [("judgements", "rule")],
            "n_clusters": [("judgements", "recording_id")],
            "error_rate_right": [("judge_tests", "verdict"), ("judge_tests", "expected")],
            "error_rate_wrong": [("judge_tests", "verdict"), ("judge_tests", "expected")],
            "error_rate_adversarial": [("judge_tests", "verdict"), ("judge_tests", "expected")],
            "error_rate_perturbed": [("judge_tests", "mark"), ("judge_tests", "test")],
        },
        "judge_agreements": {
            "kappa": [("judgements", "verdict")],
            "agreement": [("judgements", "verdict")],
            "weighted_kappa": [("judgements", "mark")],
        },
    },
)
