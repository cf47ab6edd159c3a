"""Runs every bench script and writes the table in `docs/benchmarks.md`; words name the scripts to run.

Scripts that are not named keep their lines, as do figures that this machine cannot measure: what they
lack is said while it runs.
"""

from __future__ import annotations

import argparse
import datetime as dt
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
SCRIPTS = (
    "frame_index",
    "gaze",
    "clips",
    "rules",
    "replace",
    "labels",
    "raw_roots",
    "inference",
    "replies",
    "metrics",
    "planner",
    "sample_graph",
    "yields",
    "yields_egoprox",
    "real_counts",
    "yields_egocot",
)
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"
HEAD = "| what | measured | wanted | command |\n|---|---|---|---|"
LIBRARIES = ("av", "numpy", "polars", "pyarrow", "deltalake", "dagster", "decord", "pandas")
LIBRARIES += ("great-expectations", "editdistance", "pycocoevalcap")


def machine() -> str:
    """Machine, versions and day, in one sentence."""
    found = re.search(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    versions = ", ".join(f"{n} {importlib.metadata.version(n)}" for n in LIBRARIES)
    load = os.getloadavg()[1]
    return (
        f"{dt.datetime.now(dt.UTC):%Y-%m-%d}, {os.cpu_count()} cores ({found[1] if found else '?'}), "
        f"Python {platform.python_version()}, {versions}. CPU seconds, medians of three runs; "
        f"load average {load:.1f} (where it is above the number of cores, other work was running)."
    )


def lines(script: str, old: list[str]) -> list[str]:
    """Table lines of a script's figures; of those not measured the old ones, where there are any."""
    done = subprocess.run(
        [sys.executable, str(HERE / f"{script}.py"), "--json"],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(HERE.parent)},
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"bench/{script}.py ended with {done.returncode}")
    out = []
    for line in done.stdout.splitlines():
        said = json.loads(line)
        measured = said["measured"] if said["holds"] else f"{said['measured']} — **misses**"
        line = f"| {said['what']} | {measured} | {said['wanted']} | `{said['command']}` |"
        kept = (one for one in old if said["missing"] and one.startswith(f"| {said['what']} |"))
        out.append(next(kept, line))
    return out


def table_of(text: str, script: str) -> list[str]:
    """Lines of a script in the table of a page."""
    table = text.partition(BEGIN)[2].partition(END)[0]
    return [line for line in table.splitlines() if line.endswith(f"| `python -m bench.{script}` |")]


def with_table(text: str, measured: Mapping[str, list[str]]) -> str:
    """A page with a new table; scripts that were not measured keep their lines, all else stays.

    Args:
        text: The page, with a table between the marks.
        measured: Lines of the table by script.

    Raises:
        ValueError: The page has no marks to write between.
    """
    if BEGIN not in text or END not in text:
        raise ValueError(f"{PAGE.name} has no {BEGIN} and {END}; put them where the table belongs")
    table = []
    for script in SCRIPTS:
        table += measured[script] if script in measured else table_of(text, script)
    before, _, rest = text.partition(BEGIN)
    new = "\n".join([BEGIN, machine(), "", HEAD, *table, END])
    return before + new + rest.partition(END)[2]


def main() -> int:
    """Run and write; 1 if a figure that was asked for misses its bound."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("scripts", nargs="*", metavar="|".join(SCRIPTS))
    wanted = parser.parse_args().scripts or SCRIPTS
    unknown = sorted(set(wanted) - set(SCRIPTS))
    if unknown:
        parser.error(f"no script {unknown[0]!r}; known: {', '.join(SCRIPTS)}")
    measured = {}
    for script in SCRIPTS:
        if script in wanted:
            print(f"== {script}", file=sys.stderr)
            measured[script] = lines(script, table_of(PAGE.read_text(encoding="utf-8"), script))
    # Read only now: measuring takes minutes, in which the page may change.
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), measured), encoding="utf-8")
    return int(any("**misses**" in line for found in measured.values() for line in found))


if __name__ == "__main__":
    sys.exit(main())
