"""What a derivation reads, put together from what the modules it uses read."""

from __future__ import annotations

from collections.abc import Mapping

Reads = Mapping[str, tuple[str, ...]]


def merge_reads(*parts: Reads) -> dict[str, tuple[str, ...]]:
    """Return the tables of several declarations, each with all columns that any of them names.

    Args:
        parts: Tables with their columns; usually `READS` of a shared module each.
    """
    merged: dict[str, tuple[str, ...]] = {}
    for part in parts:
        for table, columns in part.items():
            merged[table] = tuple(dict.fromkeys((*merged.get(table, ()), *columns)))
    return merged
