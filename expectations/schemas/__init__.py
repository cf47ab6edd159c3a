"""Every table of the platform, declared once."""

from expectations.schemas import benchmark, derived, platform, sources
from expectations.schemas.core import Column, Rule, Table

TABLES: dict[str, Table] = {
    table.name: table
    for table in (*sources.TABLES, *derived.TABLES, *benchmark.TABLES, *platform.TABLES)
}

__all__ = ["TABLES", "Column", "Rule", "Table"]
