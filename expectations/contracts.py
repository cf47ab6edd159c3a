"""Contracts: the rules that a table's schema states, applied to rows before they are stored.

Rows that break a rule are refused, with the rule, the value and a remedy; the rest goes on. What no
single row can repair (a missing column, a wrong type) is an error of the writer and raises.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import polars as pl

from expectations.schemas import Table
from expectations.schemas.core import Column
from expectations.schemas.identity import digest

VALUE_LIMIT = 200
MESSAGE_LIMIT = 500
"""Characters that `quarantine` shows: a damaged file may be one value as a whole."""

# A rule by name, what it keeps, message, remedy, and the column it is about.
Named = tuple[str, pl.Expr, str, str, str | None]


def printable(text: str) -> str:
    """Text that can be stored: what UTF-8 cannot hold (bytes of odd file names) is escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


@dataclass(frozen=True, slots=True, eq=False)
class Refusal(Mapping[str, Any]):
    """Something that could not become a row, or that a person should know about a row.

    It is a row of `quarantine` without what the store adds (source, stage, unit and id), and can be
    read like one: `refusal["rule"]` is `refusal.rule`. Texts are made storable and cut to
    `VALUE_LIMIT` and `MESSAGE_LIMIT` characters.

    Attributes:
        file: File it comes from, under the root; None where no file is known.
        row: Line, key or index in the file; None where the file as a whole is meant.
        rule: Name of the rule that was broken.
        value: The value that broke it.
        message: What is wrong, in words.
        remedy: What a person can do about it.
        table: Table the row was for; None where it concerns no single table.
        recording_id: Recording it belongs to; None where none is known.
    """

    file: str | None
    row: object
    rule: str
    value: object
    message: str
    remedy: str
    table: str | None = None
    recording_id: str | None = None

    def __post_init__(self) -> None:
        def fix(name: str, value: object, limit: int | None = None) -> None:
            text = None if value is None else printable(str(value))[:limit]
            object.__setattr__(self, name, text)

        fix("file", self.file)
        fix("row", self.row)
        fix("value", self.value, VALUE_LIMIT)
        fix("message", self.message, MESSAGE_LIMIT)

    def __getitem__(self, name: str) -> Any:
        if name not in _FIELDS:
            raise KeyError(name)
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        return iter(_FIELDS)

    def __len__(self) -> int:
        return len(_FIELDS)

    def __hash__(self) -> int:
        return hash(tuple(self.values()))


_FIELDS = tuple(field.name for field in fields(Refusal))


def first_few(values: Sequence[object] | np.ndarray, shown: int = 5) -> str:
    """The first values as text, and how many more there are."""
    text = ", ".join(str(value) for value in values[:shown])
    more = len(values) - shown
    return f"{text} and {more} more" if more > 0 else text


class ContractError(ValueError):
    """Rows do not have the table's shape at all: the stage that made them is wrong."""


@dataclass(frozen=True, slots=True)
class Checked:
    """Outcome of a contract.

    Attributes:
        accepted: Rows that keep every rule, in the table's schema.
        refused: One refusal per broken row.
        units: Unit of each refused row, None where the row names none.
    """

    accepted: pl.DataFrame
    refused: list[Refusal]
    units: list[str | None]


def check(
    table: Table, rows: pl.DataFrame, references: Mapping[str, pl.Series] | None = None
) -> Checked:
    """Apply a table's contract.

    Args:
        table: Declaration of the table.
        rows: Rows for it; column order is free.
        references: Values that exist, by `table.column`, for columns with `refers_to`; a reference
            that is not given here is not checked.

    Returns:
        The accepted rows and the refusals; a row that breaks several rules names the first.

    Raises:
        ContractError: Columns are missing or unknown, or a type cannot be cast without loss.
    """
    rows = _shape(table, rows)
    if rows.is_empty():
        return Checked(rows, [], [])
    rules = list(_rules(table, references or {}))
    broken = pl.coalesce(
        pl.when(~rule.keep.fill_null(False)).then(pl.lit(i, pl.Int16))
        for i, rule in enumerate(rules)
    )
    marked = rows.with_columns(__rule=broken)
    good = pl.col("__rule").is_null()
    # A key is taken by the first row that is good otherwise: a broken row does not cost another one.
    kept = marked.filter(good).with_columns(__first=pl.struct(table.key).is_first_distinct())
    unique = _unique(table)
    broken_rows = [
        *((row, rules[row["__rule"]]) for row in marked.filter(~good).iter_rows(named=True)),
        *((row, unique) for row in kept.filter(~pl.col("__first")).iter_rows(named=True)),
    ]
    return Checked(
        kept.filter("__first").drop("__rule", "__first"),
        [_refusal(table, row, rule) for row, rule in broken_rows],
        [row[table.unit] for row, _ in broken_rows],
    )


@dataclass(frozen=True, slots=True)
class _Check:
    """One rule of a contract, and the column whose value is shown where it is broken."""

    name: str
    keep: pl.Expr
    message: str
    remedy: str
    column: str | None


def _shape(table: Table, rows: pl.DataFrame) -> pl.DataFrame:
    missing = [c for c in table.schema if c not in rows.columns]
    extra = [c for c in rows.columns if c not in table.schema]
    if missing or extra:
        raise ContractError(
            f"table {table.name}: missing columns {missing}, unknown columns {extra}"
        )
    try:
        return rows.select(pl.col(n).cast(d, strict=True) for n, d in table.schema.items())
    except pl.exceptions.PolarsError as error:
        raise ContractError(f"table {table.name}: {error}") from error


def _unique(table: Table) -> _Check:
    return _Check(
        "unique_key",
        pl.lit(True),
        f"a row with the same {', '.join(table.key)} came before",
        "remove the duplicate, or make the key unique",
        None,
    )


def _rules(table: Table, references: Mapping[str, pl.Series]) -> Iterator[_Check]:
    """Every rule that one row keeps or breaks by itself."""
    for column in table.columns:
        yield from _column_rules(column)
    for rule in table.rules:
        yield _Check(rule.name, rule.keep, rule.message, rule.remedy, None)
    for column in table.columns:
        known = None if column.refers_to is None else references.get(column.refers_to)
        if known is not None:
            yield _Check(
                f"reference:{column.name}",
                pl.col(column.name).is_null() | pl.col(column.name).is_in(known.implode()),
                f"{column.name} names nothing in {column.refers_to}",
                f"add the missing row, or correct {column.name}",
                column.name,
            )


def _column_rules(column: Column) -> Iterator[_Check]:
    value = pl.col(column.name)
    if not column.nullable:
        yield _Check(
            f"required:{column.name}",
            value.is_not_null(),
            f"{column.name} is empty",
            f"give a value for {column.name}: {column.meaning}",
            column.name,
        )
    if column.dtype.is_float():
        yield _Check(
            f"finite:{column.name}",
            value.is_null() | value.is_finite(),
            f"{column.name} is not a finite number",
            "correct the number, or leave it empty where the table allows it",
            column.name,
        )
    if column.one_of is not None:
        yield _Check(
            f"one_of:{column.name}",
            value.is_null() | value.is_in(column.one_of),
            f"{column.name} is not one of {', '.join(column.one_of)}",
            f"use one of {', '.join(column.one_of)}",
            column.name,
        )
    for bound, inside, words in (
        (column.low, value >= (column.low or 0), "below"),
        (column.high, value <= (column.high or 0), "above"),
    ):
        if bound is not None:
            yield _Check(
                f"range:{column.name}",
                value.is_null() | inside,
                f"{column.name} is {words} {bound:g}{' ' + column.unit if column.unit else ''}",
                f"check the unit and sign of {column.name}",
                column.name,
            )


def _refusal(table: Table, row: dict, broken: _Check) -> Refusal:
    return Refusal(
        file=row.get("source_file"),
        row=row.get("source_key") or " ".join(f"{c}={row[c]}" for c in table.key),
        rule=broken.name,
        value=row[broken.column] if broken.column else {c: row[c] for c in table.key},
        message=broken.message,
        remedy=broken.remedy,
        table=table.name,
        recording_id=row.get("recording_id"),
    )


def quarantine_rows(
    table: Table, source: str, stage: str, refusals: list[tuple[str, Refusal]]
) -> pl.DataFrame:
    """Refusals as rows of `quarantine`.

    Args:
        table: Declaration of `quarantine`.
        source: Source (or benchmark) they concern.
        stage: Stage that refused.
        refusals: Pairs of unit and refusal; equal refusals of a unit count once.
    """
    rows = {}
    for unit, refusal in refusals:
        key = digest([unit, *(f"{k}={refusal[k]}" for k in sorted(refusal))])
        rows[unit, key] = {
            "source": source,
            "stage": stage,
            "unit": unit,
            "refusal": key,
            **refusal,
        }
    return table.frame(rows[k] for k in sorted(rows))
