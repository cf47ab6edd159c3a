"""The same row rules of `frames` on a million rows, in polars and in Great Expectations on pandas.

Ours is the contract that every write passes (`expectations.contracts.check`): required and finite
values, bounds, vocabulary, the row rule and the key. The suite holds the same rules, made from the same
declaration; a row is refused where any of them fails. Both start from the same polars frame with the
same faults in it; the conversion to pandas counts, imports do not.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from bench.measure import Figure, cpu_s, main, measure, peak_mb

if TYPE_CHECKING:
    import polars as pl

ROWS, RECORDINGS = 1_000_000, 40
FAULTS = {
    # Column, what stands there, and every how many rows.
    "t_s": (-1.0, 9_973),
    "residual_ms": (float("nan"), 8_999),
    "source_pts": (None, 7_919),
    "grid": ("cfr24", 12_007),
    "gaze_samples": (-2, 15_013),
    "gaze_x": (None, 20_011),  # a mean is missing where samples were averaged
}


def faulty_frames() -> tuple[pl.DataFrame, int]:
    """A million rows of `frames`, and how many of them break a rule."""
    import numpy as np
    import polars as pl

    from expectations.schemas import TABLES

    rng = np.random.default_rng(3)
    at = np.arange(ROWS)
    tick = at % (ROWS // RECORDINGS)
    columns: dict[str, Any] = {
        "source": ["bench"] * ROWS,
        "recording_id": [f"recording-{i:03}" for i in at // (ROWS // RECORDINGS)],
        "grid": ["cfr25"] * ROWS,
        "tick": tick,
        "t_s": tick / 25,
        "part": np.zeros(ROWS),
        "source_frame": tick,
        "source_pts": tick * 3600,
        "residual_ms": rng.normal(0, 5, ROWS),
        "gaze_x": rng.random(ROWS),
        "gaze_y": rng.random(ROWS),
        "gaze_valid": np.full(ROWS, 7),
        "gaze_samples": np.full(ROWS, 8),
        "gaze_residual_ms": rng.random(ROWS),
    }
    schema = TABLES["frames"].schema
    rows = pl.DataFrame({n: pl.Series(columns[n]).cast(d) for n, d in schema.items()})
    broken = np.zeros(ROWS, dtype=bool)
    place = pl.int_range(ROWS)
    for name, (value, every) in FAULTS.items():
        hit = place % every == every - 1
        rows = rows.with_columns(
            pl.when(hit).then(pl.lit(value, schema[name])).otherwise(pl.col(name)).alias(name)
        )
        broken |= at % every == every - 1
    # The row after a good one repeats its key.
    twins = np.flatnonzero((at % 25_013 == 11) & ~broken & ~np.roll(broken, 1))
    rows = rows.with_columns(
        tick=rows["tick"].scatter(twins.tolist(), rows["tick"].gather((twins - 1).tolist()))
    )
    return rows, int(broken.sum()) + len(twins)


def ours() -> dict:
    """The contract."""
    from expectations.contracts import check
    from expectations.schemas import TABLES

    rows, planted = faulty_frames()
    began = cpu_s()
    refused = len(check(TABLES["frames"], rows).refused)
    return {
        "cpu_s": cpu_s() - began,
        "peak_mb": peak_mb(),
        "refused": refused,
        "planted": planted,
    }


def _expectations(table: Any) -> list:
    """The contract's rules as expectations; `__kept` holds the row rule, as no expectation says it."""
    import great_expectations.expectations as gxe

    out: list = [gxe.ExpectColumnValuesToBeInSet(column="__kept", value_set=[True])]
    for column in table.columns:
        if not column.nullable:
            out.append(gxe.ExpectColumnValuesToNotBeNull(column=column.name))
        if column.one_of:
            out.append(
                gxe.ExpectColumnValuesToBeInSet(column=column.name, value_set=list(column.one_of))
            )
        low, high = column.low, column.high
        if column.dtype.is_float():  # finite
            low, high = (-1e300 if low is None else low), (1e300 if high is None else high)
        if low is not None or high is not None:
            out.append(
                gxe.ExpectColumnValuesToBeBetween(column=column.name, min_value=low, max_value=high)
            )
    out.append(gxe.ExpectCompoundColumnsToBeUnique(column_list=list(table.key)))
    return out


def suite() -> dict:
    """Great Expectations on a pandas batch."""
    import great_expectations as gx
    import pandas as pd  # noqa: F401  (its import is apart)
    import pyarrow as pa  # noqa: F401

    from expectations.schemas import TABLES

    frames = TABLES["frames"]
    rows, planted = faulty_frames()
    expectations = _expectations(frames)
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    asset = context.data_sources.add_pandas("bench").add_dataframe_asset("frames")
    definition = asset.add_batch_definition_whole_dataframe("whole")
    judged = gx.ExpectationSuite("frames", expectations=expectations)
    began = cpu_s()
    table = rows.to_pandas()
    table["__kept"] = (table["gaze_valid"] > 0) == table["gaze_x"].notna()
    told = definition.get_batch({"dataframe": table}).validate(
        judged, result_format={"result_format": "COMPLETE"}
    )
    refused: set[int] = set()
    for one in told.results:
        if one.exception_info.get("raised_exception"):
            raise RuntimeError(one.exception_info["exception_message"])
        hit = one.result.get("unexpected_index_list") or []
        if one.expectation_config.type == "expect_compound_columns_to_be_unique":
            # Both twins are named; the contract keeps the first.
            twins = table.loc[hit, list(frames.key)]
            hit = twins.index[twins.duplicated()].tolist()
        refused.update(hit)
    return {
        "cpu_s": cpu_s() - began,
        "peak_mb": peak_mb(),
        "refused": len(refused),
        "planted": planted,
    }


def figures() -> list[Figure]:
    """All figures."""
    mine, other = measure(__file__, "ours"), measure(__file__, "suite")
    ratio = other["cpu_s"] / mine["cpu_s"]
    return [
        Figure(
            "the row rules of `frames` on 1 million rows, against Great Expectations on pandas",
            f"{ratio:.1f} times less CPU ({mine['cpu_s']:.2f} against {other['cpu_s']:.2f} CPU-s); "
            f"{mine['refused']:,} and {other['refused']:,} of {mine['planted']:,} faulty rows refused",
            ">= 2.5 times, the same rows",
            ratio >= 2.5 and mine["refused"] == other["refused"] == mine["planted"],
            "",
        )
    ]


SIDES = {f.__name__: f for f in (ours, suite)}

if __name__ == "__main__":
    sys.exit(main(__file__, figures, SIDES))
