"""Dagster assets of the reviews stage."""

from __future__ import annotations

from assets.factory import StageDefinition
from assets.reviews.stage import STAGE as STATES
from assets.reviews.stage import bring_up, is_fresh

STAGE = StageDefinition(
    name="reviews",
    summary="Decisions of people: which of them count now, which are stale or in conflict, and what"
    " each annotation round changed.",
    tables=("review_states", "review_changes"),
    partitions="source",
    deps=("reviews", "segments", "taxonomies", "translations", "labels", "candidates"),
    bring_up=bring_up,
    is_fresh=is_fresh,
    ledger={table.name: STATES.name for table in STATES.tables},
    lineage={
        "review_states": {
            "state": [("reviews", "item_hash"), ("reviews", "verdict"), ("translations", "text")],
            "item_id": [("reviews", "item_id"), ("segments", "segment_id")],
        },
        "review_changes": {
            "changed": [("reviews", "value"), ("reviews", "shown")],
            "standing": [("reviews", "item_hash")],
        },
    },
)
