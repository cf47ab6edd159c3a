"""Jobs of a sample world's writer, in other processes if there is more than one worker."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

Progress = Callable[[int, int, str], None]


def each(
    write: Callable[..., str],
    jobs: Sequence[tuple[Any, ...]],
    progress: Progress | None,
    workers: int,
) -> None:
    """Calls `write` with the arguments of every job.

    Args:
        write: Writes one piece and gives its name; a function of a module, so that another process
            finds it.
        jobs: Arguments of each call.
        progress: Called with (jobs done, jobs in all, name) in no particular order.
        workers: Processes that write; 1 writes in this process.
    """

    def tell(done: int, name: str) -> None:
        if progress is not None:
            progress(done, len(jobs), name)

    if workers <= 1 or len(jobs) <= 1:
        for done, job in enumerate(jobs, 1):
            tell(done, write(*job))
        return
    # Spawned, not forked: the caller may hold threads (polars, a server).
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        pending = [pool.submit(write, *job) for job in jobs]
        for done, job in enumerate(as_completed(pending), 1):
            tell(done, job.result())
