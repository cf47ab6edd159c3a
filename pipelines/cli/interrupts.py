"""Ctrl-C: a command ends at once, with one line, and nothing of it is left behind.

What is stored is complete at every moment (tables are committed whole, replies are in a journal as they
arrive), so that a command needs no time to tidy up. The libraries below it would take theirs, and print.
"""

from __future__ import annotations

import contextvars
import functools
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Collection
from typing import Any, NoReturn, ParamSpec, TextIO

import typer

Arguments = ParamSpec("Arguments")
INTERRUPTED = 130
"""Exit code after Ctrl-C (128 and the number of SIGINT)."""
_LOOK_EVERY_S = 0.2
_TIDY_S = 1.5
_SHOW_CURSOR = "\x1b[?25h"


def interruptible(command: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """Run a command in a second thread, so that Ctrl-C reaches the first at once.

    Python delivers signals to its main thread only, between two of its own instructions: a long call
    into a library would have to end first, and Dagster would put its own handlers in place.
    """

    @functools.wraps(command)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        ended: list[BaseException | None] = []
        context = contextvars.copy_context()

        def work() -> None:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                context.run(command, *args, **kwargs)
            except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
                ended.append(error)

        thread = threading.Thread(target=work, name=command.__name__, daemon=True)
        thread.start()
        while thread.is_alive():
            # The system may hand the signal to any thread: this one then finds out when it next looks.
            thread.join(_LOOK_EVERY_S)
        if ended and ended[0] is not None:
            raise ended[0]

    return run


def end_interrupted() -> NoReturn:
    """End this process and those it started, after one line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    errors = _silence()
    if errors.isatty():
        # Bars hide the cursor while they move.
        errors.write(_SHOW_CURSOR)
    typer.secho(
        "parallax: interrupted; what was finished is kept, and the next run goes on from there",
        fg="red",
        file=errors,
    )
    errors.flush()
    children = multiprocessing.active_children()
    pids = [os.getpid(), *(child.pid for child in children if child.pid is not None)]
    # Before the children go: a thread that is still at work would report their runs as failed.
    tidying = threading.Thread(target=_mark_canceled, args=(pids,), daemon=True)
    tidying.start()
    tidying.join(_TIDY_S)
    for child in children:
        child.kill()
    leave(INTERRUPTED)


def leave(code: int) -> NoReturn:
    """End this process without waiting for its threads."""
    os._exit(code)


def _silence() -> TextIO:
    """Print nothing more: threads that are still at work would report what was taken from them.

    Returns:
        The error stream as it was.
    """
    # Nothing is flushed: a thread may be waiting for a full pipe with the stream's lock in its hand.
    errors = os.fdopen(os.dup(2), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(nowhere, number)
    return errors


def _mark_canceled(pids: Collection[int]) -> None:
    """Tell Dagster that the runs of this process and its children are over."""
    dead_runs: Any = sys.modules.get("pipelines.run.dead_runs")
    # A command that has not come to its first run has nothing to cancel.
    if dead_runs is not None:
        dead_runs.mark_runs_canceled(pids)
