"""What a table is: columns with units and meaning, a key, and the rules a row must keep.

Everything that describes a table elsewhere (documentation, Dagster column metadata, contracts,
content hashes) is made from these declarations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

Reads = Mapping[str, tuple[str, ...] | None]
"""What is read of tables: columns by table; None stands for all content columns."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        name: Snake case; units are part of the name (`_s`, `_ns`, `_ms`, `_px`).
        dtype: A polars type that Delta stores unchanged.
        meaning: One sentence for a reader who knows the field.
        unit: Physical unit, or None for names, counts and flags.
        nullable: Whether a null is a value here ("unknown") rather than a fault.
        volatile: Left out of content hashes and table comparisons (clocks, costs).
        one_of: Closed vocabulary of a string column.
        low: Inclusive lower bound; a value below it breaks the contract.
        high: Inclusive upper bound.
        refers_to: `table.column` that must hold this value.
    """

    name: str
    dtype: pl.DataType
    meaning: str
    unit: str | None = None
    nullable: bool = False
    volatile: bool = False
    one_of: tuple[str, ...] | None = None
    low: float | None = None
    high: float | None = None
    refers_to: str | None = None

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"column name {self.name!r} is not snake case")


@dataclass(frozen=True, slots=True)
class Rule:
    """A row rule that one column cannot say alone.

    Attributes:
        name: Short name shown in `quarantine`.
        keep: Expression that is true for a good row; null counts as broken.
        message: What is wrong with a row that fails, for its reader.
        remedy: What its owner can do.
    """

    name: str
    keep: pl.Expr
    message: str
    remedy: str


@dataclass(frozen=True)
class Table:
    """A table of the store.

    Attributes:
        name: Table and asset name.
        stage: Folder of `assets/` that writes it.
        row: What one row is.
        columns: Declared order is stored order.
        key: Columns that identify a row.
        unit: Column that names the unit of work its rows are replaced by.
        rules: Row rules beside what the columns state.
        append_only: Rows are only ever added (`calls`).
    """

    name: str
    stage: str
    row: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    unit: str
    rules: tuple[Rule, ...] = field(default=())
    append_only: bool = False

    def __post_init__(self) -> None:
        names = [c.name for c in self.columns]
        if len(set(names)) != len(names):
            raise ValueError(f"table {self.name}: a column is declared twice")
        missing = {*self.key, self.unit} - set(names)
        if missing:
            raise ValueError(f"table {self.name}: key or unit not declared: {missing}")

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"table {self.name} has no column {name!r}")

    @cached_property
    def schema(self) -> pl.Schema:
        """Column names and polars types, in stored order."""
        return pl.Schema({c.name: c.dtype for c in self.columns})

    @property
    def content_columns(self) -> tuple[str, ...]:
        """Columns that make the content (all but the volatile ones)."""
        return tuple(c.name for c in self.columns if not c.volatile)

    def empty(self) -> pl.DataFrame:
        """A frame of this schema without rows."""
        return pl.DataFrame(schema=self.schema)

    def fit(self, rows: pl.DataFrame) -> pl.DataFrame:
        """A frame in this schema's columns, order and types; absent columns become null."""
        absent = [pl.lit(None, t).alias(n) for n, t in self.schema.items() if n not in rows.columns]
        return rows.with_columns(absent).select(self.schema.names()).cast(dict(self.schema))  # type: ignore[arg-type]

    def frame(self, rows: Iterable[dict] = ()) -> pl.DataFrame:
        """Rows as a frame of this schema; absent columns become null, unknown ones are an error.

        Raises:
            KeyError: A row has a column that is not declared.
        """
        rows = list(rows)
        known = {c.name for c in self.columns}
        for row in rows:
            extra = row.keys() - known
            if extra:
                raise KeyError(f"table {self.name} has no column {sorted(extra)}")
        return pl.DataFrame(rows, schema=self.schema)
