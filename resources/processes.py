"""Processes that this one starts, and Ctrl-C."""

from __future__ import annotations

import signal
import sys
import threading
from multiprocessing import resource_tracker

# The tracker cleans up behind a process that ends at once; nobody has to hear of it.
_UNTIDIED = "ignore:resource_tracker"


def keep_interrupts_from_children() -> None:
    """Let processes that this thread starts from now on ignore Ctrl-C: their parent ends them.

    A terminal sends Ctrl-C to every process of a command, and each would print its own traceback. The
    signal is blocked in this thread, which children inherit. In the main thread, where Python waits for
    signals, nothing is changed.
    """
    if threading.current_thread() is threading.main_thread():
        return
    if _UNTIDIED not in sys.warnoptions:
        sys.warnoptions.append(_UNTIDIED)
    # Starting the tracker unblocks the signal in the thread that starts it: so it comes first.
    resource_tracker.ensure_running()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
