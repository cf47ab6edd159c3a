"""What a suite is: views of tables, and expectations with limits and reasons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import polars as pl

Kind = Literal["between", "one_of", "not_null", "mean", "median", "rows"]
Tables = Mapping[str, pl.LazyFrame]
# Judged value by value: a share `mostly` of them must keep the limit. The others judge one number.
BY_VALUE: tuple[Kind, ...] = ("between", "one_of", "not_null")


class SuiteError(RuntimeError):
    """The suite could not be judged: a fault of the check, never of the data."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """One expectation of a view.

    Attributes:
        name: Short name, unique in its suite.
        kind: `between`, `one_of`, `not_null` (each value, nulls left out of the first two), `mean`,
            `median` (of a column), `rows` (of the view).
        column: Column of the view; empty for `rows`.
        reason: Where the limit comes from, for who sees it broken.
        low: Inclusive lower limit.
        high: Inclusive upper limit.
        one_of: Allowed values.
        mostly: Share of values that must keep the limit.
    """

    name: str
    kind: Kind
    column: str
    reason: str
    low: float | None = None
    high: float | None = None
    one_of: tuple[str, ...] = ()
    mostly: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.mostly <= 1:
            raise ValueError(f"expectation {self.name}: mostly {self.mostly} is not in (0, 1]")
        if (self.kind == "rows") != (not self.column):
            raise ValueError(f"expectation {self.name}: `rows` has no column, the others have one")
        bounded = self.low is not None or self.high is not None
        wanted = {"one_of": bool(self.one_of), "not_null": True}.get(self.kind, bounded)
        if not wanted:
            raise ValueError(f"expectation {self.name} of kind {self.kind} states no limit")

    @property
    def limit(self) -> str:
        """The limit in words."""
        if self.kind == "one_of":
            said = "one of " + ", ".join(self.one_of)
        elif self.kind == "not_null":
            said = "not null"
        elif self.high is None:
            said = f"at least {self.low:g}"
        elif self.low is None:
            said = f"at most {self.high:g}"
        else:
            said = f"{self.low:g} to {self.high:g}"
        return said if self.mostly == 1 else f"{said}, for {self.mostly:.0%}"


@dataclass(frozen=True, slots=True)
class View:
    """Rows that expectations judge.

    Attributes:
        name: Name, unique in its suite.
        row: What one row is.
        key: Columns that name a row, for the sample of failing ones.
        make: From the tables to the rows; scalar columns only.
        expectations: What is expected of them.
    """

    name: str
    row: str
    key: tuple[str, ...]
    make: Callable[[Tables], pl.LazyFrame]
    expectations: tuple[Expectation, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that judging needs."""
        return tuple(dict.fromkeys([*self.key, *(e.column for e in self.expectations if e.column)]))


@dataclass(frozen=True, slots=True)
class Suite:
    """Expectations of a table.

    Attributes:
        table: Table whose check it is.
        reads: Columns it reads, by table; all of one partition, or of the benchmark's sources.
        views: What is judged.
        plot: View and column whose distribution the check draws.
    """

    table: str
    reads: Mapping[str, tuple[str, ...]]
    views: tuple[View, ...]
    plot: tuple[str, str]

    def __post_init__(self) -> None:
        names = [e.name for view in self.views for e in view.expectations]
        if len(set(names)) != len(names):
            raise ValueError(f"suite {self.table}: an expectation's name is used twice: {names}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one expectation.

    Attributes:
        expectation: Its name.
        view: View it judged.
        column: Column it judged.
        observed: What was found, in words.
        limit: What was expected, in words.
        success: Whether it holds; true where there was nothing to judge.
        n: Rows judged.
        n_unexpected: Of these, values outside the limit; 0 for kinds that judge one number.
        failing: Keys of some rows outside the limit.
        reason: Where the limit comes from.
    """

    expectation: str
    view: str
    column: str
    observed: str
    limit: str
    success: bool
    n: int
    n_unexpected: int
    failing: tuple[str, ...]
    reason: str
