"""Measuring: each side in a process of its own, its children's CPU counted, median of three.

A side is a function of a bench script, named on its command line; it prints what it did as JSON. CPU
seconds are those between its two calls of `cpu_s`, so that imports are apart; peak memory is the
whole process's, imports included.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

REPEATS = 3


@dataclass(frozen=True)
class Figure:
    """One line of the table.

    Attributes:
        what: What was measured, with its input.
        measured: Figure in words.
        wanted: Bound in words.
        holds: Whether it holds.
        command: Command that makes it.
        missing: What it lacks, where it was not measured; the table then keeps what it says.
    """

    what: str
    measured: str
    wanted: str
    holds: bool
    command: str = ""
    missing: str = ""


def unmeasured(what: str, wanted: str, missing: str) -> Figure:
    """A line that this machine cannot measure, and what it lacks."""
    return Figure(what, f"not measured: {missing}", wanted, True, missing=missing)


def cpu_s() -> float:
    """CPU seconds of this process and the children it has waited for."""
    mine, children = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return mine.ru_utime + mine.ru_stime + children.ru_utime + children.ru_stime


def peak_mb() -> float:
    """Peak resident memory of this process or its largest child, MB."""
    most = max(
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return most * 1024 / 1e6


def measure(script: str, side: str, *given: str, repeats: int = REPEATS) -> dict[str, Any]:
    """Runs a side several times; numbers are medians, the rest is the last run's."""
    runs = []
    for _ in range(repeats):
        done = subprocess.run(
            [sys.executable, os.path.abspath(script), "--side", side, *given],
            stdout=subprocess.PIPE,
            check=True,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
        )
        runs.append(json.loads(done.stdout.splitlines()[-1]))
    out = dict(runs[-1])
    for name, value in out.items():
        if isinstance(value, float):
            out[name] = statistics.median(run[name] for run in runs)
    return out


def main(script: str, figures: Callable[[], list[Figure]], sides: Mapping[str, Callable]) -> int:
    """Entry of a bench script: a side for itself, or all figures; 1 if one does not hold."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", choices=sorted(sides))
    parser.add_argument("--json", action="store_true", help="figures as JSON lines")
    parser.add_argument("given", nargs="*")
    told = parser.parse_args()
    if told.side:
        print(json.dumps(sides[told.side](*told.given)))
        return 0
    found = figures()
    for one in found:
        mark = "----" if one.missing else "ok  " if one.holds else "MISS"
        print(f"{mark} {one.what}: {one.measured} (wanted: {one.wanted})", file=sys.stderr)
        if told.json:
            print(json.dumps(asdict(one) | {"command": f"python -m bench.{Path(script).stem}"}))
    return 0 if all(one.holds for one in found) else 1
