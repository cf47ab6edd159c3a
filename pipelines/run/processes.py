"""Names of processes that stay true when a number is used again, and ending with another process."""

from __future__ import annotations

import os
import socket
import threading
import time
from pathlib import Path

_LOOK_EVERY_S = 0.2


def process_name(pid: int) -> str:
    """Name of a process: host, number, and when it started (numbers are used again)."""
    return f"{socket.gethostname()}:{pid}:{_started(pid)}"


def is_alive(process: str) -> bool:
    """Whether a process of this machine, named by `process_name`, still runs; true for others'."""
    host, pid, started = process.rsplit(":", 2)
    if host != socket.gethostname() or not started:
        return True
    return _started(int(pid)) == started


def end_with(process: str) -> None:
    """End this process when another one is gone: nobody would hear of what it does."""

    def watch() -> None:
        while is_alive(process):
            time.sleep(_LOOK_EVERY_S)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _started(pid: int) -> str:
    """Start of a process in clock ticks since boot; empty if there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""
    fields = stat.rpartition(")")[2].split()
    # A zombie still has a number but will do nothing any more.
    return "" if fields[0] == "Z" else fields[19]
