"""Dagster assets of the predictions stage."""

from __future__ import annotations

import polars as pl

from assets.factory import StageDefinition
from assets.predictions.stage import ANSWERS, REPLIES, bring_up, is_fresh
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.config import Settings
from resources.store.ledger import read_ledger, table_digest


def data_version(settings: Settings, partition: str, table: str) -> str:
    """Digest of calls by what was asked and came back, of answers by the ledger."""
    for stage in (REPLIES, ANSWERS):
        if any(held.name == table for held in stage.tables):
            return table_digest(read_ledger(settings.store, stage.name, partition), table)
    columns = ("call_key", "attempt", "status", "reply")
    rows = settings.store.scan(TABLES["calls"], partition, columns=columns)
    return digest(repr(row) for row in rows.sort(pl.all()).collect().iter_rows())


STAGE = StageDefinition(
    name="predictions",
    summary="Models are asked what has no reply yet; answers are read from replies.",
    tables=("requests", "calls", "answers"),
    partitions="evaluation",
    deps=("questions", "question_gates", "recordings", "images", "frames"),
    bring_up=bring_up,
    is_fresh=is_fresh,
    digest=data_version,
    pool="engine",
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
        "answers": {"letter": [("calls", "reply")], "right": [("questions", "answer")]},
    },
)
