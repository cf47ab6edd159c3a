"""Contracts as Dagster asset checks: what was refused, why, and whether it is too much."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import dagster as dg
import polars as pl

from expectations.schemas import TABLES, Table
from resources.incremental import Report
from resources.ledger import scope
from resources.tables import TableStore

QUARANTINE = TABLES["quarantine"]
REFUSED_SHARE = 0.5
SHOWN = 10


def contract_spec(table: Table, partitions: dg.PartitionsDefinition) -> dg.AssetCheckSpec:
    """The check that reports a table's contract, partition by partition."""
    with warnings.catch_warnings():
        # Partitioned checks are a preview in Dagster 1.13; without them one source's result
        # would overwrite another's.
        warnings.simplefilter("ignore", dg.PreviewWarning)
        return dg.AssetCheckSpec(
            "contract",
            asset=table.name,
            partitions_def=partitions,
            description=f"Rows keep the rules of `{table.name}`; refused ones are in quarantine.",
            blocking=True,
        )


def contract_check(
    store: TableStore, table: Table, partition: str, reports: Sequence[Report]
) -> dg.AssetCheckResult:
    """Result of a table's contract in one partition.

    A warning if any row was refused; an error, which stops what depends on the partition, if more
    than `REFUSED_SHARE` of the rows were.
    """
    refused = pl.concat(
        [QUARANTINE.empty()]
        + [store.read(QUARANTINE, scope(r.stage, partition)) for r in reports if r.refused]
    ).filter(pl.col("table") == table.name)
    kept = sum(report.rows(table.name) for report in reports)
    share = refused.height / max(1, refused.height + kept)
    too_many = share > REFUSED_SHARE
    return dg.AssetCheckResult(
        asset_key=table.name,
        check_name="contract",
        passed=refused.is_empty(),
        severity=dg.AssetCheckSeverity.ERROR if too_many else dg.AssetCheckSeverity.WARN,
        description=_sentence(refused.height, kept, too_many),
        metadata={
            "rows kept": kept,
            "rows refused": refused.height,
            "refused": dg.MetadataValue.table(
                [
                    dg.TableRecord({k: _short(v) for k, v in row.items()})
                    for row in refused.select("rule", "file", "row", "value", "message", "remedy")
                    .head(SHOWN)
                    .iter_rows(named=True)
                ],
                schema=dg.TableSchema(
                    [
                        dg.TableColumn(n)
                        for n in ("rule", "file", "row", "value", "message", "remedy")
                    ]
                ),
            ),
        },
    )


def _sentence(refused: int, kept: int, too_many: bool) -> str:
    if not refused:
        return f"all {kept} rows keep the contract"
    text = f"{refused} of {refused + kept} rows were refused; see `quarantine`"
    return text + (
        f": more than {REFUSED_SHARE:.0%}, so nothing behind is made" if too_many else ""
    )


def _short(value: object) -> str:
    return "" if value is None else str(value)[:200]
