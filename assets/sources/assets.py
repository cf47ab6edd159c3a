"""Dagster assets of the sources stage."""

from __future__ import annotations

from assets.factory import StageDefinition
from assets.sources.layout import PART_TABLES
from assets.sources.stage import bring_up, is_fresh

STAGE = StageDefinition(
    name="sources",
    summary="What a dataset says, read from its raw layout into one form.",
    tables=tuple(table for tables in PART_TABLES.values() for table in tables),
    partitions="source",
    deps=(),
    bring_up=bring_up,
    is_fresh=is_fresh,
    ledger={table: f"sources.{part}" for part, tables in PART_TABLES.items() for table in tables},
)
