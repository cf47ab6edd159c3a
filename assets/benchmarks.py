"""What benchmarks declare as data, for stages that come before their questions.

Each benchmark has a folder under `assets/questions`. What other stages must know of it stands there
in `benchmark.toml`; nothing of its code is imported.
"""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from resources.plugins import ABOUT, PluginError

_QUESTIONS = Path(__file__).parent / "questions"
COUNTS = "published_counts.csv"
_KNOWN = {
    "title": str,
    "paper": str,
    "compares_sentences": bool,
    "published_reader": str,
    "screenings": int,
    "groups": dict,
    "domains": dict,
}


@dataclass(frozen=True, slots=True)
class About:
    """What a benchmark's `benchmark.toml` says of it.

    Attributes:
        title: Name as its authors write it.
        paper: Where it is described, with its published size.
        compares_sentences: Whether its questions are built from vectors of narrations. Sources of such a
            benchmark have vectors, whatever decides which of their sentences match.
        published_reader: Name of the extractor that it was published with (`assets.scores.parity.readers`);
            empty for none.
        screenings: How many people screen each question before it is cross-checked and adjudicated
            (`assets.question_reviews.flow`); 0 where its questions are not reviewed in these steps.
        groups: Groups of subtasks that the paper gives a mean of: name and subtasks.
        domains: Domains that the paper gives a mean of: name and layouts of the sources in it.
    """

    title: str
    paper: str = ""
    compares_sentences: bool = False
    published_reader: str = ""
    screenings: int = 0
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    domains: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@cache
def published_counts(
    benchmark: str, plugins: tuple[Path, ...] = ()
) -> Mapping[tuple[str, str], int]:
    """Questions that the paper has, by subtask and layout of the dataset; empty where it says none.

    A benchmark's folder may hold `published_counts.csv` with columns subtask, layout and questions.

    Args:
        benchmark: Name of the benchmark.
        plugins: Folders of plug-in benchmarks.

    Raises:
        PluginError: The file has other columns, or a count that is not a number.
    """
    file = folder_of(benchmark, plugins) / COUNTS
    if not file.is_file():
        return {}
    rows = csv.DictReader(file.read_text(encoding="utf-8").splitlines())
    try:
        return {(row["subtask"], row["layout"]): int(row["questions"]) for row in rows}
    except (KeyError, TypeError, ValueError) as error:
        raise PluginError(
            f"{file} cannot be read ({error}); give columns subtask, layout and questions, a number"
        ) from None


def benchmark_folders() -> list[Path]:
    """Folders of the benchmarks, ascending."""
    return sorted(path for path in _QUESTIONS.iterdir() if path.is_dir())


def folder_of(benchmark: str, plugins: tuple[Path, ...] = ()) -> Path:
    """Folder of a benchmark; it is not there for one that asks what its sources released.

    Args:
        benchmark: Name of the benchmark.
        plugins: Folders of plug-in benchmarks.
    """
    folders = {folder.name: folder for folder in (*plugins, *benchmark_folders())}
    return folders.get(benchmark, _QUESTIONS / benchmark)


@cache
def about(benchmark: str, plugins: tuple[Path, ...] = ()) -> About:
    """What a benchmark declares; one without a file has its own name for a title.

    Args:
        benchmark: Name of the benchmark, which is that of its folder.
        plugins: Folders of plug-in benchmarks.

    Raises:
        PluginError: The benchmark's `benchmark.toml` has an unknown entry, or one of another type.
    """
    file = folder_of(benchmark, plugins) / ABOUT
    declared = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    unknown = sorted(declared.keys() - _KNOWN.keys())
    if unknown:
        raise PluginError(f"{file}: unknown entries {unknown}; use {sorted(_KNOWN)}")
    values: dict[str, Any] = {"title": benchmark, **declared}
    mistyped = sorted(name for name, value in values.items() if type(value) is not _KNOWN[name])
    if mistyped:
        raise PluginError(
            f"{file}: {mistyped} must be texts; compares_sentences is true or false, screenings a number,"
            " groups and domains are tables"
        )
    values["groups"] = _groups(file, declared.get("groups", {}))
    values["domains"] = _domains(file, declared.get("domains", {}), values["groups"])
    return About(**values)


def _groups(file: Path, declared: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    """Groups of subtasks.

    Raises:
        PluginError: A group is not a list of names, or is named like a subtask or a mean.
    """
    groups = _lists(file, declared, "group", "subtasks")
    taken = {"micro", "macro", *(one for subtasks in groups.values() for one in subtasks)}
    if twice := sorted(taken & groups.keys()):
        raise PluginError(
            f"{file}: groups {twice} have the name of a subtask or a mean; rename them"
        )
    return groups


def _lists(
    file: Path, declared: Mapping[str, object], kind: str, of: str
) -> dict[str, tuple[str, ...]]:
    """Lists of names by name.

    Raises:
        PluginError: One is not a list of names.
    """
    for name, members in declared.items():
        if not isinstance(members, list) or not all(isinstance(one, str) for one in members):
            raise PluginError(f"{file}: {kind} {name} must be a list of {of}")
    return {name: tuple(members) for name, members in declared.items()}  # type: ignore[arg-type]


def _domains(
    file: Path, declared: Mapping[str, object], groups: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Domains of sources.

    Raises:
        PluginError: A domain is not a list of layouts, shares one with another, or has the name of a group, a
            subtask or a mean.
    """
    domains = _lists(file, declared, "domain", "layouts")
    for (_, first), (_, second) in combinations(domains.items(), 2):
        if shared := {*first} & {*second}:
            raise PluginError(f"{file}: {sorted(shared)} stand in two domains; keep one")
    subtasks = {one for known in groups.values() for one in known}
    if twice := sorted(domains.keys() & {"micro", "macro", "macro_domains", *groups, *subtasks}):
        raise PluginError(
            f"{file}: domains {twice} have the name of a group, a subtask or a mean; rename them"
        )
    return domains
