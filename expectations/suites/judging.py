"""Judging a suite with Great Expectations, in memory: no files, no telemetry.

Views of up to `MAX_ROWS` rows go to Great Expectations as pandas batches. Larger ones are counted
by polars first, and Great Expectations judges the counts: the limits and the outcome's form are the
same. The library costs seconds to import, so nothing here imports it before a suite is run.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator
from typing import Any

import polars as pl

from expectations.suites.core import BY_VALUE, Expectation, Outcome, Suite, SuiteError, Tables, View

MAX_ROWS = 1_000_000
FAILING = 10
_CLASSES = {
    "between": "ExpectColumnValuesToBeBetween",
    "one_of": "ExpectColumnValuesToBeInSet",
    "not_null": "ExpectColumnValuesToNotBeNull",
    "mean": "ExpectColumnMeanToBeBetween",
    "median": "ExpectColumnMedianToBeBetween",
    "rows": "ExpectTableRowCountToBeBetween",
}


def run_suite(suite: Suite, tables: Tables, max_rows: int = MAX_ROWS) -> list[Outcome]:
    """Judge all expectations of a suite.

    Args:
        suite: The suite.
        tables: Lazy frames of at least the columns the suite reads.
        max_rows: Largest view that is handed over row by row.

    Returns:
        One outcome per expectation, in declared order.

    Raises:
        SuiteError: An expectation could not be judged.
    """
    outcomes: list[Outcome] = []
    for view in suite.views:
        frame = view.make(tables).select(view.columns)
        rows = frame.select(pl.len()).collect().item()
        if rows > max_rows:
            outcomes += _judge_counts(view, frame, rows)
        else:
            outcomes += _judge(view, frame.collect())
    return outcomes


def _judge(view: View, frame: pl.DataFrame) -> list[Outcome]:
    """Outcomes of a view, row by row."""
    found = {e.name: e for e in view.expectations if _judged(e, frame)}
    results = _validate(view, frame, {name: _settings(e) for name, e in found.items()})
    return [
        _outcome(view, e, frame, results[e.name]) if e.name in found else _nothing(view, e)
        for e in view.expectations
    ]


def _judged(e: Expectation, frame: pl.DataFrame) -> bool:
    if e.kind == "rows":
        return True
    values = frame[e.column]
    return len(values) > 0 if e.kind == "not_null" else values.drop_nulls().len() > 0


def _outcome(view: View, e: Expectation, frame: pl.DataFrame, result: dict[str, Any]) -> Outcome:
    told = result["result"]
    if e.kind in BY_VALUE:
        n = int(told["element_count"]) - (0 if e.kind == "not_null" else int(told["missing_count"]))
        bad = int(told["unexpected_count"])
        observed = f"{_share(n - bad, n)} of {n} keep it"
        failing = _keys(view, frame.lazy(), e) if bad else ()
    else:
        n, bad, failing = frame.height, 0, ()
        observed = f"{told['observed_value']:.6g}"
    return Outcome(
        e.name,
        view.name,
        e.column,
        observed,
        e.limit,
        bool(result["success"]),
        n,
        bad,
        failing,
        e.reason,
    )


def _judge_counts(view: View, frame: pl.LazyFrame, rows: int) -> list[Outcome]:
    """Outcomes of a large view: polars counts, Great Expectations judges the counts."""
    counts: dict[str, pl.Expr] = {}
    for e in view.expectations:
        if e.kind in BY_VALUE:
            known = pl.len() if e.kind == "not_null" else pl.col(e.column).count()
            counts[f"{e.name} n"] = known.cast(pl.Int64)
            counts[f"{e.name} bad"] = _broken(e).sum().cast(pl.Int64)
        elif e.kind != "rows":
            value = pl.col(e.column).cast(pl.Float64)
            counts[f"{e.name} value"] = value.mean() if e.kind == "mean" else value.median()
    told = (
        frame.select(expr.alias(name) for name, expr in counts.items()).collect().row(0, named=True)
    )
    outcomes: list[Outcome] = []
    values: dict[str, float] = {}
    settings: dict[str, tuple[str, dict[str, Any]]] = {}
    for e in view.expectations:
        if e.kind in BY_VALUE:
            n, bad = told[f"{e.name} n"], told[f"{e.name} bad"]
            if n:
                values[e.name] = (n - bad) / n
                settings[e.name] = ("between", {"min_value": e.mostly})
        else:
            value = float(rows) if e.kind == "rows" else told[f"{e.name} value"]
            if value is not None:
                values[e.name] = value
                settings[e.name] = ("between", {"min_value": e.low, "max_value": e.high})
    one_row = pl.DataFrame({name: [value] for name, value in values.items()})
    results = _validate(
        view,
        one_row,
        {name: (kind, {"column": name, **kw}) for name, (kind, kw) in settings.items()},
    )
    for e in view.expectations:
        if e.name not in values:
            outcomes.append(_nothing(view, e))
            continue
        n, bad, failing = rows, 0, ()
        observed = f"{values[e.name]:.6g}"
        if e.kind in BY_VALUE:
            n, bad = told[f"{e.name} n"], told[f"{e.name} bad"]
            observed = f"{_share(n - bad, n)} of {n} keep it"
            if bad:
                failing = _keys(view, frame, e)
        success = bool(results[e.name]["success"])
        outcomes.append(
            Outcome(
                e.name, view.name, e.column, observed, e.limit, success, n, bad, failing, e.reason
            )
        )
    return outcomes


def _nothing(view: View, e: Expectation) -> Outcome:
    return Outcome(
        e.name, view.name, e.column, "nothing to judge", e.limit, True, 0, 0, (), e.reason
    )


def _share(part: int, whole: int) -> str:
    text = f"{part / whole:.1%}"
    return text if text != "100.0%" or part == whole else "almost 100%"


def _broken(e: Expectation) -> pl.Expr:
    """Whether a row breaks the expectation; the library tells how many, this names them."""
    column = pl.col(e.column)
    if e.kind == "not_null":
        return column.is_null()
    if e.kind == "one_of":
        return (~column.is_in(list(e.one_of))).fill_null(False)
    parts = [column < e.low] if e.low is not None else []
    parts += [column > e.high] if e.high is not None else []
    return pl.any_horizontal(*parts).fill_null(False)


def _keys(view: View, frame: pl.LazyFrame, e: Expectation) -> tuple[str, ...]:
    """Keys of the first rows outside the limit, in order of key."""
    first = frame.filter(_broken(e)).select(view.key).bottom_k(FAILING, by=list(view.key))
    keys = first.collect().sort(view.key).iter_rows()
    return tuple(" ".join(str(part) for part in key) for key in keys)


def _settings(e: Expectation) -> tuple[str, dict[str, Any]]:
    """Class key and arguments of an expectation of the library."""
    if e.kind == "one_of":
        return "one_of", {"column": e.column, "value_set": list(e.one_of), "mostly": e.mostly}
    if e.kind == "not_null":
        return "not_null", {"column": e.column, "mostly": e.mostly}
    limits: dict[str, Any] = {"min_value": e.low, "max_value": e.high}
    if e.kind == "rows":
        return "rows", {k: None if v is None else int(v) for k, v in limits.items()}
    if e.kind == "between":
        limits["mostly"] = e.mostly
    return e.kind, {"column": e.column, **limits}


def _validate(
    view: View, frame: pl.DataFrame, settings: dict[str, tuple[str, dict[str, Any]]]
) -> dict[str, dict[str, Any]]:
    """Results of the library by expectation name.

    Raises:
        SuiteError: The library failed on an expectation.
    """
    if not settings:
        return {}
    with _library() as (gx, expectations):
        batch = (
            _context(gx)
            .data_sources.add_pandas("frames")
            .add_dataframe_asset(view.name)
            .add_batch_definition_whole_dataframe(view.name)
            .get_batch({"dataframe": frame.to_pandas()})
        )
        suite = gx.ExpectationSuite(view.name)
        for name, (kind, arguments) in settings.items():
            make = getattr(expectations, _CLASSES[kind])
            suite.add_expectation(make(**arguments, meta={"name": name}))
        told = batch.validate(suite, result_format="BASIC").to_json_dict()
    results: dict[str, dict[str, Any]] = {}
    for result in told["results"]:
        name = result["expectation_config"]["meta"]["name"]
        fault = _fault(result["exception_info"])
        if fault:
            raise SuiteError(f"expectation {name} of {view.name} could not be judged: {fault}")
        results[name] = result
    return results


def _fault(info: dict[str, Any]) -> str:
    """Message of an exception inside the library; it comes in one of two forms."""
    parts = [info] if "raised_exception" in info else list(info.values())
    return next((str(p["exception_message"]) for p in parts if p["raised_exception"]), "")


def _context(gx: Any) -> Any:
    """A context in memory alone: by default it would leave a folder for its reports behind."""
    from great_expectations.data_context.types.base import (
        DataContextConfig,
        InMemoryStoreBackendDefaults,
    )

    context = gx.get_context(
        mode="ephemeral",
        project_config=DataContextConfig(
            store_backend_defaults=InMemoryStoreBackendDefaults(init_temp_docs_sites=False),
            analytics_enabled=False,
        ),
    )
    context.variables.progress_bars = {"globally": False}
    return context


@contextlib.contextmanager
def _library() -> Iterator[tuple[Any, Any]]:
    """Great Expectations without telemetry and without its chatter."""
    # Read when a context is made; an ephemeral context has no file that could say it.
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    try:
        import great_expectations as gx
        import great_expectations.expectations as expectations
    except ImportError as error:
        raise SuiteError(
            f"Great Expectations cannot be imported ({error}): install the extra `quality`"
        ) from error
    logger = logging.getLogger("great_expectations")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield gx, expectations
    finally:
        logger.setLevel(level)
