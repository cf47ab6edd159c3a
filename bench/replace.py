"""What replacing one of 1,000 recordings costs in a table of 20 million rows.

Prints the share of the CPU time that writing the whole table takes: of the first replacements, and of
replacements after 100 others (median of 3 each). Usage: python bench/replace.py [rows per recording]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time

import numpy as np
import polars as pl

from expectations.schemas import TABLES
from resources.tables import TableStore

TABLE = TABLES["gaze_samples"]
RECORDINGS = 1_000
BOUND = 0.03


def rows(recording: int, n: int, seed: int) -> pl.DataFrame:
    """Gaze of one recording at 200 Hz: a random walk."""
    rng = np.random.default_rng((recording, seed))
    known = {
        "source": pl.lit("bench"),
        "recording_id": pl.lit(f"recording-{recording:04}"),
        "sample": pl.int_range(n),
        "source_ns": 1_700_000_000_000_000_000 + pl.int_range(n) * 5_000_000,
    }
    frame = pl.select(**known)
    for name, dtype in TABLE.schema.items():
        if name in known:
            continue
        if dtype.is_float():
            values = np.cumsum(rng.normal(0, 3, n)).round(2)
        else:
            values = [None] * n if dtype == pl.String else rng.integers(0, 2, n)
        frame = frame.with_columns(pl.Series(name, values).cast(dtype))
    return frame.select(pl.col(c).cast(d) for c, d in TABLE.schema.items())


def cpu(store: TableStore, recordings: list[int], n: int, seed: int) -> float:
    """CPU seconds of replacing some recordings in one commit."""
    made = pl.concat([rows(r, n, seed) for r in recordings])
    units = made["recording_id"].unique().to_list()
    began = time.process_time()
    store.replace(TABLE, "bench", units, made)
    return time.process_time() - began


def main() -> int:
    """Print the ratios; 1 if one is over the bound."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    with tempfile.TemporaryDirectory() as folder:
        whole = cpu(TableStore(f"{folder}/whole"), list(range(RECORDINGS)), n, 0)
        store = TableStore(f"{folder}/whole")
        print(f"{RECORDINGS * n:,} rows written in {whole:.1f} CPU s")
        over = False
        for when, before in (("at first", 0), ("after 100 others", 100)):
            for number in range(before):
                cpu(store, [number * 37 % RECORDINGS], n * (80 + number % 41) // 100, number + 1)
            found = [cpu(store, [at], n, 500 + before) for at in (111, 555, 999)]
            share = statistics.median(found) / whole
            over |= share > BOUND
            print(f"one recording {when}: {statistics.median(found):.3f} CPU s = {share:.2%}")
    return int(over)


if __name__ == "__main__":
    raise SystemExit(main())
