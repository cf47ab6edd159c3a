"""Many narrations through the open reader, in processes of their own."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import wait

from assets.labels.open.reader import OpenLabel, read_narrations
from resources.processes import keep_interrupts_from_children

FEW = 2_000
"""Narrations that one process reads in less time than it takes to start others."""
_CHUNK = 1_000
_MOST_WORKERS = 4


def read_in_workers(
    narrations: Sequence[str], parser: str, workers: int | None = None
) -> Iterator[list[OpenLabel]]:
    """Labels of narrations, in order; the number of workers does not change them.

    Args:
        narrations: Narrations as written.
        parser: Name of an installed spaCy model.
        workers: Processes that read; by default one per core, at most four, and this process alone
            for few narrations.

    Raises:
        ParserUnavailableError: The model is not installed.
    """
    if workers is None:
        workers = 1 if len(narrations) <= FEW else min(_MOST_WORKERS, os.cpu_count() or 1)
    if workers <= 1:
        yield from read_narrations(narrations, parser)
        return
    chunks = [list(narrations[at : at + _CHUNK]) for at in range(0, len(narrations), _CHUNK)]
    keep_interrupts_from_children()
    # Spawned, not forked: the caller holds threads of polars.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, initializer=_end_with_parent) as pool:
        for read in pool.map(_read, chunks, [parser] * len(chunks)):
            yield from read


def _read(narrations: list[str], parser: str) -> list[list[OpenLabel]]:
    return list(read_narrations(narrations, parser))


def _end_with_parent() -> None:
    """End this process when its parent is killed: nothing else tells an idle worker."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_watch, args=(parent.sentinel,), daemon=True).start()


def _watch(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
