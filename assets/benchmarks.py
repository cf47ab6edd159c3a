"""What benchmarks declare as data, for stages that come before their questions.

Each benchmark has a folder under `assets/questions`. What other stages must know of it stands there
in `benchmark.toml`; nothing of its code is imported.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from resources.plugins import ABOUT

_QUESTIONS = Path(__file__).parent / "questions"
_KNOWN = {"title", "paper", "compares_sentences"}


def benchmark_folders() -> list[Path]:
    """Folders of the benchmarks, ascending."""
    return sorted(path for path in _QUESTIONS.iterdir() if path.is_dir())


@cache
def compares_sentences(benchmark: str, plugins: tuple[Path, ...] = ()) -> bool:
    """Whether questions of a benchmark are built from vectors of narrations.

    Sources of such a benchmark have vectors, whatever decides which of their sentences match.

    Args:
        benchmark: Name of the benchmark, which is that of its folder.
        plugins: Folders of plug-in benchmarks.

    Raises:
        ValueError: The benchmark's `benchmark.toml` has an unknown entry.
    """
    folders = {folder.name: folder for folder in (*plugins, *benchmark_folders())}
    file = folders.get(benchmark, _QUESTIONS / benchmark) / ABOUT
    if not file.is_file():
        return False
    declared = tomllib.loads(file.read_text(encoding="utf-8"))
    unknown = sorted(declared.keys() - _KNOWN)
    if unknown:
        raise ValueError(f"{file}: unknown entries {unknown}; use {sorted(_KNOWN)}")
    return declared.get("compares_sentences") is True
