"""41.7 million gaze samples onto the 25 fps grid, parquet to parquet, against pandas.

The input is one lz4 parquet file of 100 recordings at 200 Hz, one row group each, with jitter, gaps and
invalid samples. pandas does the same by `merge_asof` (nearest) and `groupby`, recording by recording.
Both results are compared.
"""

from __future__ import annotations

import sys
import tempfile

from bench.measure import Figure, cpu_s, main, measure, peak_mb

RECORDINGS, SAMPLES, STEP_NS = 100, 417_000, 40_000_000
TICKS = SAMPLES * 5 // 40
WRITE = {"compression": "lz4", "use_dictionary": ["recording"]}


def make_input(path: str) -> dict:
    """Parquet of 41.7 million samples."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema(
        [("recording", "int32"), ("t_ns", "int64"), ("x", "f8"), ("y", "f8"), ("valid", "bool")]
    )
    with pq.ParquetWriter(path, schema, compression="lz4") as writer:
        for recording in range(RECORDINGS):
            rng = np.random.default_rng(recording)
            t_ns = np.arange(SAMPLES, dtype=np.int64) * 5_000_000
            t_ns += rng.integers(-1_200_000, 1_200_000, SAMPLES)
            columns = [
                np.full(SAMPLES, recording, dtype=np.int32),
                t_ns,
                rng.random(SAMPLES).round(4),
                rng.random(SAMPLES).round(4),
                rng.random(SAMPLES) > 0.07,
            ]
            writer.write_table(pa.table(columns, schema=schema), row_group_size=SAMPLES)
    return {}


def ours(path: str, target: str) -> dict:
    """One row group at a time through the stage's own function."""
    import time

    import pyarrow as pa
    import pyarrow.parquet as pq

    from assets.frames.gaze import register

    pa.set_cpu_count(1)
    began, wall = cpu_s(), time.perf_counter()
    writer = None
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            read = file.read_row_group(group, use_threads=False)
            t_ns, x, y, valid = (
                read[n].to_numpy(zero_copy_only=False) for n in ("t_ns", "x", "y", "valid")
            )
            made = register(t_ns, x, y, valid, ticks=TICKS, step_ns=STEP_NS)
            table = pa.table(
                {
                    "recording": pa.repeat(read["recording"][0], TICKS),
                    "x": made.x,
                    "y": made.y,
                    "valid": made.valid,
                    "samples": made.samples,
                    "residual_ms": made.residual_ms,
                }
            )
            writer = writer or pq.ParquetWriter(target, table.schema, **WRITE)
            writer.write_table(table)
    if writer is not None:
        writer.close()
    spent = cpu_s() - began
    return {"cpu_s": spent, "wall_s": time.perf_counter() - wall, "peak_mb": peak_mb()}


def pandas_side(path: str, target: str) -> dict:
    """The same by `merge_asof` and `groupby`."""
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    pa.set_cpu_count(1)
    began = cpu_s()
    grid = pd.DataFrame({"tick_ns": np.arange(TICKS, dtype=np.int64) * STEP_NS})
    writer = None
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            read = file.read_row_group(group, use_threads=False).to_pandas()
            joined = pd.merge_asof(
                read.sort_values("t_ns"), grid, left_on="t_ns", right_on="tick_ns",
                direction="nearest", tolerance=STEP_NS // 2,
            )  # fmt: skip
            joined["apart"] = (joined["t_ns"] - joined["tick_ns"]).abs()
            samples = joined.groupby("tick_ns").size()
            means = (
                joined[joined["valid"]]
                .groupby("tick_ns")
                .agg(x=("x", "mean"), y=("y", "mean"), valid=("x", "size"), apart=("apart", "mean"))
            )
            means["samples"] = samples
            means = means.reindex(grid["tick_ns"]).reset_index()
            table = pa.table(
                {
                    "recording": pa.repeat(read["recording"].iloc[0], TICKS),
                    "x": means["x"].to_numpy(np.float32),
                    "y": means["y"].to_numpy(np.float32),
                    "valid": means["valid"].fillna(0).to_numpy(np.int16),
                    "samples": means["samples"].fillna(0).to_numpy(np.int16),
                    "residual_ms": (means["apart"] / 1e6).to_numpy(np.float32),
                }
            )
            writer = writer or pq.ParquetWriter(target, table.schema, **WRITE)
            writer.write_table(table)
    if writer is not None:
        writer.close()
    return {"cpu_s": cpu_s() - began}


def compare(left: str, right: str) -> dict:
    """Largest difference of the two results."""
    import numpy as np
    import pyarrow.parquet as pq

    worst = 0.0
    a, b = pq.read_table(left), pq.read_table(right)
    for name in ("x", "y", "valid", "samples", "residual_ms"):
        one, two = a[name].to_numpy().astype(float), b[name].to_numpy().astype(float)
        both = np.isfinite(one) & np.isfinite(two)
        if (np.isfinite(one) != np.isfinite(two)).any():
            return {"worst": float("inf")}
        worst = max(worst, float(np.abs(one[both] - two[both]).max()))
    return {"worst": worst}


def figures() -> list[Figure]:
    """All figures."""
    with tempfile.TemporaryDirectory() as folder:
        data, left, right = (f"{folder}/{n}.parquet" for n in ("in", "ours", "pandas"))
        measure(__file__, "make_input", data, repeats=1)
        mine = measure(__file__, "ours", data, left)
        other = measure(__file__, "pandas_side", data, right)
        worst = measure(__file__, "compare", left, right, repeats=1)["worst"]
    ratio = other["cpu_s"] / mine["cpu_s"]
    return [
        Figure(
            "41.7 million gaze samples, parquet to parquet, against pandas merge_asof + groupby",
            f"{ratio:.1f} times less CPU ({mine['cpu_s']:.1f} against {other['cpu_s']:.1f} CPU-s; "
            f"{mine['wall_s']:.1f} s), largest difference {worst:.1e}",
            ">= 2.2 times, equal results",
            ratio >= 2.2 and worst < 1e-5,
            "",
        ),
        Figure(
            "its peak memory, imports included",
            f"{mine['peak_mb']:.0f} MB",
            "< 400 MB",
            mine["peak_mb"] < 400,
            "",
        ),
    ]


SIDES = {f.__name__: f for f in (make_input, ours, pandas_side, compare)}

if __name__ == "__main__":
    sys.exit(main(__file__, figures, SIDES))
