"""The whole sample graph at 10, 100 and 1,000 recordings: first run, unchanged run, one changed.

The household is written in EgoExoLearn's layout (small pictures); every stage runs as in `parallax
run`, up to the replies of `random` and the scores. The change is one word of one narration. CPU
counts the Dagster runs and every child; writing the sample does not count. A query has one positive,
as in the paper: what is judged per question is Python, and three would be three times that. Sentences
are not compared: a model that takes hundredths of a second for each would be most of what is measured.

What a change costs must follow the change: beside what one recording and the pools it is in need, a
run only compares every unit with the ledger. At 10 recordings the fixed cost of a run (starting
Dagster, the definitions) covers both, at 100 still much of it. The household has eight pools whatever its size, so that a
pool, made again whole, grows with the recordings; it must grow slower than they do.
"""

from __future__ import annotations

import csv
import os
import sys
import tempfile
from pathlib import Path

from bench.measure import Figure, cpu_s, main, measure

SIZES = (10, 100, 1000)
# At 1,000 recordings: of the first run; and of what the change costs at 100.
UNCHANGED, CHANGED, GROWTH = 0.10, 0.25, 5.0
CONFIG = """
store = "tables"
page = "page.html"
[sources.sample]
layout = "egoexolearn"
root = "sample"
positives_per_query = 1
sentence_match = "none"
[benchmarks.egobridge]
sources = ["sample"]
[runs.random]
engine = "random"
protocol = "direct"
limit = 100
auto = true
"""


def make(base: str, recordings: str) -> dict:
    """Configuration and sample."""
    from resources.worlds import HouseholdSpec, write_egoexolearn

    Path(base).mkdir(parents=True)
    Path(base, "parallax.toml").write_text(CONFIG)
    n = int(recordings)
    spec = HouseholdSpec(ego=2 * n // 3, exo=n - 2 * n // 3, render="small")
    write_egoexolearn(spec, Path(base, "sample"))
    return {}


def run(base: str) -> dict:
    """One run over everything, as the command does it."""
    os.environ |= {
        "PARALLAX_CONFIG": f"{base}/parallax.toml",
        "PARALLAX_DAGSTER_HOME": f"{base}/.dagster",
        "DAGSTER_HOME": f"{base}/.dagster",
        "DAGSTER_DISABLE_TELEMETRY": "1",
    }
    from assets.options import Options
    from pipelines.run.orchestrate import update
    from pipelines.run.progress import Display
    from pipelines.run.steps import Scope
    from resources.config import load_settings

    began = cpu_s()
    totals = update(load_settings(), Scope(), Options(), Display())
    return {"cpu_s": cpu_s() - began, **totals.as_dict()}


def edit(base: str) -> dict:
    """Another last word in the narration of the first ego segment."""
    path = Path(base, "sample/annotations/fine_annotation_trainvaltest_en.csv")
    with path.open(newline="", encoding="utf-8") as handle:
        head, *rows = csv.reader(handle)
    at = head.index("narration_en")
    row = next(r for r in rows if r[head.index("view")] == "ego")
    row[at] += " again"
    with path.open("w", newline="", encoding="utf-8") as handle:
        csv.writer(handle, lineterminator="\n").writerows([head, *rows])
    return {}


def figures() -> list[Figure]:
    """All figures; an unchanged run is the median of three, the others are measured once."""
    out = []
    before: dict[str, float] = {}
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            base = f"{folder}/installation"
            measure(__file__, "make", base, str(size), repeats=1)
            took = costs(base)
        out.append(figure(size, took, before))
        before = took
    return out


def costs(base: str) -> dict[str, float]:
    """CPU seconds of a first run over a sample, of unchanged ones, and of one after the change."""
    first = measure(__file__, "run", base, repeats=1)["cpu_s"]
    again = measure(__file__, "run", base)["cpu_s"]
    measure(__file__, "edit", base, repeats=1)
    changed = measure(__file__, "run", base, repeats=1)["cpu_s"]
    return {"first": first, "again": again, "changed": changed}


def figure(size: int, took: dict[str, float], before: dict[str, float]) -> Figure:
    """A line: shares of the first run, and growth since the size before, which is a tenth."""
    first, again, changed = took["first"], took["again"], took["changed"]
    words = f"{first:.1f} CPU-s, {again:.1f} ({again / first:.1%}), {changed:.1f} ({changed / first:.1%})"
    wanted, holds = "", True
    growth = changed / before["changed"] if before else 0.0
    if before:
        words += f"; the change costs {growth:.1f} times that of a tenth"
    if size == SIZES[-1]:
        wanted = f"<= {UNCHANGED:.0%}, <= {CHANGED:.0%} and <= {GROWTH:.0f} times"
        holds = again <= UNCHANGED * first and changed <= CHANGED * first and growth <= GROWTH
    what = f"the sample graph, {size:,} recordings: first run, unchanged, one narration changed"
    return Figure(what, words, wanted, holds, "")


SIDES = {f.__name__: f for f in (make, run, edit)}

if __name__ == "__main__":
    sys.exit(main(__file__, figures, SIDES))
