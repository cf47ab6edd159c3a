"""What replacing one of 1,000 recordings costs in a table of 20 million rows.

Given as the share of the CPU time that writing the whole table takes: of the first replacements, and
of replacements after 100 others (median of three each).
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from typing import TYPE_CHECKING

from bench.measure import Figure, cpu_s, main, measure

if TYPE_CHECKING:
    import polars as pl

    from resources.store.tables import TableStore

RECORDINGS, ROWS_EACH, OTHERS, BOUND = 1_000, 20_000, 100, 0.03


def rows(recording: int, n: int, seed: int) -> pl.DataFrame:
    """Gaze of one recording at 200 Hz: a random walk."""
    import numpy as np
    import polars as pl

    from expectations.schemas import TABLES

    rng = np.random.default_rng((recording, seed))
    known = {
        "source": pl.lit("bench"),
        "recording_id": pl.lit(f"recording-{recording:04}"),
        "sample": pl.int_range(n),
        "source_ns": 1_700_000_000_000_000_000 + pl.int_range(n) * 5_000_000,
    }
    frame = pl.select(**known)
    for name, dtype in TABLES["gaze_samples"].schema.items():
        if name in known:
            continue
        if dtype.is_float():
            values = np.cumsum(rng.normal(0, 3, n)).round(2)
        else:
            values = [None] * n if dtype == pl.String else rng.integers(0, 2, n)
        frame = frame.with_columns(pl.Series(name, values).cast(dtype))
    return frame.select(pl.col(c).cast(d) for c, d in TABLES["gaze_samples"].schema.items())


def spent(store: TableStore, recordings: list[int], n: int, seed: int) -> float:
    """CPU seconds of replacing some recordings in one commit."""
    import polars as pl

    from expectations.schemas import TABLES

    made = pl.concat([rows(r, n, seed) for r in recordings])
    units = made["recording_id"].unique().to_list()
    began = cpu_s()
    store.replace(TABLES["gaze_samples"], "bench", units, made)
    return cpu_s() - began


def replacing() -> dict:
    """The whole table written, then single recordings replaced."""
    from resources.store.tables import TableStore

    out = {}
    with tempfile.TemporaryDirectory() as folder:
        store = TableStore(folder)
        out["whole"] = spent(store, list(range(RECORDINGS)), ROWS_EACH, 0)
        for when, before in (("first", 0), ("later", OTHERS)):
            for number in range(before):
                n = ROWS_EACH * (80 + number % 41) // 100
                spent(store, [number * 37 % RECORDINGS], n, number + 1)
            found = [spent(store, [at], ROWS_EACH, 500 + before) for at in (111, 555, 999)]
            out[when] = statistics.median(found)
    return out


def figures() -> list[Figure]:
    """All figures."""
    cost = measure(__file__, "replacing", repeats=1)
    first, later = cost["first"] / cost["whole"], cost["later"] / cost["whole"]
    return [
        Figure(
            f"one of {RECORDINGS:,} recordings replaced in a table of "
            f"{RECORDINGS * ROWS_EACH / 1e6:.0f} million rows, against writing the table",
            f"{first:.2%} of {cost['whole']:.1f} CPU-s; {later:.2%} after {OTHERS} others",
            f"<= {BOUND:.0%}",
            max(first, later) <= BOUND,
            "",
        )
    ]


SIDES = {f.__name__: f for f in (replacing,)}

if __name__ == "__main__":
    sys.exit(main(__file__, figures, SIDES))
