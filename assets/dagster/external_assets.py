"""Assets that no step writes: the raw files of the sources, and the tables every stage adds to."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import dagster as dg
from dagster._core.definitions.data_version import DATA_VERSION_TAG

from assets.dagster.numbers import numbers
from assets.dagster.partitions import Partitions
from assets.dagster.presentation import group_owner, table_group
from assets.dagster.table_metadata import preview, table_metadata
from assets.stage import Stage, ledger_name
from expectations.checks.keys import asset_key, raw_key
from expectations.schemas import TABLES, Table
from resources.config import Settings
from resources.masking import mask
from resources.store.ledger import scope

LISTING = "files"
"""Table of the raw files of a source: what the graph's first assets and the tables have between them."""
BOOKKEEPING = ("quarantine", "ledger")
"""Tables that every stage writes to beside its own: shown beside the graph, without edges."""


def raw_specs(settings: Settings, layouts: Mapping[str, str]) -> list[dg.AssetSpec]:
    """The raw files of each configured source: the first assets of the graph, written by nobody here.

    Args:
        settings: Configuration.
        layouts: What the files of a source are, by source.
    """
    return [
        dg.AssetSpec(
            raw_key(name),
            description=f"Raw files of {name}: {layouts[name]}.",
            group_name="raw_files",
            owners=[group_owner("raw_files")],
            kinds={"s3" if "://" in source.root else "file"},
            tags={"parallax/layout": source.layout},
            metadata={"root": mask(source.root), "layout": source.layout},
        )
        for name, source in sorted(settings.sources.items())
    ]


def bookkeeping_specs(partitions: Partitions) -> list[dg.AssetSpec]:
    """The tables that stages write to beside their own."""
    return [
        dg.AssetSpec(
            asset_key(name),
            description=f"One row per {TABLES[name].row}.",
            group_name=table_group(name, ""),
            owners=[group_owner("bookkeeping")],
            kinds={"deltalake", "table"},
            metadata=table_metadata(TABLES[name]),
            partitions_def=partitions.all(),
        )
        for name in BOOKKEEPING
    ]


def events_beside(
    settings: Settings, stage: Stage, partition: str, stages: Iterable[Stage]
) -> Iterator[dg.AssetMaterialization]:
    """What a step tells of assets that are not its own: the raw files it listed, and the bookkeeping.

    Args:
        settings: Configuration.
        stage: Stage of the step.
        partition: Its partition.
        stages: Stages with partitions of the same kind.
    """
    if LISTING in stage.tables:
        yield _raw_event(
            settings, partition, stage.data_version(settings.store, LISTING, partition)
        )
    writers = dict.fromkeys(
        name for one in stages for name in (one.name, *map(ledger_name, one.tables))
    )
    shares = [scope(name, partition) for name in writers]
    for name in BOOKKEEPING:
        yield _bookkeeping_event(settings, TABLES[name], partition, shares)


def _raw_event(settings: Settings, source: str, version: str) -> dg.AssetMaterialization:
    return dg.AssetMaterialization(
        raw_key(source),
        metadata={
            **numbers(LISTING, settings.store.scan(TABLES[LISTING], source)),
            "listed at": dg.MetadataValue.timestamp(time.time()),
            "root": mask(settings.sources[source].root),
        },
        tags={DATA_VERSION_TAG: version},
    )


def _bookkeeping_event(
    settings: Settings, table: Table, partition: str, shares: Sequence[str]
) -> dg.AssetMaterialization:
    counts = {share: settings.store.n_rows(table, share) for share in shares}
    filled = [share for share in shares if counts[share]]
    metadata: dict[str, Any] = {
        "dagster/partition_row_count": sum(counts.values()),
        "rows": sum(counts.values()),
        **{f"rows of {share.removesuffix(f'.{partition}')}": counts[share] for share in filled},
        "location": dg.MetadataValue.path(settings.store.location(table)),
    }
    if filled and table.name == "quarantine":
        metadata["preview"] = dg.MetadataValue.md(preview(settings.store, table, filled[0]))
    return dg.AssetMaterialization(asset_key(table.name), partition=partition, metadata=metadata)
