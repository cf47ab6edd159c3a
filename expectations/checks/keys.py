"""Names of tables in Dagster: asset keys, prefixed by the folder whose stage writes the table."""

from __future__ import annotations

import dagster as dg

from expectations.schemas import TABLES

REPORT = "report"
RAW = "raw"


def asset_key(name: str) -> dg.AssetKey:
    """Key of the asset of a table, as `sources/boxes`; what is not a table belongs to the report."""
    prefix = TABLES[name].stage if name in TABLES else REPORT
    return dg.AssetKey([prefix, name])


def raw_key(source: str) -> dg.AssetKey:
    """Key of the raw files of a configured source, as `raw/my-recordings`."""
    return dg.AssetKey([RAW, source])


def table_named(key: dg.AssetKey) -> str:
    """Name of the table of an asset: the last part of its key."""
    return key.path[-1]
