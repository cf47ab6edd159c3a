"""Jobs of a sample world's writer, in other processes if there is more than one worker."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Protocol

from resources.processes import keep_interrupts_from_children

Progress = Callable[[int, int, str], None]


class Writer(Protocol):
    """Writes a world in a dataset's layout: what the `write_*` functions of all worlds have in common."""

    def __call__(
        self, spec: Any, root: Path, progress: Progress | None = None, workers: int = 2, /
    ) -> None:
        """Writes under `root`; equal specs give equal bytes.

        Args:
            spec: What to write; the truth itself is never written.
            root: Folder to create or fill. Files of another world in it are not removed.
            progress: Called with (pieces done, pieces in all, name) in no particular order.
            workers: Processes that draw; 1 draws in this process.

        Raises:
            ValueError: `spec` is of another kind than the layout is made of.
        """


_kept: list[ProcessPoolExecutor] = []


def _started(workers: int) -> ProcessPoolExecutor:
    keep_interrupts_from_children()
    # Spawned, not forked: the caller may hold threads (polars, a server).
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


@contextmanager
def kept_workers(workers: int) -> Iterator[None]:
    """Writers called inside share these processes: to start one costs most of a second.

    Args:
        workers: Processes that write.
    """
    with _started(workers) as pool:
        _kept.append(pool)
        try:
            yield
        finally:
            _kept.remove(pool)


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
        workers: Processes that write; 1 writes in this process. Those kept, if any are, are used as
            they are.
    """

    def tell(done: int, name: str) -> None:
        if progress is not None:
            progress(done, len(jobs), name)

    if workers <= 1 or len(jobs) <= 1:
        for done, job in enumerate(jobs, 1):
            tell(done, write(*job))
        return
    with nullcontext(_kept[-1]) if _kept else _started(workers) as pool:
        pending = [pool.submit(write, *job) for job in jobs]
        for done, job in enumerate(as_completed(pending), 1):
            tell(done, job.result())
