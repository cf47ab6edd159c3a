"""Names that the shell completes: read from the configuration file as it stands.

A shell waits for each of them while a person types: nothing heavy is imported, and a configuration that
is not valid has no names.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from resources.config_file import config_path

CHECKS = (
    "gates",
    "leakage",
    "pixel_shortcut",
    "question_reviews",
    "released",
    "reviews",
    "set_checks",
    "suite",
    "task_set_checks",
    "transitivity",
    "translations",
)
GROUPINGS = ("table", "partition", "unit")
_DECLARED = re.compile(r'^LAYOUT = Layout\(\s*name="([^"]+)"', re.MULTILINE)
_LAYOUTS = Path(__file__).resolve().parents[2] / "assets" / "sources"


def sources(incomplete: str) -> list[str]:
    """Configured sources that begin so."""
    return _beginning(incomplete, _table("sources"))


def benchmarks(incomplete: str) -> list[str]:
    """Configured benchmarks that begin so."""
    return _beginning(incomplete, _table("benchmarks"))


def runs(incomplete: str) -> list[str]:
    """Configured runs that begin so."""
    return _beginning(incomplete, _table("runs"))


def partitions(incomplete: str) -> list[str]:
    """Sources, benchmarks and evaluations (`benchmark.run`) that begin so."""
    return _beginning(incomplete, [*_table("sources"), *_table("benchmarks"), *_evaluations()])


def evaluations(incomplete: str) -> list[str]:
    """Evaluations (`benchmark.run`) that begin so."""
    return _beginning(incomplete, _evaluations())


def layouts(incomplete: str) -> list[str]:
    """Layouts of this repository that begin so, as the text of their folders declares them."""
    declared = (
        _DECLARED.search(path.read_text(encoding="utf-8"))
        for path in _LAYOUTS.glob("*/__init__.py")
    )
    return _beginning(incomplete, [match[1] for match in declared if match])


def checks(incomplete: str) -> list[str]:
    """Checks that begin so."""
    return _beginning(incomplete, CHECKS)


def groupings(incomplete: str) -> list[str]:
    """Groupings of digests that begin so."""
    return _beginning(incomplete, GROUPINGS)


def _evaluations() -> list[str]:
    every = list(_table("benchmarks"))
    keys = []
    for name, run in _table("runs").items():
        benchmarks = run.get("benchmarks", []) if isinstance(run, Mapping) else None
        if isinstance(benchmarks, list):
            keys += [f"{benchmark}.{name}" for benchmark in benchmarks or every]
    return keys


def _table(kind: str) -> Mapping[str, Any]:
    """The tables of one kind in the configuration file; empty where it cannot be read."""
    try:
        content = tomllib.loads(config_path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    tables = content.get(kind)
    return tables if isinstance(tables, Mapping) else {}


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))
